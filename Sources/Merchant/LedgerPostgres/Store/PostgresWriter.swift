import Ledger

/// The one connection of a process that writes; the closures that wait are committed in groups.
final class PostgresWriter: Sendable {
    private let lane: PostgresLane
    private let queue: WriteQueue
    private let committed: CommittedState
    private let dependencies: LedgerDependencies
    /// How groups of writes fared that were run with answers read ahead.
    let experience: SpeculationExperience

    init(
        _ settings: PostgresSettings,
        for access: PostgresAccess,
        limits: WriteQueue.Limits,
        migrates: Bool,
        statistics: PostgresStatistics,
        dependencies: LedgerDependencies
    ) {
        let committed = CommittedState()
        let lane = PostgresLane("ledger.writer", settings) { connection throws(LedgerError) in
            try PostgresLock.take(access, on: connection)
            // A ledger that is not there any more is not created a second time.
            if migrates, !committed.isOpened {
                try migrate(connection)
            } else {
                guard try appliedMigrations(connection) >= PostgresMigration.all.count else {
                    throw .inaccessible("it is of another version, or not there; stop its servers first")
                }
            }
            try committed.noteOpening(LedgerTransaction(on: connection, dependencies: dependencies))
        }
        self.lane = lane
        self.committed = committed
        self.dependencies = dependencies
        let experience = SpeculationExperience(isWanted: settings.speculates)
        self.experience = experience
        queue = WriteQueue(limits: limits) { commit in
            lane.async { commit(PostgresGroup(lane, committed, experience, statistics, dependencies)) }
        }
    }

    /// Connects and migrates.
    func open() async throws(LedgerError) { try await lane.run { _ throws(LedgerError) in }.get() }

    func run<Value: Sendable>(
        expecting rows: ExpectedRows?,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await queue.write(expecting: rows, body)
    }

    /// Runs a closure in a transaction of its own, in which a statement may take any time.
    func runAlone<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await lane.run { [committed, dependencies] connection throws(LedgerError) in
            try committed.begin(connection)
            return try connection.withoutTimeLimit { () throws(LedgerError) in
                let ledger = LedgerTransaction(on: connection, dependencies: dependencies)
                let value = try body(ledger)
                try ledger.writeCollectedRows()
                try connection.commit()
                if let head = ledger.knownAuditHead { committed.note(head) }
                return value
            }
        }.get()
    }

    /// Commits a message to the write-ahead log, which changes nothing.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` if transactions are read-only, or the role may not write; the error of a
    ///   closure of the last 10 seconds that the server refused for a reason of its own, such as a full disk.
    func checkWritable() async throws(LedgerError) {
        if let refusal = committed.recentRefusal { throw refusal }
        try await lane.run { [committed] connection throws(LedgerError) in
            try committed.begin(connection)
            let row = try connection.query(
                """
                SELECT current_setting('transaction_read_only'), (
                    has_table_privilege('tokens', 'INSERT') AND has_table_privilege('audit_log', 'INSERT')
                        AND has_table_privilege('leases', 'UPDATE')
                )::int
                """,
                []
            ).rows.first
            guard row?.optionalText(at: 0) == "off" else { throw .inaccessible("its transactions are read-only") }
            guard row?.optionalInteger(at: 1) == 1 else {
                throw .inaccessible("its role may not write; the role of a server owns the schema")
            }
            _ = try connection.query("SELECT pg_logical_emit_message(true, 'external-purchase', '')", [])
            try connection.commit()
        }.get()
    }

    /// Keeps a head of the audit log that was read from the ledger, which transactions from then on must find.
    func note(_ head: AuditHead) { committed.note(head) }

    var waitingCount: Int { queue.waitingCount }

    /// The number of times that the present connection waited for an answer.
    func roundTrips() async throws(LedgerError) -> Int {
        try await lane.run { connection throws(LedgerError) in connection.roundTrips }.get()
    }

    func close() { lane.close() }
}

/// One group on the writing connection; only blocks of the lane's queue use it.
private final class PostgresGroup: WriterConnection {
    private let lane: PostgresLane
    private let committed: CommittedState
    private let experience: SpeculationExperience
    private let statistics: PostgresStatistics
    private let dependencies: LedgerDependencies
    private var connection: PostgresConnection?
    private var ledger: LedgerTransaction?
    /// Whether a closure's savepoint is there, whose changes belong to the transaction.
    private var isSavepointUsed = false
    /// The number of closures that ran in the transaction.
    private var closures = 0
    /// The number of answers that a group may wait for whatever its closures ask, because it reads ahead, prepares or computes.
    private static let ownWaits = 8

    init(
        _ lane: PostgresLane,
        _ committed: CommittedState,
        _ experience: SpeculationExperience,
        _ statistics: PostgresStatistics,
        _ dependencies: LedgerDependencies
    ) {
        self.lane = lane
        self.committed = committed
        self.experience = experience
        self.statistics = statistics
        self.dependencies = dependencies
    }

    func transaction(_ mode: ClosureMode, _ body: () throws(LedgerError) -> Void) throws(LedgerError) {
        let connection = try lane.connected()
        self.connection = connection
        let ledger = LedgerTransaction(on: connection, dependencies: dependencies)
        self.ledger = ledger
        closures = 0
        defer { connection.endTransaction() }
        try committed.begin(connection, with: mode == .apart ? "SAVEPOINT closure" : nil)
        let before = connection.roundTrips
        try body()
        // Of what a group waits for, some is for all of its closures.
        if mode == .together { experience.noteWaits(connection.roundTrips - before - Self.ownWaits, of: closures) }
        do throws(LedgerError) {
            try connection.commit()
        } catch {
            committed.note(error)
            throw error
        }
        guard let head = ledger.knownAuditHead else { return }
        committed.note(head)
        statistics.noteCommit(upTo: head)
    }

    func readAhead(_ rows: [ExpectedRows], _ mode: ClosureMode) throws(LedgerError) {
        guard let connection, let ledger else { throw .failed("rows were read outside a transaction") }
        do {
            try ledger.readAhead(rows)
        } catch {
            // One closure's keys must not fail the others; without what was read each closure reads for itself. Behind a
            // lock of another session each closure would wait again.
            guard mode == .apart, connection.isAlive, error != .busy else { throw error }
            connection.failure = nil
            try connection.execute("ROLLBACK TO SAVEPOINT closure")
            ledger.forgetRows()
        }
    }

    /// The server runs nothing behind a failed statement, and answers a commit that it refuses with an error.
    var refusesWithCommit: Bool { true }

    var speculates: Bool {
        guard let connection = try? lane.connected() else { return false }
        return experience.isPromising(at: connection.latency)
    }

    func takeLesson() -> SpeculationLesson { experience.takeLesson() }

    func speculate(
        _ count: Int,
        _ body: @escaping (Int, LedgerTransaction) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        guard let connection, let ledger else { throw .failed("closures ran outside a transaction") }
        closures += count
        try Speculation(of: count, on: connection, ledger, experience).run(body)
    }

    func run(
        _ mode: ClosureMode,
        _ body: (LedgerTransaction) throws(LedgerError) -> Void
    ) throws(LedgerError) -> LedgerError? {
        guard let connection, let ledger else { throw .failed("a closure ran outside a transaction") }
        closures += 1
        // The former closure's changes are kept and this one's can be rolled back, in one round trip.
        if isSavepointUsed { try connection.execute("RELEASE SAVEPOINT closure; SAVEPOINT closure") }
        isSavepointUsed = false
        let inSavepoint = mode == .apart
        var (refusal, isSavepointRenewed): (LedgerError?, Bool) = (nil, false)
        do {
            try body(ledger)
            // A closure that ignored a failed statement has not done what it returns. Alone, its last statements go out
            // with the commit.
            if inSavepoint {
                isSavepointRenewed = try connection.flush(
                    followedBy: "RELEASE SAVEPOINT closure",
                    "SAVEPOINT closure"
                )
            }
            refusal = connection.failure
        } catch {
            refusal = error
        }
        guard connection.isAlive else {
            throw connection.failure ?? .inaccessible("the connection was lost")
        }
        if refusal != nil, inSavepoint { connection.discard() }
        connection.failure = nil
        isSavepointUsed = inSavepoint && refusal == nil && !isSavepointRenewed
        guard let refusal else { return nil }
        committed.note(refusal)
        guard inSavepoint, refusal != .busy else { throw refusal }
        // The savepoint stays and is that of the next closure.
        try connection.execute("ROLLBACK TO SAVEPOINT closure")
        ledger.forgetRows()
        return refusal
    }
}

/// The advisory locks of a ledger, which is a schema of a database.
enum PostgresLock {
    /// Held by each transaction that writes: closures run one at a time over all processes.
    static let transaction = "SELECT pg_advisory_xact_lock(1818583918, hashtext(current_schema()))"
    /// Held by the connection of each server.
    private static let sharedServer = "SELECT pg_try_advisory_lock_shared(1818583919, hashtext(current_schema()))"
    /// Held by the connection of a process that no server may run beside.
    private static let exclusiveServer = "SELECT pg_try_advisory_lock(1818583919, hashtext(current_schema()))"
    /// Held while the schema is brought up to date.
    static let migration = "SELECT pg_advisory_xact_lock(1818583920, hashtext(current_schema()))"

    /// Takes the lock of servers until the connection ends: shared by servers, alone for a process that excludes them.
    ///
    /// - Throws: ``LedgerError/inUse(path:)`` while another connection has it in a way that excludes this one.
    static func take(_ access: PostgresAccess, on connection: PostgresConnection) throws(LedgerError) {
        let lock: String
        switch access {
        case .server: lock = sharedServer
        case .exclusive: lock = exclusiveServer
        case .edit: return
        }
        try connection.requireSchema()
        let taken = try connection.query(lock, []).rows.first?.optionalInteger(at: 0)
        if taken != 1 { throw .inUse(path: "the ledger's schema") }
    }

    /// Excludes all servers but this connection's own until the end of the transaction.
    ///
    /// - Returns: false while another connection holds the lock of servers.
    static func excludesServers(_ connection: PostgresConnection) throws(LedgerError) -> Bool {
        let lock = "SELECT pg_try_advisory_xact_lock(1818583919, hashtext(current_schema()))"
        return try connection.query(lock, []).rows.first?.optionalInteger(at: 0) == 1
    }
}
