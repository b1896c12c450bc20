/// Queries of the audit log.
package protocol AuditQueries {
    func auditEntries(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [AuditEntry]
    func lastAuditEntry() throws(LedgerError) -> AuditEntry?
}
