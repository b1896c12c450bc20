package import ExternalPurchaseCore
package import Ledger

/// The person who changes a known sale, and the reason.
package struct SaleAuthor: Hashable, Sendable {
    /// The name that the person gives; 1 to 256 characters.
    let by: String
    let reason: String?

    package init(by: String, reason: String?) {
        self.by = by
        self.reason = reason
    }
}

/// A request to store a sale, or to replace the content of a known one.
package struct SaleCommand: Hashable, Sendable {
    package let sale: Sale
    /// Amounts in minor units of a refund that names no currency; converted when its purchase is known.
    let minorUnits: RefundMinorUnits?
    /// What the reversal of a chargeback states came back, as a purchase's amount in units or in minor units.
    let returned: Returned?
    /// What a purchase or charge states was refunded of it so far, in units of its currency; refunds tell what is reported.
    let refundedSoFar: Decimal?
    /// The person who amends the sale; nil stores a new sale, or fills in missing values of a known one.
    let author: SaleAuthor?

    /// An amount that came back, and its currency where the caller names it.
    package struct Returned: Hashable, Sendable {
        let inclusive: Decimal?
        let minorUnits: Int64?
        let currency: String?

        package init(inclusive: Decimal?, minorUnits: Int64?, currency: String?) {
            self.inclusive = inclusive
            self.minorUnits = minorUnits
            self.currency = currency
        }
    }

    package init(
        _ sale: Sale,
        minorUnits: RefundMinorUnits? = nil,
        returned: Returned? = nil,
        refundedSoFar: Decimal? = nil,
        author: SaleAuthor? = nil
    ) {
        self.sale = sale
        self.minorUnits = minorUnits
        self.returned = returned
        self.refundedSoFar = refundedSoFar
        self.author = author
    }

    /// What is asked of a new sale.
    static func queries(of id: SaleId, app: BundleId) -> Set<ExpectedQuery> {
        let item = LineItemId(id.rawValue)
        return [
            .sale(ofLineItem: item, of: app), .refunds(of: id, app: app), .changes(of: id, app: app),
            .accepted(item, in: ReportingScope(bundleId: app, environment: .production)),
            .reviewItems(about: .sale(id), app: app),
        ]
    }

    /// The rows that are probably read to store it.
    var expectedRows: ExpectedRows {
        let app = sale.bundleId
        // The lines of an order are stored with it.
        let lines = (sale.lines ?? []).indices.map { sale.saleId.line($0 + 1) }
        var queries = ([sale.saleId] + lines).reduce(into: Set()) { $0.formUnion(Self.queries(of: $1, app: app)) }
        if let refunded = sale.takenBack { queries.insert(.refunds(of: refunded, app: app)) }
        if let customer = sale.customerId { queries.insert(CustomerPeriods.query(of: customer, app: app)) }
        return ExpectedRows(
            bundleId: sale.bundleId,
            tokens: Set([sale.externalPurchaseId].compactMap(\.self)),
            checkouts: Set([sale.checkoutId].compactMap(\.self)),
            customers: Set([sale.customerId].compactMap(\.self)),
            sales: Set([sale.saleId, sale.takenBack].compactMap(\.self) + lines),
            queries: queries
        )
    }
}

/// A request to void a sale.
package struct VoidCommand: Hashable, Sendable {
    let saleId: SaleId
    /// The app; nil if only one app has a sale with the identifier.
    let bundleId: BundleId?
    let author: SaleAuthor

    package init(_ saleId: SaleId, of bundleId: BundleId? = nil, author: SaleAuthor) {
        self.saleId = saleId
        self.bundleId = bundleId
        self.author = author
    }
}

/// The amounts of a refund in minor units of the currency of its purchase.
package struct RefundMinorUnits: Hashable, Sendable {
    package var inclusive: Int64?
    package var tax: Int64?
    package var refundedTotal: Int64?

    package init(inclusive: Int64? = nil, tax: Int64? = nil, refundedTotal: Int64? = nil) {
        self.inclusive = inclusive
        self.tax = tax
        self.refundedTotal = refundedTotal
    }
}

extension Refund {
    /// Returns the refund with its amounts converted to units of a currency.
    func with(_ minor: RefundMinorUnits, of currency: Currency) -> Refund {
        Refund(
            refundOf: refundOf,
            inclusive: minor.inclusive.map(currency.units(ofMinor:)) ?? inclusive,
            tax: minor.tax.map(currency.units(ofMinor:)) ?? tax,
            isChargeback: isChargeback,
            refundedTotal: minor.refundedTotal.map(currency.units(ofMinor:)) ?? refundedTotal,
            currency: self.currency
        )
    }
}

extension Currency {
    /// Converts an amount in minor units to units of the currency.
    package func units(ofMinor number: Int64) -> Decimal {
        Decimal(number) * Decimal(sign: .plus, exponent: -exponent, significand: 1)
    }
}
