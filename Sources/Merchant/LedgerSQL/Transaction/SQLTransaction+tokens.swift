import ExternalPurchaseCore
import Ledger

extension SQLTransaction {
    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> StoredToken? {
        let key = TransactionCache.Key(bundleId: bundleId, id: id)
        if let known = cache.tokens[key] { return known }
        let token = try query(Query.token, [bundleId.rawValue, id.rawValue]).decoded(TokenRow.record).first
        cache.keep(token, at: key)
        return token
    }

    /// Reads each row by its key: PostgreSQL keeps the plan of a query for a list of keys from the time when the tables
    /// were small, and then reads them whole.
    func readAhead(_ rows: [ExpectedRows]) throws(LedgerError) {
        typealias Key = TransactionCache.Key
        var tokens: Set<Key<ExternalPurchaseId>> = []
        var checkouts: Set<Key<CheckoutId>> = []
        for row in rows {
            for id in row.tokens { tokens.insert(Key(bundleId: row.bundleId, id: id)) }
            for id in row.checkouts { checkouts.insert(Key(bundleId: row.bundleId, id: id)) }
        }
        guard !tokens.isEmpty || !checkouts.isEmpty else { return }
        for key in tokens { cache.keep(nil, at: key) }
        for key in checkouts { cache.keep(nil, at: key) }
        var new = tokens
        for row in try connection.rows(
            Query.token,
            withEach: tokens.map { [$0.bundleId.rawValue, $0.id.rawValue] }
        ) {
            let token = try TokenRow.record(row)
            let key = Key(bundleId: token.token.bundleId, id: token.token.externalPurchaseId)
            cache.keep(token, at: key)
            new.remove(key)
        }
        for row in try connection.rows(
            Query.checkout,
            withEach: checkouts.map { [$0.bundleId.rawValue, $0.id.rawValue] }
        ) {
            let checkout = try CheckoutRow.record(row)
            cache.keep(checkout, at: Key(bundleId: checkout.bundleId, id: checkout.checkoutId))
        }
        if new.isEmpty { return }
        cache.tokenNumbers = try connection.reserveNumbers(
            new.count,
            of: TokenRow.table.name,
            TokenRow.sequence.name
        ).reversed()
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

    func claimedTokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken] {
        try query(Query.claimedTokens, [bundleId.rawValue, customer.rawValue]).decoded(TokenRow.record)
    }

    func tokens(
        _ query: CustomerTokenQuery,
        of customer: CustomerId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [StoredToken] {
        var arguments: [(any SQLValueConvertible)?] = [bundleId.rawValue, customer.rawValue]
        let sql: String
        switch query {
        case .customLink(let limit):
            sql = Query.customLinkTokensOfCustomer
            arguments.append(max(0, limit))
        case .newest(let type, let environment, let created, let ending, let trust):
            sql = Query.newestTokens[trust.rawValue]
            arguments += [environment.rawValue, type.rawValue, created.milliseconds, ending.milliseconds]
        case .ofPeriod(let period, let environment, let member):
            let hasEnd = period.expirationDate != nil
            sql =
                switch member {
                case .all: hasEnd ? Query.tokensOfPeriod : Query.tokensOfEndlessPeriod
                case .chosen: hasEnd ? Query.chosenTokensOfPeriod : Query.chosenTokensOfEndlessPeriod
                case .trusted(let trust):
                    (hasEnd ? Query.trustedTokenOfPeriod : Query.trustedTokenOfEndlessPeriod)[trust.rawValue]
                }
            arguments += [environment.rawValue, period.type?.rawValue, period.creationDate.milliseconds]
            if let end = period.expirationDate { arguments.append(end.milliseconds) }
        case .imported: sql = Query.importedTokensOfCustomer
        }
        return try self.query(sql, SQLArguments(arguments)).decoded(TokenRow.record)
    }

    func tokens(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredToken] {
        try query(.tokens, filter, page).decoded(TokenRow.record)
    }

    func quarantinedTokens(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedToken] {
        try query(
            "SELECT * FROM quarantined_tokens WHERE sequence > ? ORDER BY sequence LIMIT ?",
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
            "DELETE FROM quarantined_tokens WHERE sequence <= ? AND first_seen < ?",
            [sequence, moment.milliseconds]
        )
        return 0
    }

    func isQuarantined(_ text: String, as reason: QuarantinedToken.Reason) throws(LedgerError) -> Bool {
        try !rows("SELECT 1 FROM quarantined_tokens WHERE text = ? AND reason = ?", [text, reason.rawValue]).isEmpty
    }
}
