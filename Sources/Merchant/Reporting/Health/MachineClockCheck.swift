package import ExternalPurchaseCore
import Synchronization

/// Compares the machine's clock with a clock that cannot be set and with the newest entry of the ledger.
///
/// What a server answers for a token without a sale cannot be taken back (RR-72, NT-65), so that nothing is sent by a
/// clock that jumped. Intake goes on: what is lost there is lost for good.
package final class MachineClockCheck: Sendable {
    /// How far the clock may be from where it should be.
    package struct Limits: Hashable, Sendable {
        /// Setting `clock.maxJump` in milliseconds: between two looks of a running server, and back behind the newest
        /// entry of the ledger at its start.
        package var jump = Timestamp.day
        /// Setting `clock.maxGap` in milliseconds: ahead of the newest entry of the ledger at the start.
        ///
        /// A server that was off for longer asks for a person too.
        package var gap = 31 * Timestamp.day

        package init() {}
    }

    private struct State {
        /// A moment at which the clock was right, on both clocks; nil until it is first in agreement with the ledger.
        var reference: (wall: Timestamp, monotonic: Int64)?
        /// When the check began, on the clock that cannot be set.
        let began: Int64
    }

    private let limits: Limits
    private let wall: @Sendable () -> Timestamp
    private let monotonic: @Sendable () -> Int64
    private let newest: Timestamp?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limits: how far is too far.
    ///   - newest: the time of the ledger's newest entry at the start; nil takes the clock as it is now.
    ///   - wall: the machine's clock.
    ///   - monotonic: milliseconds of a clock that cannot be set and that runs while the machine sleeps.
    package init(
        limits: Limits = Limits(),
        newest: Timestamp?,
        wall: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Int64
    ) {
        self.limits = limits
        self.newest = newest
        self.wall = wall
        self.monotonic = monotonic
        state = Mutex(State(began: monotonic()))
    }

    /// Why the clock cannot be right; nil when nothing speaks against it.
    ///
    /// A clock that is set back to where it should be is right again.
    package func doubt() -> ClockDoubt? {
        state.withLock { state in
            let (now, ticks) = (wall(), monotonic())
            if let reference = state.reference {
                let expected = reference.wall.advanced(byMilliseconds: ticks - reference.monotonic)
                guard distance(now, expected) <= limits.jump else { return .jumped(expected: expected, now: now) }
            } else if let newest {
                if now < newest, distance(now, newest) > limits.jump { return .behindLedger(newest: newest, now: now) }
                let latest = newest.advanced(byMilliseconds: ticks - state.began)
                if now > latest, distance(now, latest) > limits.gap { return .farAhead(newest: newest, now: now) }
            }
            // Anew at each look, so that slow corrections of the clock do not add up.
            state.reference = (now, ticks)
            return nil
        }
    }

    private func distance(_ left: Timestamp, _ right: Timestamp) -> Int64 {
        let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return overflow ? .max : abs(max(difference, -.max))
    }
}

/// Why the machine's clock cannot be right.
package enum ClockDoubt: Hashable, Sendable, CustomStringConvertible {
    /// The clock was set while the server ran.
    case jumped(expected: Timestamp, now: Timestamp)
    /// The ledger has an entry of a later time.
    case behindLedger(newest: Timestamp, now: Timestamp)
    /// The ledger's newest entry is longer ago than a server is off.
    case farAhead(newest: Timestamp, now: Timestamp)

    /// What is wrong and what a person can do.
    package var description: String {
        switch self {
        case .jumped(let expected, let now):
            "the machine's clock jumped to \(now), it should be about \(expected): set it right; "
                + "where \(now) is right, start the server again"
        case .behindLedger(let newest, let now):
            "the machine's clock says \(now), the ledger's newest entry is of \(newest): set the clock right; "
                + "where it is right, start the server with --accept-clock"
        case .farAhead(let newest, let now):
            "the machine's clock says \(now), long after the ledger's newest entry of \(newest): set the clock right; "
                + "where it is right, start the server with --accept-clock"
        }
    }
}
