import Ledger
import Synchronization

/// What a process knows of a ledger in PostgreSQL: the newest entry of its audit log, and the last refusal of the server.
final class CommittedState: Sendable {
    private struct State {
        var isOpened = false
        var head: AuditHead?
        var refusal: (error: LedgerError, at: ContinuousClock.Instant)?
    }

    private let state = Mutex(State())

    /// The time for which a refusal counts.
    private static let refusalTime = Duration.seconds(10)

    /// True after the first connection.
    var isOpened: Bool { state.withLock(\.isOpened) }

    /// Keeps a head that is newer than the known one.
    func note(_ head: AuditHead) {
        state.withLock { state in
            if head.sequence > state.head?.sequence ?? 0 { state.head = head }
        }
    }

    /// Keeps an error that tells of the server and not of the closure.
    func note(_ error: LedgerError) {
        switch error {
        case .full, .inaccessible: state.withLock { $0.refusal = (error, .now) }
        default: break
        }
    }

    /// The last such error; nil after 10 seconds.
    var recentRefusal: LedgerError? {
        state.withLock { state in
            guard let refusal = state.refusal, refusal.at.duration(to: .now) < Self.refusalTime else { return nil }
            return refusal.error
        }
    }

    /// Begins a transaction under the lock of writers, in one round trip, and checks that the ledger has the newest entry
    /// that this process knows: the database may have come back as an older copy, or be a standby to which the last commits
    /// were not replicated.
    ///
    /// - Parameter statement: a statement without a result that follows the lock.
    /// - Throws: ``LedgerError/inaccessible(_:)`` for a ledger without the entry.
    func begin(_ connection: PostgresConnection, with statement: String? = nil) throws(LedgerError) {
        let head = state.withLock(\.head)
        // With READ COMMITTED each statement sees what was committed before the lock was taken.
        var statements = ["BEGIN ISOLATION LEVEL READ COMMITTED", PostgresLock.transaction]
        if let statement { statements.append(statement) }
        if let head {
            statements.append("SELECT hash FROM audit_log WHERE sequence = \(head.sequence)")
        }
        let result = try connection.execute(statements.joined(separator: "; "))
        guard let head else { return }
        if case .blob(head.hash) = result.rows.first?.value(of: "hash") { return }
        throw .inaccessible(
            "entry \(head.sequence) of its audit log, which this server has seen, is missing or different: "
                + "it is an older copy, or another ledger"
        )
    }

    /// Keeps the newest entry of the ledger that is opened.
    func noteOpening(_ ledger: LedgerTransaction) throws(LedgerError) {
        if isOpened { return }
        let newest = try ledger.lastAuditEntry()
        state.withLock { state in
            state.head = newest.map { AuditHead(sequence: $0.sequence, hash: $0.hash) }
            state.isOpened = true
        }
    }
}
