import Ledger

/// The tables of a ledger's schema as the server describes them.
struct PostgresCatalog {
    struct Table {
        /// The place in the order in which the tables were created: a table references earlier ones only.
        let place: Int
        let columns: [Column]
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
    /// The places of the tables that the rows of a table reference, directly or by others, and its own; by place.
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
            for name in table.references { reached.formUnion(tables[name].map { references[$0.place] } ?? []) }
            references.append(reached)
            tables[table.name] = Table(
                place: place,
                columns: columns[table.name] ?? [],
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
