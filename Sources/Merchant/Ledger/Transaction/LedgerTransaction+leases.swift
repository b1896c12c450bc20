package import ExternalPurchaseCore

// Leases of servers, and requested reports.
extension LedgerQueries {
    /// Every lease, by name.
    package func leases() throws(LedgerError) -> [StoredLease] {
        try query("SELECT * FROM leases ORDER BY name", []).decoded(LeaseRow.record).compactMap(\.self)
    }

    /// The lease of a name; nil before its first claim.
    package func lease(_ name: LeaseName) throws(LedgerError) -> StoredLease? {
        try query("SELECT * FROM leases WHERE name = ?", [name.rawValue]).decoded(LeaseRow.record).first ?? nil
    }

    /// The tokens of an app and environment whose report a person or a notification requested, in order.
    package func requestedReports(in scope: ReportingScope, limit: Int) throws(LedgerError) -> [ExternalPurchaseId] {
        try query(
            """
            SELECT external_purchase_id FROM report_requests WHERE bundle_id = ? AND environment = ? \
            ORDER BY sequence LIMIT ?
            """,
            [scope.bundleId.rawValue, scope.environment.rawValue, max(0, limit)]
        ).decoded { row throws(LedgerError) in ExternalPurchaseId(try row.text(at: 0)) }
    }
}

extension LedgerTransaction {
    /// The clock that decides on the end of leases: that of the database server if there is one.
    package func leaseClock() throws(LedgerError) -> Timestamp { try connection.serverTime() ?? dependencies.now() }

    /// Locks the leases of the given names until the end of the transaction, and creates those that are missing.
    ///
    /// - Returns: the leases that no other transaction has locked, by name.
    package func lockLeases(_ names: [LeaseName]) throws(LedgerError) -> [StoredLease] {
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

    /// Stores holder, epoch, end and detail of a lease that exists.
    package func setLease(_ lease: StoredLease) throws(LedgerError) {
        try change(
            "UPDATE leases SET holder = ?, epoch = ?, expires_at = ?, detail = ? WHERE name = ?",
            [
                lease.holder?.rawValue, lease.epoch, lease.expiresAt.milliseconds, lease.detail?.text,
                lease.name.rawValue,
            ],
            otherwise: "no such lease"
        )
    }

    /// Deletes the lease of a server's presence.
    package func removePresence(of server: ServerId) throws(LedgerError) {
        try run("DELETE FROM leases WHERE name = ?", [LeaseName.server(server).rawValue])
    }

    /// Stores that the report of a token is requested; a second request changes nothing.
    package func requestReport(of token: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError) {
        try run(
            "INSERT OR IGNORE INTO report_requests (bundle_id, environment, external_purchase_id) VALUES (?, ?, ?)",
            [scope.bundleId.rawValue, scope.environment.rawValue, token.rawValue]
        )
    }

    /// Deletes the request of a token's report, if there is one.
    package func removeReportRequest(of token: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError) {
        try run(
            "DELETE FROM report_requests WHERE bundle_id = ? AND environment = ? AND external_purchase_id = ?",
            [scope.bundleId.rawValue, scope.environment.rawValue, token.rawValue]
        )
    }
}

extension LedgerTransaction {
    /// Checks that a lease is still held, so that a server that lost it stores nothing (SA-76).
    ///
    /// A lease that ended and that no other server claimed is still held: nobody else did its work.
    ///
    /// - Throws: ``LedgerError/leaseLost(_:)``.
    package func require(_ claim: LeaseClaim) throws(LedgerError) {
        guard try lease(claim.name)?.claim == claim else { throw .leaseLost(claim.name.rawValue) }
    }
}
