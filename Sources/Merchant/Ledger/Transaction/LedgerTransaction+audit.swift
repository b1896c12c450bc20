import ExternalPurchaseCore

extension LedgerQueries {
    package func auditEntries(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [AuditEntry] {
        try query(.auditEntries, filter, page).decoded(AuditEntryRow.record)
    }

    package func lastAuditEntry() throws(LedgerError) -> AuditEntry? {
        try query(Query.lastAuditEntry, []).decoded(AuditEntryRow.record).first
    }

    /// The newest entry's number and hash, to which the next entry is chained; nil for an empty log.
    package func auditHead() throws(LedgerError) -> AuditHead? {
        if let known = cache.auditHead { return known }
        let head = try query(Query.auditHead, []).decoded { row throws(LedgerError) in
            AuditHead(
                sequence: try AuditEntryRow.sequence.read(from: row),
                hash: try AuditEntryRow.hash.read(from: row)
            )
        }.first
        cache.auditHead = head
        return head
    }
}

extension LedgerTransaction {
    func append(_ entry: AuditEntry) throws(LedgerError) {
        try perform(AuditEntryRow.table.insertion.sql, AuditEntryRow.table.insertion.arguments(of: entry))
        cache.auditHead = AuditHead(sequence: entry.sequence, hash: entry.hash)
    }
}
