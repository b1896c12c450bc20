import ExternalPurchaseCore

/// The members that a line item must contain (E4) and must not contain (E5) (spec/04 section 5).
///
/// Every other member is optional, or the members that decide about it are missing or invalid (SA-46).
struct FieldRequirements {
    let required: LineItemFieldSet
    let forbidden: LineItemFieldSet

    /// Looks up the requirements for the members of an item that decide about others.
    init(of item: ReceivedLineItem, kind: LineItemKind?) {
        var (required, forbidden) = (Self.always, LineItemFieldSet())
        switch item.eventType {
        case .buy?: required.formUnion(Self.product)
        case .refund?: forbidden.formUnion(Self.product)
        default: break
        }
        switch (item.eventType, item.productType) {
        case (.refund?, _), (.buy?, .oneTimeBuy?): forbidden.formUnion(Self.subscription)
        case (.buy?, .subscription?): required.formUnion(Self.subscription)
        default: break
        }
        switch kind {
        case .refund, .event: required.insert(.referenceLineItemId)
        case .oneTime, .start: forbidden.insert(.referenceLineItemId)
        case nil: break
        }
        // Invalid currencies cause their own error, so they determine nothing here (SA-40).
        if let pricing = item.pricingCurrency, pricing.isThreeCapitals,
            let reporting = item.reportingCurrency, reporting.isReportableCurrency
        {
            if pricing == reporting { forbidden.insert(.exchangeRate) } else { required.insert(.exchangeRate) }
        }
        self.required = required
        self.forbidden = forbidden
    }

    private static let always: LineItemFieldSet = [
        .lineItemId, .creationDate, .eventType, .amountTaxExclusive, .taxAmount, .amountTaxInclusive,
        .netAmountTaxExclusive, .pricingCurrency, .reportingCurrency, .taxCountry,
    ]
    private static let product: LineItemFieldSet = [.productType, .productIdentifier, .quantity]
    private static let subscription: LineItemFieldSet = [
        .subscriptionEvent, .subscriptionStartDate, .subscriptionEndDate, .subscriptionDaysOfPaidService,
    ]
}

extension String {
    /// True for three letters from A to Z.
    var isThreeCapitals: Bool { ThreeLetterCodes.index(of: self) != nil }

    // The tables have string keys, which are compared by canonical equivalence. Without the check of the letters,
    // KELVIN SIGN followed by "RW" would equal KRW.

    /// True for one of the 44 currencies of RR-50, with exact case and scalars.
    var isReportableCurrency: Bool { ThreeLetterCodes.reportableCurrencies.contains(self) }

    /// True for an officially assigned alpha-3 code, with exact case and scalars.
    var isAssignedCountry: Bool { ThreeLetterCodes.countries.contains(self) }
}
