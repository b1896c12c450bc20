import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func leases() -> [StoredLease] { ledger.leases.values.sorted { $0.name < $1.name } }

    func lease(_ name: LeaseName) -> StoredLease? { ledger.leases[name] }

    func leaseClock() -> Timestamp { dependencies.now() }

    func lockLeases(_ names: [LeaseName]) -> [StoredLease] {
        let now = leaseClock()
        for name in names where ledger.leases[name] == nil {
            set(\.leases, name, StoredLease(name: name, expiresAt: now))
        }
        return Set(names).sorted().compactMap { ledger.leases[$0] }
    }

    func setLease(_ lease: StoredLease) throws(LedgerError) {
        guard let earlier = ledger.leases[lease.name] else { throw .conflict("no such lease") }
        let isOther = lease.holder != nil && lease.holder != earlier.holder
        guard lease.epoch >= earlier.epoch, !isOther || lease.epoch > earlier.epoch else {
            throw .conflict("the epoch of a lease rises with each change of holder")
        }
        set(\.leases, lease.name, lease)
    }

    func removePresence(of server: ServerId) { set(\.leases, .server(server), nil) }

    func requestedReports(in scope: ReportingScope, limit: Int) -> [ExternalPurchaseId] {
        Array(ledger.reportRequests[scope, default: []].prefix(max(0, limit)))
    }

    func requestReport(of token: ExternalPurchaseId, in scope: ReportingScope) {
        let requests = ledger.reportRequests[scope, default: []]
        if !requests.contains(token) { set(\.reportRequests, scope, requests + [token]) }
    }

    func removeReportRequest(of token: ExternalPurchaseId, in scope: ReportingScope) {
        set(\.reportRequests, scope, ledger.reportRequests[scope, default: []].filter { $0 != token })
    }
}
