import ExternalPurchaseCore
import Synchronization

/// Limits the visits of each client address by a token bucket (TK-74).
///
/// A bucket holds the visits of one minute and fills evenly. Memory is bounded: when too many addresses are known, buckets
/// that are full again go first, then the ones that were used least recently.
final class VisitLimiter: Sendable {
    private struct Bucket: Sendable {
        var visits: Double
        var at: Timestamp
    }

    private let perMinute: Double?
    private let maximumAddresses: Int
    private let buckets = Mutex<[String: Bucket]>([:])

    /// - Parameters:
    ///   - perMinute: visits that one address may make in a minute; nil sets no limit.
    ///   - maximumAddresses: the number of addresses that are remembered.
    init(perMinute: Int?, maximumAddresses: Int = 10_000) {
        self.perMinute = perMinute.map(Double.init)
        self.maximumAddresses = maximumAddresses
    }

    /// Counts a visit.
    ///
    /// - Returns: false when the address has no visit left.
    func admits(_ address: String, at now: Timestamp) -> Bool {
        guard let perMinute else { return true }
        return buckets.withLock { buckets in
            let key = ClientAddress.group(of: address)
            var bucket = buckets[key] ?? Bucket(visits: perMinute, at: now)
            // A clock that is set back fills nothing.
            let elapsed = max(0, Double(now.milliseconds - bucket.at.milliseconds))
            bucket.visits = min(perMinute, bucket.visits + elapsed * perMinute / 60_000)
            bucket.at = now
            let isAdmitted = bucket.visits >= 1
            if isAdmitted { bucket.visits -= 1 }
            if buckets[key] == nil, buckets.count >= maximumAddresses { Self.makeRoom(in: &buckets, perMinute, now) }
            buckets[key] = bucket
            return isAdmitted
        }
    }

    /// The number of addresses that are remembered.
    var count: Int { buckets.withLock(\.count) }

    private static func makeRoom(in buckets: inout [String: Bucket], _ perMinute: Double, _ now: Timestamp) {
        let full = now.advanced(byMilliseconds: -60_000)
        let rest = buckets.filter { $0.value.at > full }
        guard rest.count > buckets.count * 3 / 4 else {
            buckets = rest
            return
        }
        let oldest = rest.sorted { $0.value.at < $1.value.at }.prefix(rest.count / 4)
        buckets = rest
        for (key, _) in oldest { buckets[key] = nil }
    }
}
