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

    func tokens(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredToken] {
        try rows(.tokens, filter, page).decoded(storedToken)
    }

    func quarantinedTokens(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedToken] {
        try rows(
            "SELECT * FROM tokens_set_aside WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded { row throws(LedgerError) in
            QuarantinedToken(
                sequence: try row.integer("sequence"),
                text: try row.text("text"),
                reason: try row.known("reason"),
                detail: try row.text("detail"),
                firstSeen: FirstSeen(source: try row.known("source"), time: try row.time("first_seen"))
            )
        }
    }

    func tokensUnreported(
        in scope: ReportingScope,
        madeBefore: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken] {
        try rows(
            Query.tokensUnreported,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, madeBefore.milliseconds, page.time, page.time,
                page.sequence, page.bound,
            ]
        ).decoded(storedToken)
    }

    func tokens(
        in scope: ReportingScope,
        madeFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken] {
        try rows(
            Query.tokensByCreation,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, max(madeFrom.milliseconds, page.time),
                until.milliseconds, page.time, page.sequence, page.bound,
            ]
        ).decoded(storedToken)
    }

    func observations(of id: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError) -> [TokenObservation] {
        try rows(Query.observations, [bundleId.rawValue, id.rawValue]).decoded { row throws(LedgerError) in
            TokenObservation(
                sequence: try row.integer("sequence"),
                bundleId: bundleId,
                externalPurchaseId: id,
                seen: FirstSeen(source: try row.known("source"), time: try row.time("seen_at")),
                contradiction: try row.optionalText("contradiction")
            )
        }
    }

    func insertRow(of token: StoredToken) throws(LedgerError) -> Int64 {
        let fields = token.token
        return try insert(
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
    }

    func updateRow(of token: StoredToken) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE tokens SET state = ?, customer_id = ?, storefront = ?, flags = ?
            WHERE bundle_id = ? AND external_purchase_id = ?
            """,
            [
                token.state.rawValue, token.customerId?.rawValue, token.storefront?.alpha3, token.flags.column,
                token.token.bundleId.rawValue, token.token.externalPurchaseId.rawValue,
            ],
            otherwise: "no such token"
        )
    }

    func completeRow(of token: StoredToken) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE tokens SET text = ?, token_type = ?, expiration_date = ?
            WHERE bundle_id = ? AND external_purchase_id = ? AND text IS NULL
            """,
            [
                token.text, token.token.tokenType?.rawValue, token.token.tokenExpirationDate?.milliseconds,
                token.token.bundleId.rawValue, token.token.externalPurchaseId.rawValue,
            ],
            otherwise: "no such token without a text"
        )
        return try updateRow(of: token)
    }

    func insertRow(of observation: TokenObservation) throws(LedgerError) -> Int64 {
        try insert(
            """
            INSERT INTO token_sightings (bundle_id, external_purchase_id, source, seen_at, contradiction)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                observation.bundleId.rawValue, observation.externalPurchaseId.rawValue,
                observation.seen.source.rawValue,
                observation.seen.time.milliseconds, observation.contradiction,
            ]
        )
    }

    func insertRow(of text: QuarantinedToken) throws(LedgerError) -> Int64 {
        try insert(
            "INSERT INTO tokens_set_aside (text, reason, detail, source, first_seen) VALUES (?, ?, ?, ?, ?)",
            [
                text.text, text.reason.rawValue, text.detail, text.firstSeen.source.rawValue,
                text.firstSeen.time.milliseconds,
            ]
        )
    }

    /// The schema lets go of a text only when its sequence was given up before.
    func deleteQuarantinedTokens(through sequence: Int64, before moment: Timestamp) throws(LedgerError) -> Int64 {
        try run("UPDATE quarantine_expiry SET through = ?", [sequence])
        try run(
            "DELETE FROM tokens_set_aside WHERE sequence <= ? AND first_seen < ?",
            [sequence, moment.milliseconds]
        )
        return 0
    }

    func isQuarantined(_ text: String, as reason: QuarantinedToken.Reason) throws(LedgerError) -> Bool {
        try !rows("SELECT 1 FROM tokens_set_aside WHERE text = ? AND reason = ?", [text, reason.rawValue]).isEmpty
    }

    private func storedToken(_ row: Row) throws(LedgerError) -> StoredToken {
        let token = ExternalPurchaseToken(
            appAppleId: try row.integer("app_apple_id"),
            bundleId: BundleId(try row.text("bundle_id")),
            tokenCreationDate: try row.time("creation_date"),
            externalPurchaseId: ExternalPurchaseId(try row.text("external_purchase_id")),
            tokenType: try row.optionalText("token_type").map(TokenType.init(rawValue:)),
            tokenExpirationDate: try row.optionalTime("expiration_date")
        )
        return StoredToken(
            sequence: try row.integer("sequence"),
            token: token,
            text: try row.optionalText("text"),
            state: try row.known("state"),
            firstSeen: FirstSeen(source: try row.known("source"), time: try row.time("first_seen")),
            checkoutId: CheckoutId(try row.text("checkout_id")),
            customerId: try row.optionalText("customer_id").map { CustomerId($0) },
            storefront: try row.optionalText("storefront").flatMap { StorefrontCode($0) },
            flags: try row.set("flags"),
            reportedAt: try row.optionalTime("reported_at")
        )
    }
}
