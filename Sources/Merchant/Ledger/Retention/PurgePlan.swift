package import ExternalPurchaseCore

/// What a purge would remove (OB-91): whole stories that ended, were transmitted and last changed before a moment.
///
/// A story is what belongs together: tokens, their reports and sales, refunds and later events of the same
/// subscription, corrections and manual exports with all their sales. One row of it that is open or younger keeps all
/// of it.
package struct PurgePlan: Hashable, Sendable {
    /// The rows of one kind that go.
    package struct Removal: Hashable, Sendable {
        /// The name of the table.
        package let kind: String
        package let count: Int64
        /// The first and the last moment at which such a row came in or was written; nil where the kind has none.
        package let oldest: Timestamp?
        package let newest: Timestamp?

        package init(kind: String, count: Int64, oldest: Timestamp?, newest: Timestamp?) {
            self.kind = kind
            self.count = count
            self.oldest = oldest
            self.newest = newest
        }
    }

    /// Everything that goes lies before this moment.
    package let cut: Timestamp
    /// The kinds of which at least one row goes.
    package let removals: [Removal]

    package init(cut: Timestamp, removals: [Removal]) {
        self.cut = cut
        self.removals = removals
    }

    /// The removals as JSON, for the audit log and the record of the purge.
    package var json: JSONValue {
        .array(
            removals.map { removal in
                .object(
                    JSONObject([
                        .init("kind", .string(removal.kind)), .init("count", .integer(removal.count)),
                        .init("oldest", removal.oldest.map { .string($0.description) } ?? .null),
                        .init("newest", removal.newest.map { .string($0.description) } ?? .null),
                    ])
                )
            }
        )
    }
}

/// A purge: what went, on whose word, and the audit log's head before it.
package struct Purge: Hashable, Sendable {
    package let plan: PurgePlan
    package let at: Timestamp
    package let by: String
    /// The newest entry of the audit log before the purge's own; nil for an empty log.
    package let head: AuditHead?

    package init(plan: PurgePlan, at: Timestamp, by: String, head: AuditHead?) {
        self.plan = plan
        self.at = at
        self.by = by
        self.head = head
    }
}

/// What can be asked about the keeping of records.
package protocol RetentionQueries {
    /// What a purge of everything that ended before a moment would remove; nothing is changed.
    ///
    /// - Throws: ``LedgerError``; a store that lives no longer than its process has nothing to purge and says so.
    func purgePlan(before cut: Timestamp) throws(LedgerError) -> PurgePlan
}

extension LedgerTransaction {
    /// Removes what a plan of this transaction holds, and says so in the audit log, which is kept whole (OB-91, OB-93).
    ///
    /// How young records may be is the caller's to check.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the plan is not what the ledger holds.
    package func purge(_ plan: PurgePlan, by: String) throws(LedgerError) {
        let head = try lastAuditEntry().map { AuditHead(sequence: $0.sequence, hash: $0.hash) }
        try perform(.purge(Purge(plan: plan, at: dependencies.now(), by: by, head: head)))
    }
}
