import GRDB
import GRDBSQLite
import Ledger
import Synchronization

/// A connection of GRDB; every statement is prepared once per connection and cached.
///
/// GRDB opens, configures and prepares. Arguments are bound and rows are read by SQLite's own functions: a token takes
/// two dozen statements, and GRDB's rows, arguments and observation cost as much as SQLite itself.
struct SQLiteConnection: SQLConnection {
    let database: Database
    /// The read that waits; nil for writes, which are never cancelled.
    var read: CancellableRead?

    func each(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try scan(sql, arguments) { row throws(LedgerError) in
            try body(row)
            return true
        }
    }

    func scan(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        let statement = try prepare(sql)
        defer { reset(statement) }
        try bind(arguments, to: statement)
        let row = SQLiteRow(statement)
        while try step(statement) {
            guard try body(row) else { return }
        }
    }

    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow] {
        let statement = try prepare(sql)
        defer { reset(statement) }
        try bind(arguments, to: statement)
        guard try step(statement) else { return [] }
        let names = statement.columnNames
        var rows: [any SQLRow] = []
        repeat {
            let values = (0..<Int32(names.count)).map { SQLValue(column: $0, of: statement.sqliteStatement) }
            rows.append(SQLiteRowCopy(names: names, values: values))
        } while try step(statement)
        return rows
    }

    @discardableResult
    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        let statement = try prepare(sql)
        // GRDB notes changes of the schema, which have no arguments.
        if arguments.values.isEmpty, sql.hasPrefix("CREATE") || sql.hasPrefix("DROP") {
            do {
                try statement.execute()
            } catch {
                throw LedgerError(translating: error)
            }
            return database.changesCount
        }
        defer { reset(statement) }
        try bind(arguments, to: statement)
        while try step(statement) {}
        return database.changesCount
    }

    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String) throws(LedgerError) -> Int64 {
        try run(sql, arguments)
        // The tables' sequence numbers are their row ids.
        return database.lastInsertedRowID
    }

    private func prepare(_ sql: String) throws(LedgerError) -> Statement {
        // GRDB interrupts the statement that runs; this keeps the next ones from beginning.
        if read?.isCancelled == true { throw .stopped }
        do {
            return try database.cachedStatement(sql: sql)
        } catch {
            throw LedgerError(translating: error)
        }
    }

    private func bind(_ arguments: SQLArguments, to statement: Statement) throws(LedgerError) {
        let pointer = statement.sqliteStatement
        guard sqlite3_bind_parameter_count(pointer) == arguments.values.count else {
            throw .failed("a statement has \(sqlite3_bind_parameter_count(pointer)) arguments: \(statement.sql)")
        }
        for (offset, value) in arguments.values.enumerated() {
            let code = value.bind(to: pointer, at: Int32(offset + 1))
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// Returns whether there is a row.
    private func step(_ statement: Statement) throws(LedgerError) -> Bool {
        switch sqlite3_step(statement.sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Ends the use of a statement; an open one would keep its snapshot, and its arguments their memory.
    private func reset(_ statement: Statement) {
        sqlite3_reset(statement.sqliteStatement)
        sqlite3_clear_bindings(statement.sqliteStatement)
    }

    private func failure(_ code: Int32) -> LedgerError {
        let code = database.sqliteConnection.map(sqlite3_extended_errcode) ?? code
        return LedgerError(
            translating: DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        )
    }
}

extension LedgerTransaction {
    /// A transaction of GRDB that writes.
    convenience init(in database: Database, dependencies: LedgerDependencies) {
        self.init(on: SQLiteConnection(database: database), dependencies: dependencies)
    }
}

extension LedgerQueries {
    /// A transaction of GRDB that reads until it is cancelled.
    convenience init(in database: Database, of read: CancellableRead, dependencies: LedgerDependencies) {
        self.init(on: SQLiteConnection(database: database, read: read), dependencies: dependencies)
    }
}

/// A read that ends when the task that waits for it is cancelled, such as an export whose client has gone.
final class CancellableRead: Sendable {
    private let state = Mutex(false)

    var isCancelled: Bool { state.withLock { $0 } }

    /// Runs the closure, and marks the read when its task is cancelled meanwhile.
    func callAsFunction<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskCancellationHandler(operation: body) { state.withLock { $0 = true } }
    }
}

/// The current row of a statement.
private final class SQLiteRow: SQLRow {
    private let statement: OpaquePointer
    private var names: ColumnNames

    init(_ statement: Statement) {
        self.statement = statement.sqliteStatement
        names = ColumnNames(statement.columnNames)
    }

    func value(of column: String) -> SQLValue {
        names.position(of: column).map { SQLValue(column: Int32($0), of: statement) } ?? .null
    }

    func isNull(_ column: String) -> Bool {
        names.position(of: column).map { sqlite3_column_type(statement, Int32($0)) == SQLITE_NULL } ?? true
    }

    func optionalText(at column: Int) -> String? { String(column: Int32(column), of: statement) }

    func optionalInteger(at column: Int) -> Int64? {
        sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
            ? nil : sqlite3_column_int64(statement, Int32(column))
    }
}

/// A row that outlives its statement.
private final class SQLiteRowCopy: SQLRow {
    private var names: ColumnNames
    private let values: [SQLValue]

    init(names: [String], values: [SQLValue]) {
        self.names = ColumnNames(names)
        self.values = values
    }

    func value(of column: String) -> SQLValue { names.position(of: column).map { values[$0] } ?? .null }

    func isNull(_ column: String) -> Bool { names.position(of: column).map { values[$0].isNull } ?? true }

    func optionalText(at column: Int) -> String? {
        switch values[column] {
        case .null: nil
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    func optionalInteger(at column: Int) -> Int64? {
        switch values[column] {
        case .integer(let integer): integer
        case .text(let text): Int64(text)
        case .null, .blob: nil
        }
    }
}

/// The names of a row's columns.
///
/// Codecs read columns in the order of the tables: the last column again, because it can be null, or the one after it.
private struct ColumnNames {
    private let names: [String]
    private var last = 0

    init(_ names: [String]) { self.names = names }

    mutating func position(of name: String) -> Int? {
        for offset in names.indices {
            var position = last + offset
            if position >= names.count { position -= names.count }
            guard names[position] == name else { continue }
            last = position
            return position
        }
        return nil
    }
}

extension SQLValue {
    /// Reads a column of the current row.
    fileprivate init(column: Int32, of statement: OpaquePointer) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: self = .null
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
        case SQLITE_BLOB:
            let bytes = sqlite3_column_blob(statement, column)
            self = .blob(
                Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
            )
        // The tables are strict and have no column of floating-point numbers.
        default: self = .text(String(column: column, of: statement) ?? "")
        }
    }

    /// Binds the value to a parameter, which are numbered from 1 on; SQLite copies texts and bytes.
    fileprivate func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
        switch self {
        case .null: return sqlite3_bind_null(statement, position)
        case .integer(let integer): return sqlite3_bind_int64(statement, position, integer)
        case .text(var text):
            return text.withUTF8 { utf8 in
                // A null pointer would bind NULL.
                guard let base = utf8.baseAddress else { return sqlite3_bind_text(statement, position, "", 0, nil) }
                return base.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                    sqlite3_bind_text(statement, position, $0, Int32(utf8.count), copying)
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress, !buffer.isEmpty else {
                    return sqlite3_bind_zeroblob(statement, position, 0)
                }
                return sqlite3_bind_blob(statement, position, base, Int32(buffer.count), copying)
            }
        }
    }
}

extension String {
    /// Reads a column of the current row; nil for NULL.
    fileprivate init?(column: Int32, of statement: OpaquePointer) {
        guard let text = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        self.init(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }
}

/// `SQLITE_TRANSIENT`, which Swift does not import: SQLite copies the value before the call returns.
private var copying: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
