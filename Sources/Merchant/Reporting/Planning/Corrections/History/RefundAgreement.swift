import ExternalPurchaseCore

/// The members that must be equal in a refund and its buy (RR-46, E2, E32, E33, E23).
struct RefundAgreement: Hashable {
    let pricingCurrency: String?
    let reportingCurrency: String?
    /// In canonical digits, so that 0.0069 and 0.00690 are equal.
    let exchangeRate: String?
    let taxCountry: String?

    init(_ item: ReceivedLineItem) {
        pricingCurrency = item.pricingCurrency
        reportingCurrency = item.reportingCurrency
        exchangeRate = item.exchangeRate.map { DecimalText.canonical($0.text) }
        taxCountry = item.taxCountry
    }

    init(_ item: LineItem) {
        self.init(item.asReceived)
    }

    /// True when the amounts of the two are not comparable because currency or rate differ.
    func needsOtherAmounts(than other: RefundAgreement) -> Bool {
        reportingCurrency != other.reportingCurrency || exchangeRate != other.exchangeRate
            || pricingCurrency != other.pricingCurrency
    }
}

extension LineItem {
    /// Returns the item with the currencies, rate and country of its buy; members that the caller stated are kept.
    func agreeing(with buy: LineItem, except stated: CorrectedFields = CorrectedFields()) -> LineItem {
        var item = self
        if stated.pricingCurrency == nil { item.amounts.pricingCurrency = buy.amounts.pricingCurrency }
        if stated.reportingCurrency == nil { item.amounts.reportingCurrency = buy.amounts.reportingCurrency }
        if stated.exchangeRate == nil { item.amounts.exchangeRate = buy.amounts.exchangeRate }
        if stated.taxCountry == nil { item.taxCountry = buy.taxCountry }
        return item
    }
}
