import ExternalPurchaseCore

/// Whether a line item must, must not or may have a member (spec/04 section 5).
enum FieldRequirement: Hashable, Sendable {
    /// Must be there (E4).
    case required
    /// Must not be there (E5).
    case forbidden
    /// Free, or left open by a member that is missing (SA-46).
    case open

    /// The cell of the table for a member and the kind of the item.
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
            self = Self.chosen(item.eventType, [.buy: .required, .refund: .forbidden])
        case .subscriptionEvent, .subscriptionStartDate, .subscriptionEndDate, .subscriptionDaysOfPaidService:
            self =
                item.eventType == .buy
                ? Self.chosen(item.productType, [.subscription: .required, .oneTimeBuy: .forbidden])
                : Self.chosen(item.eventType, [.refund: .forbidden])
        case .referenceLineItemId:
            self = Self.ofReference(on: item)
        }
    }

    private static func chosen<Key: Hashable>(_ key: Key?, _ table: [Key: FieldRequirement]) -> FieldRequirement {
        key.flatMap { table[$0] } ?? .open
    }

    private static func ofReference(on item: ReceivedLineItem) -> FieldRequirement {
        switch LineItemKind(of: item) {
        case .refund, .event: .required
        case .oneTime, .start: .forbidden
        case nil: .open
        }
    }

    // Currencies that are no currencies draw an error of their own, so they decide nothing here (SA-40).
    private static func ofExchangeRate(on item: ReceivedLineItem) -> FieldRequirement {
        guard let pricing = item.pricingCurrency, pricing.isThreeCapitals,
            let reporting = item.reportingCurrency, reporting.isReportableCurrency
        else { return .open }
        return pricing == reporting ? .forbidden : .required
    }
}

extension String {
    /// True for three letters A–Z.
    var isThreeCapitals: Bool {
        utf8.count == 3 && utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    // The tables are keyed by strings, which compare by canonical equivalence: without the look at the letters,
    // KELVIN SIGN followed by "RW" would pass for KRW.

    /// True for one of the 44 currencies of RR-50, case and scalars exact.
    var isReportableCurrency: Bool { isThreeCapitals && Currency.code(self)?.reportable == true }

    /// True for an officially assigned alpha-3 code, case and scalars exact.
    var isAssignedCountry: Bool { isThreeCapitals && Country.alpha3(self) != nil }
}
