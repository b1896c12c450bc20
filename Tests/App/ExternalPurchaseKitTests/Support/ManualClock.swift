import ExternalPurchaseKit
import Foundation
import Synchronization

/// A device whose clock tests set, and whose uptime they advance.
final class ManualClock: Sendable {
    private struct State {
        var now = Date(timeIntervalSince1970: 1_790_000_000)
        var uptime = Duration.zero
    }

    private let state = Mutex(State())

    /// Both clocks go on.
    func advance(_ duration: Duration) {
        state.withLock { state in
            state.uptime += duration
            state.now += TimeInterval(duration.components.seconds)
        }
    }

    /// Somebody sets the device's clock.
    func set(_ now: Date) { state.withLock { $0.now = now } }

    /// The device starts anew: uptime begins again.
    func restart() { state.withLock { $0.uptime = .zero } }

    var now: Date { state.withLock { $0.now } }
    var uptime: Duration { state.withLock { $0.uptime } }

    /// Sleeping advances both clocks at once.
    ///
    /// `random` 0 leaves waits undiminished.
    var clock: KitClock {
        KitClock(
            now: { self.now },
            uptime: { self.uptime },
            sleep: { duration in
                try Task.checkCancellation()
                self.advance(duration)
            },
            random: { 0 }
        )
    }
}
