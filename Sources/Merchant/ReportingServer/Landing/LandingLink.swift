/// Where a landing link leads.
package struct LandingLink: Hashable, Sendable {
    /// The shop's absolute address.
    package let url: String
    /// True when a path below the link leads to the same path below the address.
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
