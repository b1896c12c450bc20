import ExternalPurchaseCore
import Ledger

// Leases of servers, and requested reports.
extension SQLTransaction {
    func leases() throws(LedgerError) -> [StoredLease] {
        try query("SELECT * FROM leases ORDER BY name", []).decoded(LeaseRow.record).compactMap(\.self)
    }

    func lease(_ name: LeaseName) throws(LedgerError) -> StoredLease? {
        try query("SELECT * FROM leases WHERE name = ?", [name.rawValue]).decoded(LeaseRow.record).first ?? nil
    }

    func leaseClock() throws(LedgerError) -> Timestamp { try connection.serverTime() ?? dependencies.now() }

    func lockLeases(_ names: [LeaseName]) throws(LedgerError) -> [StoredLease] {
        let now = try leaseClock()
        for name in names {
            try run(
                "INSERT OR IGNORE INTO leases (name, epoch, expires_at) VALUES (?, 0, ?)",
                [name.rawValue, now.milliseconds]
            )
        }
        let list = JSONValue.array(names.map { .string($0.rawValue) }).text
        return try query(
            """
            SELECT * FROM leases WHERE name IN (SELECT value FROM json_each(?)) ORDER BY name \
            /* FOR UPDATE SKIP LOCKED */
            """,
            [list]
        ).decoded(LeaseRow.record).compactMap(\.self)
    }

    func setLease(_ lease: StoredLease) throws(LedgerError) {
        try change(
            "UPDATE leases SET holder = ?, epoch = ?, expires_at = ?, detail = ? WHERE name = ?",
            [
                lease.holder?.rawValue, lease.epoch, lease.expiresAt.milliseconds, lease.detail?.text,
                lease.name.rawValue,
            ],
            otherwise: "no such lease"
        )
    }

    func removePresence(of server: ServerId) throws(LedgerError) {
        try run("DELETE FROM leases WHERE name = ?", [LeaseName.server(server).rawValue])
    }

    func requestedReports(in scope: ReportingScope, limit: Int) throws(LedgerError) -> [ExternalPurchaseId] {
        try query(
            """
            SELECT external_purchase_id FROM report_requests WHERE bundle_id = ? AND environment = ? \
            ORDER BY sequence LIMIT ?
            """,
            [scope.bundleId.rawValue, scope.environment.rawValue, max(0, limit)]
        ).decoded { row throws(LedgerError) in ExternalPurchaseId(try row.text(at: 0)) }
    }

    func requestReport(of token: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError) {
        try run(
            "INSERT OR IGNORE INTO report_requests (bundle_id, environment, external_purchase_id) VALUES (?, ?, ?)",
            [scope.bundleId.rawValue, scope.environment.rawValue, token.rawValue]
        )
    }

    func removeReportRequest(of token: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError) {
        try run(
            "DELETE FROM report_requests WHERE bundle_id = ? AND environment = ? AND external_purchase_id = ?",
            [scope.bundleId.rawValue, scope.environment.rawValue, token.rawValue]
        )
    }
}
