import ExternalPurchaseCore
import Synchronization

/// The one clock of a world, in which waiting is jumping.
final class SimulatedClock: Sendable {
    private let moment: Mutex<Timestamp>
    /// How far the merchant's machine is ahead of the true time, in ms.
    private let error = Mutex<Int64>(0)

    init(_ start: Timestamp) {
        moment = Mutex(start)
    }

    /// The true time, which is Apple's.
    var now: Timestamp { moment.withLock { $0 } }

    /// What the merchant's machine takes for the time.
    var merchantNow: Timestamp { now.advanced(byMilliseconds: merchantError) }

    var merchantError: Int64 { error.withLock { $0 } }

    func setMerchantError(_ milliseconds: Int64) { error.withLock { $0 = milliseconds } }

    /// Goes to a moment unless it is past.
    func go(to target: Timestamp) {
        moment.withLock { $0 = max($0, target) }
    }

    func jump(_ milliseconds: Int64) {
        moment.withLock { $0 = $0.advanced(byMilliseconds: max(0, milliseconds)) }
    }
}
