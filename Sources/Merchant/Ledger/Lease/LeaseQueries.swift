package import ExternalPurchaseCore

/// Queries of leases and of requested reports.
package protocol LeaseQueries {
    /// Every lease, by name.
    func leases() throws(LedgerError) -> [StoredLease]
    /// The lease of a name; nil before its first claim.
    func lease(_ name: LeaseName) throws(LedgerError) -> StoredLease?
    /// The tokens of an app and environment whose report a person or a notification requested, in order.
    func requestedReports(in scope: ReportingScope, limit: Int) throws(LedgerError) -> [ExternalPurchaseId]
}

/// Changes of leases and of requested reports.
///
/// The audit log has no entries about them: leases say who works, and requests follow from audited decisions and
/// notifications.
package protocol LeaseWriting {
    /// The clock that decides on the end of leases: that of the database server if there is one.
    func leaseClock() throws(LedgerError) -> Timestamp
    /// Locks the leases of the given names until the end of the transaction, and creates those that are missing.
    ///
    /// - Returns: the leases that no other transaction has locked, by name.
    func lockLeases(_ names: [LeaseName]) throws(LedgerError) -> [StoredLease]
    /// Stores holder, epoch, end and detail of a lease that exists.
    func setLease(_ lease: StoredLease) throws(LedgerError)
    /// Deletes the lease of a server's presence.
    func removePresence(of server: ServerId) throws(LedgerError)
    /// Stores that the report of a token is requested; a second request changes nothing.
    func requestReport(of token: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError)
    /// Deletes the request of a token's report, if there is one.
    func removeReportRequest(of token: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError)
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
