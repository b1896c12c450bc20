import ExternalPurchaseCore
import Synchronization

/// Limits the visits of each client address by a token bucket (TK-74).
///
/// A bucket holds the visits of one minute and is refilled evenly. Memory is limited: with too many addresses, full
/// buckets are removed first, then those that were used least recently.
final class VisitLimiter: Sendable {
    private struct Bucket: Sendable {
        var visits: Double
        var at: Timestamp
    }

    private let perMinute: Double?
    private let maximumAddresses: Int
    private let buckets = Mutex<[String: Bucket]>([:])

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - perMinute: the visits per address and minute; nil sets no limit.
    ///   - maximumAddresses: the number of addresses in memory.
    init(perMinute: Int?, maximumAddresses: Int = 10_000) {
        self.perMinute = perMinute.map(Double.init)
        self.maximumAddresses = maximumAddresses
    }

    /// Counts a visit.
    ///
    /// - Returns: false if the address is over its limit.
    func admits(_ address: String, at now: Timestamp) -> Bool {
        guard let perMinute else { return true }
        return buckets.withLock { buckets in
            let key = ClientAddress.group(of: address)
            var bucket = buckets[key] ?? Bucket(visits: perMinute, at: now)
            // A clock that is set back refills nothing.
            let elapsed = max(.zero, bucket.at.duration(to: now)).inSeconds
            bucket.visits = min(perMinute, bucket.visits + elapsed * perMinute / 60)
            bucket.at = now
            let isAdmitted = bucket.visits >= 1
            if isAdmitted { bucket.visits -= 1 }
            if buckets[key] == nil, buckets.count >= maximumAddresses { Self.makeRoom(in: &buckets, perMinute, now) }
            buckets[key] = bucket
            return isAdmitted
        }
    }

    /// The number of addresses in memory.
    var count: Int { buckets.withLock(\.count) }

    private static func makeRoom(in buckets: inout [String: Bucket], _ perMinute: Double, _ now: Timestamp) {
        let full = now - .minutes(1)
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
