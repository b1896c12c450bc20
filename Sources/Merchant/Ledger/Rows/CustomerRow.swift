import ExternalPurchaseCore

/// The columns of a customer.
enum CustomerRow {
    typealias Column<Value> = RowColumn<StoredCustomer, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let customerId = Column("customer_id", .rawValue, written: .always) { $0.customerId }
    static let pseudonym = Column("pseudonym", .text, written: .once) { $0.pseudonym }
    static let firstSeen = Column("first_seen", .time, written: .once) { $0.firstSeen }
    static let erasedAt = Column("erased_at", .optional(.time), written: .always) { $0.erasedAt }

    static let table = RowTable<StoredCustomer>(
        "customers",
        [sequence, bundleId, customerId, pseudonym, firstSeen, erasedAt]
    )
    /// Updates all other tables by cascade of the new id.
    static let erasure = table.update(where: "bundle_id = ? AND pseudonym = ?")

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredCustomer {
        StoredCustomer(
            sequence: try sequence.read(from: row),
            bundleId: try bundleId.read(from: row),
            customerId: try customerId.read(from: row),
            pseudonym: try pseudonym.read(from: row),
            firstSeen: try firstSeen.read(from: row),
            erasedAt: try erasedAt.read(from: row)
        )
    }
}

/// The columns of a checkout.
enum CheckoutRow {
    typealias Column<Value> = RowColumn<Checkout, Value>

    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let checkoutId = Column("checkout_id", .rawValue, written: .once) { $0.checkoutId }
    static let externalPurchaseId = Column("external_purchase_id", .optional(.rawValue), written: .always) {
        $0.externalPurchaseId
    }
    static let customerId = Column("customer_id", .optional(.rawValue), written: .always) { $0.customerId }
    static let isTokenFromSale = Column("token_from_sale", .flag, written: .always) { $0.isTokenFromSale }
    static let isCustomerFromSale = Column("customer_from_sale", .flag, written: .always) { $0.isCustomerFromSale }

    static let tokenClaim = Column("token_claim", .rawValue, written: .always) { $0.tokenClaim }

    static let table = RowTable<Checkout>(
        "checkouts",
        [bundleId, checkoutId, externalPurchaseId, customerId, isTokenFromSale, isCustomerFromSale, tokenClaim]
    )
    static let replacement = table.replacement(on: "bundle_id, checkout_id")

    static func record(_ row: any SQLRow) throws(LedgerError) -> Checkout {
        Checkout(
            checkoutId: try checkoutId.read(from: row),
            bundleId: try bundleId.read(from: row),
            externalPurchaseId: try externalPurchaseId.read(from: row),
            customerId: try customerId.read(from: row),
            isTokenFromSale: try isTokenFromSale.read(from: row),
            isCustomerFromSale: try isCustomerFromSale.read(from: row),
            tokenClaim: try tokenClaim.read(from: row)
        )
    }
}

/// The columns of a claim on a checkout.
enum CheckoutClaimRow {
    typealias Column<Value> = RowColumn<CheckoutClaim, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let checkoutId = Column("checkout_id", .rawValue, written: .once) { $0.checkoutId }
    static let externalPurchaseId = Column("external_purchase_id", .rawValue, written: .once) {
        $0.externalPurchaseId
    }

    static let table = RowTable<CheckoutClaim>(
        "checkout_claims",
        [sequence, bundleId, checkoutId, externalPurchaseId]
    )
}

/// The columns of a tap, which is a visit of a landing address.
enum LinkTapRow {
    typealias Column<Value> = RowColumn<LinkTap, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let link = Column("link", .text, written: .once) { $0.link }
    static let tappedAt = Column("tapped_at", .time, written: .once) { $0.tappedAt }
    static let externalPurchaseId = Column("external_purchase_id", .optional(.rawValue), written: .once) {
        $0.externalPurchaseId
    }
    static let checkoutId = Column("checkout_id", .optional(.rawValue), written: .once) { $0.checkoutId }

    static let table = RowTable<LinkTap>(
        "link_taps",
        [sequence, bundleId, link, tappedAt, externalPurchaseId, checkoutId]
    )

    static func record(_ row: any SQLRow) throws(LedgerError) -> LinkTap {
        LinkTap(
            sequence: try sequence.read(from: row),
            bundleId: try bundleId.read(from: row),
            link: try link.read(from: row),
            tappedAt: try tappedAt.read(from: row),
            externalPurchaseId: try externalPurchaseId.read(from: row),
            checkoutId: try checkoutId.read(from: row)
        )
    }
}
