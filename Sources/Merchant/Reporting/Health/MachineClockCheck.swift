package import ExternalPurchaseCore
import Synchronization

/// Compares the machine's clock with the monotonic clock and with the newest entry of the ledger.
///
/// A report for a token without a sale cannot be undone (RR-72, NT-65), so nothing is sent while the clock is in doubt.
/// Intake continues, because data that is not accepted then is lost.
package final class MachineClockCheck: Sendable {
    /// The largest deviations of the clock that are accepted.
    package struct Limits: Hashable, Sendable {
        /// The setting `clock.maxJump`.
        ///
        /// It limits the jump between two checks of a running server, and how far the clock may be behind the newest
        /// ledger entry at the start.
        package var jump = Duration.days(1)
        /// The setting `clock.maxGap`.
        ///
        /// It limits how far the clock may be ahead of the newest ledger entry at the start. A person also has to
        /// confirm the clock after the server was off for longer.
        package var gap = Duration.days(31)

        package init() {}
    }

    private struct State {
        /// A moment on both clocks at which the clock was right; nil until the clock first agrees with the ledger.
        var reference: (wall: Timestamp, monotonic: Duration)?
        /// The start of the check on the monotonic clock.
        let began: Duration
    }

    private let limits: Limits
    private let wall: @Sendable () -> Timestamp
    private let monotonic: @Sendable () -> Duration
    private let newest: Timestamp?
    private let state: Mutex<State>

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - limits: the accepted deviations.
    ///   - newest: the time of the newest ledger entry at the start; nil trusts the clock as it is.
    ///   - wall: the machine's clock.
    ///   - monotonic: the time since a fixed moment, by a clock that cannot be set and that runs while the machine sleeps.
    package init(
        limits: Limits = Limits(),
        newest: Timestamp?,
        wall: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Duration
    ) {
        self.limits = limits
        self.newest = newest
        self.wall = wall
        self.monotonic = monotonic
        state = Mutex(State(began: monotonic()))
    }

    /// Returns the reason to doubt the clock; nil if there is none.
    ///
    /// The doubt ends when the clock is set back to the right time.
    package func doubt() -> ClockDoubt? {
        state.withLock { state in
            let (now, ticks) = (wall(), monotonic())
            if let reference = state.reference {
                let expected = reference.wall.advanced(by: ticks - reference.monotonic)
                guard distance(now, expected) <= limits.jump else { return .jumped(expected: expected, now: now) }
            } else if let newest {
                if now < newest, distance(now, newest) > limits.jump { return .behindLedger(newest: newest, now: now) }
                let latest = newest.advanced(by: ticks - state.began)
                if now > latest, distance(now, latest) > limits.gap { return .farAhead(newest: newest, now: now) }
            }
            // The reference is renewed at each check, so that slow adjustments of the clock do not add up.
            state.reference = (now, ticks)
            return nil
        }
    }

    private func distance(_ left: Timestamp, _ right: Timestamp) -> Duration {
        min(left, right).duration(to: max(left, right))
    }
}

/// A reason to doubt the machine's clock.
package enum ClockDoubt: Hashable, Sendable, CustomStringConvertible {
    /// The clock was changed while the server ran.
    case jumped(expected: Timestamp, now: Timestamp)
    /// The ledger has an entry with a later time.
    case behindLedger(newest: Timestamp, now: Timestamp)
    /// The clock is further ahead of the newest ledger entry than a server is normally off.
    case farAhead(newest: Timestamp, now: Timestamp)

    /// A message that states the problem and what a person can do.
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
