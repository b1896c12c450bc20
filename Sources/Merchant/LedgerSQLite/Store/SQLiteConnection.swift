import GRDB
import Ledger
import LedgerSQL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A connection of GRDB; every statement is prepared once per connection and cached.
struct SQLiteConnection: SQLConnection {
    let database: Database

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
        do {
            let statement = try database.cachedStatement(sql: sql)
            let rows = try Row.fetchCursor(statement, arguments: StatementArguments(arguments))
            while let row = try rows.next() {
                guard try body(row) else { return }
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow] {
        do {
            return try Row.fetchAll(
                try database.cachedStatement(sql: sql),
                arguments: StatementArguments(arguments)
            )
        } catch {
            throw LedgerError(translating: error)
        }
    }

    @discardableResult
    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        do {
            try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
            return database.changesCount
        } catch {
            throw LedgerError(translating: error)
        }
    }

    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String) throws(LedgerError) -> Int64 {
        try run(sql, arguments)
        // The tables' sequence numbers are their row ids.
        return database.lastInsertedRowID
    }
}

/// Returns the ledger's operations within a transaction of GRDB.
func ledgerTransaction(in database: Database, dependencies: LedgerDependencies) -> some SQLLedgerTransaction {
    ledgerTransaction(on: SQLiteConnection(database: database), dependencies: dependencies)
}

extension StatementArguments {
    fileprivate init(_ arguments: SQLArguments) { self.init(arguments.values.map(\.databaseValue)) }
}

extension SQLValue {
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let integer): integer.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }
}

extension Row: SQLRow {
    func value(of column: String) -> SQLValue {
        let value: DatabaseValue = self[column]
        return switch value.storage {
        case .null: .null
        case .int64(let integer): .integer(integer)
        case .string(let text): .text(text)
        case .blob(let bytes): .blob([UInt8](bytes))
        // The tables are strict and have no column of this type.
        case .double(let number): .text(String(number))
        }
    }

    func optionalText(at column: Int) -> String? { self[column] }

    func optionalInteger(at column: Int) -> Int64? { self[column] }
}
