import ExternalPurchaseCore
import GRDB
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SQLiteTransaction {
    func auditEntries(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [AuditEntry] {
        try rows(.auditEntries, filter, page).decoded(auditEntry)
    }

    func lastAuditEntry() throws(LedgerError) -> AuditEntry? {
        try rows(Query.lastAuditEntry, []).decoded(auditEntry).first
    }

    func append(_ entry: AuditEntry) throws(LedgerError) {
        try run(
            "INSERT INTO audit_log (sequence, time, kind, content, hash) VALUES (?, ?, ?, ?, ?)",
            [entry.sequence, entry.time.milliseconds, entry.kind, entry.content, Data(entry.hash)]
        )
    }

    private func auditEntry(_ row: Row) throws(LedgerError) -> AuditEntry {
        AuditEntry(
            stored: try row.integer("sequence"),
            time: try row.time("time"),
            kind: try row.text("kind"),
            content: try row.text("content"),
            hash: try row.bytes("hash") ?? []
        )
    }
}
