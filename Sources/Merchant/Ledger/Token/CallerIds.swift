import ExternalPurchaseCore

/// The caller's own opaque name of a customer, per app.
package struct CustomerId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The name of a checkout, given by the caller or by the intake of a token, per app.
package struct CheckoutId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The caller's own name of a sale, per app.
package struct SaleId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
