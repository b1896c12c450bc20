public import ExternalPurchaseCore

extension PurchaseGate {
    /// Applies what each programme asks for minors (SK-88): offers that are not for the customer's age are not listed, and
    /// where a parental gate is asked for, it is shown before the purchase begins.
    ///
    /// ```swift
    /// configuration.gates = [
    ///     .minors(treatUnknownAgeAs: AgeBand(from: 13)) { await ageRange() } parentalGate: { _ in await askParent() }
    /// ]
    /// ```
    ///
    /// - Parameters:
    ///   - isKidsCategory: whether the app is in the App Store's Kids category, where the rules for the youngest hold for
    ///     every customer.
    ///   - unknownAge: the band that counts for a customer whose age is not known: `.adult` where the app has grounds for it,
    ///     `.child` to be safe.
    ///   - age: the band of the customer's age, from Apple's Declared Age Range or the app's own knowledge; nil if it is not
    ///     known.
    ///   - parentalGate: shows a parental gate, and returns whether it was passed. Without one, offers that need it are not
    ///     made.
    public static func minors(
        isKidsCategory: Bool = false,
        treatUnknownAgeAs unknownAge: AgeBand,
        age: @escaping @Sendable () async -> AgeBand?,
        parentalGate: (@Sendable (Question) async -> Bool)? = nil
    ) -> PurchaseGate {
        var gate = PurchaseGate(
            "minors",
            perFlow: { question in
                guard let storefront = question.storefront, let terms = ProgrammeTerms.inStorefront(storefront) else {
                    return .open
                }
                let band = await age() ?? unknownAge
                let treatment = terms.treatment(
                    of: question.flow,
                    age: band,
                    isKidsCategory: isKidsCategory,
                    storefront: storefront
                )
                switch (treatment, parentalGate) {
                case (.offered, _): return .open
                case (.notOffered, _): return .closed(reason: "not for customers of this age in this storefront")
                case (.parentalGate, nil): return .closed(reason: "this storefront asks for a parental gate")
                case (.parentalGate, let parentalGate?):
                    guard question.beginsPurchase else { return .open }
                    return await parentalGate(question) ? .open : .closed(reason: "the parental gate was not passed")
                }
            }
        )
        gate.isForMinors = true
        return gate
    }
}
