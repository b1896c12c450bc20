import ExternalPurchaseCore

/// A value of a column, or an argument of a statement.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// Compares texts by their scalars, as a column does.
    package static func == (left: SQLValue, right: SQLValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameScalars(as: right)
        case (.blob(let left), .blob(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .text(let text): hasher.combine(scalarsOf: text)
        case .blob(let bytes): hasher.combine(bytes)
        }
    }

    package var isNull: Bool { self == .null }
}

/// A value that can be an argument of a statement.
package protocol SQLValueConvertible {
    var sqlValue: SQLValue { get }
}

extension SQLValue: SQLValueConvertible {
    package var sqlValue: SQLValue { self }
}

extension String: SQLValueConvertible {
    package var sqlValue: SQLValue { .text(self) }
}

extension Int64: SQLValueConvertible {
    package var sqlValue: SQLValue { .integer(self) }
}

extension Int: SQLValueConvertible {
    package var sqlValue: SQLValue { .integer(Int64(self)) }
}

/// Stored as 0 or 1.
extension Bool: SQLValueConvertible {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension [UInt8]: SQLValueConvertible {
    package var sqlValue: SQLValue { .blob(self) }
}

/// The arguments of a statement, in the order of its question marks.
package struct SQLArguments: ExpressibleByArrayLiteral, Sendable {
    package let values: [SQLValue]

    package init(_ values: [SQLValue]) { self.values = values }

    package init(_ values: [(any SQLValueConvertible)?]) { self.init(values.map { $0?.sqlValue ?? .null }) }

    package init(arrayLiteral elements: (any SQLValueConvertible)?...) { self.init(elements) }
}

/// A statement with its arguments.
package struct SQLQuery: Hashable, Sendable {
    package let sql: String
    private let values: [SQLValue]

    package init(_ sql: String, _ arguments: SQLArguments) {
        self.sql = sql
        values = arguments.values
    }

    package var arguments: SQLArguments { SQLArguments(values) }
}
