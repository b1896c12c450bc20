import ExternalPurchaseCore

/// A row of a query.
package protocol SQLRow: AnyObject {
    /// The value of the column with a name that the query has.
    func value(of column: String) -> SQLValue
    /// Whether the value of a column is null.
    func isNull(_ column: String) -> Bool
    /// The text of a column of texts; nil for null.
    func optionalText(at column: Int) -> String?
    /// The integer of a column of integers; nil for null. A truth value is 0 or 1.
    func optionalInteger(at column: Int) -> Int64?
}

// Access by name.
extension SQLRow {
    package func isNull(_ column: String) -> Bool { value(of: column).isNull }

    func text(_ column: String) throws(LedgerError) -> String {
        guard let text = try optionalText(column) else { throw .corrupt("\(column) is missing") }
        return text
    }

    func optionalText(_ column: String) throws(LedgerError) -> String? {
        switch value(of: column) {
        case .null: return nil
        case .text(let text): return text
        case .integer, .blob: throw .corrupt("\(column) is not a text")
        }
    }

    func integer(_ column: String) throws(LedgerError) -> Int64 {
        guard let value = try optionalInteger(column) else { throw .corrupt("\(column) is missing") }
        return value
    }

    func optionalInteger(_ column: String) throws(LedgerError) -> Int64? {
        switch value(of: column) {
        case .null: return nil
        case .integer(let integer): return integer
        case .text, .blob: throw .corrupt("\(column) is not an integer")
        }
    }

    func time(_ column: String) throws(LedgerError) -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }

    func optionalTime(_ column: String) throws(LedgerError) -> Timestamp? {
        try optionalInteger(column).map(Timestamp.init(milliseconds:))
    }

    func bytes(_ column: String) throws(LedgerError) -> [UInt8]? {
        switch value(of: column) {
        case .null: return nil
        case .blob(let bytes): return bytes
        case .integer, .text: throw .corrupt("\(column) is not a blob")
        }
    }

    /// Decodes a value of a closed set.
    func known<Value: RawRepresentable>(
        _ column: String,
        _ type: Value.Type = Value.self
    ) throws(LedgerError) -> Value where Value.RawValue == String {
        let text = try text(column)
        guard let value = Value(rawValue: text) else { throw .corrupt("\(column) has the unknown value \(text)") }
        return value
    }

    func json(_ column: String) throws(LedgerError) -> JSONValue {
        try read(text(column), column)
    }

    func optionalJSON(_ column: String) throws(LedgerError) -> JSONValue? {
        guard let text = try optionalText(column) else { return nil }
        return try read(text, column)
    }

    private func read(_ text: String, _ column: String) throws(LedgerError) -> JSONValue {
        do {
            return try JSONReader().read(text)
        } catch {
            throw .corrupt("\(column) is not JSON")
        }
    }

    /// Decodes a set of open values from a JSON array.
    func set<Value: RawRepresentable & Hashable>(_ column: String) throws(LedgerError) -> Set<Value>
    where Value.RawValue == String {
        let text = try text(column)
        // Most sets are empty.
        guard text != "[]" else { return [] }
        let elements = try read(text, column).arrayValue ?? []
        return Set(elements.compactMap(\.stringValue).compactMap(Value.init(rawValue:)))
    }
}

// Access by position, without conversion; the tables are strict about types.
extension SQLRow {
    func text(at column: Int) throws(LedgerError) -> String {
        guard let text = optionalText(at: column) else { throw .corrupt("column \(column) of a row is missing") }
        return text
    }

    func integer(at column: Int) throws(LedgerError) -> Int64 {
        guard let integer = optionalInteger(at: column) else {
            throw .corrupt("column \(column) of a row is missing")
        }
        return integer
    }

    func flag(at column: Int) throws(LedgerError) -> Bool { try integer(at: column) != 0 }

    func known<Value: RawRepresentable>(at column: Int) throws(LedgerError) -> Value
    where Value.RawValue == String {
        let text = try text(at: column)
        guard let value = Value(rawValue: text) else {
            throw .corrupt("column \(column) of a row has the unknown value \(text)")
        }
        return value
    }

    func causes(at column: Int) throws(LedgerError) -> Set<HoldCause> {
        var causes: Set<HoldCause> = []
        for text in try texts(at: column) {
            guard let cause = HoldCause(rawValue: text) else {
                throw .corrupt("column \(column) of a row has the unknown value \(text)")
            }
            causes.insert(cause)
        }
        return causes
    }

    /// The texts of a JSON array; most arrays are empty.
    func texts(at column: Int) throws(LedgerError) -> [String] {
        guard let text = optionalText(at: column), text != "[]" else { return [] }
        guard let array = (try? JSONReader().read(text))?.arrayValue else {
            throw .corrupt("column \(column) of a row is not JSON")
        }
        return array.compactMap(\.stringValue)
    }
}
