import ExternalPurchaseCore

/// Encodes and decodes the values of a column.
struct ColumnType<Value>: Sendable {
    let encode: @Sendable (Value) -> SQLValue
    let decode: @Sendable (any SQLRow, String) throws(LedgerError) -> Value

    /// A column that can be null.
    static func optional<Wrapped>(_ type: ColumnType<Wrapped>) -> ColumnType<Wrapped?> where Value == Wrapped? {
        ColumnType<Wrapped?>(
            encode: { $0.map(type.encode) ?? .null },
            decode: { row, column throws(LedgerError) in
                row.isNull(column) ? nil : try type.decode(row, column)
            }
        )
    }
}

extension ColumnType where Value == Int64 {
    static var integer: Self {
        Self(
            encode: { $0.sqlValue },
            decode: { row, column throws(LedgerError) in try row.integer(column) }
        )
    }
}

extension ColumnType where Value == Int {
    static var count: Self {
        Self(
            encode: { $0.sqlValue },
            decode: { row, column throws(LedgerError) in Int(clamping: try row.integer(column)) }
        )
    }
}

extension ColumnType where Value == Bool {
    static var flag: Self {
        Self(
            encode: { $0.sqlValue },
            decode: { row, column throws(LedgerError) in try row.integer(column) == 1 }
        )
    }
}

extension ColumnType where Value == String {
    static var text: Self {
        Self(encode: { $0.sqlValue }, decode: { row, column throws(LedgerError) in try row.text(column) })
    }
}

extension ColumnType where Value == Timestamp {
    /// Stored as milliseconds since 1970.
    static var time: Self {
        Self(
            encode: { $0.milliseconds.sqlValue },
            decode: { row, column throws(LedgerError) in try row.time(column) }
        )
    }
}

extension ColumnType where Value == [UInt8] {
    static var bytes: Self {
        Self(
            encode: { $0.sqlValue },
            decode: { row, column throws(LedgerError) in try row.bytes(column) ?? [] }
        )
    }
}

extension ColumnType where Value == JSONValue {
    static var json: Self {
        Self(
            encode: { $0.text.sqlValue },
            decode: { row, column throws(LedgerError) in try row.json(column) }
        )
    }
}

extension ColumnType where Value: RawRepresentable & Sendable, Value.RawValue == String {
    /// An id or a value of a closed set; any other text is an error of the row.
    static var rawValue: Self {
        Self(
            encode: { $0.rawValue.sqlValue },
            decode: { row, column throws(LedgerError) in try row.known(column) }
        )
    }
}

extension ColumnType {
    /// Values of an open set, as a JSON array.
    static func set<Element>() -> Self
    where Value == Set<Element>, Element: RawRepresentable & Hashable & Sendable, Element.RawValue == String {
        Self(
            encode: { $0.column.sqlValue },
            decode: { row, column throws(LedgerError) in try row.set(column) }
        )
    }
}

extension ColumnType {
    /// Values of a closed set, as a JSON array; any other text is an error of the row.
    static func closedSet<Element>() -> Self
    where Value == Set<Element>, Element: RawRepresentable & Hashable & Sendable, Element.RawValue == String {
        Self(
            encode: { $0.column.sqlValue },
            decode: { row, column throws(LedgerError) in
                var values: Set<Element> = []
                for text in (try row.json(column).arrayValue ?? []).compactMap(\.stringValue) {
                    guard let value = Element(rawValue: text) else {
                        throw .corrupt("\(column) has the unknown value \(text)")
                    }
                    values.insert(value)
                }
                return values
            }
        )
    }
}

extension ColumnType where Value == StorefrontCode? {
    /// An unknown storefront code is read as null.
    static var storefront: Self {
        Self(
            encode: { $0?.alpha3.sqlValue ?? .null },
            decode: { row, column throws(LedgerError) in
                try row.optionalText(column).flatMap { StorefrontCode($0) }
            }
        )
    }
}

extension ColumnType where Value == RequestIdentifier {
    static var requestIdentifier: Self {
        Self(
            encode: { $0.text.sqlValue },
            decode: { row, column throws(LedgerError) in
                guard let identifier = RequestIdentifier(try row.text(column)) else {
                    throw .corrupt("\(column) is not a UUID")
                }
                return identifier
            }
        )
    }
}

extension ColumnType where Value == [AttributedReportError] {
    static var reportErrors: Self {
        Self(
            encode: { JSONValue.array($0.map(\.json)).text.sqlValue },
            decode: { row, column throws(LedgerError) in
                try (row.json(column).arrayValue ?? []).decoded { json throws(LedgerError) in
                    guard let error = AttributedReportError(stored: json) else {
                        throw .corrupt("\(column) cannot be read")
                    }
                    return error
                }
            }
        )
    }
}

extension ColumnType where Value == Decimal {
    /// Stored as decimal text, which is exact.
    static var decimal: Self {
        Self(
            encode: { $0.description.sqlValue },
            decode: { row, column throws(LedgerError) in
                guard let decimal = DecimalText.decimal(try row.text(column)) else {
                    throw .corrupt("\(column) is no decimal")
                }
                return decimal
            }
        )
    }
}
