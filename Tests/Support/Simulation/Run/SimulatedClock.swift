import ExternalPurchaseCore
import Synchronization

/// The clock of a simulated world; waiting advances it at once.
final class SimulatedClock: Sendable {
    private let moment: Mutex<Timestamp>
    /// The offset of the merchant's clock from the true time, in ms.
    private let error = Mutex<Int64>(0)

    init(_ start: Timestamp) {
        moment = Mutex(start)
    }

    /// The true time, which is also Apple's.
    var now: Timestamp { moment.withLock { $0 } }

    /// The time of the merchant's clock.
    var merchantNow: Timestamp { now + .milliseconds(merchantError) }

    var merchantError: Int64 { error.withLock { $0 } }

    func setMerchantError(_ milliseconds: Int64) { error.withLock { $0 = milliseconds } }

    /// Advances to a time, unless it has passed.
    func go(to target: Timestamp) {
        moment.withLock { $0 = max($0, target) }
    }

    func jump(_ milliseconds: Int64) {
        moment.withLock { $0 = $0.advanced(by: .milliseconds(max(0, milliseconds))) }
    }
}
