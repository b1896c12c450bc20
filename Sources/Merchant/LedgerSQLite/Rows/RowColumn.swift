import GRDB
import Ledger

/// A column of a table: its name, the value that a record gives it, and how that value is written and read.
struct RowColumn<Record, Value>: WritableColumn {
    let name: String
    let written: ColumnWriting
    private let type: ColumnType<Value>
    private let value: @Sendable (Record) -> Value

    init(
        _ name: String,
        _ type: ColumnType<Value>,
        written: ColumnWriting,
        _ value: @escaping @Sendable (Record) -> Value
    ) {
        self.name = name
        self.written = written
        self.type = type
        self.value = value
    }

    func databaseValue(of record: Record) -> DatabaseValue { type.encode(value(record)) }

    /// Reads the column from a row.
    func read(from row: Row) throws(LedgerError) -> Value { try type.decode(row, name) }

    /// Reads the column from a row in which it may be null.
    func readIfPresent(from row: Row) throws(LedgerError) -> Value? {
        try ColumnType<Value?>.optional(type).decode(row, name)
    }

    /// The column as one of a record that holds this one.
    func of<Whole>(_ part: @escaping @Sendable (Whole) -> Record) -> RowColumn<Whole, Value> {
        RowColumn<Whole, Value>(name, type, written: written) { [value] in value(part($0)) }
    }

    /// The column as one of a record that may hold this one.
    ///
    /// - Parameter written: which statements of that record's table write it.
    func ofOptional<Whole>(
        written: ColumnWriting,
        _ part: @escaping @Sendable (Whole) -> Record?
    ) -> RowColumn<Whole, Value?> {
        RowColumn<Whole, Value?>(name, .optional(type), written: written) { [value] in part($0).map(value) }
    }
}

/// Which statements of a ``RowTable`` write a column.
enum ColumnWriting: Sendable {
    /// The insertion.
    case once
    /// The insertion and the update.
    case always
    /// None of them: the database, a trigger or another statement writes it.
    case elsewhere
}

/// A column whose values are written, whatever their type is.
protocol WritableColumn<Record>: Sendable {
    associatedtype Record
    var name: String { get }
    var written: ColumnWriting { get }
    func databaseValue(of record: Record) -> DatabaseValue
}

/// The columns of a table and the statements that come from them.
///
/// Each column is named in one place. A test compares the names with the schema.
struct RowTable<Record>: Sendable {
    let name: String
    let columns: [any WritableColumn<Record>]
    /// Columns that are no part of the record.
    let besides: [String]
    let insertion: RowStatement<Record>

    init(_ name: String, _ columns: [any WritableColumn<Record>], besides: [String] = []) {
        self.name = name
        self.columns = columns
        self.besides = besides
        let written = columns.filter { $0.written != .elsewhere }
        let names = written.map(\.name).joined(separator: ", ")
        let places = Array(repeating: "?", count: written.count).joined(separator: ", ")
        insertion = RowStatement(sql: "INSERT INTO \(name) (\(names)) VALUES (\(places))", columns: written)
    }

    /// The statement that writes the columns that are always written.
    ///
    /// - Parameter condition: the row that it changes; its `?` are the keys of ``RowStatement/arguments(of:at:)``.
    func update(where condition: String) -> RowStatement<Record> {
        update(columns.filter { $0.written == .always }, where: condition)
    }

    /// The statement that inserts a record or, where some keys are taken, writes the columns that are always written.
    func replacement(on keys: String) -> RowStatement<Record> {
        let changes = columns.filter { $0.written == .always }.map { "\($0.name) = excluded.\($0.name)" }
        return RowStatement(
            sql: "\(insertion.sql) ON CONFLICT (\(keys)) DO UPDATE SET \(changes.joined(separator: ", "))",
            columns: insertion.columns
        )
    }

    /// The statement that writes some columns.
    func update(_ columns: [any WritableColumn<Record>], where condition: String) -> RowStatement<Record> {
        let changes = columns.map { "\($0.name) = ?" }.joined(separator: ", ")
        return RowStatement(sql: "UPDATE \(name) SET \(changes) WHERE \(condition)", columns: columns)
    }
}

/// A statement with the columns whose values are its first arguments.
struct RowStatement<Record>: Sendable {
    let sql: String
    let columns: [any WritableColumn<Record>]

    /// - Parameter keys: the values of the condition.
    func arguments(of record: Record, at keys: [(any DatabaseValueConvertible)?] = []) -> StatementArguments {
        StatementArguments(
            columns.map { $0.databaseValue(of: record) } + keys.map { $0?.databaseValue ?? .null }
        )
    }
}

extension SQLiteTransaction {
    /// Inserts a record and returns its sequence.
    func insert<Record>(_ record: Record, into table: RowTable<Record>) throws(LedgerError) -> Int64 {
        try insert(table.insertion.sql, table.insertion.arguments(of: record))
    }

    /// Runs an update that must meet exactly one row.
    @discardableResult
    func change<Record>(
        _ statement: RowStatement<Record>,
        to record: Record,
        at keys: (any DatabaseValueConvertible)?...,
        otherwise reason: String
    ) throws(LedgerError) -> Int64 {
        try change(statement.sql, statement.arguments(of: record, at: keys), otherwise: reason)
    }
}
