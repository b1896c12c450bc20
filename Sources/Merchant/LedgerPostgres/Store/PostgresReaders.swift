#if PostgreSQL
import Dispatch
import Ledger
import Synchronization

/// The connections that read, each with a queue of its own, so that no thread of Swift's pool waits for the server.
final class PostgresReaders: Sendable {
    private struct State {
        var free: [PostgresLane] = []
        var count = 0
        var waiting: [CheckedContinuation<PostgresLane, Never>] = []
    }

    private let settings: PostgresSettings
    private let state = Mutex(State())

    init(_ settings: PostgresSettings) { self.settings = settings }

    /// Runs a closure on a connection of its own.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let lane = await take()
        defer { give(back: lane) }
        return try await lane.run(body).get()
    }

    /// Closes the connections that are not in use.
    func close() {
        for lane in state.withLock({ $0.free }) { lane.close() }
    }

    private func take() async -> PostgresLane {
        await withCheckedContinuation { continuation in
            let lane = state.withLock { state -> PostgresLane? in
                if let lane = state.free.popLast() { return lane }
                if state.count < settings.readers {
                    state.count += 1
                    return PostgresLane("ledger.reader", settings)
                }
                state.waiting.append(continuation)
                return nil
            }
            if let lane { continuation.resume(returning: lane) }
        }
    }

    private func give(back lane: PostgresLane) {
        let next = state.withLock { state -> CheckedContinuation<PostgresLane, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
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
#endif
