import Dispatch
import ExternalPurchaseCore
import Ledger
import Synchronization

/// The connections that read, each with a queue of its own, so that no thread of Swift's pool waits for the server.
final class PostgresReaders: Sendable {
    private struct State {
        var free: [PostgresLane] = []
        var count = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<PostgresLane?, Never>)] = []
        var lastNumber = 0
    }

    private let settings: PostgresSettings
    private let state = Mutex(State())

    init(_ settings: PostgresSettings) { self.settings = settings }

    /// Runs a closure on a connection of its own.
    ///
    /// - Throws: ``LedgerError/busy`` if none is free for the time of the settings.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        guard let lane = await take() else { throw .busy }
        defer { give(back: lane) }
        return try await lane.run(body).get()
    }

    /// Closes the connections that are not in use.
    func close() {
        for lane in state.withLock({ $0.free }) { lane.close() }
    }

    /// Runs a closure of queries on one state of the ledger.
    func read<Value: Sendable>(
        dependencies: LedgerDependencies,
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await run { connection throws(LedgerError) in
            try connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let value = try body(LedgerQueries(on: connection, dependencies: dependencies))
            try connection.execute("COMMIT")
            return value
        }
    }

    /// Computes what a purge of everything completed before a moment would remove (OB-91); nothing is changed.
    func purgePlan(
        before cut: Timestamp,
        dependencies: LedgerDependencies
    ) async throws(LedgerError) -> PurgePlan {
        try await run { connection throws(LedgerError) in
            // A temporary table has the rows that stay, so the transaction cannot be read-only.
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            return try connection.withoutTimeLimit { () throws(LedgerError) in
                let plan = try LedgerQueries(on: connection, dependencies: dependencies).purgePlan(before: cut)
                try connection.execute("ROLLBACK")
                return plan
            }
        }
    }

    /// Takes a free lane, or waits for one; nil after the time of the settings.
    private func take() async -> PostgresLane? {
        await withCheckedContinuation { continuation in
            let (lane, number) = state.withLock { state -> (PostgresLane?, Int) in
                if let lane = state.free.popLast() { return (lane, 0) }
                if state.count < settings.readers {
                    state.count += 1
                    return (PostgresLane("ledger.reader", settings), 0)
                }
                state.lastNumber += 1
                state.waiting.append((state.lastNumber, continuation))
                return (nil, state.lastNumber)
            }
            if let lane { return continuation.resume(returning: lane) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(settings.readerTimeout)) { [weak self] in
                self?.giveUp(number)
            }
        }
    }

    /// Ends the wait of a read that has no connection yet.
    private func giveUp(_ number: Int) {
        let waiting = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
        }
        waiting?.resume(returning: nil)
    }

    private func give(back lane: PostgresLane) {
        let next = state.withLock { state -> CheckedContinuation<PostgresLane?, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
            state.free.append(lane)
            return nil
        }
        next?.resume(returning: lane)
    }
}

/// A queue with a connection, which is made when it is first needed and again after it was lost.
///
/// Only blocks of the queue use the connection.
final class PostgresLane: @unchecked Sendable {
    private let queue: DispatchQueue
    private let settings: PostgresSettings
    private let prepare: @Sendable (PostgresConnection) throws(LedgerError) -> Void
    private var connection: PostgresConnection?

    /// - Parameter prepare: called with each new connection.
    init(
        _ label: String,
        _ settings: PostgresSettings,
        prepare: @escaping @Sendable (PostgresConnection) throws(LedgerError) -> Void = { _ in }
    ) {
        queue = DispatchQueue(label: label)
        self.settings = settings
        self.prepare = prepare
    }

    /// Runs a block on the queue.
    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Runs a closure with the connection on the queue.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws(LedgerError) -> Value
    ) async -> Result<Value, LedgerError> {
        await withCheckedContinuation { continuation in
            queue.async {
                let result = Result { () throws(LedgerError) -> Value in
                    let connection = try self.connected()
                    defer { connection.endTransaction() }
                    return try body(connection)
                }
                continuation.resume(returning: result)
            }
        }
    }

    /// The connection, outside a transaction; only for blocks of the queue.
    func connected() throws(LedgerError) -> PostgresConnection {
        if let connection, connection.isAlive {
            connection.failure = nil
            return connection
        }
        connection = nil
        let new = try PostgresConnection(settings)
        try prepare(new)
        connection = new
        return new
    }

    /// Closes the connection after all blocks.
    func close() { queue.sync { connection = nil } }
}
