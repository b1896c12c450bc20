import ExternalPurchaseCore

/// Whether a line item must, must not or may contain a member (spec/04 section 5).
enum FieldRequirement: Hashable, Sendable {
    /// The member must be present (E4).
    case required
    /// The member must be absent (E5).
    case forbidden
    /// The member is optional, or the members that decide about it are missing or invalid (SA-46).
    case open

    /// Looks up the requirement for a member and the kind of the item.
    init(of field: LineItemField, on item: ReceivedLineItem) {
        switch field {
        case .lineItemId, .creationDate, .eventType, .amountTaxExclusive, .taxAmount, .amountTaxInclusive,
            .netAmountTaxExclusive, .pricingCurrency, .reportingCurrency, .taxCountry:
            self = .required
        case .restatement, .erroneouslySubmitted:
            self = .open
        case .exchangeRate:
            self = Self.ofExchangeRate(on: item)
        case .productType, .productIdentifier, .quantity:
            self = Self.ofProduct(on: item)
        case .subscriptionEvent, .subscriptionStartDate, .subscriptionEndDate, .subscriptionDaysOfPaidService:
            self = Self.ofSubscription(on: item)
        case .referenceLineItemId:
            self = Self.ofReference(on: item)
        }
    }

    private static func ofProduct(on item: ReceivedLineItem) -> FieldRequirement {
        switch item.eventType {
        case .buy?: .required
        case .refund?: .forbidden
        default: .open
        }
    }

    private static func ofSubscription(on item: ReceivedLineItem) -> FieldRequirement {
        switch (item.eventType, item.productType) {
        case (.refund?, _), (.buy?, .oneTimeBuy?): .forbidden
        case (.buy?, .subscription?): .required
        default: .open
        }
    }

    private static func ofReference(on item: ReceivedLineItem) -> FieldRequirement {
        switch LineItemKind(of: item) {
        case .refund, .event: .required
        case .oneTime, .start: .forbidden
        case nil: .open
        }
    }

    // Invalid currencies cause their own error, so they determine nothing here (SA-40).
    private static func ofExchangeRate(on item: ReceivedLineItem) -> FieldRequirement {
        guard let pricing = item.pricingCurrency, pricing.isThreeCapitals,
            let reporting = item.reportingCurrency, reporting.isReportableCurrency
        else { return .open }
        return pricing == reporting ? .forbidden : .required
    }
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
