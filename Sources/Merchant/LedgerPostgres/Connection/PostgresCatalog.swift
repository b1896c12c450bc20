import Ledger

/// The tables of a ledger's schema as the server describes them.
struct PostgresCatalog {
    struct Table {
        /// The place in the order in which the tables were created: a table references earlier ones only.
        let place: Int
        let columns: [Column]
        /// The places of the tables that its rows reference, directly or by others, and its own.
        let references: Set<Int>
        /// Whether a trigger of the ledger runs after an insertion, which may change other rows.
        let actsOnInsertion: Bool
        /// The same after an update.
        let actsOnUpdate: Bool
    }

    struct Column {
        let name: String
        /// The name as SQL writes it.
        let quotedName: String
        /// The type, such as `bigint`.
        let type: String
    }

    private(set) var tables: [String: Table] = [:]
    /// By place.
    private(set) var references: [Set<Int>] = []

    /// The statement whose rows ``init(_:)`` takes: table, column, quoted column, type, whether the table has triggers
    /// that run after an insertion and after an update, and the tables that it references.
    ///
    /// `tgtype` has the bits BEFORE 2, INSERT 4 and UPDATE 16.
    static let query = """
        SELECT c.relname::text, a.attname::text, quote_ident(a.attname), format_type(a.atttypid, NULL),
            EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgtype & 6 = 4),
            EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgtype & 18 = 16),
            (SELECT string_agg(r.relname, ' ') FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
                WHERE k.conrelid = c.oid AND k.contype = 'f')
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0
            AND NOT a.attisdropped
        ORDER BY c.oid, a.attnum
        """

    init(_ rows: [any SQLRow]) {
        var columns: [String: [Column]] = [:]
        var order: [(name: String, actsOnInsertion: Bool, actsOnUpdate: Bool, references: [String])] = []
        for row in rows {
            guard let table = row.optionalText(at: 0), let name = row.optionalText(at: 1),
                let quotedName = row.optionalText(at: 2), let type = row.optionalText(at: 3)
            else { continue }
            if columns[table] == nil {
                let names = (row.optionalText(at: 6) ?? "").split(separator: " ").map(String.init)
                order.append((table, row.optionalInteger(at: 4) != 0, row.optionalInteger(at: 5) != 0, names))
            }
            columns[table, default: []].append(Column(name: name, quotedName: quotedName, type: type))
        }
        for (place, table) in order.enumerated() {
            var reached: Set<Int> = [place]
            for name in table.references { reached.formUnion(tables[name]?.references ?? []) }
            references.append(reached)
            tables[table.name] = Table(
                place: place,
                columns: columns[table.name] ?? [],
                references: reached,
                actsOnInsertion: table.actsOnInsertion,
                actsOnUpdate: table.actsOnUpdate
            )
        }
    }

    /// The columns of each table, as SQL names them.
    var quotedColumns: [String: [String]] { tables.mapValues { $0.columns.map(\.quotedName) } }

    /// The tables whose names a statement has; a name in a text counts too.
    func tables(in sql: String) -> Set<Int> {
        Set(
            sql.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
                .compactMap { tables[String($0)]?.place }
        )
    }
}

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
        return true
    }

    /// Replaces the row with the same first argument.
    ///
    /// - Returns: false if there is none.
    mutating func amend(_ row: SQLArguments) -> Bool {
        guard let place = rows.lastIndex(where: { $0.values.first == row.values.first }) else { return false }
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
