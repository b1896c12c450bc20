import ExternalPurchaseCore
import Ledger

/// A connection to the server; every call blocks, and only the queue of its owner uses it.
///
/// A failed statement ends its transaction for PostgreSQL. ``failure`` keeps the first error, so that a closure that
/// ignored it cannot commit.
final class PostgresConnection {
    private let pq: LibPQ
    private let pointer: OpaquePointer
    /// The names of the prepared statements by the ledger's text.
    private var prepared: [String: String] = [:]
    /// The columns of each table, read with the first statement that needs them.
    private var columns: [String: [String]]?
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

    /// The number of rows from which on one statement inserts them.
    private static let manyRows = 8

    /// The largest number of arguments of a statement, which the protocol counts with 16 bits.
    private static let mostArguments = 65_535

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
        guard isAlive, isInTransaction else { return }
        _ = try? execute("ROLLBACK")
        failure = nil
    }

    // MARK: Statements

    /// Runs statements without arguments and returns the result of the last one.
    @discardableResult
    func execute(_ sql: String) throws(LedgerError) -> PostgresResult {
        try settle()
        roundTrips += 1
        return try check(waiting { pq.exec(pointer, sql) })
    }

    /// Begins a transaction with its first statement, in the same round trip.
    func begin(_ statement: String) throws(LedgerError) { try queue(statement, []) }

    /// Commits; what was queued goes out with the commit and does not reach it if it fails.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` also if the server warns that it committed without its synchronous
    ///   standby.
    func commit() throws(LedgerError) {
        warnings = 0
        try queue("COMMIT", [])
        guard try settle()?.command == "COMMIT" else { throw .failed("the server rolled the commit back") }
        guard warnings == 0 else {
            throw note(.inaccessible("the server did not wait for its synchronous standby"))
        }
    }

    /// Reads what was queued, whose transaction or savepoint is rolled back next.
    func discard() { _ = try? settle() }

    /// Reads what was queued.
    ///
    /// - Throws: the first error, also one that a closure ignored.
    func flush() throws(LedgerError) {
        try settle()
        if let failure { throw failure }
    }

    /// Reads what was queued, if anything was, together with statements without arguments that follow it.
    ///
    /// - Returns: false if nothing was queued; then nothing is run.
    func flush(followedBy statements: String...) throws(LedgerError) -> Bool {
        guard queued > 0 else { return false }
        for statement in statements { try queue(statement, []) }
        try settle()
        return true
    }

    /// Runs one statement of PostgreSQL's dialect.
    func query(_ sql: String, _ values: [SQLValue]) throws(LedgerError) -> PostgresResult {
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
        let name = try prepare(sql, returning: column)
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
        if let first { throw first }
    }

    /// Ends the use of a connection whose pipeline failed; its transaction is rolled back when it is closed.
    private func broken() -> LedgerError {
        isBroken = true
        return note(.inaccessible(message))
    }

    private func prepare(_ sql: String, returning column: String?) throws(LedgerError) -> String {
        if let name = prepared[sql] { return name }
        try settle()
        if prepared.count >= Self.capacity {
            try execute("DEALLOCATE ALL")
            prepared.removeAll(keepingCapacity: true)
        }
        let name = "s\(prepared.count)"
        let text = PostgresDialect.statement(
            sql,
            returning: column,
            columns: sql.contains("*") ? try columnsOfTables() : [:]
        )
        roundTrips += 1
        try check(waiting { pq.prepare(pointer, name, text, 0, nil) })
        prepared[sql] = name
        return name
    }

    private func columnsOfTables() throws(LedgerError) -> [String: [String]] {
        if let columns { return columns }
        let rows = try query(
            """
            SELECT c.relname::text, quote_ident(a.attname) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0
                AND NOT a.attisdropped
            ORDER BY c.relname, a.attnum
            """,
            []
        ).rows
        var found: [String: [String]] = [:]
        for row in rows {
            guard let table = row.optionalText(at: 0), let column = row.optionalText(at: 1) else { continue }
            found[table, default: []].append(column)
        }
        columns = found
        return found
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

    /// Inserts many rows with one statement, which the server parses each time; a few go out as prepared ones.
    func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) {
        var rest = arguments[...]
        while let first = rest.first {
            let rows = rest.prefix(Self.mostArguments / max(1, first.values.count))
            guard rows.count >= Self.manyRows, let text = PostgresDialect.insertion(sql, ofRows: rows.count) else {
                try perform(sql, first)
                rest.removeFirst()
                continue
            }
            if queued >= Self.queueCapacity { try settle() }
            try queue(text, rows.flatMap(\.values))
            rest = rest.dropFirst(rows.count)
        }
    }

    private func perform(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) {
        let texts = try ArgumentTexts(arguments.values)
        let name = try prepare(sql, returning: nil)
        if queued >= Self.queueCapacity { try settle() }
        let count = Int32(arguments.values.count)
        try enqueue { texts.read { pq.sendQueryPrepared(pointer, name, count, $0, nil, nil, 0) } }
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
        let name = try prepare(sql, returning: nil)
        if queued >= Self.queueCapacity { try settle() }
        handlers[queued] = handler
        let count = Int32(arguments.values.count)
        try enqueue { texts.read { pq.sendQueryPrepared(pointer, name, count, $0, nil, nil, 0) } }
    }

    /// Sends a statement of PostgreSQL without arguments.
    func send(_ statement: String) throws(LedgerError) {
        if queued >= Self.queueCapacity { try settle() }
        try queue(statement, [])
    }

    func rows(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) -> [[any SQLRow]] {
        if arguments.isEmpty { return [] }
        let name = try prepare(sql, returning: nil)
        var rows: [[any SQLRow]] = []
        var rest = arguments[...]
        while !rest.isEmpty {
            if queued >= Self.queueCapacity { try settle() }
            // They go out with what was queued before, whose results come first.
            let earlier = queued
            let page = rest.prefix(Self.queueCapacity - earlier)
            for arguments in page {
                let texts = try ArgumentTexts(arguments.values)
                let count = Int32(arguments.values.count)
                try enqueue { texts.read { pq.sendQueryPrepared(pointer, name, count, $0, nil, nil, 0) } }
            }
            rest = rest.dropFirst(page.count)
            var results: [[any SQLRow]] = []
            try settle { results.append($0.rows) }
            rows += results.dropFirst(earlier)
        }
        return rows
    }

    @discardableResult
    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        try run(sql, arguments, returning: nil).changes
    }

    func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64] {
        try query(
            "SELECT nextval(pg_get_serial_sequence($1, $2)) FROM generate_series(1, $3)",
            [.text(table), .text(column), .integer(Int64(count))]
        ).rows.compactMap { $0.optionalInteger(at: 0) }.sorted()
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

/// Arguments as texts that libpq reads while the value is alive.
private final class ArgumentTexts {
    private let owned: [UnsafeMutablePointer<CChar>?]

    init(_ values: [SQLValue]) throws(LedgerError) {
        var owned: [UnsafeMutablePointer<CChar>?] = []
        owned.reserveCapacity(values.count)
        for value in values {
            switch value {
            case .null: owned.append(nil)
            case .integer(let integer): owned.append(Self.copy(String(integer).utf8))
            case .text(let text):
                guard !text.utf8.contains(0) else {
                    for pointer in owned { pointer?.deallocate() }
                    throw .failed("PostgreSQL stores no text with a zero byte")
                }
                owned.append(Self.copy(text.utf8))
            case .blob(let bytes):
                var text = Array("\\x".utf8)
                text.reserveCapacity(2 + 2 * bytes.count)
                let digits = Array("0123456789abcdef".utf8)
                for byte in bytes {
                    text.append(digits[Int(byte >> 4)])
                    text.append(digits[Int(byte & 15)])
                }
                owned.append(Self.copy(text))
            }
        }
        self.owned = owned
    }

    deinit { for pointer in owned { pointer?.deallocate() } }

    /// Passes the texts, followed by a null pointer, to a closure; they are freed with this object.
    func read<Value>(_ body: ([UnsafePointer<CChar>?]) -> Value) -> Value {
        withExtendedLifetime(self) { body(owned.map { $0.map { UnsafePointer($0) } } + [nil]) }
    }

    private static func copy(_ text: some Collection<UInt8>) -> UnsafeMutablePointer<CChar> {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
        var index = 0
        for byte in text {
            copy[index] = CChar(bitPattern: byte)
            index += 1
        }
        copy[index] = 0
        return copy
    }
}
