import Synchronization

/// How the closures of a transaction run.
package enum ClosureMode: Sendable {
    /// As ``together``, with answers of the database that were read ahead and are checked before the commit.
    case speculatively
    /// Without savepoints: the error of one closure ends the transaction.
    case together
    /// Each in a savepoint: the changes of a closure that throws are rolled back alone.
    case apart
}

/// The connection of a store that writes, while it commits one group of closures.
package protocol WriterConnection {
    /// Runs a closure in a transaction and commits it durably; rolls back if the closure throws.
    ///
    /// - Parameters:
    ///   - mode: how the closures of ``run(_:_:)`` run.
    ///   - body: makes these calls.
    func transaction(_ mode: ClosureMode, _ body: () throws(LedgerError) -> Void) throws(LedgerError)

    /// Reads the rows that the closures of the transaction will probably read.
    func readAhead(_ rows: [ExpectedRows], _ mode: ClosureMode) throws(LedgerError)

    /// Runs a closure of the ledger within the transaction.
    ///
    /// - Returns: the error of a closure whose changes were rolled back alone.
    /// - Throws: an error that ended the transaction, and with it the changes of the closures before.
    func run(
        _ mode: ClosureMode,
        _ body: (LedgerTransaction) throws(LedgerError) -> Void
    ) throws(LedgerError) -> LedgerError?

    /// Whether a group of closures should run by ``speculate(_:_:)`` first.
    var speculates: Bool { get }

    /// What the last failure of ``speculate(_:_:)`` has taught; nothing when it is asked again.
    func takeLesson() -> SpeculationLesson

    /// Runs closures one after another without savepoints, and what they write together at their end.
    ///
    /// - Parameters:
    ///   - count: the number of the closures.
    ///   - body: runs one of them, several times.
    /// - Throws: also an error if a closure may have read something else than it would have alone.
    func speculate(
        _ count: Int,
        _ body: @escaping (Int, LedgerTransaction) throws(LedgerError) -> Void
    ) throws(LedgerError)

    /// Whether a commit that fails with an error of a closure has committed nothing.
    var refusesWithCommit: Bool { get }
}

extension WriterConnection {
    package var refusesWithCommit: Bool { false }
    package var speculates: Bool { false }
    package func takeLesson() -> SpeculationLesson { SpeculationLesson() }
    package func speculate(
        _ count: Int,
        _ body: @escaping (Int, LedgerTransaction) throws(LedgerError) -> Void
    ) throws(LedgerError) {}
}

/// Why a group of closures failed that ran with answers read ahead.
package struct SpeculationLesson: Sendable {
    /// Whether the next attempt avoids the reason.
    package var isNew: Bool
    /// The places of closures that read what others of the group write.
    package var dependent: Set<Int>
    /// The places of closures that threw, or whose statements failed.
    package var refused: Set<Int>

    package init(isNew: Bool = false, dependent: Set<Int> = [], refused: Set<Int> = []) {
        self.isNew = isNew
        self.dependent = dependent
        self.refused = refused
    }
}

/// The queue of closures that wait for the one writer of a store, which commits them in groups.
///
/// A group consists of the closures that arrived while the group before it was committed, and while its own transaction
/// began: over a network, and behind the lock of another server, that takes long enough for the callers of the former group to
/// come back. A single write therefore starts at once, and the groups grow with the load. The closures of a group run one after another without savepoints, so
/// that a database over a network is asked as often for a group as for one closure. If one throws before the commit, nothing
/// is committed, and the group runs again with a savepoint for each closure: it fails alone, and the others are committed.
/// A closure therefore may run twice, and what it returns counts from the last time.
package final class WriteQueue: Sendable {
    /// The limits of groups and of what waits.
    package struct Limits: Sendable {
        /// The largest number of closures of a group.
        package var group: Int
        /// The time after which a group takes no further closure, so that a slow closure delays few others.
        package var duration: Duration
        /// The largest number of closures that wait; further ones fail, so that memory is bounded.
        package var waiting: Int

        package init(group: Int = 256, duration: Duration = .milliseconds(20), waiting: Int = 4_096) {
            self.group = group
            self.duration = duration
            self.waiting = waiting
        }
    }

    private struct State {
        var waiting: [any PendingWrite] = []
        /// Whether the writer runs, or is about to run, the waiting closures.
        var isScheduled = false
    }

    private let limits: Limits
    private let onWriter: @Sendable (@escaping @Sendable (any WriterConnection) -> Void) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limits: the limits of groups and of what waits.
    ///   - onWriter: calls a closure once with the connection that writes, on its thread, behind what others run there.
    package init(
        limits: Limits,
        onWriter: @escaping @Sendable (@escaping @Sendable (any WriterConnection) -> Void) -> Void
    ) {
        self.limits = limits
        self.onWriter = onWriter
    }

    /// The number of closures that wait for the writer.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Runs a closure and returns its value when the closure's changes are committed durably.
    ///
    /// - Parameters:
    ///   - rows: the rows that the closure will probably read.
    ///   - body: the closure.
    /// - Throws: ``LedgerError/busy`` without running the closure if too many others wait.
    package func write<Value: Sendable>(
        expecting rows: ExpectedRows? = nil,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let result: Result<Value, LedgerError> = await withCheckedContinuation { continuation in
            let request = LedgerRequest.id
            append(Write(expected: rows, requestId: request, body: body) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    private func append(_ write: some PendingWrite) {
        let (isFull, isFirst) = state.withLock { state in
            if state.waiting.count >= limits.waiting { return (true, false) }
            state.waiting.append(write)
            defer { state.isScheduled = true }
            return (false, !state.isScheduled)
        }
        if isFull { return write.finish(.busy) }
        if isFirst { schedule() }
    }

    /// Commits one group on the writer's thread, behind what others run there.
    private func schedule() {
        onWriter { [self] connection in
            let rest = commit(take(limits.group), connection)
            let isMore = state.withLock { state in
                state.waiting.insert(contentsOf: rest, at: 0)
                state.isScheduled = !state.waiting.isEmpty
                return state.isScheduled
            }
            if isMore { schedule() }
        }
    }

    /// Removes the first closures that wait, and returns them.
    private func take(_ most: Int) -> [any PendingWrite] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(most))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// Runs the closures of a group in one transaction, commits it and finishes them.
    ///
    /// - Returns: the closures that were not run because the group took too long.
    private func commit(
        _ group: [any PendingWrite],
        _ connection: any WriterConnection
    ) -> ArraySlice<any PendingWrite> {
        var group = commitSpeculatively(group, connection)
        if group.isEmpty { return [] }
        if let rest = commit(&group, .together, connection) { return rest }
        return commit(&group, .apart, connection) ?? []
    }

    /// Commits what the closures of a group do with answers read ahead, without those that depend on others until these are
    /// committed.
    ///
    /// - Returns: the closures that were not committed.
    private func commitSpeculatively(
        _ group: [any PendingWrite],
        _ connection: any WriterConnection
    ) -> [any PendingWrite] {
        guard group.count > 1, connection.speculates else { return group }
        // What a server does by itself is often about everything that is new.
        var waiting = group.filter(\.isForeseeable)
        var others = group.filter { !$0.isForeseeable }
        var dependent: [any PendingWrite] = []
        for _ in 0..<Self.mostAttempts where waiting.count > 1 {
            if commit(&waiting, .speculatively, connection) != nil {
                (waiting, dependent) = (dependent, [])
                continue
            }
            let lesson = connection.takeLesson()
            guard lesson.isNew || !lesson.dependent.isEmpty || !lesson.refused.isEmpty else { break }
            let members = waiting
            waiting = []
            for (index, write) in members.enumerated() {
                if lesson.refused.contains(index) {
                    others.append(write)
                } else if lesson.dependent.contains(index), index < members.count - 1 || !waiting.isEmpty {
                    dependent.append(write)
                } else {
                    waiting.append(write)
                }
            }
        }
        // What would be refused again comes first, so that it is answered.
        return others + waiting + dependent
    }

    /// The first closures, for which is read at once: a group may have no time for the others, which the next one would read
    /// for again.
    private static func readTogether(_ writes: ArraySlice<any PendingWrite>) -> ArraySlice<any PendingWrite> {
        var rows = 0
        return writes.prefix { write in
            defer { rows += write.expected?.count ?? 0 }
            return rows < mostRows
        }
    }

    /// The number of rows and answers after which no further closure is read for: some 200 tokens, or four orders of 100 lines.
    private static let mostRows = 2_048

    /// The largest number of times that a group begins with answers read ahead.
    private static let mostAttempts = 5

    /// - Parameter group: together, closures that arrived while the transaction began are added.
    /// - Returns: nil for a group that must run again, of which nothing is committed and nobody is answered.
    private func commit(
        _ group: inout [any PendingWrite],
        _ mode: ClosureMode,
        _ connection: any WriterConnection
    ) -> ArraySlice<any PendingWrite>? {
        var run: [any PendingWrite] = []
        var rest = group[...]
        var mayRunAgain = false
        do throws(LedgerError) {
            try connection.transaction(mode) { () throws(LedgerError) in
                // Not the time for which another server had the lock: what waited for it would be committed one by one.
                let start = ContinuousClock.now
                if mode == .together {
                    group += take(limits.group - group.count)
                    rest = group[...]
                }
                // An error before this would meet every closure; from here to the commit, nothing is committed.
                mayRunAgain = mode != .apart && group.count > 1
                if mode == .speculatively {
                    try connection.readAhead(group.compactMap(\.expected), mode)
                    (run, rest) = (group, [])
                    try connection.speculate(group.count) { [group] index, ledger throws(LedgerError) in
                        try group[index].run(in: ledger)
                    }
                    mayRunAgain = false
                    return
                }
                var read = 0
                while let write = rest.first, run.isEmpty || ContinuousClock.now - start < limits.duration {
                    // Apart, a failed read would undo the closure before.
                    if read == 0, run.isEmpty || mode == .together {
                        let next = Self.readTogether(rest)
                        try connection.readAhead(next.compactMap(\.expected), mode)
                        read = next.count
                    }
                    read -= 1
                    rest.removeFirst()
                    run.append(write)
                    let refusal = try connection.run(mode) { ledger throws(LedgerError) in
                        try write.run(in: ledger)
                        // Closures that run together write together.
                        if mode == .apart || group.count == 1 { try ledger.writeCollectedRows() }
                    }
                    if let refusal { write.fail(refusal) }
                }
                if mayRunAgain {
                    _ = try connection.run(mode) { ledger throws(LedgerError) in try ledger.writeCollectedRows() }
                    // Over a network, what was collected goes out with the commit: one wait less.
                    mayRunAgain = connection.refusesWithCommit
                }
            }
            for write in run { write.finish(nil) }
        } catch {
            if mayRunAgain, error.isOfOneClosure { return nil }
            // The transaction could not begin: every closure of the group would meet the same error.
            if run.isEmpty {
                for write in rest { write.finish(error) }
                return []
            }
            for write in run { write.finish(error) }
        }
        return rest
    }
}

extension LedgerError {
    /// Whether the closure caused the error, and not the database that all closures use.
    fileprivate var isOfOneClosure: Bool {
        switch self {
        case .corrupt, .conflict, .leaseLost, .stopped, .failed: true
        case .busy, .full, .notADatabase, .inUse, .historyDiffers, .inaccessible: false
        }
    }
}

/// A closure that waits for the writer, with the caller that waits for its value.
private protocol PendingWrite: Sendable {
    /// The rows that the closure will probably read.
    var expected: ExpectedRows? { get }
    /// Whether it probably reads nothing that the other closures of its group write.
    var isForeseeable: Bool { get }
    /// Runs the closure; called a second time if nothing of the first was committed.
    func run(in transaction: LedgerTransaction) throws(LedgerError)
    /// Sets the error that the caller gets although the group is committed.
    func fail(_ error: LedgerError)
    /// Returns the closure's value to the caller, or an error if there is one; called once.
    func finish(_ error: LedgerError?)
}

private final class Write<Value: Sendable>: PendingWrite {
    let expected: ExpectedRows?
    private let requestId: String?
    private let body: @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    private let resume: @Sendable (Result<Value, LedgerError>) -> Void
    private let result = Mutex(Result<Value, LedgerError>.failure(.stopped))

    init(
        expected: ExpectedRows?,
        requestId: String?,
        body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value,
        resume: @escaping @Sendable (Result<Value, LedgerError>) -> Void
    ) {
        self.expected = expected
        self.requestId = requestId
        self.body = body
        self.resume = resume
    }

    var isForeseeable: Bool { expected != nil || requestId != nil }

    func run(in transaction: LedgerTransaction) throws(LedgerError) {
        // Closures of other requests ran on the same transaction before.
        transaction.requestId = requestId
        let value = try body(transaction)
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
