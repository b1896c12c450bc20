import GRDB
import Ledger

/// The writing connection of a file while it commits a group.
struct SQLiteWriter: WriterConnection {
    private let database: Database
    /// Nil for a database in memory.
    private let files: DatabaseFiles?
    private let ledger: LedgerTransaction

    private init(_ database: Database, files: DatabaseFiles?, dependencies: LedgerDependencies) {
        self.database = database
        self.files = files
        ledger = LedgerTransaction(in: database, dependencies: dependencies)
    }

    /// The queue of a database's writes; one sync of the disk commits each group.
    ///
    /// - Parameter files: the files that must not be removed; nil for a database in memory.
    static func queue(
        of pool: some DatabaseWriter,
        files: DatabaseFiles?,
        dependencies: LedgerDependencies,
        limits: WriteQueue.Limits
    ) -> WriteQueue {
        WriteQueue(limits: limits) { commit in
            pool.asyncWriteWithoutTransaction { database in
                commit(SQLiteWriter(database, files: files, dependencies: dependencies))
            }
        }
    }

    func transaction(_ mode: ClosureMode, _ body: () throws(LedgerError) -> Void) throws(LedgerError) {
        do {
            try database.inTransaction(.immediate) {
                try body()
                try files?.check()
                return .commit
            }
            // If a file was removed between the first check and the commit, the commit is lost.
            try files?.check()
        } catch {
            // The group may run again, and nothing that it wrote is there.
            ledger.forgetRows()
            throw LedgerError(translating: error)
        }
    }

    /// Nothing: a query of a file costs as much alone as together with others.
    func readAhead(_ rows: [ExpectedRows], _ mode: ClosureMode) throws(LedgerError) {}

    func run(
        _ mode: ClosureMode,
        _ body: (LedgerTransaction) throws(LedgerError) -> Void
    ) throws(LedgerError) -> LedgerError? {
        guard mode == .apart else {
            try body(ledger)
            return nil
        }
        // GRDB's inSavepoint prepares its statements each time, which costs a sixteenth of a stored token.
        let connection = SQLiteConnection(database: database)
        try connection.run("SAVEPOINT closure", [])
        do {
            try body(ledger)
            try connection.run("RELEASE SAVEPOINT closure", [])
            return nil
        } catch {
            // SQLite rolls the whole transaction back if the disk is full or fails.
            guard database.isInsideTransaction else { throw error }
            try connection.run("ROLLBACK TO SAVEPOINT closure", [])
            try connection.run("RELEASE SAVEPOINT closure", [])
            ledger.forgetRows()
            return error
        }
    }
}
