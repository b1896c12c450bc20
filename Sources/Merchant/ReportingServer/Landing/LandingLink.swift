/// The target of a landing link.
package struct LandingLink: Hashable, Sendable {
    /// The absolute URL of the shop.
    package let url: String
    /// True if a path below the link is appended to the URL.
    package let allowsPaths: Bool

    package init(url: String, allowsPaths: Bool = false) {
        self.url = url
        self.allowsPaths = allowsPaths
    }
}

extension LandingLink: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self.init(url: value)
    }
}
