import ExternalPurchaseCore
import Ledger
import Synchronization

/// Runs the closures of a group with as many answers to wait for as one of them needs, however many there are.
///
/// A closure asks, decides and asks again. A hundred closures one after another wait for thousands of answers, each as far away
/// as the server. Here each closure is rehearsed first, without writing anything: the first query without an answer ends its
/// rehearsal, these queries of all closures go out together, and the closures are rehearsed again, until each has its
/// answers. Then they run on the transaction one after another with these answers, while their statements, queries
/// included, are sent without waiting. In the end each answer that was used is compared with the server's. If all are equal,
/// the closures did what they would have done alone; otherwise nothing is committed, and the group runs again with each
/// closure waiting for its answers.
///
/// A query behind writes of its closure is asked behind them, in a savepoint that is rolled back, if its text is known to
/// find what such writes change (``SpeculationExperience``).
struct Speculation {
    private let connection: PostgresConnection
    private let ledger: LedgerTransaction
    private let experience: SpeculationExperience
    private let rehearsals: [Rehearsal]

    /// The largest number of rehearsals of a closure; one that needs more waits for its answers when it runs.
    private static let mostRehearsals = 48

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
    func run(_ body: (Int, LedgerTransaction) throws(LedgerError) -> Void) throws(LedgerError) {
        let surprises = Surprises()
        do throws(LedgerError) {
            ledger.reserveEveryNumber()
            let pool = NumberPool(connection, size: rehearsals.count)
            let answers = try rehearse(pool, body)
            for rehearsal in rehearsals {
                ledger.reserveEveryNumber()
                let stage = PerformingConnection(connection, rehearsal, answers, pool, experience, surprises)
                try body(rehearsal.index, ledger.on { _ in stage })
                // A closure that ignored a failed statement has not done what it returns.
                if let failure = connection.failure { throw failure }
            }
            try ledger.writeCollectedRows()
            try connection.flush()
            try surprises.check()
        } catch {
            // A closure may have thrown for an answer that was wrong, such as that its own row is missing: what was sent says so.
            connection.discard()
            experience.noteFailure(surprises.texts)
            throw error
        }
        experience.noteSuccess()
    }

    /// Rehearses the closures until each has its answers.
    ///
    /// - Returns: the answers to queries that no write of their closure precedes.
    private func rehearse(
        _ pool: NumberPool,
        _ body: (Int, LedgerTransaction) throws(LedgerError) -> Void
    ) throws(LedgerError) -> Answers {
        let answers = Answers()
        var unfinished = rehearsals
        let start = ContinuousClock.now
        var questions = 0
        for round in 0..<Self.mostRehearsals where !unfinished.isEmpty {
            // Waiting for each answer would have taken less time.
            if experience.isMeasured, round > 3, start.duration(to: .now) > connection.latency * questions { break }
            var missing: [RehearsingConnection] = []
            for rehearsal in unfinished {
                let stage = RehearsingConnection(rehearsal, answers, pool, experience)
                do throws(LedgerError) {
                    try body(rehearsal.index, ledger.rehearsal(on: stage))
                } catch {
                    // It ends for want of an answer, or will throw the same error when it runs.
                }
                if !stage.missing.isEmpty, stage.isSteady { missing.append(stage) }
                rehearsal.asked = stage.asked
            }
            unfinished = missing.map(\.rehearsal)
            questions += missing.reduce(0) { $0 + $1.missing.count }
            try ask(missing, answers)
        }
        return answers
    }

    private func ask(_ stages: [RehearsingConnection], _ answers: Answers) throws(LedgerError) {
        var asked: Set<Question> = []
        for stage in stages {
            guard stage.isBehindWrites else {
                for question in stage.missing where asked.insert(question).inserted {
                    try connection.send(question.sql, question.arguments) { answers.known[question] = $0 }
                }
                continue
            }
            try connection.send("SAVEPOINT rehearsal")
            for (sql, arguments) in stage.writes { try connection.perform(sql, withEach: arguments) }
            let rehearsal = stage.rehearsal
            for question in stage.missing {
                try connection.send(question.sql, question.arguments) { result in
                    rehearsal.answers[question, default: []].append(result)
                }
            }
            try connection.send("ROLLBACK TO SAVEPOINT rehearsal")
            try connection.send("RELEASE SAVEPOINT rehearsal")
        }
        try connection.flush()
    }
}

/// What groups that ran with answers read ahead have taught; shared by the groups of a store.
final class SpeculationExperience: Sendable {
    private struct State {
        var dependent: Set<String> = []
        var hasLesson = false
        var failures = 0
        var pause = 0
        var groups = 0
    }

    private let state = Mutex(State())
    private let isWanted: Bool?

    /// The latency from which on waiting for an answer costs more than asking twice.
    private static let threshold = Duration.microseconds(400)
    private static let longestPause = 64

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
            if state.pause == 0 { return true }
            state.pause -= 1
            return false
        }
    }

    /// Whether the last group found statements that were not known to depend on writes; false when it is asked again.
    func takeLesson() -> Bool {
        state.withLock { state in
            defer { state.hasLesson = false }
            return state.hasLesson
        }
    }

    /// Whether a statement's answer is known to depend on what its closure wrote.
    func isDependent(_ sql: String) -> Bool { state.withLock { $0.dependent.contains(sql) } }

    func noteSuccess() {
        state.withLock { state in
            state.groups += 1
            state.failures = 0
        }
    }

    /// - Parameter texts: the statements whose answers were others than expected.
    func noteFailure(_ texts: Set<String>) {
        state.withLock { state in
            state.hasLesson = !texts.isSubset(of: state.dependent)
            state.dependent.formUnion(texts)
            if state.hasLesson {
                state.failures = 0
            } else {
                // Closures of the group depend on each other, or one is refused, as later ones may be.
                state.failures += 1
                state.pause = min(1 << min(state.failures, 16), Self.longestPause)
            }
        }
    }

    /// The number of groups that were committed with answers read ahead.
    var groups: Int { state.withLock(\.groups) }
}

/// A closure with the answers that it got behind its own writes.
private final class Rehearsal {
    let index: Int
    /// The answers in the order in which the closure asks.
    var answers: [Question: [PostgresResult]] = [:]
    /// What it asked in the last rehearsal.
    var asked: [Question] = []
    /// The numbers of the rows that it inserts, by table.
    var numbers: [String: [Int64]] = [:]

    init(_ index: Int) {
        self.index = index
    }
}

/// A statement with its arguments.
private struct Question: Hashable {
    let sql: String
    let values: [SQLValue]

    init(_ sql: String, _ arguments: SQLArguments) {
        self.sql = sql
        values = arguments.values
    }

    var arguments: SQLArguments { SQLArguments(values) }
}

/// The answers of the state in which the transaction began.
private final class Answers {
    var known: [Question: PostgresResult] = [:]
}

/// Numbers of rows, reserved for all closures together.
private final class NumberPool {
    private let connection: PostgresConnection
    private let size: Int
    private var numbers: [String: [Int64]] = [:]

    init(_ connection: PostgresConnection, size: Int) {
        self.connection = connection
        self.size = size
    }

    func next(of table: String, _ column: String) throws(LedgerError) -> [Int64] {
        if numbers[table]?.isEmpty ?? true {
            numbers[table] = try connection.reserveNumbers(size, of: table, column).reversed()
        }
        return [numbers[table]?.popLast()].compactMap(\.self)
    }
}

/// The place of a closure in its answers and numbers while it runs.
private struct Progress {
    private let rehearsal: Rehearsal
    private var asked: [Question: Int] = [:]
    private var taken: [String: Int] = [:]

    init(_ rehearsal: Rehearsal) {
        self.rehearsal = rehearsal
    }

    /// The next answer to a question behind writes; nil if it is not known yet.
    mutating func answer(_ question: Question) -> PostgresResult? {
        let place = asked[question, default: 0]
        guard let answers = rehearsal.answers[question], place < answers.count else { return nil }
        asked[question] = place + 1
        return answers[place]
    }

    mutating func number(of table: String, _ column: String, _ pool: NumberPool) throws(LedgerError) -> [Int64] {
        let place = taken[table, default: 0]
        taken[table] = place + 1
        if let numbers = rehearsal.numbers[table], place < numbers.count { return [numbers[place]] }
        let next = try pool.next(of: table, column)
        rehearsal.numbers[table, default: []] += next
        return next
    }
}

/// The statements whose answers were others than expected.
private final class Surprises {
    var texts: Set<String> = []

    func check() throws(LedgerError) {
        guard texts.isEmpty else { throw .conflict("what the closures of a group read is changed by another of them") }
    }
}

/// A connection whose rows are all there before the first one is passed on.
private protocol AnsweringConnection: SQLConnection {}

extension AnsweringConnection {
    func each(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        for row in try rows(sql, arguments) { try body(row) }
    }
}

/// The connection of a rehearsal: it answers what is known, writes nothing, and ends at the first unknown answer.
private final class RehearsingConnection: AnsweringConnection {
    let rehearsal: Rehearsal
    private let known: Answers
    private let pool: NumberPool
    private let experience: SpeculationExperience
    private var progress: Progress
    private(set) var writes: [(sql: String, arguments: [SQLArguments])] = []
    /// The questions at which the rehearsal ended.
    private(set) var missing: [Question] = []
    private(set) var isBehindWrites = false
    /// What the closure asked, in order.
    private(set) var asked: [Question] = []
    private var isEnded = false

    /// Whether the closure began with the questions of the rehearsal before: one that asks otherwise each time, such as with the
    /// time of day, never has its answers.
    var isSteady: Bool { asked.starts(with: rehearsal.asked) }

    init(_ rehearsal: Rehearsal, _ known: Answers, _ pool: NumberPool, _ experience: SpeculationExperience) {
        self.rehearsal = rehearsal
        self.known = known
        self.pool = pool
        self.experience = experience
        progress = Progress(rehearsal)
    }

    private static let end = LedgerError.failed("a rehearsal ended")

    private func answers(_ questions: [Question]) throws(LedgerError) -> [PostgresResult] {
        if isEnded { throw Self.end }
        asked += questions
        var results: [PostgresResult] = []
        for question in questions {
            let isDependent = !writes.isEmpty && experience.isDependent(question.sql)
            if let result = isDependent ? progress.answer(question) : known.known[question] {
                results.append(result)
            } else {
                isBehindWrites = isDependent
                missing.append(question)
            }
        }
        guard missing.isEmpty else {
            isEnded = true
            throw Self.end
        }
        return results
    }

    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow] {
        try answers([Question(sql, arguments)]).flatMap(\.rows)
    }

    func rows(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) -> [any SQLRow] {
        try answers(arguments.map { Question(sql, $0) }).flatMap(\.rows)
    }

    /// One row, unless the statement is known to change another number of them.
    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        if isEnded { throw Self.end }
        var changes = 1
        if experience.isDependent(sql) {
            let question = Question(sql, arguments)
            guard let result = progress.answer(question) else {
                (isEnded, isBehindWrites) = (true, true)
                missing.append(question)
                throw Self.end
            }
            changes = result.changes
        }
        writes.append((sql, [arguments]))
        return changes
    }

    func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) {
        if isEnded { throw Self.end }
        writes.append((sql, arguments))
    }

    func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64] {
        if isEnded { throw Self.end }
        return try progress.number(of: table, column, pool)
    }

    // What these return is not foreseen; the closure waits for it when it runs.

    func scan(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        isEnded = true
        throw Self.end
    }

    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String) throws(LedgerError) -> Int64 {
        isEnded = true
        throw Self.end
    }

    func serverTime() throws(LedgerError) -> Timestamp? {
        isEnded = true
        throw Self.end
    }
}

/// The connection of a closure that runs with known answers, whose statements are sent without waiting.
private final class PerformingConnection: AnsweringConnection {
    private let connection: PostgresConnection
    private let known: Answers
    private let pool: NumberPool
    private let experience: SpeculationExperience
    private let surprises: Surprises
    private var progress: Progress
    private var hasWritten = false

    init(
        _ connection: PostgresConnection,
        _ rehearsal: Rehearsal,
        _ known: Answers,
        _ pool: NumberPool,
        _ experience: SpeculationExperience,
        _ surprises: Surprises
    ) {
        self.connection = connection
        self.known = known
        self.pool = pool
        self.experience = experience
        self.surprises = surprises
        progress = Progress(rehearsal)
    }

    /// The known answer to a question, which is asked again to compare; nil if none is known.
    private func answer(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> PostgresResult? {
        let question = Question(sql, arguments)
        let isDependent = hasWritten && experience.isDependent(sql)
        guard let expected = isDependent ? progress.answer(question) : known.known[question] else { return nil }
        let surprises = surprises
        try connection.send(sql, arguments) { result in
            if !result.hasRows(of: expected) { surprises.texts.insert(sql) }
        }
        return expected
    }

    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow] {
        if let answer = try answer(sql, arguments) { return answer.rows }
        let rows = try connection.rows(sql, arguments)
        // The results of what was sent before are read now.
        try surprises.check()
        return rows
    }

    func rows(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) -> [any SQLRow] {
        var rows: [any SQLRow] = []
        for arguments in arguments { rows += try self.rows(sql, arguments) }
        return rows
    }

    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        var expected = 1
        if experience.isDependent(sql) {
            guard let answer = progress.answer(Question(sql, arguments)) else {
                hasWritten = true
                return try connection.run(sql, arguments)
            }
            expected = answer.changes
        }
        hasWritten = true
        let (surprises, changes) = (surprises, expected)
        try connection.send(sql, arguments) { result in
            if result.changes != changes { surprises.texts.insert(sql) }
        }
        return changes
    }

    func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) {
        hasWritten = true
        try connection.perform(sql, withEach: arguments)
    }

    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String) throws(LedgerError) -> Int64 {
        hasWritten = true
        return try connection.insert(sql, arguments, returning: column)
    }

    func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64] {
        try progress.number(of: table, column, pool)
    }

    func scan(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        try connection.scan(sql, arguments, body)
    }

    func serverTime() throws(LedgerError) -> Timestamp? { try connection.serverTime() }
}
