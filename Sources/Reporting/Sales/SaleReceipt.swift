package import Ledger

/// What the sender of a sale is told.
package struct SaleReceipt: Hashable, Sendable {
    package let sale: StoredSale
    /// False for a sale that the ledger already had.
    package let isNew: Bool
    /// True when it says first whose a checkout is: held sales that name the same checkout are looked at again.
    package let tiesCheckout: Bool
    /// True for a change that waits, because a report with the sale may be at Apple.
    package let isWaiting: Bool
    /// True when the request changed the sale, or asked for a change that waits.
    package let isChanged: Bool

    package init(
        sale: StoredSale,
        isNew: Bool,
        tiesCheckout: Bool = false,
        isWaiting: Bool = false,
        isChanged: Bool = false
    ) {
        self.sale = sale
        self.isNew = isNew
        self.tiesCheckout = tiesCheckout
        self.isWaiting = isWaiting
        self.isChanged = isChanged
    }

    /// The `state` of the interface: that of the sale, or `waiting`.
    package var stateName: String { isWaiting ? "waiting" : sale.stateName }
}
