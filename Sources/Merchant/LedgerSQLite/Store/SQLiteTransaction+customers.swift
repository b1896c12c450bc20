import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func customer(_ id: CustomerId, of bundleId: BundleId) throws(LedgerError) -> StoredCustomer? {
        try rows(
            "SELECT * FROM customers WHERE bundle_id = ? AND customer_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(storedCustomer).first
    }

    func customers(_ page: LedgerPage) throws(LedgerError) -> [StoredCustomer] {
        try rows(
            "SELECT * FROM customers WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(storedCustomer)
    }

    func checkout(_ id: CheckoutId, of bundleId: BundleId) throws(LedgerError) -> Checkout? {
        try rows(
            "SELECT * FROM checkouts WHERE bundle_id = ? AND checkout_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded { row throws(LedgerError) in
            Checkout(
                checkoutId: id,
                bundleId: bundleId,
                externalPurchaseId: try row.optionalText("external_purchase_id").map { ExternalPurchaseId($0) },
                customerId: try row.optionalText("customer_id").map { CustomerId($0) },
                isTokenFromSale: try row.integer("token_from_sale") == 1,
                isCustomerFromSale: try row.integer("customer_from_sale") == 1
            )
        }.first
    }

    func taps(_ page: LedgerPage) throws(LedgerError) -> [LinkTap] {
        try rows(
            "SELECT * FROM link_taps WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(linkTap)
    }

    func taps(
        of customer: CustomerId,
        app bundleId: BundleId,
        from: Timestamp,
        through: Timestamp
    ) throws(LedgerError) -> [LinkTap] {
        try rows(
            Query.tapsOfCustomer,
            [bundleId.rawValue, customer.rawValue, from.milliseconds, through.milliseconds]
        ).decoded(linkTap)
    }

    func insertRow(of customer: StoredCustomer) throws(LedgerError) -> Int64 {
        try insert(
            "INSERT INTO customers (bundle_id, customer_id, pseudonym, first_seen) VALUES (?, ?, ?, ?)",
            [
                customer.bundleId.rawValue, customer.customerId.rawValue, customer.pseudonym,
                customer.firstSeen.milliseconds,
            ]
        )
    }

    /// The new id goes into every other table by cascade.
    func eraseRow(of customer: StoredCustomer) throws(LedgerError) -> Int64 {
        try change(
            "UPDATE customers SET customer_id = ?, erased_at = ? WHERE bundle_id = ? AND pseudonym = ?",
            [
                customer.customerId.rawValue, customer.erasedAt?.milliseconds, customer.bundleId.rawValue,
                customer.pseudonym,
            ],
            otherwise: "no such customer"
        )
    }

    func putRow(of checkout: Checkout) throws(LedgerError) -> Int64 {
        try run(
            """
            INSERT INTO checkouts (bundle_id, checkout_id, external_purchase_id, customer_id, token_from_sale,
                customer_from_sale)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (bundle_id, checkout_id) DO UPDATE
            SET external_purchase_id = excluded.external_purchase_id, customer_id = excluded.customer_id,
                token_from_sale = excluded.token_from_sale, customer_from_sale = excluded.customer_from_sale
            """,
            [
                checkout.bundleId.rawValue, checkout.checkoutId.rawValue, checkout.externalPurchaseId?.rawValue,
                checkout.customerId?.rawValue, checkout.isTokenFromSale ? 1 : 0, checkout.isCustomerFromSale ? 1 : 0,
            ]
        )
        return 0
    }

    func insertRow(of tap: LinkTap) throws(LedgerError) -> Int64 {
        try insert(
            """
            INSERT INTO link_taps (bundle_id, link, tapped_at, external_purchase_id, checkout_id)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                tap.bundleId.rawValue, tap.link, tap.tappedAt.milliseconds, tap.externalPurchaseId?.rawValue,
                tap.checkoutId?.rawValue,
            ]
        )
    }

    private func storedCustomer(_ row: Row) throws(LedgerError) -> StoredCustomer {
        StoredCustomer(
            sequence: try row.integer("sequence"),
            bundleId: BundleId(try row.text("bundle_id")),
            customerId: CustomerId(try row.text("customer_id")),
            pseudonym: try row.text("pseudonym"),
            firstSeen: try row.time("first_seen"),
            erasedAt: try row.optionalTime("erased_at")
        )
    }

    private func linkTap(_ row: Row) throws(LedgerError) -> LinkTap {
        LinkTap(
            sequence: try row.integer("sequence"),
            bundleId: BundleId(try row.text("bundle_id")),
            link: try row.text("link"),
            tappedAt: try row.time("tapped_at"),
            externalPurchaseId: try row.optionalText("external_purchase_id").map { ExternalPurchaseId($0) },
            checkoutId: try row.optionalText("checkout_id").map { CheckoutId($0) }
        )
    }
}
