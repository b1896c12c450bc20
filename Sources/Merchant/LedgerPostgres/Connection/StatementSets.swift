import Ledger

/// An insertion of one row that is sent for several rows as one statement, whose arguments are an array for each column.
///
/// The server parses, plans and prepares it once, with the checks, generated columns and conditions of triggers of its table,
/// which it does for each statement and not for each row.
struct SetInsertion {
    /// The place of the table in the catalog.
    let table: Int
    /// The statement, in PostgreSQL's dialect.
    let text: String
    /// The number of arguments of a row.
    let count: Int
    /// The places of the keys by which it updates a known row; nil if it updates none.
    let keys: [Int]?

    /// Returns nil unless the statement inserts a row of arguments into a table that the catalog has, without further
    /// arguments, and no trigger acts on other rows then.
    init?(_ sql: String, _ catalog: PostgresCatalog) {
        let form = #/(INSERT OR IGNORE|INSERT) INTO (\w+) \(([^()]+)\)\s+VALUES \(([?, ]+)\)([^?]*)/#
        guard let match = sql.wholeMatch(of: form)?.output, let table = catalog.tables[String(match.2)],
            !table.actsOnInsertion
        else { return nil }
        let names = match.3.split { $0 == "," || $0.isWhitespace }.map(String.init)
        let types = names.compactMap { name in table.columns.first { $0.name == name }?.type }
        guard types.count == names.count, match.4.split(separator: ",").count == names.count else { return nil }
        self.table = table.place
        count = names.count
        let arrays = types.enumerated().map { "$\($0.offset + 1)::\($0.element)[]" }
        let end = match.1 == "INSERT" ? PostgresDialect.statement(String(match.5)) : " ON CONFLICT DO NOTHING"
        text = "INSERT INTO \(match.2) (\(match.3)) SELECT * FROM unnest(\(arrays.joined(separator: ", ")))\(end)"
        if let conflict = match.5.firstMatch(of: #/ON CONFLICT \(([^)]+)\) DO UPDATE/#)?.output.1 {
            let keys = conflict.split { $0 == "," || $0.isWhitespace }.map(String.init)
            self.keys = keys.compactMap(names.firstIndex(of:))
            guard self.keys?.count == keys.count, !table.actsOnUpdate else { return nil }
        } else {
            keys = nil
        }
    }
}

/// Rows of one insertion that were not sent yet.
struct UnsentRows {
    let sql: String
    let insertion: SetInsertion
    private(set) var rows: [SQLArguments] = []
    /// About the size of the rows.
    private(set) var bytes = 0
    private var keys: Set<[SQLValue]> = []

    init(_ sql: String, _ insertion: SetInsertion) {
        self.sql = sql
        self.insertion = insertion
    }

    /// Adds a row.
    ///
    /// - Returns: false, without adding it, if it would update one of the rows: a statement updates no row twice.
    mutating func add(_ row: SQLArguments) -> Bool {
        if let places = insertion.keys {
            guard keys.insert(places.map { row.values[$0] }).inserted else { return false }
        }
        rows.append(row)
        bytes += row.size
        return true
    }

    /// Replaces the row with the same first argument.
    ///
    /// - Returns: false if there is none.
    mutating func amend(_ row: SQLArguments) -> Bool {
        guard let place = rows.lastIndex(where: { $0.values.first == row.values.first }) else { return false }
        bytes += row.size - rows[place].size
        rows[place] = row
        return true
    }
}

/// A query with the arguments of which one statement takes all, if it can.
struct SetQuery {
    /// The place of the query among those that are asked together.
    let query: Int
    let sql: String
    let arguments: ArraySlice<SQLArguments>
    /// The types of its arguments, nil for one that is always null.
    let types: [String?]
    /// Whether one statement takes all arguments.
    let isSet: Bool

    init(_ query: Int, _ sql: String, _ arguments: ArraySlice<SQLArguments>) {
        self.query = query
        self.sql = sql
        self.arguments = arguments
        let types = arguments.count > 1 && sql.hasPrefix("SELECT") ? Self.types(of: arguments) : nil
        self.types = types ?? []
        isSet = types != nil
    }

    /// The places of the arguments that the statement takes.
    var columns: [Int] { types.indices.filter { types[$0] != nil } }

    /// The types of the arguments of a query, nil for one that is always null; nil if one has several, or all are null.
    private static func types(of arguments: ArraySlice<SQLArguments>) -> [String?]? {
        var types: [String?] = Array(repeating: nil, count: arguments.first?.values.count ?? 0)
        for arguments in arguments {
            guard arguments.values.count == types.count else { return nil }
            for (place, value) in arguments.values.enumerated() {
                let type: String
                switch value {
                case .null: continue
                case .integer: type = "bigint"
                case .text: type = "text"
                case .blob: type = "bytea"
                }
                if types[place] == nil { types[place] = type }
                if types[place] != type { return nil }
            }
        }
        return types.contains { $0 != nil } ? types : nil
    }
}

/// The rows of several queries, by query and place of the arguments.
final class SetAnswers {
    var rows: [[[any SQLRow]]]

    init(_ counts: [Int]) {
        rows = counts.map { Array(repeating: [], count: $0) }
    }

    /// Adds the rows of a statement for many arguments, whose last column has the place of the argument, from 1.
    func add(_ result: PostgresResult, _ query: Int, from start: Int) {
        for row in result.rows {
            guard let place = row.optionalInteger(at: row.count - 1) else { continue }
            rows[query][start + Int(place) - 1].append(row)
        }
    }
}

extension SQLArguments {
    /// About the number of bytes.
    fileprivate var size: Int { values.reduce(0) { $0 + $1.size } }
}

extension SQLValue {
    fileprivate var size: Int {
        switch self {
        case .null, .integer: 8
        case .text(let text): text.utf8.count
        case .blob(let bytes): 2 * bytes.count
        }
    }
}
