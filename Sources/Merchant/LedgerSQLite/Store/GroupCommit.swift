import ExternalPurchaseCore
import GRDB
import Ledger
import LedgerSQL
import Synchronization

/// Commits the closures of concurrent writes in groups, with one transaction and one sync of the disk for each group.
///
/// A group consists of the closures that arrived while the group before it was committed. A single write therefore
/// starts at once, and the groups grow with the load. Every closure runs in its own savepoint: if it throws, its changes
/// are rolled back and the others are committed.
final class GroupCommit: Sendable {
    /// The limits of groups and of what waits.
    struct Limits: Sendable {
        /// The largest number of closures of a group.
        var group = 256
        /// The time after which a group takes no further closure, so that a slow closure delays few others.
        var duration = Duration.milliseconds(20)
        /// The largest number of closures that wait; further ones fail, so that memory is bounded.
        var waiting = 4_096
    }

    private let limits: Limits
    private let pool: DatabasePool
    private let files: DatabaseFiles
    private let dependencies: LedgerDependencies
    private let queue = Mutex(Queue())

    private struct Queue {
        var waiting: [any PendingWrite] = []
        /// Whether the writer runs, or is about to run, the waiting closures.
        var isScheduled = false
    }

    init(pool: DatabasePool, files: DatabaseFiles, dependencies: LedgerDependencies, limits: Limits) {
        self.pool = pool
        self.files = files
        self.dependencies = dependencies
        self.limits = limits
    }

    /// The number of closures that wait for the writer.
    var waitingCount: Int { queue.withLock(\.waiting.count) }

    /// Runs a closure and returns its value when the closure's changes are on disk.
    ///
    /// - Throws: ``LedgerError/busy`` without running the closure if too many others wait.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let result: Result<Value, LedgerError> = await withCheckedContinuation { continuation in
            append(Write(body: body) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    private func append(_ write: some PendingWrite) {
        let (isFull, isFirst) = queue.withLock { queue in
            if queue.waiting.count >= limits.waiting { return (true, false) }
            queue.waiting.append(write)
            defer { queue.isScheduled = true }
            return (false, !queue.isScheduled)
        }
        if isFull { return write.finish(.busy) }
        if isFirst { schedule() }
    }

    /// Commits one group on the writer's queue, behind what others run there.
    private func schedule() {
        pool.asyncWriteWithoutTransaction { [self] database in
            let group = queue.withLock { queue in
                let group = queue.waiting.prefix(limits.group)
                queue.waiting.removeFirst(group.count)
                return Array(group)
            }
            let rest = commit(group, database)
            let isMore = queue.withLock { queue in
                queue.waiting.insert(contentsOf: rest, at: 0)
                queue.isScheduled = !queue.waiting.isEmpty
                return queue.isScheduled
            }
            if isMore { schedule() }
        }
    }

    /// Runs the closures of a group in one transaction, commits it and finishes them.
    ///
    /// - Returns: the closures that were not run because the group took too long.
    private func commit(_ group: [any PendingWrite], _ database: Database) -> ArraySlice<any PendingWrite> {
        var run: [any PendingWrite] = []
        var rest = group[...]
        do {
            let start = ContinuousClock.now
            try database.inTransaction(.immediate) {
                while let write = rest.first, run.isEmpty || ContinuousClock.now - start < limits.duration {
                    rest.removeFirst()
                    run.append(write)
                    try self.run(write, alone: group.count == 1, database)
                }
                try files.check()
                return .commit
            }
            // If a file was removed between the first check and the commit, the commit is lost.
            try files.check()
            for write in run { write.finish(nil) }
        } catch {
            let error = LedgerError(translating: error)
            // The transaction could not begin: every closure of the group would meet the same error.
            if run.isEmpty {
                for write in rest { write.finish(error) }
                return []
            }
            for write in run { write.finish(error) }
        }
        return rest
    }

    /// Runs one closure; its changes are rolled back if it throws.
    ///
    /// - Throws: an error that ended the transaction, and with it the changes of the closures before.
    private func run(_ write: any PendingWrite, alone: Bool, _ database: Database) throws {
        let transaction = ledgerTransaction(in: database, dependencies: dependencies)
        if alone {
            try write.run(in: transaction)
            return
        }
        do {
            try database.inSavepoint {
                try write.run(in: transaction)
                return .commit
            }
        } catch {
            // SQLite rolls the whole transaction back if the disk is full or fails.
            guard database.isInsideTransaction else { throw error }
            write.fail(LedgerError(translating: error))
        }
    }
}

/// A closure that waits for the writer, with the caller that waits for its value.
private protocol PendingWrite: Sendable {
    /// Runs the closure; called at most once.
    func run(in transaction: some SQLLedgerTransaction) throws(LedgerError)
    /// Sets the error that the caller gets although the group is committed.
    func fail(_ error: LedgerError)
    /// Returns the closure's value to the caller, or an error if there is one; called once.
    func finish(_ error: LedgerError?)
}

private final class Write<Value: Sendable>: PendingWrite {
    private let body: @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    private let resume: @Sendable (Result<Value, LedgerError>) -> Void
    private let result = Mutex(Result<Value, LedgerError>.failure(.stopped))

    init(
        body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value,
        resume: @escaping @Sendable (Result<Value, LedgerError>) -> Void
    ) {
        self.body = body
        self.resume = resume
    }

    func run(in transaction: some SQLLedgerTransaction) throws(LedgerError) {
        let value = try body(transaction)
        try transaction.markChangedDeadlines()
        result.withLock { $0 = .success(value) }
    }

    func fail(_ error: LedgerError) {
        result.withLock { $0 = .failure(error) }
    }

    func finish(_ error: LedgerError?) {
        if let error { fail(error) }
        resume(result.withLock { $0 })
    }
}
