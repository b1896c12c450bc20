import ExternalPurchaseCore
import Ledger

/// The tokens of one app and environment that are answered by their deadline (RR-72), read from the ledger page by page.
///
/// A token that cannot be answered yet stays in the ledger's queue. The queue goes on behind it, and begins again after
/// ``rest``.
struct DeadlineQueue: Sendable {
    /// After how long the queue begins again at its first token, in ms.
    static let rest: Int64 = 30_000

    /// The last token that was read; nil at the beginning.
    private(set) var position: SendPosition?
    private var restartsAt: Timestamp?

    /// Begins again when it is time; also when a clock that was ahead set that time.
    mutating func restart(at now: Timestamp) {
        guard let restartsAt, restartsAt <= now || restartsAt > now.advanced(byMilliseconds: Self.rest) else { return }
        self = DeadlineQueue()
    }

    /// Goes on behind a token.
    mutating func advance(to position: SendPosition, at now: Timestamp) {
        self.position = position
        restartsAt = restartsAt ?? now.advanced(byMilliseconds: Self.rest)
    }

    /// The moment from which there is more to do.
    ///
    /// - Parameter first: the moment of the first token behind the position.
    func next(_ first: Timestamp?) -> Timestamp? { [first, restartsAt].compactMap(\.self).min() }
}
