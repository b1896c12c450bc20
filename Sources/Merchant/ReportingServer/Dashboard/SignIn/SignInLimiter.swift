import ExternalPurchaseCore
import Ledger
import Synchronization

/// Locks sign-in after repeated failures.
///
/// Failures are counted for a name at an address, for an address and for a name. A count that reaches its limit locks
/// for ``lock``; a count without a failure for that time is forgotten. An attempt counts before its password is checked,
/// so that parallel attempts are no way around. Memory is limited, and names are stored as hashes.
final class SignInLimiter: Sendable {
    static let lock = Duration.minutes(15)
    /// Attempts of one name from one address.
    static let ofNameAtAddress = 5
    /// Attempts from one address.
    static let ofAddress = 20
    /// Attempts of one name from everywhere.
    static let ofName = 50

    private struct Failures {
        var count: Int
        var last: Timestamp
    }

    private let limit: Int
    private let failures = Mutex<[[UInt8]: Failures]>([:])

    /// - Parameter limit: the number of counts in memory.
    init(limit: Int = 10_000) {
        self.limit = limit
    }

    /// Counts an attempt.
    ///
    /// - Returns: nil, or the time until the next attempt is admitted.
    func attempt(_ name: String, from address: String, at now: Timestamp) -> Duration? {
        let keys = Self.keys(name, address)
        return failures.withLock { failures in
            var wait: Duration?
            for (key, limit) in keys {
                guard let known = failures[key] else { continue }
                // A count that a clock far ahead has written ends with it.
                if known.last + Self.lock <= now || known.last > now + Self.lock {
                    failures[key] = nil
                } else if known.count >= limit {
                    wait = max(wait ?? .zero, now.duration(to: known.last + Self.lock))
                }
            }
            if let wait { return wait }
            for (key, _) in keys {
                if failures[key] == nil, failures.count >= limit { Self.makeRoom(in: &failures, at: now) }
                failures[key] = Failures(count: (failures[key]?.count ?? 0) + 1, last: now)
            }
            return nil
        }
    }

    /// Forgets the failures of a name at an address, whose password was right.
    func succeeded(_ name: String, from address: String) {
        let keys = Self.keys(name, address)
        failures.withLock { failures in
            failures[keys[0].key] = nil
            // The attempt itself was no failure; earlier ones of other names or from other addresses stay.
            for (key, _) in keys.dropFirst() { Self.uncount(key, in: &failures) }
        }
    }

    /// Takes an attempt back whose password could not be checked.
    func notChecked(_ name: String, from address: String) {
        let keys = Self.keys(name, address)
        failures.withLock { failures in
            for (key, _) in keys { Self.uncount(key, in: &failures) }
        }
    }

    private static func uncount(_ key: [UInt8], in failures: inout [[UInt8]: Failures]) {
        guard let known = failures[key] else { return }
        failures[key] = known.count > 1 ? Failures(count: known.count - 1, last: known.last) : nil
    }

    /// The number of counts in memory.
    var count: Int { failures.withLock(\.count) }

    private static func keys(_ name: String, _ address: String) -> [(key: [UInt8], limit: Int)] {
        let address = ClientAddress.group(of: address)
        return [
            ("both\n\(address)\n\(name)".utf8.sha256, ofNameAtAddress), ("address\n\(address)".utf8.sha256, ofAddress),
            ("name\n\(name)".utf8.sha256, ofName),
        ]
    }

    private static func makeRoom(in failures: inout [[UInt8]: Failures], at now: Timestamp) {
        failures = failures.filter { $0.value.last + lock > now }
        // The counts that are furthest from a lock go first.
        let excess = failures.sorted { ($0.value.count, $0.value.last) < ($1.value.count, $1.value.last) }
            .prefix(failures.count / 4)
        for (key, _) in excess { failures[key] = nil }
    }
}
