package import Ledger

/// What the sender of a sale is told.
package struct SaleReceipt: Hashable, Sendable {
    package let sale: StoredSale
    /// False for the same sale again.
    package let isNew: Bool

    package init(sale: StoredSale, isNew: Bool) {
        self.sale = sale
        self.isNew = isNew
    }
}
