import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> StoredToken? {
        try rows(
            "SELECT * FROM tokens WHERE bundle_id = ? AND external_purchase_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(storedToken).first
    }

    func tokens(withId id: ExternalPurchaseId) throws(LedgerError) -> [StoredToken] {
        try rows("SELECT * FROM tokens WHERE external_purchase_id = ? ORDER BY sequence", [id.rawValue])
            .decoded(storedToken)
    }

    func tokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken] {
        try rows(
            "SELECT * FROM tokens WHERE bundle_id = ? AND customer_id = ? ORDER BY sequence",
            [bundleId.rawValue, customer.rawValue]
        ).decoded(storedToken)
    }

    func tokens(_ page: LedgerPage) throws(LedgerError) -> [StoredToken] {
        try rows(
            "SELECT * FROM tokens WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, max(0, page.limit)]
        ).decoded(storedToken)
    }

    func tokensSetAside(_ page: LedgerPage) throws(LedgerError) -> [TokenSetAside] {
        try rows(
            "SELECT * FROM tokens_set_aside WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, max(0, page.limit)]
        ).decoded { row throws(LedgerError) in
            TokenSetAside(
                sequence: try row.integer("sequence"),
                text: try row.text("text"),
                reason: try row.known("reason"),
                detail: try row.text("detail"),
                firstSeen: FirstSeen(source: try row.known("source"), time: try row.time("first_seen"))
            )
        }
    }

    func insert(_ token: StoredToken) throws(LedgerError) -> StoredToken {
        let fields = token.token
        try run(
            """
            INSERT INTO tokens (bundle_id, external_purchase_id, environment, app_apple_id, creation_date, token_type,
                expiration_date, text, state, source, first_seen, checkout_id, customer_id, storefront, flags)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                fields.bundleId.rawValue, fields.externalPurchaseId.rawValue, fields.environment.rawValue,
                fields.appAppleId, fields.tokenCreationDate.milliseconds, fields.tokenType?.rawValue,
                fields.tokenExpirationDate?.milliseconds, token.text, token.state.rawValue,
                token.firstSeen.source.rawValue, token.firstSeen.time.milliseconds, token.checkoutId.rawValue,
                token.customerId?.rawValue, token.storefront?.alpha3, token.flags.column,
            ]
        )
        var token = token
        token.sequence = database.lastInsertedRowID
        return token
    }

    func update(_ token: StoredToken) throws(LedgerError) {
        try change(
            """
            UPDATE tokens SET state = ?, customer_id = ?, flags = ?
            WHERE bundle_id = ? AND external_purchase_id = ?
            """,
            [
                token.state.rawValue, token.customerId?.rawValue, token.flags.column, token.token.bundleId.rawValue,
                token.token.externalPurchaseId.rawValue,
            ],
            otherwise: "no such token"
        )
    }

    func setAside(_ text: TokenSetAside) throws(LedgerError) {
        try run(
            """
            INSERT INTO tokens_set_aside (text, reason, detail, source, first_seen) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (text, reason) DO NOTHING
            """,
            [
                text.text, text.reason.rawValue, text.detail, text.firstSeen.source.rawValue,
                text.firstSeen.time.milliseconds,
            ]
        )
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
                customerId: try row.optionalText("customer_id").map { CustomerId($0) }
            )
        }.first
    }

    func put(_ checkout: Checkout) throws(LedgerError) {
        try run(
            """
            INSERT INTO checkouts (bundle_id, checkout_id, external_purchase_id, customer_id) VALUES (?, ?, ?, ?)
            ON CONFLICT (bundle_id, checkout_id) DO UPDATE
            SET external_purchase_id = excluded.external_purchase_id, customer_id = excluded.customer_id
            """,
            [
                checkout.bundleId.rawValue, checkout.checkoutId.rawValue, checkout.externalPurchaseId?.rawValue,
                checkout.customerId?.rawValue,
            ]
        )
    }

    private func storedToken(_ row: Row) throws(LedgerError) -> StoredToken {
        let expiration = try row.optionalInteger("expiration_date")
        let token = ExternalPurchaseToken(
            appAppleId: try row.integer("app_apple_id"),
            bundleId: BundleId(try row.text("bundle_id")),
            tokenCreationDate: try row.time("creation_date"),
            externalPurchaseId: ExternalPurchaseId(try row.text("external_purchase_id")),
            tokenType: try row.optionalText("token_type").map(TokenType.init(rawValue:)),
            tokenExpirationDate: expiration.map(Timestamp.init(milliseconds:))
        )
        return StoredToken(
            sequence: try row.integer("sequence"),
            token: token,
            text: try row.text("text"),
            state: try row.known("state"),
            firstSeen: FirstSeen(source: try row.known("source"), time: try row.time("first_seen")),
            checkoutId: CheckoutId(try row.text("checkout_id")),
            customerId: try row.optionalText("customer_id").map { CustomerId($0) },
            storefront: try row.optionalText("storefront").flatMap { StorefrontCode($0) },
            flags: try row.set("flags")
        )
    }
}
