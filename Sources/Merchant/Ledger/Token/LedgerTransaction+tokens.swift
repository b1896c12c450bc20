package import ExternalPurchaseCore

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
