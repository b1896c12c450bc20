import ExternalPurchaseCore
import Synchronization

/// Limits the requests of each client by a token bucket (TK-74).
///
/// A bucket holds the requests of one minute and is refilled evenly. Memory is limited: with too many clients, full
/// buckets are removed first, then those that were used least recently.
final class RateLimiter: Sendable {
    private struct Bucket: Sendable {
        var requests: Double
        var at: Timestamp
    }

    private let perMinute: Double?
    private let capacity: Int
    private let buckets = Mutex<[String: Bucket]>([:])

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - perMinute: the requests per client and minute; nil sets no limit.
    ///   - capacity: the largest number of clients in memory.
    init(perMinute: Int?, capacity: Int = 10_000) {
        self.perMinute = perMinute.map(Double.init)
        self.capacity = capacity
    }

    /// Counts a request of a client.
    ///
    /// - Returns: nil if the client is within its limit; otherwise the time until its next request is admitted.
    func wait(of client: String, at now: Timestamp) -> Duration? {
        guard let perMinute else { return nil }
        return buckets.withLock { buckets in
            var bucket = buckets[client] ?? Bucket(requests: perMinute, at: now)
            // A clock that is set back refills nothing.
            let elapsed = max(.zero, bucket.at.duration(to: now)).inSeconds
            bucket.requests = min(perMinute, bucket.requests + elapsed * perMinute / 60)
            bucket.at = now
            let missing = 1 - bucket.requests
            if missing <= 0 { bucket.requests -= 1 }
            if buckets[client] == nil, buckets.count >= capacity { Self.makeRoom(in: &buckets, now) }
            buckets[client] = bucket
            return missing <= 0 ? nil : .milliseconds(Int64((missing * 60_000 / perMinute).rounded(.up)))
        }
    }

    /// Counts a request of a client.
    ///
    /// - Returns: false if the client is over its limit.
    func admits(_ client: String, at now: Timestamp) -> Bool { wait(of: client, at: now) == nil }

    /// The number of clients in memory.
    var count: Int { buckets.withLock(\.count) }

    private static func makeRoom(in buckets: inout [String: Bucket], _ now: Timestamp) {
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
