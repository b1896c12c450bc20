package import ExternalPurchaseCore

/// The rows that a purge removes (OB-91).
///
/// A purge removes groups of connected rows only: tokens, their reports and sales, refunds and later events of the same
/// subscription, corrections, and manual exports with all their sales. A group is removed when it is completed, sent
/// to Apple and was last changed before ``cut``. One row that is open or younger keeps the complete group.
package struct PurgePlan: Hashable, Sendable {
    /// The removed rows of one kind.
    package struct Removal: Hashable, Sendable {
        /// The name of the table.
        package let kind: String
        package let count: Int64
        /// The earliest and latest time at which these rows arrived or were written; nil where the kind has no such
        /// time.
        package let oldest: Timestamp?
        package let newest: Timestamp?
    }

    /// All removed rows were last changed before this time.
    package let cut: Timestamp
    /// The kinds of which at least one row is removed.
    package let removals: [Removal]

    package init(cut: Timestamp, removals: [Removal]) {
        self.cut = cut
        self.removals = removals
    }

    /// The removals as JSON, for the audit log and the record of the purge.
    package var json: JSONValue {
        .array(
            removals.map { removal in
                [
                    "kind": .string(removal.kind), "count": .integer(removal.count),
                    "oldest": removal.oldest.map { .string($0.description) } ?? .null,
                    "newest": removal.newest.map { .string($0.description) } ?? .null,
                ]
            }
        )
    }
}

/// A completed purge: the removed rows, the responsible person, and the audit log's head before it.
package struct Purge: Hashable, Sendable {
    package let plan: PurgePlan
    package let at: Timestamp
    package let by: String
    /// The newest audit entry before the purge's own entry; nil for an empty log.
    package let head: AuditHead?
}

extension LedgerTransaction {
    /// Removes the rows of a plan made in this transaction and appends an audit entry (OB-91, OB-93).
    ///
    /// The audit log itself is never purged. The caller checks the minimum age of the records.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the plan does not match the ledger's rows.
    package func purge(_ plan: PurgePlan, by: String) throws(LedgerError) {
        let head = try auditHead()
        try perform(.purge(Purge(plan: plan, at: dependencies.now(), by: by, head: head)))
    }
}
