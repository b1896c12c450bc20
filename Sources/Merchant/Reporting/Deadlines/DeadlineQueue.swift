import ExternalPurchaseCore
import Ledger

/// A cursor over the tokens of one app and environment that are to be reported by their deadline (RR-72).
///
/// The tokens are read from the ledger page by page. A token that cannot be reported yet remains in the ledger; the
/// cursor moves past it and starts again after ``rest``.
struct DeadlineQueue: Sendable {
    /// The time after which the cursor returns to the first token.
    static let rest = Duration.seconds(30)

    /// The position of the last token that was read; nil at the beginning.
    private(set) var position: SendPosition?
    private var restartsAt: Timestamp?

    /// Returns to the first token if the time has come.
    ///
    /// A restart time that is too far ahead was set by a wrong clock, and also causes the return.
    mutating func restart(at now: Timestamp) {
        guard let restartsAt, restartsAt <= now || restartsAt > now + Self.rest else { return }
        self = DeadlineQueue()
    }

    /// Moves the cursor past a token.
    mutating func advance(to position: SendPosition, at now: Timestamp) {
        self.position = position
        restartsAt = restartsAt ?? now + Self.rest
    }

    /// The time of the next work.
    ///
    /// - Parameter first: the send time of the first token after the position.
    func next(_ first: Timestamp?) -> Timestamp? { [first, restartsAt].compactMap(\.self).min() }
}
