package import ExternalPurchaseCore

extension LedgerQueries {
    package func token(_ id: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> StoredToken? {
        try tokens([id], of: bundleId)[id]
    }

    /// Tokens by their ids; those that are unknown are left out.
    package func tokens(
        _ ids: some Collection<ExternalPurchaseId>,
        of bundleId: BundleId
    ) throws(LedgerError) -> [ExternalPurchaseId: StoredToken] {
        var tokens: [ExternalPurchaseId: StoredToken] = [:]
        var unread: [ExternalPurchaseId] = []
        for id in ids {
            if let known = cache.tokens[TransactionCache.Key(bundleId: bundleId, id: id)] {
                tokens[id] = known
            } else {
                unread.append(id)
            }
        }
        let found = try queries(Query.token, withEach: unread.map { [bundleId.rawValue, $0.rawValue] })
            .decoded(TokenRow.record)
        for (id, found) in zip(unread, found) {
            tokens[id] = found.first
            cache.keep(found.first, at: TransactionCache.Key(bundleId: bundleId, id: id))
        }
        return tokens
    }

    /// Tokens of that id in all apps.
    package func tokens(withId id: ExternalPurchaseId) throws(LedgerError) -> [StoredToken] {
        try query("SELECT * FROM tokens WHERE external_purchase_id = ? ORDER BY sequence", [id.rawValue])
            .decoded(TokenRow.record)
    }

    package func tokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken] {
        try tokens(ofEach: [customer], app: bundleId).first ?? []
    }

    /// The tokens of each of some customers.
    package func tokens(
        ofEach customers: [CustomerId],
        app bundleId: BundleId
    ) throws(LedgerError) -> [[StoredToken]] {
        try queries(
            "SELECT * FROM tokens WHERE bundle_id = ? AND customer_id = ? ORDER BY sequence",
            withEach: customers.map { [bundleId.rawValue, $0.rawValue] }
        ).decoded(TokenRow.record)
    }

    /// Tokens that only public arrivals link to a customer and of which Apple has answered a report or sent a
    /// notification (TK-78).
    package func claimedTokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken] {
        try query(Query.claimedTokens, [bundleId.rawValue, customer.rawValue]).decoded(TokenRow.record)
    }

    /// Those tokens of a customer that a plan needs, found by index however many the customer has.
    package func tokens(
        _ query: CustomerTokenQuery,
        of customer: CustomerId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [StoredToken] {
        try tokens(query, ofEach: [customer], app: bundleId).first ?? []
    }

    /// The same of each of some customers.
    package func tokens(
        _ query: CustomerTokenQuery,
        ofEach customers: [CustomerId],
        app bundleId: BundleId
    ) throws(LedgerError) -> [[StoredToken]] {
        let statements = customers.map { query.statement(of: $0, bundleId) }
        guard let sql = statements.first?.sql else { return [] }
        return try queries(sql, withEach: statements.map(\.arguments)).decoded(TokenRow.record)
    }

    package func tokens(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredToken] {
        try query(.tokens, filter, page).decoded(TokenRow.record)
    }

    package func quarantinedTokens(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedToken] {
        try query(
            "SELECT * FROM quarantined_tokens WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(QuarantinedTokenRow.record)
    }

    /// Tokens created before a moment that have no accepted report and must still be reported, by creation date.
    ///
    /// Tokens that Apple does not know are left out (TK-74).
    package func tokensUnreported(
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

    /// Tokens created in a time range, excluding its end, sorted by creation date.
    package func tokens(
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

    /// The later sources and contradicting texts of the token, oldest first.
    ///
    /// The first source is in the token itself.
    package func observations(of id: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError)
        -> [TokenObservation]
    {
        try query(Query.observations, [bundleId.rawValue, id.rawValue]).decoded(TokenObservationRow.record)
    }

    /// Whether that text is already quarantined for that reason.
    package func isQuarantined(_ text: String, as reason: QuarantinedToken.Reason) throws(LedgerError) -> Bool {
        try !rows("SELECT 1 FROM quarantined_tokens WHERE text = ? AND reason = ?", [text, reason.rawValue]).isEmpty
    }
}

extension LedgerTransaction {
    func insertRow(of token: StoredToken) throws(LedgerError) -> Int64 { try insert(token, into: TokenRow.table) }

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
        try add(observation, into: TokenObservationRow.table)
        return 0
    }

    func insertRow(of text: QuarantinedToken) throws(LedgerError) -> Int64 {
        try add(text, into: QuarantinedTokenRow.table)
        return 0
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
}

extension LedgerTransaction {
    /// Sets the customer of a token by a person's decision, which overrides arrivals and sales; nil means no customer, and
    /// that public arrivals name none any more (TK-78).
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` for an unknown token.
    package func setCustomer(
        _ customer: CustomerId?,
        of token: StoredToken,
        by: String,
        reason: String?
    ) throws(LedgerError) -> StoredToken {
        var token = token
        token.customerId = customer
        token.customerSource = customer == nil ? .removed : .stated
        token.isCustomerClaimed = false
        token.notes.remove(.customerContradiction)
        try perform(.setCustomer(token, by: by, reason: reason))
        return token
    }

    /// Stores a token and returns it with its sequence number.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the app already has a token of that id.
    package func insert(_ token: StoredToken) throws(LedgerError) -> StoredToken {
        var token = token
        token.reportedAt = nil
        token.sequence = try perform(.insertToken(token))
        return token
    }

    /// Updates the columns that can change; the token's fields and its text stay.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when there is no such token.
    package func update(_ token: StoredToken) throws(LedgerError) {
        try perform(.updateToken(token))
    }

    /// Stores a text that is not a token of the merchant; a repetition changes nothing.
    package func quarantine(_ text: QuarantinedToken) throws(LedgerError) {
        if try isQuarantined(text.text, as: text.reason) { return }
        try perform(.setTokenAside(text))
    }

    /// Deletes up to a thousand texts that were quarantined before a moment, oldest first.
    ///
    /// They are not tokens of the merchant, so they need not be retained; the audit log keeps their digests.
    package func expireQuarantinedTokens(before moment: Timestamp) throws(LedgerError) {
        guard let oldest = try quarantinedTokens(LedgerPage(limit: 1)).first, oldest.firstSeen.time < moment else {
            return
        }
        let expired = try quarantinedTokens(LedgerPage(limit: 1_000)).prefix { $0.firstSeen.time < moment }
        guard let last = expired.last else { return }
        try perform(.expireQuarantinedTokens(through: last.sequence, count: Int64(expired.count), before: moment))
    }

    /// Stores an arriving token, or merges it into the stored token with the same id (NT-61, NT-62, TK-67).
    ///
    /// The first known values stay. A token that only notifications had named receives the delivered text. A
    /// contradicting text or notification is stored as an observation and flagged. A signed notification confirms the
    /// token (TK-72).
    ///
    /// - Parameter candidate: the arriving token, as it would be stored if it were the first.
    package func merge(_ candidate: StoredToken) throws(LedgerError) -> MergedToken {
        let bundleId = candidate.token.bundleId
        guard let known = try token(candidate.token.externalPurchaseId, of: bundleId) else {
            return MergedToken(token: try insert(candidate), outcome: .new, contradicts: false)
        }
        let contradicts = known.contradicts(candidate)
        if contradicts || candidate.firstSeen.source != known.firstSeen.source {
            try record(candidate, contradicting: contradicts)
        }
        let merged = known.merged(with: candidate, contradicting: contradicts)
        let isCompleted = known.text == nil && merged.text != nil
        if isCompleted {
            try perform(.completeToken(merged))
        } else if merged != known {
            try update(merged)
        }
        return MergedToken(token: merged, outcome: isCompleted ? .completed : .known, contradicts: contradicts)
    }

    /// Stores a source or a contradicting text as an observation, unless it is already stored.
    private func record(_ candidate: StoredToken, contradicting: Bool) throws(LedgerError) {
        let bundleId = candidate.token.bundleId
        let text = contradicting ? candidate.text ?? candidate.token.json.compact : nil
        let kept = try observations(of: candidate.token.externalPurchaseId, app: bundleId)
        let isKnown = kept.contains { $0.seen.source == candidate.firstSeen.source && $0.contradiction == text }
        let contradictions = kept.count { $0.contradiction != nil }
        if isKnown || (contradicting && contradictions >= TokenObservation.maximumContradictions) { return }
        try perform(
            .recordObservation(
                TokenObservation(
                    bundleId: bundleId,
                    externalPurchaseId: candidate.token.externalPurchaseId,
                    seen: candidate.firstSeen,
                    contradiction: text
                )
            )
        )
    }
}

/// The result of storing an arriving token.
package struct MergedToken: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case new
        case known
        /// Only notifications had named the token; its text is now stored.
        case completed
    }

    /// The token as stored after the arrival.
    package let token: StoredToken
    package let outcome: Outcome
    /// True when the arrival contradicts what was stored first.
    package let contradicts: Bool
}

extension StoredToken {
    /// True until a source other than Apple delivers the text of the token (NT-64, NT-65).
    package var isKnownFromNotificationsOnly: Bool { text == nil && firstSeen.source == .notification }

    fileprivate func contradicts(_ other: StoredToken) -> Bool {
        // A notification or an imported record may lack fields that a text always has.
        if text != nil, other.text != nil { return token != other.token }
        return token.appAppleId != other.token.appAppleId
            || token.tokenCreationDate != other.token.tokenCreationDate
            || differ(token.tokenType, other.token.tokenType)
            || differ(token.tokenExpirationDate, other.token.tokenExpirationDate)
    }

    func differ<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
        if let left, let right { left != right } else { false }
    }
}

extension JSONValue {
    fileprivate var compact: String { String(decoding: encoded(), as: UTF8.self) }
}

extension CustomerTokenQuery {
    /// The query of a customer's tokens.
    func statement(of customer: CustomerId, _ bundleId: BundleId) -> SQLQuery {
        var arguments: [(any SQLValueConvertible)?] = [bundleId.rawValue, customer.rawValue]
        let sql: String
        switch self {
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
        return SQLQuery(sql, SQLArguments(arguments))
    }
}
