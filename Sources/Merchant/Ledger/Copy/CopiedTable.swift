/// A table of a ledger, as a copy sees it.
package struct CopiedTable: Hashable, Sendable {
    package let name: String
    /// The columns that are stored, without generated ones.
    package let columns: [String]
    /// The columns of the primary key, in its order.
    package let key: [String]
    /// The highest number that a row of the table has had, also a deleted one; nil where numbers are not counted.
    package let lastNumber: Int64?

    package init(name: String, columns: [String], key: [String], lastNumber: Int64?) {
        self.name = name
        self.columns = columns
        self.key = key
        self.lastNumber = lastNumber
    }
}

/// A ledger whose tables can be read as they are stored.
package protocol LedgerCopySource: Sendable {
    /// Runs a closure on one consistent state with a connection and the tables of the ledger.
    func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection, [CopiedTable]) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value
}

/// The number of rows and the digest of a table's content.
package struct TableContent: Hashable, Sendable {
    package let rows: Int
    let digest: [UInt8]
}

extension CopiedTable {
    /// The number of rows that are read at once.
    private static let page = 500

    private var quotedName: String { "\"\(name)\"" }
    private var selection: String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }
    private var order: String { key.map { "\"\($0)\"" }.joined(separator: ", ") }
    private var bound: String { "(\(key.map { _ in "?" }.joined(separator: ", ")))" }

    /// Returns the next rows in the order of the key.
    ///
    /// - Parameters:
    ///   - last: the key of the row before; nil starts with the first row.
    ///   - end: the key of the last row; nil ends after a page.
    private func rows(
        after last: [SQLValue]?,
        through end: [SQLValue]? = nil,
        on connection: any SQLConnection
    ) throws(LedgerError) -> [[SQLValue]] {
        let conditions = [last.map { _ in "(\(order)) > \(bound)" }, end.map { _ in "(\(order)) <= \(bound)" }]
            .compactMap(\.self)
        let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
        let limit = end == nil ? " LIMIT \(Self.page)" : ""
        var rows: [[SQLValue]] = []
        try connection.each(
            "SELECT \(selection) FROM \(quotedName)\(filter) ORDER BY \(order)\(limit)",
            SQLArguments((last ?? []) + (end ?? []))
        ) { row throws(LedgerError) in rows.append(columns.map { row.value(of: $0) }) }
        return rows
    }

    private func key(of row: [SQLValue]) -> [SQLValue] {
        key.map { column in columns.firstIndex(of: column).map { row[$0] } ?? .null }
    }

    /// The number of rows.
    package func count(on connection: any SQLConnection) throws(LedgerError) -> Int {
        var count = 0
        try connection.each("SELECT count(*) FROM \(quotedName)", []) { row throws(LedgerError) in
            count = Int(row.optionalInteger(at: 0) ?? 0)
        }
        return count
    }

    /// Reads the whole table.
    package func content(on connection: any SQLConnection) throws(LedgerError) -> TableContent {
        var (count, digest): (Int, [UInt8]) = (0, [])
        var last: [SQLValue]?
        while true {
            let rows = try rows(after: last, on: connection)
            guard let end = rows.last else { return TableContent(rows: count, digest: digest) }
            var bytes = digest
            for value in rows.joined() { value.append(to: &bytes) }
            digest = bytes.sha256
            count += rows.count
            last = key(of: end)
        }
    }

    /// Makes a table of another ledger equal to this one of a source.
    ///
    /// Reads both tables in the order of their keys and replaces the rows that differ, so that a first copy, one that
    /// was interrupted and one that follows later changes are the same work.
    ///
    /// - Parameters:
    ///   - source: the connection that reads.
    ///   - target: the connection that writes.
    ///   - transaction: runs a closure in a transaction of the target.
    ///   - progress: called with the number of rows that are equal now.
    /// - Returns: the number of rows that were deleted or written.
    package func copy(
        from source: any SQLConnection,
        to target: any SQLConnection,
        transaction: (() throws(LedgerError) -> Void) throws(LedgerError) -> Void,
        progress: (Int) -> Void
    ) throws(LedgerError) -> Int {
        var (changes, done) = (0, 0)
        var last: [SQLValue]?
        while true {
            let wanted = try rows(after: last, on: source)
            let isEnd = wanted.count < Self.page
            let end = wanted.last.map { key(of: $0) }
            let present = try isEnd ? allRows(after: last, on: target) : rows(after: last, through: end, on: target)
            let (isWanted, isPresent) = (Set(wanted), Set(present))
            let gone = present.filter { !isWanted.contains($0) }
            let new = wanted.filter { !isPresent.contains($0) }
            if !gone.isEmpty || !new.isEmpty {
                try transaction { () throws(LedgerError) in
                    try delete(gone, on: target)
                    try insert(new, on: target)
                }
            }
            changes += max(gone.count, new.count)
            done += wanted.count
            progress(done)
            guard !isEnd else { return changes }
            last = end
        }
    }

    /// Returns every row after a key; at the end of a copy these are the rows of its last page and deleted ones.
    private func allRows(after last: [SQLValue]?, on connection: any SQLConnection) throws(LedgerError) -> [[SQLValue]]
    {
        var (all, last): ([[SQLValue]], [SQLValue]?) = ([], last)
        while true {
            let rows = try rows(after: last, on: connection)
            all += rows
            guard rows.count == Self.page, let end = rows.last else { return all }
            last = key(of: end)
        }
    }

    private func delete(_ rows: [[SQLValue]], on target: any SQLConnection) throws(LedgerError) {
        let condition = key.map { "\"\($0)\" = ?" }.joined(separator: " AND ")
        for row in rows {
            try target.run("DELETE FROM \(quotedName) WHERE \(condition)", SQLArguments(key(of: row)))
        }
    }

    /// Inserts rows with their numbers, many in one statement.
    private func insert(_ rows: [[SQLValue]], on target: any SQLConnection) throws(LedgerError) {
        let row = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
        var rest = rows[...]
        while !rest.isEmpty {
            // Two lengths, so that each table has two prepared statements.
            let part = rest.prefix(rest.count >= 100 ? 100 : 1)
            rest = rest.dropFirst(part.count)
            let places = part.map { _ in row }.joined(separator: ", ")
            try target.run(
                "INSERT INTO \(quotedName) (\(selection)) VALUES \(places)",
                SQLArguments(part.flatMap(\.self))
            )
        }
    }

    /// Deletes every row.
    package func clear(on target: any SQLConnection) throws(LedgerError) {
        try target.run("DELETE FROM \(quotedName)", [])
    }
}

extension SQLValue {
    /// Appends a form of the value in which no two sequences of values are equal.
    fileprivate func append(to bytes: inout [UInt8]) {
        func add(_ tag: Character, _ content: some Collection<UInt8>) {
            bytes += Array("\(tag)\(content.count):".utf8)
            bytes += content
        }
        switch self {
        case .null: add("n", [])
        case .integer(let integer): add("i", Array(String(integer).utf8))
        case .text(let text): add("t", Array(text.utf8))
        case .blob(let content): add("b", content)
        }
    }
}
