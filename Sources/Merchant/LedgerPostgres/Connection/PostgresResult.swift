import Ledger

/// A result of libpq, freed with its last row.
final class PostgresResult {
    let pq: LibPQ
    let pointer: OpaquePointer
    /// The positions of the columns by name; of two columns with one name the first.
    private(set) lazy var columns: [String: Int32] = {
        var columns: [String: Int32] = [:]
        for column in 0..<pq.nfields(pointer) {
            guard let name = pq.fname(pointer, column) else { continue }
            columns[String(cString: name), default: column] = columns[String(cString: name)] ?? column
        }
        return columns
    }()

    init(_ pointer: OpaquePointer, of pq: LibPQ) {
        self.pointer = pointer
        self.pq = pq
    }

    deinit { pq.clear(pointer) }

    var count: Int32 { pq.ntuples(pointer) }

    /// The number of rows that the statement changed.
    var changes: Int { pq.cmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The name of the command that ran, such as `COMMIT`.
    var command: String { pq.cmdStatus(pointer).map { String(cString: $0) } ?? "" }

    var rows: [PostgresRow] { (0..<count).map { PostgresRow(self, $0) } }

    /// Whether another result of the same statement has the same rows, byte for byte.
    func hasRows(of other: PostgresResult) -> Bool {
        let fields = pq.nfields(pointer)
        guard count == other.count, fields == pq.nfields(other.pointer) else { return false }
        for row in 0..<count {
            for field in 0..<fields {
                let length = pq.getlength(pointer, row, field)
                guard pq.getisnull(pointer, row, field) == pq.getisnull(other.pointer, row, field),
                    length == pq.getlength(other.pointer, row, field)
                else { return false }
                guard length > 0, let own = pq.getvalue(pointer, row, field),
                    let its = pq.getvalue(other.pointer, row, field)
                else { continue }
                let (ownBytes, itsBytes) = (
                    UnsafeRawBufferPointer(start: own, count: Int(length)),
                    UnsafeRawBufferPointer(start: its, count: Int(length))
                )
                guard ownBytes.elementsEqual(itsBytes) else { return false }
            }
        }
        return true
    }
}

/// A row of a result.
final class PostgresRow: SQLRow {
    private let result: PostgresResult
    private let row: Int32

    init(_ result: PostgresResult, _ row: Int32) {
        self.result = result
        self.row = row
    }

    /// The number of columns.
    var count: Int { Int(result.pq.nfields(result.pointer)) }

    func value(of column: String) -> SQLValue {
        guard let position = result.columns[column] else { return .null }
        return value(at: position)
    }

    func optionalText(at column: Int) -> String? {
        let column = Int32(column)
        return result.pq.getisnull(result.pointer, row, column) == 1 ? nil : text(at: column)
    }

    func optionalInteger(at column: Int) -> Int64? {
        if case .integer(let integer) = value(at: Int32(column)) { integer } else { nil }
    }

    private func value(at column: Int32) -> SQLValue {
        if result.pq.getisnull(result.pointer, row, column) == 1 { return .null }
        switch ServerType(rawValue: result.pq.ftype(result.pointer, column)) {
        case .truth: return .integer(text(at: column) == "t" ? 1 : 0)
        case .int8, .int2, .int4, .numeric:
            return Int64(text(at: column)).map(SQLValue.integer) ?? .text(text(at: column))
        case .bytes: return .blob(bytes(at: column))
        case nil: return .text(text(at: column))
        }
    }

    private func text(at column: Int32) -> String {
        String(decoding: characters(at: column), as: UTF8.self)
    }

    private func characters(at column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: result.pq.getvalue(result.pointer, row, column),
            count: Int(result.pq.getlength(result.pointer, row, column))
        )
    }

    /// Decodes the form `\x0aff`.
    private func bytes(at column: Int32) -> [UInt8] {
        let digits = characters(at: column).dropFirst(2)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var index = digits.startIndex
        while index + 1 < digits.endIndex {
            bytes.append(Self.digit(digits[index]) << 4 | Self.digit(digits[index + 1]))
            index += 2
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8 {
        character <= UInt8(ascii: "9")
            ? character &- UInt8(ascii: "0") : (character | 0x20) &- UInt8(ascii: "a") &+ 10
    }
}

/// The types of PostgreSQL that are no text, by their object ids.
private enum ServerType: UInt32 {
    case truth = 16
    case bytes = 17
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case numeric = 1700
}
