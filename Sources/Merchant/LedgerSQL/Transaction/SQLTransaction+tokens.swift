import ExternalPurchaseCore
import Ledger

extension SQLTransaction {
    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> StoredToken? {
        let key = TransactionCache.Key(bundleId: bundleId, id: id)
        if let known = cache.tokens[key] { return known }
        let token = try query(
            "SELECT * FROM tokens WHERE bundle_id = ? AND external_purchase_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(TokenRow.record).first
        cache.keep(token, at: key)
        return token
    }

    func readAhead(_ rows: [ExpectedRows]) throws(LedgerError) {
        for (bundleId, parts) in Dictionary(grouping: rows, by: \.bundleId) {
            let ids = parts.reduce(into: Set<ExternalPurchaseId>()) { $0.formUnion($1.tokens) }
            let found = try query(Query.tokensOfApp, [bundleId.rawValue, Self.list(ids)]).decoded(TokenRow.record)
            let tokens = Dictionary(found.map { ($0.token.externalPurchaseId, $0) }) { first, _ in first }
            for id in ids { cache.keep(tokens[id], at: TransactionCache.Key(bundleId: bundleId, id: id)) }
            let checkoutIds = parts.reduce(into: Set<CheckoutId>()) { $0.formUnion($1.checkouts) }
            let stored = try query(Query.checkoutsOfApp, [bundleId.rawValue, Self.list(checkoutIds)])
                .decoded(CheckoutRow.record)
            let checkouts = Dictionary(stored.map { ($0.checkoutId, $0) }) { first, _ in first }
            for id in checkoutIds { cache.keep(checkouts[id], at: TransactionCache.Key(bundleId: bundleId, id: id)) }
        }
        let new = rows.reduce(0) { count, row in
            count + row.tokens.count { cache.tokens[.init(bundleId: row.bundleId, id: $0)] == .some(nil) }
        }
        guard new > 0 else { return }
        cache.tokenNumbers = try connection.reserveNumbers(new, of: TokenRow.table.name, TokenRow.sequence.name)
            .reversed()
    }

    private static func list(_ ids: some Sequence<some RawRepresentable<String>>) -> String {
        JSONValue.array(ids.map { .string($0.rawValue) }).text
    }

    func tokens(withId id: ExternalPurchaseId) throws(LedgerError) -> [StoredToken] {
        try query("SELECT * FROM tokens WHERE external_purchase_id = ? ORDER BY sequence", [id.rawValue])
            .decoded(TokenRow.record)
    }

    func tokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken] {
        try query(
            "SELECT * FROM tokens WHERE bundle_id = ? AND customer_id = ? ORDER BY sequence",
            [bundleId.rawValue, customer.rawValue]
        ).decoded(TokenRow.record)
    }

    func tokens(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredToken] {
        try query(.tokens, filter, page).decoded(TokenRow.record)
    }

    func quarantinedTokens(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedToken] {
        try query(
            "SELECT * FROM tokens_set_aside WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(QuarantinedTokenRow.record)
    }

    func tokensUnreported(
        in scope: ReportingScope,
        madeBefore: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken] {
        try query(
            Query.tokensUnreported,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, madeBefore.milliseconds, page.time, page.time,
                page.sequence, page.bound,
            ]
        ).decoded(TokenRow.record)
    }

    func tokens(
        in scope: ReportingScope,
        madeFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken] {
        try query(
            Query.tokensByCreation,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, max(madeFrom.milliseconds, page.time),
                until.milliseconds, page.time, page.sequence, page.bound,
            ]
        ).decoded(TokenRow.record)
    }

    func observations(of id: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError) -> [TokenObservation] {
        try query(Query.observations, [bundleId.rawValue, id.rawValue]).decoded(TokenObservationRow.record)
    }

    func insertRow(of token: StoredToken) throws(LedgerError) -> Int64 {
        guard let number = cache.tokenNumbers.popLast() else { return try insert(token, into: TokenRow.table) }
        var token = token
        token.sequence = number
        try perform(TokenRow.numberedInsertion.sql, TokenRow.numberedInsertion.arguments(of: token))
        return number
    }

    func updateRow(of token: StoredToken) throws(LedgerError) -> Int64 {
        let (bundleId, id) = (token.token.bundleId.rawValue, token.token.externalPurchaseId.rawValue)
        return try change(TokenRow.update, to: token, at: bundleId, id, otherwise: "no such token")
    }

    func completeRow(of token: StoredToken) throws(LedgerError) -> Int64 {
        let (bundleId, id) = (token.token.bundleId.rawValue, token.token.externalPurchaseId.rawValue)
        try change(TokenRow.completion, to: token, at: bundleId, id, otherwise: "no such token without a text")
        return try updateRow(of: token)
    }

    func insertRow(of observation: TokenObservation) throws(LedgerError) -> Int64 {
        try insert(observation, into: TokenObservationRow.table)
    }

    func insertRow(of text: QuarantinedToken) throws(LedgerError) -> Int64 {
        try insert(text, into: QuarantinedTokenRow.table)
    }

    /// Deletes quarantined texts; the schema allows this only for sequence numbers that were marked as expired before.
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
}
