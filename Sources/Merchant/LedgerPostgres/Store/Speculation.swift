import ExternalPurchaseCore
import Ledger
import Synchronization

/// Runs the closures of a group with as many answers to wait for as one of them needs, however many there are.
///
/// A closure asks, decides and asks again. A hundred closures one after another wait for thousands of answers, each as far away
/// as the server. Here all are rehearsed first, by turns: each runs until it asks; then what they wrote and these questions
/// go out together, and each goes on with its answers. What they wrote is rolled back, and they run one after another on the
/// transaction with the answers of their rehearsals, while their statements, queries included, are sent without waiting. In
/// the end each answer that was used is compared with the server's. If all are equal, the closures did what they would have
/// done alone; otherwise nothing is committed.
struct Speculation {
    private let connection: PostgresConnection
    private let ledger: LedgerTransaction
    private let experience: SpeculationExperience
    private let rehearsals: [Rehearsal]
    private let surprises = Surprises()

    /// The largest number of answers that rehearsals wait for; a closure that needs more waits for them when it runs.
    private static let mostRounds = 128

    /// - Parameter count: the number of closures.
    init(
        of count: Int,
        on connection: PostgresConnection,
        _ ledger: LedgerTransaction,
        _ experience: SpeculationExperience
    ) {
        self.connection = connection
        self.ledger = ledger
        self.experience = experience
        rehearsals = (0..<count).map(Rehearsal.init)
    }

    /// - Parameter body: runs the closure with a number.
    func run(_ body: @escaping (Int, LedgerTransaction) throws(LedgerError) -> Void) throws(LedgerError) {
        do throws(LedgerError) {
            ledger.reserveEveryNumber()
            let pool = NumberPool(connection, size: rehearsals.count)
            try rehearse(pool, body)
            for rehearsal in rehearsals {
                ledger.reserveEveryNumber()
                let stage = PerformingConnection(connection, rehearsal, pool, experience, surprises)
                do throws(LedgerError) {
                    try body(rehearsal.index, ledger.on { _ in stage })
                    // A closure that ignored a failed statement has not done what it returns.
                    if let failure = connection.failure { throw failure }
                } catch {
                    // It may have thrown for an answer that was wrong, such as that its own row is missing: what was sent says so.
                    connection.discard()
                    if surprises.dependent.isEmpty { surprises.refused.insert(rehearsal.index) }
                    throw error
                }
            }
            try ledger.writeCollectedRows()
            try connection.flush()
            try surprises.check()
        } catch {
            connection.discard()
            experience.noteFailure(surprises)
            throw error
        }
        experience.noteSuccess()
    }

    /// Runs all closures by turns until each has its answers, and rolls back what they wrote.
    private func rehearse(
        _ pool: NumberPool,
        _ body: @escaping (Int, LedgerTransaction) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let (ledger, surprises) = (ledger, surprises)
        var running: [(rehearsal: Rehearsal, coroutine: Coroutine)] = rehearsals.map { rehearsal in
            let stage = RehearsingConnection(rehearsal, pool, experience)
            return (
                rehearsal,
                Coroutine {
                    do throws(LedgerError) {
                        try body(rehearsal.index, ledger.rehearsal(on: stage))
                    } catch {
                        if !rehearsal.isEnded { surprises.refused.insert(rehearsal.index) }
                    }
                }
            )
        }
        for (rehearsal, coroutine) in running { rehearsal.pause = coroutine.pause }
        defer {
            for (rehearsal, coroutine) in running {
                rehearsal.isEnded = true
                while coroutine.resume() {}
            }
            for rehearsal in rehearsals { rehearsal.pause = {} }
        }
        let start = ContinuousClock.now
        var questions = 0
        try connection.send("SAVEPOINT rehearsal")
        for round in 0..<Self.mostRounds {
            running = running.filter { $0.coroutine.resume() }
            // What a few closures still ask, these wait for when they run, and so does each if that takes less time.
            if running.count * 8 < rehearsals.count || running.isEmpty { break }
            if experience.isMeasured, round > 3, start.duration(to: .now) > connection.latency * questions { break }
            questions += running.reduce(0) { $0 + $1.rehearsal.missing.count }
            try ask(running.map(\.rehearsal))
        }
        experience.noteWaits(questions, of: rehearsals.count)
        try surprises.check()
        try connection.send("ROLLBACK TO SAVEPOINT rehearsal")
        try connection.send("RELEASE SAVEPOINT rehearsal")
    }

    /// Sends what closures wrote since they last asked, and their questions.
    private func ask(_ rehearsals: [Rehearsal]) throws(LedgerError) {
        // The closure of each statement, in the order in which they are sent.
        var senders: [Int] = []
        let succeeded = Counter()
        do throws(LedgerError) {
            for rehearsal in rehearsals {
                for write in rehearsal.unsent {
                    senders.append(rehearsal.index)
                    let (surprises, index) = (surprises, rehearsal.index)
                    try connection.send(write.sql, write.arguments) { result in
                        succeeded.count += 1
                        if let changes = write.changes, changes != result.changes {
                            surprises.uncounted.insert(write.sql)
                            surprises.dependent.insert(index)
                        }
                    }
                }
                rehearsal.unsent.removeAll(keepingCapacity: true)
            }
            var asking: [SQLQuery: [Rehearsal]] = [:]
            for rehearsal in rehearsals {
                for question in rehearsal.missing { asking[question, default: []].append(rehearsal) }
            }
            for rehearsal in rehearsals {
                for question in rehearsal.missing {
                    guard let askers = asking.removeValue(forKey: question) else { continue }
                    senders.append(rehearsal.index)
                    try connection.send(question.sql, question.arguments) { result in
                        succeeded.count += 1
                        for asker in askers { asker.keep(result, question) }
                    }
                }
                rehearsal.missing.removeAll(keepingCapacity: true)
            }
            try connection.flush()
        } catch {
            // Another closure may have written the same row.
            if succeeded.count < senders.count { surprises.refused.insert(senders[succeeded.count]) }
            throw error
        }
        try surprises.check()
    }
}

/// What groups that ran with answers read ahead have taught; shared by the groups of a store.
final class SpeculationExperience: Sendable {
    private struct State {
        var counted: Set<String> = []
        var lesson = SpeculationLesson()
        var failures = 0
        var pause = 0
        /// The number of groups that still run without rehearsals, because closures hardly waited.
        var calm = 0
        var groups = 0
    }

    private let state = Mutex(State())
    private let isWanted: Bool?

    /// The latency from which on waiting for an answer costs more than asking twice.
    private static let threshold = Duration.microseconds(400)
    private static let longestPause = 64
    /// The number of groups that run without rehearsals after one whose closures hardly waited.
    private static let calm = 64

    /// - Parameter isWanted: whether groups speculate; nil: by the latency of their connection.
    init(isWanted: Bool?) {
        self.isWanted = isWanted
    }

    /// Whether time decides if groups speculate.
    var isMeasured: Bool { isWanted == nil }

    /// Whether the next group should speculate; after failures some groups do not.
    func isPromising(at latency: Duration) -> Bool {
        guard isWanted ?? (latency >= Self.threshold) else { return false }
        return state.withLock { state in
            if state.calm > 0 {
                state.calm -= 1
                return false
            }
            if state.pause == 0 { return true }
            state.pause -= 1
            return false
        }
    }

    /// What the last group has taught; nothing when it is asked again.
    func takeLesson() -> SpeculationLesson {
        state.withLock { state in
            defer { state.lesson = SpeculationLesson() }
            return state.lesson
        }
    }

    /// Whether a statement is known to change another number of rows than one.
    func isCounted(_ sql: String) -> Bool { state.withLock { $0.counted.contains(sql) } }

    /// Notes how many answers the closures of a group waited for, or asked in their rehearsals.
    func noteWaits(_ waits: Int, of closures: Int) {
        guard isMeasured, closures > 1 else { return }
        state.withLock { state in
            if waits * 4 <= closures {
                state.calm = Self.calm
            } else if waits >= closures {
                // Other closures came: without rehearsals, each of the next groups would wait as long.
                state.calm = 0
            }
        }
    }

    func noteSuccess() {
        state.withLock { state in
            state.groups += 1
            (state.failures, state.pause) = (0, 0)
        }
    }

    func noteFailure(_ surprises: Surprises) {
        state.withLock { state in
            let isNew = !surprises.uncounted.isSubset(of: state.counted)
            state.counted.formUnion(surprises.uncounted)
            state.lesson = SpeculationLesson(isNew: isNew, dependent: surprises.dependent, refused: surprises.refused)
            if isNew { return }
            state.failures += 1
            state.pause = min(1 << min(state.failures, 16), Self.longestPause)
        }
    }

    /// The number of groups that were committed with answers read ahead.
    var groups: Int { state.withLock(\.groups) }
}
