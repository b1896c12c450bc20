package import Ledger

/// What the sender of a sale is told.
package struct SaleReceipt: Hashable, Sendable {
    package let sale: StoredSale
    /// False for the same sale again.
    package let isNew: Bool
    /// True when it says first whose a checkout is: held sales that name the same checkout are looked at again.
    package let tiesCheckout: Bool

    package init(sale: StoredSale, isNew: Bool, tiesCheckout: Bool = false) {
        self.sale = sale
        self.isNew = isNew
        self.tiesCheckout = tiesCheckout
    }
}
