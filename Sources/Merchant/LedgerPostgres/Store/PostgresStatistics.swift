import Ledger
import Synchronization

/// Has PostgreSQL analyse tables that have grown since it last did.
///
/// A table without figures is taken for one of a few rows, for which any index is as good as the right one: a token is then
/// looked for among all tokens of its app, by foreign keys too. Autovacuum looks once a minute, where it is on at all. A plan
/// that is kept is made anew when the figures change.
final class PostgresStatistics: Sendable {
    private let readers: PostgresReaders
    private let state = Mutex((sequence: Int64(-interval), isLooking: false))

    /// The number of entries of the audit log after which the tables are looked at again.
    ///
    /// A commit can have hundreds: counted by commits, a ledger that fills quickly would have no figures for the longest.
    private static let interval = 256

    init(_ readers: PostgresReaders) { self.readers = readers }

    /// Has the tables looked at from time to time, on a connection that reads.
    func noteCommit(upTo head: AuditHead) {
        let isDue = state.withLock { state in
            guard head.sequence - state.sequence >= Self.interval, !state.isLooking else { return false }
            state = (head.sequence, isLooking: true)
            return true
        }
        guard isDue else { return }
        Task {
            // Without it the figures are those of autovacuum.
            try? await readers.run { connection throws(LedgerError) in try Self.analyse(on: connection) }
            state.withLock { $0.isLooking = false }
        }
    }

    /// The tables with three times the rows that their figures say; autovacuum notices less than that in large ones.
    private static let grown = """
        SELECT quote_ident(changed.relname) FROM pg_stat_user_tables AS changed JOIN pg_class ON pg_class.oid = changed.relid
        WHERE schemaname = current_schema() AND n_mod_since_analyze >= greatest(100, 2 * reltuples)
        """

    private static func analyse(on connection: PostgresConnection) throws(LedgerError) {
        for row in try connection.query(grown, []).rows {
            guard let table = row.optionalText(at: 0) else { continue }
            try connection.execute("ANALYZE (SKIP_LOCKED) \(table)")
        }
    }
}
