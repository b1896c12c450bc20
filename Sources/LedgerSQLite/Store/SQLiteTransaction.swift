import ExternalPurchaseCore
import GRDB
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One transaction; every statement is prepared once per connection and kept.
struct SQLiteTransaction: LedgerTransaction {
    let database: Database

    func rows(_ sql: String, _ arguments: StatementArguments) throws(LedgerError) -> [Row] {
        do {
            return try Row.fetchAll(try database.cachedStatement(sql: sql), arguments: arguments)
        } catch {
            throw LedgerError(translating: error)
        }
    }

    func run(_ sql: String, _ arguments: StatementArguments) throws(LedgerError) {
        do {
            try database.cachedStatement(sql: sql).execute(arguments: arguments)
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Runs a change that must meet exactly one row.
    func change(_ sql: String, _ arguments: StatementArguments, otherwise reason: String) throws(LedgerError) {
        try run(sql, arguments)
        if database.changesCount != 1 { throw .conflict(reason) }
    }
}

extension Array {
    /// Maps with an error of the ledger.
    func decoded<Value>(_ decode: (Element) throws(LedgerError) -> Value) throws(LedgerError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for element in self { values.append(try decode(element)) }
        return values
    }
}

extension Row {
    func text(_ column: String) throws(LedgerError) -> String {
        guard let text = try optionalText(column) else { throw .corrupt("\(column) is missing") }
        return text
    }

    func optionalText(_ column: String) throws(LedgerError) -> String? {
        let value: DatabaseValue = self[column]
        if value.isNull { return nil }
        guard let text = String.fromDatabaseValue(value) else { throw .corrupt("\(column) is not a text") }
        return text
    }

    func integer(_ column: String) throws(LedgerError) -> Int64 {
        guard let value = try optionalInteger(column) else { throw .corrupt("\(column) is missing") }
        return value
    }

    func optionalInteger(_ column: String) throws(LedgerError) -> Int64? {
        let value: DatabaseValue = self[column]
        if value.isNull { return nil }
        guard let integer = Int64.fromDatabaseValue(value) else { throw .corrupt("\(column) is not an integer") }
        return integer
    }

    func time(_ column: String) throws(LedgerError) -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }

    func bytes(_ column: String) throws(LedgerError) -> [UInt8]? {
        let value: DatabaseValue = self[column]
        return value.isNull ? nil : Data.fromDatabaseValue(value).map { Array($0) }
    }

    /// A value of a closed set.
    func known<Value: RawRepresentable>(
        _ column: String,
        _ type: Value.Type = Value.self
    ) throws(LedgerError) -> Value where Value.RawValue == String {
        let text = try text(column)
        guard let value = Value(rawValue: text) else { throw .corrupt("\(column) has the unknown value \(text)") }
        return value
    }

    func json(_ column: String) throws(LedgerError) -> JSONValue {
        let text = try text(column)
        do {
            return try JSONReader().read(text)
        } catch {
            throw .corrupt("\(column) is not JSON")
        }
    }

    /// A set of open values, kept as a JSON array.
    func set<Value: RawRepresentable & Hashable>(_ column: String) throws(LedgerError) -> Set<Value>
    where Value.RawValue == String {
        let elements = try json(column).arrayValue ?? []
        return Set(elements.compactMap(\.stringValue).compactMap(Value.init(rawValue:)))
    }
}

extension Set where Element: RawRepresentable, Element.RawValue == String {
    /// The JSON array that `Row.set` reads, in a stable order.
    var column: String {
        JSONValue.array(map(\.rawValue).sorted().map(JSONValue.string)).text
    }
}

extension JSONValue {
    var text: String { String(decoding: encoded(), as: UTF8.self) }
}
