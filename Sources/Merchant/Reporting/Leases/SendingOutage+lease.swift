import ExternalPurchaseCore
import Ledger

// What the holder of a lease tells the other servers about the app and environment.
extension SendingOutage {
    /// The detail of the lease.
    var leaseDetail: JSONValue {
        [
            "reason": .string(reason), "since": .integer(since.milliseconds),
            "isRefusedKey": .bool(isRefusedKey),
        ]
    }

    /// Reads the detail of another server's lease; nil if it tells no outage.
    init?(_ lease: StoredLease) {
        guard case .reports(let scope) = lease.name, let holder = lease.holder,
            let detail = lease.detail?.objectValue, let reason = detail["reason"]?.stringValue,
            let since = detail["since"]?.int64Value, let isRefusedKey = detail["isRefusedKey"]?.boolValue
        else { return nil }
        self.init(
            scope: scope,
            reason: "\(reason) (server \(holder))",
            since: Timestamp(milliseconds: since),
            isRefusedKey: isRefusedKey
        )
    }
}
