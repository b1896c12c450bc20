import ExternalPurchaseCore
import Ledger

extension SQLTransaction {
    func auditEntries(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [AuditEntry] {
        try query(.auditEntries, filter, page).decoded(AuditEntryRow.record)
    }

    func lastAuditEntry() throws(LedgerError) -> AuditEntry? {
        try query(Query.lastAuditEntry, []).decoded(AuditEntryRow.record).first
    }

    func append(_ entry: AuditEntry) throws(LedgerError) {
        try perform(AuditEntryRow.table.insertion.sql, AuditEntryRow.table.insertion.arguments(of: entry))
    }
}
