import ExternalPurchaseCore
import Ledger

// Forwards operations on leases and requested reports to the real transaction unless the next step must fail.
extension FaultyTransaction {
    func leases() throws(LedgerError) -> [StoredLease] {
        try step()
        return try base.leases()
    }

    func lease(_ name: LeaseName) throws(LedgerError) -> StoredLease? {
        try step()
        return try base.lease(name)
    }

    func leaseClock() throws(LedgerError) -> Timestamp {
        try step()
        return try base.leaseClock()
    }

    func lockLeases(_ names: [LeaseName]) throws(LedgerError) -> [StoredLease] {
        try step()
        return try base.lockLeases(names)
    }

    func setLease(_ lease: StoredLease) throws(LedgerError) {
        try step()
        try base.setLease(lease)
    }

    func removePresence(of server: ServerId) throws(LedgerError) {
        try step()
        try base.removePresence(of: server)
    }

    func requestedReports(in scope: ReportingScope, limit: Int) throws(LedgerError) -> [ExternalPurchaseId] {
        try step()
        return try base.requestedReports(in: scope, limit: limit)
    }

    func requestReport(of token: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError) {
        try step()
        try base.requestReport(of: token, in: scope)
    }

    func removeReportRequest(of token: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError) {
        try step()
        try base.removeReportRequest(of: token, in: scope)
    }
}
