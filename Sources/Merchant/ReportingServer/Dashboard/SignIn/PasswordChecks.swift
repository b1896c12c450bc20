import Synchronization

/// The passwords that are being checked, which are few at once: a check takes much memory on purpose.
///
/// An address (IPv6: a /64 network) has a share only, so that it does not keep others from signing in.
final class PasswordChecks: Sendable {
    /// The largest number of checks at once.
    static let limit = 4
    /// The largest number of checks of one address at once.
    static let limitOfAddress = 2

    private let counts = Mutex<[String: Int]>([:])

    /// Counts a check of an address; the caller ends it with ``end(from:)``.
    ///
    /// - Returns: false if there are too many, in which case nothing was counted.
    func begin(from address: String) -> Bool {
        let group = ClientAddress.group(of: address)
        return counts.withLock { counts in
            let own = counts[group] ?? 0
            guard own < Self.limitOfAddress, counts.values.reduce(0, +) < Self.limit else { return false }
            counts[group] = own + 1
            return true
        }
    }

    func end(from address: String) {
        let group = ClientAddress.group(of: address)
        counts.withLock { counts in
            guard let own = counts[group] else { return }
            counts[group] = own > 1 ? own - 1 : nil
        }
    }
}
