package import ExternalPurchaseCore

/// What an app may offer its customers, by storefront, so that it learns a change without an update (OB-100).
package struct PurchasePolicy: Hashable, Sendable {
    /// What holds for the customers of a storefront.
    package struct Entry: Hashable, Sendable {
        /// Whether the app offers external purchases.
        package var isOffered: Bool
        /// Whether the app requests tokens; each obliges to a report.
        package var requestsTokens: Bool
        /// What customers read who may not buy, at most 500 characters; nil leaves it to the app.
        package var message: String?

        package init(isOffered: Bool, requestsTokens: Bool, message: String? = nil) {
            self.isOffered = isOffered
            self.requestsTokens = requestsTokens
            self.message = message
        }
    }

    /// The entries of single storefronts.
    package var storefronts: [StorefrontCode: Entry]
    /// The entry of all other storefronts.
    package var standard: Entry
    /// The longest time that an app uses an answer, within ``maxAges``.
    package var maxAge: Duration

    /// From one minute to seven days.
    package static let maxAges = Duration.minutes(1)...Duration.days(7)
    package static let standardMaxAge = Duration.hours(1)

    /// The policy of an app without one: the app alone decides, and no token is missing because of the server (OB-101).
    package static let open = PurchasePolicy(standard: Entry(isOffered: true, requestsTokens: true))

    package init(
        storefronts: [StorefrontCode: Entry] = [:],
        standard: Entry,
        maxAge: Duration = standardMaxAge
    ) {
        self.storefronts = storefronts
        self.standard = standard
        self.maxAge = maxAge
    }

    /// The entry that holds for a storefront.
    package subscript(storefront: StorefrontCode) -> Entry { storefronts[storefront] ?? standard }

    /// The time until which an answer of a moment may be used, in whole seconds (OB-102).
    ///
    /// It lies at least half of ``maxAge`` ahead, and is the same for all answers of half that time: otherwise no two
    /// answers would be equal.
    package func end(ofAnswerAt now: Timestamp) -> Timestamp {
        let longest = maxAge.wholeMilliseconds
        let step = longest / 2_000 * 1_000
        let least = now.milliseconds + longest - step
        let (quotient, rest) = least.quotientAndRemainder(dividingBy: step)
        return Timestamp(milliseconds: (rest > 0 ? quotient + 1 : quotient) * step)
    }
}
