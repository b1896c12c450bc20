import ExternalPurchaseCore

/// A member of a line item by its name on the wire.
package enum LineItemField: String, Hashable, Sendable, CaseIterable {
    case lineItemId, creationDate, eventType, productType, productIdentifier, quantity
    case subscriptionEvent, subscriptionStartDate, subscriptionEndDate, subscriptionDaysOfPaidService
    case referenceLineItemId
    case amountTaxExclusive, taxAmount, amountTaxInclusive, netAmountTaxExclusive
    case pricingCurrency, reportingCurrency, exchangeRate, taxCountry
    case restatement, erroneouslySubmitted

    /// The position of the member in the declaration, from 0 on.
    ///
    /// An enumeration with texts as raw values has no such number of its own.
    var position: UInt32 {
        switch self {
        case .lineItemId: 0
        case .creationDate: 1
        case .eventType: 2
        case .productType: 3
        case .productIdentifier: 4
        case .quantity: 5
        case .subscriptionEvent: 6
        case .subscriptionStartDate: 7
        case .subscriptionEndDate: 8
        case .subscriptionDaysOfPaidService: 9
        case .referenceLineItemId: 10
        case .amountTaxExclusive: 11
        case .taxAmount: 12
        case .amountTaxInclusive: 13
        case .netAmountTaxExclusive: 14
        case .pricingCurrency: 15
        case .reportingCurrency: 16
        case .exchangeRate: 17
        case .taxCountry: 18
        case .restatement: 19
        case .erroneouslySubmitted: 20
        }
    }

    /// Returns the members that an error can name, in the order in which its errors are listed (RR-2).
    static func named(by code: ReportErrorCode) -> [LineItemField] {
        code.entry?.fieldNames.compactMap(LineItemField.init(rawValue:)) ?? []
    }
}

extension ReceivedLineItem {
    /// The members that are present.
    ///
    /// `null` and empty strings were removed before (SA-58).
    var presentFields: LineItemFieldSet {
        var present = LineItemFieldSet()
        if lineItemId != nil { present.insert(.lineItemId) }
        if creationDate != nil { present.insert(.creationDate) }
        if eventType != nil { present.insert(.eventType) }
        if productType != nil { present.insert(.productType) }
        if productIdentifier != nil { present.insert(.productIdentifier) }
        if quantity != nil { present.insert(.quantity) }
        if subscriptionEvent != nil { present.insert(.subscriptionEvent) }
        if subscriptionStartDate != nil { present.insert(.subscriptionStartDate) }
        if subscriptionEndDate != nil { present.insert(.subscriptionEndDate) }
        if subscriptionDaysOfPaidService != nil { present.insert(.subscriptionDaysOfPaidService) }
        if referenceLineItemId != nil { present.insert(.referenceLineItemId) }
        if amountTaxExclusive != nil { present.insert(.amountTaxExclusive) }
        if taxAmount != nil { present.insert(.taxAmount) }
        if amountTaxInclusive != nil { present.insert(.amountTaxInclusive) }
        if netAmountTaxExclusive != nil { present.insert(.netAmountTaxExclusive) }
        if pricingCurrency != nil { present.insert(.pricingCurrency) }
        if reportingCurrency != nil { present.insert(.reportingCurrency) }
        if exchangeRate != nil { present.insert(.exchangeRate) }
        if taxCountry != nil { present.insert(.taxCountry) }
        if restatement != nil { present.insert(.restatement) }
        if erroneouslySubmitted != nil { present.insert(.erroneouslySubmitted) }
        return present
    }

    /// Returns the value of an integer member.
    func integer(_ field: LineItemField) -> Int64? {
        switch field {
        case .creationDate: creationDate
        case .quantity: quantity
        case .subscriptionStartDate: subscriptionStartDate
        case .subscriptionEndDate: subscriptionEndDate
        case .subscriptionDaysOfPaidService: subscriptionDaysOfPaidService.map(Int64.init)
        case .amountTaxExclusive: amountTaxExclusive
        case .taxAmount: taxAmount
        case .amountTaxInclusive: amountTaxInclusive
        case .netAmountTaxExclusive: netAmountTaxExclusive
        default: nil
        }
    }

    /// Returns the value of a text member, or the text of the exchange rate.
    func text(_ field: LineItemField) -> String? {
        switch field {
        case .lineItemId: lineItemId?.rawValue
        case .productIdentifier: productIdentifier
        case .referenceLineItemId: referenceLineItemId?.rawValue
        case .pricingCurrency: pricingCurrency
        case .reportingCurrency: reportingCurrency
        case .exchangeRate: exchangeRate?.text
        case .taxCountry: taxCountry
        default: nil
        }
    }

    /// True for an item that was not retracted (RR-7).
    var isLive: Bool { erroneouslySubmitted != true }

    /// True for a newer version of an accepted item.
    var isRestatement: Bool { restatement == true }
}
