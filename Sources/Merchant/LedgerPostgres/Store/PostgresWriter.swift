#if PostgreSQL
import Ledger
import LedgerSQL
import Synchronization

/// The one connection of a process that writes.
///
/// Closures that wait are run in one transaction, each in a savepoint of its own, and are acknowledged together after
/// its commit. A closure that fails is rolled back alone.
final class PostgresWriter: Sendable {
    /// A closure that waits.
    private struct Job: Sendable {
        /// Runs the closure and keeps its value.
        let run: @Sendable (any SQLLedgerTransaction) throws(LedgerError) -> Void
        /// Resumes the caller, with the error or with the value that was kept.
        let finish: @Sendable (LedgerError?) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isRunning = false
    }

    /// The largest number of closures in one transaction, which bounds how long the first one waits.
    private static let groupSize = 64

    private let lane: PostgresLane
    private let dependencies: LedgerDependencies
    private let state = Mutex(State())

    init(_ settings: PostgresSettings, isServer: Bool, dependencies: LedgerDependencies) {
        lane = PostgresLane("ledger.writer", settings) { connection throws(LedgerError) in
            try Self.prepare(connection, isServer: isServer)
        }
        self.dependencies = dependencies
    }

    /// Connects and migrates.
    func open() async throws(LedgerError) { try await lane.run { _ throws(LedgerError) in }.get() }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let result: Result<Value, LedgerError> = await withCheckedContinuation { continuation in
            let box = Box<Value>()
            let job = Job(
                run: { ledger throws(LedgerError) in
                    let value = try body(ledger)
                    try ledger.markChangedDeadlines()
                    box.value.withLock { $0 = value }
                },
                finish: { error in
                    let value = box.value.withLock { $0 }
                    switch (error, value) {
                    case (nil, let value?): continuation.resume(returning: .success(value))
                    case (let error, _):
                        continuation.resume(returning: .failure(error ?? .failed("a closure has no value")))
                    }
                }
            )
            add(job)
        }
        return try result.get()
    }

    func close() { lane.close() }

    private func add(_ job: Job) {
        let starts = state.withLock { state in
            state.waiting.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { lane.async { self.drain() } }
    }

    /// Runs groups until nothing waits.
    private func drain() {
        while true {
            let group = state.withLock { state -> [Job] in
                let group = Array(state.waiting.prefix(Self.groupSize))
                state.waiting.removeFirst(group.count)
                if group.isEmpty { state.isRunning = false }
                return group
            }
            if group.isEmpty { return }
            commit(group)
        }
    }

    /// Runs a group in one transaction and resumes every caller of it.
    private func commit(_ group: [Job]) {
        var open = group[...]
        var done: [Job] = []
        do throws(LedgerError) {
            let connection = try lane.connected()
            defer { connection.endTransaction() }
            // With READ COMMITTED each statement sees what was committed before the lock was taken.
            try connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED; \(PostgresLock.transaction)")
            while let job = open.first {
                if let error = try run(job, on: connection) { job.finish(error) } else { done.append(job) }
                open.removeFirst()
            }
            let result = try connection.execute("COMMIT")
            guard result.command == "COMMIT" else { throw .failed("the server rolled the commit back") }
        } catch {
            // The server may have committed when the connection was lost during COMMIT. The closures are not repeated.
            for job in done + open { job.finish(error) }
            return
        }
        for job in done { job.finish(nil) }
    }

    /// Runs one closure in a savepoint.
    ///
    /// - Returns: the error of the closure, whose changes are rolled back.
    /// - Throws: the error of the whole transaction.
    private func run(_ job: Job, on connection: PostgresConnection) throws(LedgerError)
        -> LedgerError?
    {
        try connection.execute("SAVEPOINT closure")
        var refusal: LedgerError?
        do {
            try job.run(ledgerTransaction(on: connection, dependencies: dependencies))
            // A closure that ignored a failed statement has not done what it returns.
            refusal = connection.failure
        } catch {
            refusal = error
        }
        guard connection.isAlive else {
            throw connection.failure ?? .inaccessible("the connection was lost")
        }
        connection.failure = nil
        if let refusal {
            try connection.execute("ROLLBACK TO SAVEPOINT closure; RELEASE SAVEPOINT closure")
            return refusal
        }
        try connection.execute("RELEASE SAVEPOINT closure")
        return nil
    }

    /// Takes the lock of a server, if this process is one, and brings the schema up to date.
    private static func prepare(_ connection: PostgresConnection, isServer: Bool)
        throws(LedgerError)
    {
        if isServer {
            let taken = try connection.query(PostgresLock.server, []).rows.first?.optionalInteger(at: 0)
            if taken != 1 { throw .inUse(path: "the ledger's schema") }
        }
        try migrate(connection)
    }
}

/// A value that one thread sets and another one reads.
private final class Box<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// The advisory locks of a ledger, which is a schema of a database.
enum PostgresLock {
    /// Held by each transaction that writes: closures run one at a time over all processes.
    static let transaction = "SELECT pg_advisory_xact_lock(1818583918, hashtext(current_schema()))"
    /// Held by the connection of the process that sends reports.
    static let server = "SELECT pg_try_advisory_lock(1818583919, hashtext(current_schema()))"
    /// Held while the schema is brought up to date.
    static let migration = "SELECT pg_advisory_xact_lock(1818583920, hashtext(current_schema()))"
}
#endif
