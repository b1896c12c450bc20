import ExternalPurchaseCore
import Synchronization

/// Counts the rows that visits of the landing address stored in the current hour.
///
/// A visit is checked before it is stored and counted after it, because only the ledger knows whether the token is new.
/// Concurrent visits can therefore exceed a limit by their number.
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

    /// Returns whether a visit may store a new token.
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
    /// - Returns: false if the limit of the hour is reached; the text is then counted as dropped.
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

    /// The number of texts dropped since the start.
    var dropped: Int { state.withLock(\.dropped) }

    private static func turn(_ hour: inout Hour, to now: Timestamp) {
        let number = now.milliseconds / 3_600_000
        // Any other hour resets the counts, also an earlier one after the clock was set back.
        if number != hour.number { hour = Hour(number: number) }
    }
}
