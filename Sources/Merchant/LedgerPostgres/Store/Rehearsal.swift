import ExternalPurchaseCore
import Ledger

/// A closure with the answers and numbers that it got when it was rehearsed.
final class Rehearsal {
    let index: Int
    /// What it wrote since it last asked.
    var unsent: [(sql: String, arguments: SQLArguments, changes: Int?)] = []
    /// What it asks now.
    var missing: [SQLQuery] = []
    /// Lets the other closures run, until the answers are there.
    var pause = {}
    /// Set before a rehearsal goes on without answers, to end it.
    var isEnded = false
    /// The number of statements that it wrote before what it asks now.
    private var written = 0
    private var answers: [Int: [SQLQuery: PostgresResult]] = [:]
    private var numbers: [String: [Int64]] = [:]

    init(_ index: Int) {
        self.index = index
    }

    /// What a question was answered behind a number of written statements.
    func answer(_ question: SQLQuery, behind written: Int) -> PostgresResult? { answers[written]?[question] }

    /// Keeps the answer to a question that it asks now.
    func keep(_ answer: PostgresResult, _ question: SQLQuery) { answers[written, default: [:]][question] = answer }

    func noteWrite(_ sql: String, _ arguments: SQLArguments, changes: Int?) {
        written += 1
        unsent.append((sql, arguments, changes))
    }

    /// Notes a statement that was run as a question.
    func noteCountedWrite() { written += 1 }

    /// Waits for the answers to questions.
    func results(_ questions: [SQLQuery]) throws(LedgerError) -> [PostgresResult] {
        try check()
        missing = questions.filter { answer($0, behind: written) == nil }
        if !missing.isEmpty { pause() }
        try check()
        var results: [PostgresResult] = []
        for question in questions {
            guard let result = answer(question, behind: written) else { throw Self.end }
            results.append(result)
        }
        return results
    }

    /// The number of the next row of a table, the same in the rehearsal and afterwards.
    ///
    /// - Parameter place: how many rows of the table the closure inserted before.
    func number(at place: Int, of table: String, _ column: String, _ pool: NumberPool) throws(LedgerError) -> [Int64] {
        if let numbers = numbers[table], place < numbers.count { return [numbers[place]] }
        let next = try pool.next(of: table, column)
        numbers[table, default: []] += next
        return next
    }

    /// - Throws: the error that ends a rehearsal.
    func check() throws(LedgerError) {
        if isEnded { throw Self.end }
    }

    /// Ends it for want of an answer.
    func end() -> LedgerError {
        isEnded = true
        return Self.end
    }

    private static let end = LedgerError.failed("a rehearsal ended")
}

/// How many statements of a pipeline succeeded, counted by the handlers of their results.
final class Counter {
    var count = 0
}

/// What made a group fail.
final class Surprises {
    /// The closures that found something else than in their rehearsal.
    var dependent: Set<Int> = []
    /// The closures that failed.
    var refused: Set<Int> = []
    /// Statements that changed another number of rows than one.
    var uncounted: Set<String> = []

    func check() throws(LedgerError) {
        guard dependent.isEmpty, refused.isEmpty, uncounted.isEmpty else {
            throw .conflict("what the closures of a group read is changed by another of them")
        }
    }
}

/// Numbers of rows, reserved for all closures together.
final class NumberPool {
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

/// A connection whose rows are all there before the first one is passed on.
protocol AnsweringConnection: SQLConnection {
    /// The rows of a query for each of some arguments, which are sent together.
    func rows(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) -> [[any SQLRow]]
}

extension AnsweringConnection {
    var answersTogether: Bool { true }

    func rows(
        ofEach queries: [(sql: String, arguments: [SQLArguments])]
    ) throws(LedgerError) -> [[[any SQLRow]]] {
        var answers: [[[any SQLRow]]] = []
        for query in queries { answers.append(try rows(query.sql, withEach: query.arguments)) }
        return answers
    }

    func each(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        for row in try rows(sql, arguments) { try body(row) }
    }

    func each(
        _ sql: String,
        withEach arguments: [SQLArguments],
        _ body: (Int, any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        for (place, rows) in try rows(sql, withEach: arguments).enumerated() {
            for row in rows { try body(place, row) }
        }
    }
}

/// The connection of a rehearsal: its closure waits for answers by turns with the others.
final class RehearsingConnection: AnsweringConnection {
    private let rehearsal: Rehearsal
    private let pool: NumberPool
    private let experience: SpeculationExperience
    private var inserted: [String: Int] = [:]

    init(_ rehearsal: Rehearsal, _ pool: NumberPool, _ experience: SpeculationExperience) {
        self.rehearsal = rehearsal
        self.pool = pool
        self.experience = experience
    }

    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow] {
        try rehearsal.results([SQLQuery(sql, arguments)]).flatMap(\.rows)
    }

    func rows(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) -> [[any SQLRow]] {
        try rehearsal.results(arguments.map { SQLQuery(sql, $0) }).map(\.rows)
    }

    /// One row, unless the statement is known to change another number of them.
    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        try rehearsal.check()
        guard experience.isCounted(sql) else {
            rehearsal.noteWrite(sql, arguments, changes: 1)
            return 1
        }
        let changes = try rehearsal.results([SQLQuery(sql, arguments)]).reduce(0) { $0 + $1.changes }
        rehearsal.noteCountedWrite()
        return changes
    }

    func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) {
        try rehearsal.check()
        // Each closure would write the next entry of the audit log, which only one can have.
        if sql.hasPrefix("INSERT INTO audit_log") { throw rehearsal.end() }
        for arguments in arguments { rehearsal.noteWrite(sql, arguments, changes: nil) }
    }

    func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64] {
        try rehearsal.check()
        defer { inserted[table, default: 0] += 1 }
        return try rehearsal.number(at: inserted[table, default: 0], of: table, column, pool)
    }

    // What these return is not foreseen; the closure waits for it when it runs.

    func scan(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        throw rehearsal.end()
    }

    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String) throws(LedgerError) -> Int64 {
        throw rehearsal.end()
    }

    func serverTime() throws(LedgerError) -> Timestamp? { throw rehearsal.end() }
}

/// The connection of a closure that runs with known answers, whose statements are sent without waiting.
final class PerformingConnection: AnsweringConnection {
    private let connection: PostgresConnection
    private let rehearsal: Rehearsal
    private let pool: NumberPool
    private let experience: SpeculationExperience
    private let surprises: Surprises
    private var written = 0
    private var inserted: [String: Int] = [:]

    init(
        _ connection: PostgresConnection,
        _ rehearsal: Rehearsal,
        _ pool: NumberPool,
        _ experience: SpeculationExperience,
        _ surprises: Surprises
    ) {
        self.connection = connection
        self.rehearsal = rehearsal
        self.pool = pool
        self.experience = experience
        self.surprises = surprises
    }

    /// The known answer to a question, which is asked again to compare; nil if none is known.
    private func answer(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> PostgresResult? {
        guard let expected = rehearsal.answer(SQLQuery(sql, arguments), behind: written) else { return nil }
        let (surprises, index) = (surprises, rehearsal.index)
        try connection.send(sql, arguments) { result in
            if !result.hasRows(of: expected) || result.changes != expected.changes { surprises.dependent.insert(index) }
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

    func rows(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) -> [[any SQLRow]] {
        var rows: [[any SQLRow]] = []
        for place in arguments.indices {
            guard let answer = try answer(sql, arguments[place]) else {
                // What was not foreseen is asked for together too.
                rows += try connection.rows(sql, withEach: Array(arguments[place...]))
                try surprises.check()
                break
            }
            rows.append(answer.rows)
        }
        return rows
    }

    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        if experience.isCounted(sql) {
            let known = try answer(sql, arguments)
            written += 1
            if let known { return known.changes }
            return try connection.run(sql, arguments)
        }
        written += 1
        let (surprises, index) = (surprises, rehearsal.index)
        try connection.send(sql, arguments) { result in
            if result.changes != 1 {
                surprises.uncounted.insert(sql)
                surprises.dependent.insert(index)
            }
        }
        return 1
    }

    func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) {
        written += arguments.count
        try connection.perform(sql, withEach: arguments)
    }

    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String) throws(LedgerError) -> Int64 {
        written += 1
        return try connection.insert(sql, arguments, returning: column)
    }

    func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64] {
        defer { inserted[table, default: 0] += 1 }
        return try rehearsal.number(at: inserted[table, default: 0], of: table, column, pool)
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
