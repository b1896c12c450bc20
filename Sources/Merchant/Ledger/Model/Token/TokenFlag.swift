/// A note about a token for the operator, on which nothing depends; unknown notes of newer versions are preserved.
package struct TokenNote: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Arrivals or sales named different customers.
    package static let customerContradiction = Self(rawValue: "customer-contradiction")
    /// The named checkout already had another token (TK-78).
    package static let checkoutContradiction = Self(rawValue: "checkout-contradiction")
    /// A later arrival with the same id had other fields; the first text stays.
    package static let contentContradiction = Self(rawValue: "content-contradiction")
    /// The query parameter `bundleId` is missing or differs from the token's (TK-65).
    package static let bundleMismatch = Self(rawValue: "bundle-mismatch")
    /// The query contained several tokens; the first one is used (TK-65).
    package static let repeatedParameter = Self(rawValue: "repeated-parameter")
    /// The creation date is more than five minutes after the server's time; not reported until then (TK-75).
    package static let suspicious = Self(rawValue: "suspicious")

    /// The notes that this version makes.
    package static let known = [
        customerContradiction, checkoutContradiction, contentContradiction, bundleMismatch, repeatedParameter,
        suspicious,
    ]
}

/// What a person reads about a token: the states of some columns, and notes.
///
/// ``StoredToken/flags`` derives them. Nothing depends on a flag.
package struct TokenFlag: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(_ note: TokenNote) {
        rawValue = note.rawValue
    }

    /// See ``CustomerSource/sales``.
    package static let customerFromSale = Self(rawValue: "customer-from-sale")
    /// See ``TokenPeriodChoice/chosen``.
    package static let chosen = Self(rawValue: "chosen-for-period")
    /// See ``TokenReporting/onRequest``.
    package static let reportRefused = Self(rawValue: "report-refused")
    /// See ``BaseURLStatus/missing``.
    package static let noBaseURL = Self(rawValue: "no-base-url")

    package static let customerContradiction = Self(TokenNote.customerContradiction)
    package static let checkoutContradiction = Self(TokenNote.checkoutContradiction)
    package static let contentContradiction = Self(TokenNote.contentContradiction)
    package static let bundleMismatch = Self(TokenNote.bundleMismatch)
    package static let repeatedParameter = Self(TokenNote.repeatedParameter)
    package static let suspicious = Self(TokenNote.suspicious)

    /// The flags by which a list can be filtered: all that ``StoredToken/flags`` derives.
    package static let known =
        TokenNote.known.map { Self($0) } + [customerFromSale, chosen, reportRefused, noBaseURL]
}
