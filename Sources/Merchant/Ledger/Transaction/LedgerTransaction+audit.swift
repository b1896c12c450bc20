import ExternalPurchaseCore

extension LedgerQueries {
    package func auditEntries(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [AuditEntry] {
        try writeAuditEntries()
        return try query(.auditEntries, filter, page).decoded(AuditEntryRow.record)
    }

    /// Entries about a payment event, a review item or an export, by its id or number, oldest first.
    ///
    /// An id of one may be that of another one: the caller selects by kind.
    package func auditEntries(ofRecord id: String) throws(LedgerError) -> [AuditEntry] {
        try writeAuditEntries()
        return try query(Query.auditOfRecord, [id]).decoded(AuditEntryRow.record)
    }

    package func lastAuditEntry() throws(LedgerError) -> AuditEntry? {
        try writeAuditEntries()
        return try query(Query.lastAuditEntry, []).decoded(AuditEntryRow.record).first
    }

    /// The newest entry's number and hash, to which the next entry is chained; nil for an empty log.
    package func auditHead() throws(LedgerError) -> AuditHead? {
        if let known = cache.auditHead { return known }
        let head = try query(Query.auditHead, []).decoded(AuditEntryRow.head).first
        cache.auditHead = head
        return head
    }

    func writeAuditEntries() throws(LedgerError) {
        let entries = unwritten.auditEntries
        if entries.isEmpty { return }
        unwritten.auditEntries.removeAll()
        let insertion = AuditEntryRow.table.insertion
        try connection.perform(insertion.sql, withEach: entries.map { insertion.arguments(of: $0) })
    }
}

extension LedgerTransaction {
    /// The number of entries that a closure collects, so that a long one does not collect its changes in memory.
    private static let collectedEntries = 1_000

    func append(_ entry: AuditEntry) throws(LedgerError) {
        unwritten.auditEntries.append(entry)
        cache.auditHead = AuditHead(sequence: entry.sequence, hash: entry.hash)
        if unwritten.auditEntries.count >= Self.collectedEntries { try writeAuditEntries() }
    }
}
