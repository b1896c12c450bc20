/// A column of a table: its name, its value in a record, and its encoding.
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

    func sqlValue(of record: Record) -> SQLValue { type.encode(value(record)) }

    /// Reads the column of a row.
    func read(from row: any SQLRow) throws(LedgerError) -> Value { try type.decode(row, name) }

    /// Reads the column of a row in which it can be null.
    func readIfPresent(from row: any SQLRow) throws(LedgerError) -> Value? {
        try ColumnType<Value?>.optional(type).decode(row, name)
    }

    /// Returns the column for a record that contains this column's record.
    func of<Whole>(_ part: @escaping @Sendable (Whole) -> Record) -> RowColumn<Whole, Value> {
        RowColumn<Whole, Value>(name, type, written: written) { [value] in value(part($0)) }
    }

    /// Returns the column for a record that may contain this column's record.
    ///
    /// - Parameter written: the statements of that record's table that write the column.
    func ofOptional<Whole>(
        written: ColumnWriting,
        _ part: @escaping @Sendable (Whole) -> Record?
    ) -> RowColumn<Whole, Value?> {
        RowColumn<Whole, Value?>(name, .optional(type), written: written) { [value] in part($0).map(value) }
    }
}

/// The statements of a ``RowTable`` that write a column.
enum ColumnWriting: Sendable {
    /// Written by the insertion.
    case once
    /// Written by the insertion and by updates.
    case always
    /// Written by the database, a trigger or another statement.
    case elsewhere
}

/// A column that can be written, independent of its value type.
protocol WritableColumn<Record>: Sendable {
    associatedtype Record
    var name: String { get }
    var written: ColumnWriting { get }
    func sqlValue(of record: Record) -> SQLValue
}

/// The columns of a table and the statements derived from them.
///
/// Each column name is defined once; a test compares the names with the schema.
struct RowTable<Record>: Sendable {
    let name: String
    let columns: [any WritableColumn<Record>]
    /// Columns that are not part of the record.
    let besides: [String]
    let insertion: RowStatement<Record>
    /// The insertion of a row whose number was reserved, which is the first argument.
    let numberedInsertion: String

    init(_ name: String, _ columns: [any WritableColumn<Record>], besides: [String] = []) {
        self.name = name
        self.columns = columns
        self.besides = besides
        let written = columns.filter { $0.written != .elsewhere }
        insertion = RowStatement(sql: Self.insertion(into: name, written.map(\.name)), columns: written)
        numberedInsertion = Self.insertion(into: name, ["sequence"] + written.map(\.name))
    }

    private static func insertion(into name: String, _ columns: [String]) -> String {
        let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        return "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places))"
    }

    /// Returns the statement that writes all columns marked ``ColumnWriting/always``.
    ///
    /// - Parameter condition: the condition of the row; its `?` are the keys of ``RowStatement/arguments(of:at:)``.
    func update(where condition: String) -> RowStatement<Record> {
        update(columns.filter { $0.written == .always }, where: condition)
    }

    /// Returns the statement that inserts a record, or updates the columns marked `always` if its keys exist.
    func replacement(on keys: String) -> RowStatement<Record> {
        let changes = columns.filter { $0.written == .always }.map { "\($0.name) = excluded.\($0.name)" }
        return RowStatement(
            sql: "\(insertion.sql) ON CONFLICT (\(keys)) DO UPDATE SET \(changes.joined(separator: ", "))",
            columns: insertion.columns
        )
    }

    /// Returns the statement that writes the given columns.
    func update(_ columns: [any WritableColumn<Record>], where condition: String) -> RowStatement<Record> {
        let changes = columns.map { "\($0.name) = ?" }.joined(separator: ", ")
        return RowStatement(sql: "UPDATE \(name) SET \(changes) WHERE \(condition)", columns: columns)
    }
}

/// A statement whose first arguments are the values of columns.
struct RowStatement<Record>: Sendable {
    let sql: String
    let columns: [any WritableColumn<Record>]

    /// - Parameter keys: the arguments of the condition.
    func arguments(of record: Record, at keys: [(any SQLValueConvertible)?] = []) -> SQLArguments {
        SQLArguments(
            columns.map { $0.sqlValue(of: record) } + keys.map { $0?.sqlValue ?? .null }
        )
    }
}

extension LedgerQueries {
    /// Reserves numbers for the next rows of a table, where an insertion would wait for its number.
    func reserveNumbers(_ count: Int, of table: String) throws(LedgerError) {
        cache.keep(try connection.reserveNumbers(count, of: table, "sequence"), of: table)
    }

    /// Asks for numbers of several tables, as many as there are no reserved ones of; they come with the next answers.
    func askNumbers(_ counts: [(count: Int, table: String)]) throws(LedgerError) {
        let wanted = counts.map { ($0.count - (cache.numbers[$0.table]?.count ?? 0), $0.table) }.filter { $0.0 > 0 }
        try connection.reserveNumbers(wanted, "sequence") { [cache] place, numbers in
            cache.keep(numbers, of: wanted[place].1)
        }
    }
}

extension LedgerTransaction {
    /// Inserts a record and returns its sequence number.
    func insert<Record>(_ record: Record, into table: RowTable<Record>) throws(LedgerError) -> Int64 {
        guard let number = try reservedNumber(of: table.name) else {
            return try insert(table.insertion.sql, table.insertion.arguments(of: record))
        }
        let values = table.insertion.arguments(of: record).values
        try perform(table.numberedInsertion, SQLArguments([number.sqlValue] + values))
        return number
    }

    /// Inserts a record whose sequence number nobody needs before it is read.
    func add<Record>(_ record: Record, into table: RowTable<Record>) throws(LedgerError) {
        try perform(table.insertion.sql, table.insertion.arguments(of: record))
    }

    /// A reserved number for the next row of a table; nil for the first row of a transaction, whose insertion returns it.
    private func reservedNumber(of table: String) throws(LedgerError) -> Int64? {
        if let number = cache.numbers[table]?.popLast() { return number }
        let count = cache.insertions[table, default: 0]
        cache.insertions[table] = count + 1
        if cache.isEveryNumberReserved {
            try reserveNumbers(1, of: table)
            return cache.numbers[table]?.popLast()
        }
        guard count > 0 else { return nil }
        // As many as there were, so that a large group reserves a few times and a small one wastes few.
        try reserveNumbers(min(max(count, 8), 256), of: table)
        let number = cache.numbers[table]?.popLast()
        if number != nil { cache.insertions[table] = 2 * count + 8 }
        return number
    }

    /// Runs an update that must change exactly one row.
    @discardableResult
    func change<Record>(
        _ statement: RowStatement<Record>,
        to record: Record,
        at keys: (any SQLValueConvertible)?...,
        otherwise reason: String
    ) throws(LedgerError) -> Int64 {
        try change(statement.sql, statement.arguments(of: record, at: keys), otherwise: reason)
    }
}
