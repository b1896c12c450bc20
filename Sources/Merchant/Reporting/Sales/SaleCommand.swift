package import ExternalPurchaseCore
package import Ledger

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The person who changes a sale that is known, and why.
package struct SaleAuthor: Hashable, Sendable {
    /// The name as the person gives it; 1 to 256 characters.
    package let by: String
    package let reason: String?

    package init(by: String, reason: String?) {
        self.by = by
        self.reason = reason
    }
}

/// A sale to store, or to replace what is known of it.
package struct SaleCommand: Hashable, Sendable {
    package let sale: Sale
    /// Of a refund in minor units of a currency that it does not name: those, which count once its buy is known.
    package let minorUnits: RefundMinorUnits?
    /// The person who amends the sale; nil stores a new sale or completes a known one, and changes nothing of it.
    package let author: SaleAuthor?

    package init(_ sale: Sale, minorUnits: RefundMinorUnits? = nil, author: SaleAuthor? = nil) {
        self.sale = sale
        self.minorUnits = minorUnits
        self.author = author
    }
}

/// A sale to withdraw.
package struct VoidCommand: Hashable, Sendable {
    package let saleId: SaleId
    /// Nil where the merchant has one app, or only one has a sale of the id.
    package let bundleId: BundleId?
    package let author: SaleAuthor

    package init(_ saleId: SaleId, of bundleId: BundleId? = nil, author: SaleAuthor) {
        self.saleId = saleId
        self.bundleId = bundleId
        self.author = author
    }
}

/// The amounts of a refund in minor units of a currency that it does not name: that of its buy.
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
    /// The refund with its amounts in units of a currency.
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
    /// An amount of whole minor units in units of the currency.
    package func units(ofMinor number: Int64) -> Decimal {
        Decimal(number) * Decimal(sign: .plus, exponent: -exponent, significand: 1)
    }
}
