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

extension SaleId {
    /// An id of several parts, such as payment and line, which no other parts have.
    package init(parts: [String]) {
        self.init(parts.map(Self.part).joined(separator: "/"))
    }

    /// A provider's id as a part: without the marks that separate and count the parts.
    package static func part(_ id: String) -> String {
        id.replacing("%", with: "%25").replacing("/", with: "%2F").replacing("~", with: "%7E")
    }

    /// The provider's id of a part.
    package static func id(ofPart part: String) -> String {
        part.replacing("%7E", with: "~").replacing("%2F", with: "/").replacing("%25", with: "%")
    }
}
