import ExternalPurchaseCore

/// The caller's own opaque id of a customer, unique per app.
package struct CustomerId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The id of a checkout, chosen by the caller or assigned when a token arrives; unique per app.
package struct CheckoutId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The caller's own id of a sale, unique per app.
package struct SaleId: Identifier {
    /// The largest length in Unicode scalars.
    package static let maximumLength = 100

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
