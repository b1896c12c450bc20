/// The code of an App Store storefront, `NLD`: ISO 3166-1 alpha-3, or Apple's `XKS` for Kosovo.
public struct StorefrontCode: Hashable, Sendable, CustomStringConvertible {
    /// Three capital letters.
    public let alpha3: String

    /// Creates a storefront code from `XKS` or a code of the country table; nil for any other text (SK-11).
    ///
    /// - Parameter alpha3: the code, compared byte for byte; `nld` and `NL` are refused.
    public init?(_ alpha3: String) {
        guard alpha3 == "XKS" || Country.alpha3(alpha3) != nil else { return nil }
        self.alpha3 = alpha3
    }

    /// The lower-case alpha-2 code that property lists use; nil for `XKS`, which matches no entry (CF-3).
    public var region: String? { Country.alpha3(alpha3)?.region }

    /// The code.
    public var description: String { alpha3 }

    /// Suggests a storefront code for a text in alpha-2 or lower case, for a "did you mean" message; nil when no code
    /// matches.
    ///
    /// - Parameter text: the text as written.
    public static func suggestion(for text: String) -> StorefrontCode? {
        guard text.utf8.count <= 3 else { return nil }
        let upper = text.uppercased()
        if let code = StorefrontCode(upper == "XK" ? "XKS" : upper) { return code }
        return Country.meant(by: upper).flatMap { StorefrontCode($0.alpha3) }
    }
}
