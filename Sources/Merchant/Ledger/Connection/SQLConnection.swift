package import ExternalPurchaseCore

/// A connection of a driver, inside one transaction.
///
/// The statements are written in the dialect of SQLite; a driver of another engine translates each text once. The
/// protocol is used as an existential: statements are constants of types without parameters, and a call costs
/// nanoseconds of the microseconds that a statement takes.
package protocol SQLConnection {
    /// Runs a query and passes each row before the next one is read.
    ///
    /// The row is valid within the closure only. The closure may run other statements, but not the same text.
    func each(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError)

    /// Does the same with a query of any number of rows, until the closure returns false.
    func scan(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Bool
    ) throws(LedgerError)

    /// Runs a query and returns copies of its rows.
    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow]

    /// Runs a query with each of some arguments, which the driver may send together, and passes each row with the place
    /// of its arguments. The closure may run other statements, but not the same text.
    func each(
        _ sql: String,
        withEach arguments: [SQLArguments],
        _ body: (Int, any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError)

    /// Runs several queries, each with each of some arguments, which the driver may send together; returns copies of their
    /// rows.
    func rows(
        ofEach queries: [(sql: String, arguments: [SQLArguments])]
    ) throws(LedgerError) -> [[[any SQLRow]]]

    /// Whether queries that are asked together are answered sooner than one after another.
    var answersTogether: Bool { get }

    /// Runs a statement and returns the number of rows that it changed.
    @discardableResult
    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int

    /// Runs a statement of which nothing but its success is needed with each of some arguments, in their order.
    ///
    /// The driver may insert several rows with one statement, and may send it with the next statement. An error is then
    /// thrown there, or by the commit: the closure's value is acknowledged after both. An insertion that updates a row
    /// with the same keys must not name one row twice.
    func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError)

    /// Replaces a row of an insertion that the driver has not sent yet.
    ///
    /// - Parameter arguments: those of the row; the first one is its key.
    /// - Returns: false if there is no such row; then an update changes it.
    func amend(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Bool

    /// Runs the insertion of one row and returns the number that the database gave it.
    ///
    /// - Parameter column: the column of that number.
    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String) throws(LedgerError) -> Int64

    /// Takes the next numbers of a table's rows, for insertions that name their number.
    ///
    /// - Returns: ascending numbers, above those of all rows; none if an insertion costs no more without them.
    func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64]

    /// Asks for numbers of several tables, which come with the next answers.
    ///
    /// - Parameter keep: called with the place of a table and its numbers.
    func reserveNumbers(
        _ counts: [(count: Int, table: String)],
        _ column: String,
        _ keep: @escaping (Int, [Int64]) -> Void
    ) throws(LedgerError)

    /// The present time of the database server's clock, also within a transaction; nil for a database without a server.
    func serverTime() throws(LedgerError) -> Timestamp?
}

extension SQLConnection {
    /// A database in a file has no clock of its own.
    package func serverTime() throws(LedgerError) -> Timestamp? { nil }
}

extension SQLConnection {
    /// Runs one query after another.
    package func each(
        _ sql: String,
        withEach arguments: [SQLArguments],
        _ body: (Int, any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        for (place, arguments) in arguments.enumerated() {
            try each(sql, arguments) { row throws(LedgerError) in try body(place, row) }
        }
    }

    /// Runs one query after another.
    package func rows(
        ofEach queries: [(sql: String, arguments: [SQLArguments])]
    ) throws(LedgerError) -> [[[any SQLRow]]] {
        var answers: [[[any SQLRow]]] = []
        for query in queries {
            var rows: [[any SQLRow]] = []
            for arguments in query.arguments { rows.append(try self.rows(query.sql, arguments)) }
            answers.append(rows)
        }
        return answers
    }

    /// False: a row is in the file when its insertion returns.
    package func amend(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Bool { false }

    /// False: a query of a file costs as much alone as together with others.
    package var answersTogether: Bool { false }

    /// None: numbers are reserved as rows are inserted.
    package func reserveNumbers(
        _ counts: [(count: Int, table: String)],
        _ column: String,
        _ keep: @escaping (Int, [Int64]) -> Void
    ) throws(LedgerError) {}

    /// None: an insertion returns its number without a round trip.
    package func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64] { [] }

    /// Runs the statement at once.
    package func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) {
        for arguments in arguments { try run(sql, arguments) }
    }
}
