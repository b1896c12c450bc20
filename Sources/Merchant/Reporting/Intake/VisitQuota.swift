import ExternalPurchaseCore
import Synchronization

/// Counts what visits of the landing address stored in the current hour of the clock.
///
/// A visit is checked before it is stored and counted afterwards, because only the ledger knows whether its token is new.
/// Visits that arrive together may exceed a limit by their number.
final class VisitQuota: Sendable {
    private struct Hour: Sendable {
        var number: Int64 = .min
        var tokens = 0
        var texts = 0
        var bytes = 0
    }

    private let settings: LandingSettings
    private let state = Mutex((hour: Hour(), dropped: 0))

    init(_ settings: LandingSettings) {
        self.settings = settings
    }

    /// True while a visit may store a new token.
    func admitsToken(at now: Timestamp) -> Bool {
        state.withLock { state in
            Self.turn(&state.hour, to: now)
            return state.hour.tokens < settings.tokensPerHour
        }
    }

    /// Counts a new token.
    func countToken(at now: Timestamp) {
        state.withLock { state in
            Self.turn(&state.hour, to: now)
            state.hour.tokens += 1
        }
    }

    /// Counts an undecodable or foreign text.
    ///
    /// - Returns: false when the hour holds no more; the text is counted as dropped then.
    func takesText(of bytes: Int, at now: Timestamp) -> Bool {
        state.withLock { state in
            Self.turn(&state.hour, to: now)
            guard state.hour.texts < settings.quarantinePerHour,
                state.hour.bytes + bytes <= settings.quarantineBytesPerHour
            else {
                state.dropped += 1
                return false
            }
            state.hour.texts += 1
            state.hour.bytes += bytes
            return true
        }
    }

    /// Texts that were dropped since the start.
    var dropped: Int { state.withLock(\.dropped) }

    private static func turn(_ hour: inout Hour, to now: Timestamp) {
        let number = now.milliseconds / 3_600_000
        // A clock that is set back must not keep an exhausted hour for ever.
        if number != hour.number { hour = Hour(number: number) }
    }
}
