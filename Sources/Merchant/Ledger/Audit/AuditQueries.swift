/// Queries of the audit log.
package protocol AuditQueries {
    func auditEntries(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [AuditEntry]
    func lastAuditEntry() throws(LedgerError) -> AuditEntry?
    /// The newest entry's number and hash, to which the next entry is chained; nil for an empty log.
    func auditHead() throws(LedgerError) -> AuditHead?
}
