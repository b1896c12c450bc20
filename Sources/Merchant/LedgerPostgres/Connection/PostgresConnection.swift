import ExternalPurchaseCore
import Ledger

/// A connection to the server; every call blocks, and only the queue of its owner uses it.
///
/// A failed statement ends its transaction for PostgreSQL. ``failure`` keeps the first error, so that a closure that
/// ignored it cannot commit.
final class PostgresConnection {
    private let pq: LibPQ
    private let pointer: OpaquePointer
    /// The prepared statements by the ledger's text.
    private var prepared: [String: Prepared] = [:]
    /// The queries that are prepared for many keys, by the ledger's text and the types of its arguments.
    private var preparedSets: [String: [[String?]: Prepared]] = [:]
    /// The number of statements that were prepared.
    private var names = 0
    /// The names of those whose preparation has not been answered.
    private var unanswered: Set<String> = []
    /// The tables, read with the first statement that needs them.
    private var catalog: PostgresCatalog?
    /// Insertions by the ledger's text; nil for a statement that is sent row by row.
    private var insertions: [String: SetInsertion?] = [:]
    /// Rows that were not sent yet: those that closures insert one by one go out together, in the order of their tables, before
    /// a statement that names one of these.
    private var unsent: [UnsentRows] = []
    private var unsentTables: Set<Int> = []
    /// The texts of queries that are read by a cursor, by the ledger's text.
    private var scans: [String: String] = [:]
    private var cursors = 0
    /// The number of statements that were sent and whose results have not been read.
    private var queued = 0
    /// What is done with the results of statements that were sent, by their place among these.
    private var handlers: [Int: (PostgresResult) -> Void] = [:]
    private var isBroken = false
    /// The shortest time in which the server answered while the connection was opened.
    private(set) var latency = Duration.seconds(1)
    /// The number of times that the connection waited for an answer.
    private(set) var roundTrips = 0
    /// The number of warnings of the server since it was last set to 0.
    private var warnings = 0
    /// The longest time without an answer, in milliseconds; nil for the connection of a migration or a copy.
    var answerTimeout: Int?
    /// The first error since ``failure`` was last set to nil.
    var failure: LedgerError?

    /// The largest number of statements whose answers are read together.
    ///
    /// libpq reads while it cannot write, so that both sides never wait for each other. A group of 256 closures sends fewer.
    private static let queueCapacity = 16_384

    /// The number of rows and of keys from which on one statement takes them.
    private static let manyRows = 2

    /// The largest number of rows that wait to be sent, and of rows and keys of one statement.
    private static let mostRows = 1_024

    /// The bytes of rows of one table from which on they are sent: a payment event may have some hundred kilobytes.
    private static let mostBytes = 1 << 20

    /// The number of prepared statements that a connection keeps; lists with filters make many texts.
    private static let capacity = 500

    /// Connects, and sets what the ledger relies on.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)``; the text of libpq contains no password.
    init(_ settings: PostgresSettings) throws(LedgerError) {
        let pq = try LibPQ.opened.get()
        self.pq = pq
        try Self.check(settings.connection, by: pq)
        // Values of the connection string win over those that stand before it.
        let parameters: [(String, String)] = [
            ("connect_timeout", String(settings.connectTimeout)),
            ("fallback_application_name", "external-purchase"),
            ("tcp_user_timeout", "15000"), ("keepalives_idle", "15"), ("dbname", settings.connection),
            ("client_encoding", "UTF8"),
        ]
        let names = try ArgumentTexts(parameters.map { .text($0.0) })
        let values = try ArgumentTexts(parameters.map { .text($0.1) })
        let connected = names.read { names in values.read { pq.connectdbParams(names, $0, 1) } }
        guard let pointer = connected else {
            throw .inaccessible("no memory for a connection")
        }
        self.pointer = pointer
        answerTimeout = settings.statementTimeout + 5_000
        // An error from here on runs the deinitializer, because every property has its value.
        guard pq.status(pointer) == LibPQ.Status.connectionOK else { throw .inaccessible(message) }
        let receiver: LibPQ.NoticeReceiver = { connection, _ in
            guard let connection else { return }
            Unmanaged<PostgresConnection>.fromOpaque(connection).takeUnretainedValue().warnings += 1
        }
        _ = pq.setNoticeReceiver(pointer, receiver, Unmanaged.passUnretained(self).toOpaque())
        try prepareSession(settings)
    }

    deinit { pq.finish(pointer) }

    /// Checks that libpq reads a connection string, whose own message would quote parts of it.
    private static func check(_ connection: String, by pq: LibPQ) throws(LedgerError) {
        guard let options = pq.conninfoParse(connection, nil) else {
            throw .inaccessible(
                "the address cannot be read; postgres://USER@HOST:5432/DATABASE?sslmode=verify-full would be right, "
                    + "with special characters as %40 for @ and %3D for = in a value"
            )
        }
        pq.conninfoFree(options)
    }

    private func prepareSession(_ settings: PostgresSettings) throws(LedgerError) {
        // An acknowledged write must survive a crash of the server, whatever the role's default is. A plan that is kept may have
        // been made when the tables were small: each query has an index, which is right then and later. Planning each
        // query anew costs more than running it.
        try execute(
            """
            SET synchronous_commit = on; SET client_min_messages = warning; SET standard_conforming_strings = on;
            SET bytea_output = hex; SET statement_timeout = \(settings.statementTimeout);
            SET lock_timeout = \(settings.lockTimeout); SET idle_in_transaction_session_timeout = 60000;
            SET enable_seqscan = off
            """
        )
        guard pq.serverVersion(pointer) >= 150_000 else {
            throw .inaccessible("the server is older than PostgreSQL 15")
        }
        for (name, value) in [
            ("synchronous_commit", "on"), ("fsync", "on"), ("full_page_writes", "on"),
        ] {
            let start = ContinuousClock.now
            let found = try setting(name)
            latency = min(latency, start.duration(to: .now))
            guard found == value else {
                throw .inaccessible("the server has \(name) = \(found ?? ""); the ledger needs \(value)")
            }
        }
        guard try setting("server_encoding") == "UTF8" else {
            throw .inaccessible("the database must have the encoding UTF8")
        }
    }

    /// The server's clock, which goes on within a transaction.
    func serverTime() throws(LedgerError) -> Timestamp? {
        try query("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint", []).rows.first?
            .optionalInteger(at: 0).map(Timestamp.init(milliseconds:))
    }

    private func setting(_ name: String) throws(LedgerError) -> String? {
        try query("SELECT current_setting($1)", [.text(name)]).rows.first?.optionalText(at: 0)
    }

    /// False after the connection was lost, or the pipeline is in a state from which no statement can be run.
    var isAlive: Bool { !isBroken && pq.status(pointer) == LibPQ.Status.connectionOK }

    /// Whether the server is in a transaction, failed or not.
    var isInTransaction: Bool { pq.transactionStatus(pointer) != LibPQ.Status.transactionIdle }

    /// Rolls an open transaction back, which would keep its locks and its snapshot until the connection is used again.
    func endTransaction() {
        discard()
        // Also an error of the commit, which ended the transaction itself.
        defer { failure = nil }
        if isAlive, isInTransaction { _ = try? execute("ROLLBACK") }
    }

    // MARK: Statements

    /// Runs statements without arguments and returns the result of the last one.
    @discardableResult
    func execute(_ sql: String) throws(LedgerError) -> PostgresResult {
        try sendRows()
        try settle()
        roundTrips += 1
        return try check(waiting { pq.exec(pointer, sql) })
    }

    /// Begins a transaction with its first statement, in the same round trip.
    func begin(_ statement: String) throws(LedgerError) { try queue(statement, []) }

    /// Runs the rest of the open transaction, whose statements may take any time.
    func withoutTimeLimit<Value>(_ body: () throws(LedgerError) -> Value) throws(LedgerError) -> Value {
        let limit = answerTimeout
        answerTimeout = nil
        defer { answerTimeout = limit }
        try execute("SET LOCAL statement_timeout = 0")
        return try body()
    }

    /// Commits; what was queued goes out with the commit and does not reach it if it fails.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` also if the server warns that it committed without its synchronous
    ///   standby.
    func commit() throws(LedgerError) {
        warnings = 0
        try sendRows()
        try queue("COMMIT", [])
        guard try settle()?.command == "COMMIT" else { throw .failed("the server rolled the commit back") }
        guard warnings == 0 else {
            throw note(.inaccessible("the server did not wait for its synchronous standby"))
        }
    }

    /// Reads what was queued, whose transaction or savepoint is rolled back next, and forgets what was not sent.
    func discard() {
        forgetRows()
        _ = try? settle()
    }

    /// Reads what was queued.
    ///
    /// - Throws: the first error, also one that a closure ignored.
    func flush() throws(LedgerError) {
        try sendRows()
        try settle()
        if let failure { throw failure }
    }

    /// Reads what was queued, if anything was, together with statements without arguments that follow it.
    ///
    /// - Returns: false if nothing was queued; then nothing is run.
    func flush(followedBy statements: String...) throws(LedgerError) -> Bool {
        try sendRows()
        guard queued > 0 else { return false }
        for statement in statements { try queue(statement, []) }
        try settle()
        return true
    }

    /// Runs one statement of PostgreSQL's dialect.
    func query(_ sql: String, _ values: [SQLValue]) throws(LedgerError) -> PostgresResult {
        try sendRows()
        return try ask(sql, values)
    }

    /// Runs a statement that reads no table of the ledger.
    private func ask(_ sql: String, _ values: [SQLValue]) throws(LedgerError) -> PostgresResult {
        let arguments = try ArgumentTexts(values)
        try settle()
        roundTrips += 1
        return try check(
            waiting { arguments.read { pq.execParams(pointer, sql, Int32(values.count), nil, $0, nil, nil, 0) } }
        )
    }

    /// Runs a function of libpq that waits for the server, until it answers or the time is over.
    private func waiting<Value>(_ body: () -> Value) -> Value {
        guard let answerTimeout else { return body() }
        let wait = AnswerDeadlines.shared.begin(pq.socket(pointer), .milliseconds(answerTimeout))
        defer { AnswerDeadlines.shared.end(wait) }
        return body()
    }

    /// Runs a statement of the ledger, prepared once.
    private func run(
        _ sql: String,
        _ arguments: SQLArguments,
        returning column: String? = nil
    ) throws(LedgerError) -> PostgresResult {
        let texts = try ArgumentTexts(arguments.values)
        let name = try ready(sql, returning: column)
        if queued > 0 {
            try enqueue {
                texts.read { pq.sendQueryPrepared(pointer, name, Int32(arguments.values.count), $0, nil, nil, 0) }
            }
            if let result = try settle() { return result }
        }
        roundTrips += 1
        return try check(
            waiting { texts.read { pq.execPrepared(pointer, name, Int32(arguments.values.count), $0, nil, nil, 0) } }
        )
    }

    // MARK: Pipeline

    /// Sends a statement of PostgreSQL's dialect whose result is read later.
    private func queue(_ sql: String, _ values: [SQLValue]) throws(LedgerError) {
        let texts = try ArgumentTexts(values)
        try enqueue { texts.read { pq.sendQueryParams(pointer, sql, Int32(values.count), nil, $0, nil, nil, 0) } }
    }

    /// Sends a statement in pipeline mode.
    ///
    /// https://www.postgresql.org/docs/15/libpq-pipeline-mode.html
    private func enqueue(_ send: () -> Int32) throws(LedgerError) {
        guard pq.enterPipelineMode(pointer) == 1, waiting(send) == 1 else { throw broken() }
        queued += 1
    }

    /// Reads the results of what was queued and returns the last one; nil if nothing was queued.
    @discardableResult
    private func settle() throws(LedgerError) -> PostgresResult? {
        var last: PostgresResult?
        try settle { last = $0 }
        return last
    }

    /// Reads the results of what was queued.
    ///
    /// - Throws: the first error; the server has not run the statements behind it.
    private func settle(_ each: (PostgresResult) -> Void) throws(LedgerError) {
        guard queued > 0 else { return }
        let (count, handlers) = (queued, handlers)
        queued = 0
        self.handlers.removeAll(keepingCapacity: true)
        roundTrips += 1
        guard waiting({ pq.pipelineSync(pointer) }) == 1 else { throw broken() }
        var first: LedgerError?
        for place in 0..<count {
            do throws(LedgerError) {
                let result = try check(waiting { pq.getResult(pointer) })
                handlers[place]?(result)
                each(result)
            } catch {
                first = first ?? error
            }
            // The results of one statement end with a null pointer.
            while isAlive, let more = waiting({ pq.getResult(pointer) }) { pq.clear(more) }
        }
        pq.clear(waiting { pq.getResult(pointer) })
        if pq.exitPipelineMode(pointer) != 1 {
            let error = broken()
            first = first ?? error
        }
        let names = unanswered
        unanswered.removeAll(keepingCapacity: true)
        guard let first else { return }
        // Behind the first error nothing was prepared.
        if !names.isEmpty {
            prepared = prepared.filter { !names.contains($0.value.name) }
            preparedSets = preparedSets.mapValues { $0.filter { !names.contains($0.value.name) } }
        }
        throw first
    }

    /// Ends the use of a connection whose pipeline failed; its transaction is rolled back when it is closed.
    private func broken() -> LedgerError {
        isBroken = true
        return note(.inaccessible(message))
    }

    // MARK: Prepared statements

    /// A prepared statement.
    private struct Prepared {
        let name: String
        /// The places of the tables that it names; nil for one that may change more than these.
        let tables: Set<Int>?
    }

    /// Prepares a statement of the ledger, and sends the rows that it may read.
    ///
    /// - Returns: its name.
    private func ready(_ sql: String, returning column: String? = nil) throws(LedgerError) -> String {
        let statement = try prepare(sql, returning: column)
        guard try sendRows(before: statement) else { return statement.name }
        return try prepare(sql, returning: column).name
    }

    private func prepare(_ sql: String, returning column: String?) throws(LedgerError) -> Prepared {
        if let statement = prepared[sql] { return statement }
        let columns = sql.contains("*") ? try tables().quotedColumns : [:]
        let statement = try prepare(PostgresDialect.statement(sql, returning: column, columns: columns), of: sql)
        prepared[sql] = statement
        return statement
    }

    /// Prepares a statement together with its first use.
    ///
    /// - Parameter sql: the statement in the ledger's dialect.
    private func prepare(_ text: String, of sql: String) throws(LedgerError) -> Prepared {
        let tables = sql.hasPrefix("SELECT") ? try tables().tables(in: sql) : nil
        if queued >= Self.queueCapacity { try settle() }
        if names >= Self.capacity {
            try settle()
            roundTrips += 1
            try check(waiting { pq.exec(pointer, "DEALLOCATE ALL") })
            prepared.removeAll(keepingCapacity: true)
            preparedSets.removeAll(keepingCapacity: true)
            names = 0
        }
        let name = "s\(names)"
        names += 1
        try enqueue { pq.sendPrepare(pointer, name, text, 0, nil) }
        unanswered.insert(name)
        return Prepared(name: name, tables: tables)
    }

    private func tables() throws(LedgerError) -> PostgresCatalog {
        if let catalog { return catalog }
        let read = PostgresCatalog(try ask(PostgresCatalog.query, []).rows)
        // A schema without tables is about to get some.
        if !read.tables.isEmpty { catalog = read }
        return read
    }

    // MARK: Rows that are sent together

    private func insertion(_ sql: String) throws(LedgerError) -> SetInsertion? {
        if let known = insertions[sql] { return known }
        guard sql.hasPrefix("INSERT") else { return nil }
        if insertions.count >= Self.capacity { insertions.removeAll(keepingCapacity: true) }
        let insertion = SetInsertion(sql, try tables())
        insertions[sql] = insertion
        return insertion
    }

    /// Keeps a row until a statement may read it.
    private func keep(_ row: SQLArguments, _ sql: String, _ insertion: SetInsertion) throws(LedgerError) {
        // What else is done to the table comes before it, or after it.
        if unsentTables.contains(insertion.table), !unsent.contains(where: { $0.sql == sql }) {
            try sendRows(of: [insertion.table])
        }
        if !unsentTables.contains(insertion.table) {
            unsent.append(UnsentRows(sql, insertion))
            unsentTables.insert(insertion.table)
        }
        guard let place = unsent.firstIndex(where: { $0.sql == sql }) else { return }
        if unsent[place].add(row) {
            let isFull = unsent[place].rows.count >= Self.mostRows || unsent[place].bytes >= Self.mostBytes
            if isFull { try sendRows(of: [insertion.table]) }
            return
        }
        try sendRows(of: [insertion.table])
        try keep(row, sql, insertion)
    }

    /// Sends the rows that a statement may read, with those that they may reference.
    ///
    /// - Returns: false if there are none.
    private func sendRows(before statement: Prepared) throws(LedgerError) -> Bool {
        if unsent.isEmpty { return false }
        guard let tables = statement.tables else {
            try sendRows()
            return true
        }
        let read = tables.intersection(unsentTables)
        if read.isEmpty { return false }
        try sendRows(of: read)
        return true
    }

    /// Sends the rows that wait for it, those of a table behind those that they may reference.
    ///
    /// - Parameter tables: the tables of the rows; nil for all.
    private func sendRows(of tables: Set<Int>? = nil) throws(LedgerError) {
        if unsent.isEmpty { return }
        let references = catalog?.references ?? []
        let sent = tables?.reduce(into: Set<Int>()) { $0.formUnion(references[$1]) } ?? unsentTables
        let waiting = unsent.filter { sent.contains($0.insertion.table) }
            .sorted { $0.insertion.table < $1.insertion.table }
        unsent.removeAll { sent.contains($0.insertion.table) }
        unsentTables.subtract(sent)
        for rows in waiting {
            guard rows.rows.count >= Self.manyRows else {
                for row in rows.rows { try send(prepare(rows.sql, returning: nil).name, of: row) }
                continue
            }
            let texts = try ArgumentTexts(of: 0..<rows.insertion.count, in: rows.rows)
            let statement =
                if let known = prepared[rows.insertion.text] { known } else {
                    try prepare(rows.insertion.text, of: rows.insertion.text)
                }
            prepared[rows.insertion.text] = statement
            if queued >= Self.queueCapacity { try settle() }
            let count = Int32(rows.insertion.count)
            try enqueue { texts.read { pq.sendQueryPrepared(pointer, statement.name, count, $0, nil, nil, 0) } }
        }
    }

    private func forgetRows() {
        unsent.removeAll(keepingCapacity: true)
        unsentTables.removeAll(keepingCapacity: true)
    }

    /// Sends a statement of which nothing but its success is needed.
    private func send(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) {
        try send(ready(sql), of: arguments)
    }

    /// Sends a prepared statement of which nothing but its success is needed.
    private func send(_ name: String, of arguments: SQLArguments) throws(LedgerError) {
        let texts = try ArgumentTexts(arguments.values)
        if queued >= Self.queueCapacity { try settle() }
        let count = Int32(arguments.values.count)
        try enqueue { texts.read { pq.sendQueryPrepared(pointer, name, count, $0, nil, nil, 0) } }
    }

    @discardableResult
    private func check(_ result: OpaquePointer?) throws(LedgerError) -> PostgresResult {
        guard let result else { throw note(.inaccessible(message)) }
        switch pq.resultStatus(result) {
        case LibPQ.Status.commandOK, LibPQ.Status.tuplesOK: return PostgresResult(result, of: pq)
        default: break
        }
        defer { pq.clear(result) }
        guard let state = pq.resultErrorField(result, Field.state.rawValue).map({ String(cString: $0) }), isAlive else {
            throw note(.inaccessible(message))
        }
        // A prepared statement whose table changed in another way than by a new column, or a session that is read-only
        // because it was so when it began: a new connection begins anew.
        if ["0A000", "25006"].contains(state) { isBroken = true }
        let primary = pq.resultErrorField(result, Field.primary.rawValue).map { String(cString: $0) } ?? ""
        throw note(LedgerError(sqlState: state, primary))
    }

    private func note(_ error: LedgerError) -> LedgerError {
        // What follows the first error says only that the transaction has failed.
        if let failure { return failure }
        failure = error
        return error
    }

    /// The newest error of the connection in one line.
    private var message: String {
        let text = pq.errorMessage(pointer).map { String(cString: $0) } ?? ""
        return text.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(separator: "; ")
    }

    /// The fields of an error, by the characters of the protocol.
    private enum Field: Int32 {
        case state = 67
        case primary = 77
    }
}

extension PostgresConnection: AnsweringConnection {
    /// Reads through a cursor, so that neither side holds all rows.
    func scan(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        if scans[sql] == nil {
            if scans.count >= Self.capacity { scans.removeAll(keepingCapacity: true) }
            scans[sql] = PostgresDialect.statement(sql)
        }
        try sendRows()
        cursors += 1
        let cursor = "c\(cursors)"
        try queue("DECLARE \(cursor) NO SCROLL CURSOR FOR \(scans[sql] ?? "")", arguments.values)
        // The cursor ends with the next statement, or with the transaction.
        defer { try? queue("CLOSE \(cursor)", []) }
        var size: Int32 = 100
        while true {
            try queue("FETCH \(size) FROM \(cursor)", [])
            guard let result = try settle() else { return }
            for row in result.rows {
                guard try body(row) else { return }
            }
            if result.count < size { return }
            size = 2_000
        }
    }

    /// Keeps rows of an insertion until a statement may read them, and sends those of a table with one statement.
    func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) {
        let insertion = try insertion(sql)
        for arguments in arguments {
            if let insertion { try keep(arguments, sql, insertion) } else { try send(sql, arguments) }
        }
    }

    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow] {
        try run(sql, arguments).rows
    }

    /// Sends a statement of the ledger; its result is passed on when the results of what was sent are read.
    func send(
        _ sql: String,
        _ arguments: SQLArguments,
        _ handler: @escaping (PostgresResult) -> Void
    ) throws(LedgerError) {
        let texts = try ArgumentTexts(arguments.values)
        let name = try ready(sql)
        if queued >= Self.queueCapacity { try settle() }
        handlers[queued] = handler
        let count = Int32(arguments.values.count)
        try enqueue { texts.read { pq.sendQueryPrepared(pointer, name, count, $0, nil, nil, 0) } }
    }

    /// Sends a statement of PostgreSQL without arguments.
    func send(_ statement: String) throws(LedgerError) {
        try sendRows()
        if queued >= Self.queueCapacity { try settle() }
        try queue(statement, [])
    }

    var answersTogether: Bool { true }

    /// Asks for the rows of all arguments with one statement.
    func rows(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) -> [[any SQLRow]] {
        try rows(ofEach: [(sql, arguments)]).first ?? []
    }

    func amend(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Bool {
        guard let place = unsent.firstIndex(where: { $0.sql == sql }) else { return false }
        return unsent[place].amend(arguments)
    }

    /// Sends a statement for the rows of all arguments of each query, and reads their answers together.
    func rows(ofEach queries: [(sql: String, arguments: [SQLArguments])]) throws(LedgerError) -> [[[any SQLRow]]] {
        let parts = queries.enumerated().flatMap { place, query in
            stride(from: 0, to: query.arguments.count, by: Self.mostRows).map { start in
                SetQuery(place, query.sql, query.arguments[start...].prefix(Self.mostRows))
            }
        }
        for part in parts { _ = try prepare(part) }
        for part in parts { _ = try sendRows(before: prepare(part)) }
        if queued > Self.queueCapacity / 2 { try settle() }
        let answers = SetAnswers(queries.map(\.arguments.count))
        for part in parts {
            // What is sent may prepare a statement first, so that a result is found by its handler and not by its place.
            let name = try prepare(part).name
            if part.isSet {
                let texts = try ArgumentTexts(of: part.columns, in: part.arguments)
                handlers[queued] = { answers.add($0, part.query, from: part.arguments.startIndex) }
                let count = Int32(part.columns.count)
                try enqueue { texts.read { pq.sendQueryPrepared(pointer, name, count, $0, nil, nil, 0) } }
                continue
            }
            for place in part.arguments.indices {
                let texts = try ArgumentTexts(part.arguments[place].values)
                handlers[queued] = { answers.rows[part.query][place] = $0.rows }
                let count = Int32(part.arguments[place].values.count)
                try enqueue { texts.read { pq.sendQueryPrepared(pointer, name, count, $0, nil, nil, 0) } }
            }
        }
        if !parts.isEmpty { try settle() }
        return answers.rows
    }

    private func prepare(_ query: SetQuery) throws(LedgerError) -> Prepared {
        query.isSet ? try prepareSet(query.sql, query.types) : try prepare(query.sql, returning: nil)
    }

    private func prepareSet(_ sql: String, _ types: [String?]) throws(LedgerError) -> Prepared {
        if let statement = preparedSets[sql]?[types] { return statement }
        let columns = try tables().quotedColumns
        let text = PostgresDialect.query(sql, withEach: types, columns: columns)
        let statement = try prepare(text, of: sql)
        preparedSets[sql, default: [:]][types] = statement
        return statement
    }

    @discardableResult
    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        try run(sql, arguments, returning: nil).changes
    }

    func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64] {
        var numbers: [Int64] = []
        try reserveNumbers([(count, table)], column) { numbers = $1 }
        try settle()
        return numbers
    }

    func reserveNumbers(
        _ counts: [(count: Int, table: String)],
        _ column: String,
        _ keep: @escaping (Int, [Int64]) -> Void
    ) throws(LedgerError) {
        for (place, (count, table)) in counts.enumerated() {
            handlers[queued] = { keep(place, $0.rows.compactMap { $0.optionalInteger(at: 0) }.sorted()) }
            try queue(
                "SELECT nextval(pg_get_serial_sequence($1, $2)) FROM generate_series(1, $3)",
                [.text(table), .text(column), .integer(Int64(count))]
            )
        }
    }

    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String)
        throws(LedgerError) -> Int64
    {
        let result: PostgresResult = try run(sql, arguments, returning: column)
        guard let sequence = result.rows.first?.optionalInteger(at: 0) else {
            throw .failed("an insertion returned no \(column)")
        }
        return sequence
    }
}
