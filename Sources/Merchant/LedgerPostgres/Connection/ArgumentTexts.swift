import Ledger

/// Arguments as texts that libpq reads while the value is alive.
final class ArgumentTexts {
    private let owned: [UnsafeMutablePointer<CChar>?]

    init(_ values: [SQLValue]) throws(LedgerError) {
        var owned: [UnsafeMutablePointer<CChar>?] = []
        owned.reserveCapacity(values.count)
        for value in values {
            if value.isNull {
                owned.append(nil)
                continue
            }
            var text: [UInt8] = []
            guard Self.append(value, to: &text) else {
                for pointer in owned { pointer?.deallocate() }
                throw Self.zeroByte
            }
            owned.append(Self.copy(text))
        }
        self.owned = owned
    }

    /// An array for each of some columns of rows, in PostgreSQL's text form.
    init(
        of columns: some Collection<Int>,
        in rows: some Collection<SQLArguments>
    ) throws(LedgerError) {
        var owned: [UnsafeMutablePointer<CChar>?] = []
        owned.reserveCapacity(columns.count)
        for column in columns {
            var text = [UInt8(ascii: "{")]
            for (place, row) in rows.enumerated() {
                if place > 0 { text.append(UInt8(ascii: ",")) }
                guard Self.appendElement(row.values[column], to: &text) else {
                    for pointer in owned { pointer?.deallocate() }
                    throw Self.zeroByte
                }
            }
            text.append(UInt8(ascii: "}"))
            owned.append(Self.copy(text))
        }
        self.owned = owned
    }

    private static let zeroByte = LedgerError.failed("PostgreSQL stores no text with a zero byte")

    /// Appends the text of a value that is not null; false if it has a zero byte.
    private static func append(_ value: SQLValue, to text: inout [UInt8]) -> Bool {
        switch value {
        case .null: return true
        case .integer(let integer): text.append(contentsOf: String(integer).utf8)
        case .text(let string):
            let start = text.count
            text.append(contentsOf: string.utf8)
            return !text[start...].contains(0)
        case .blob(let bytes):
            text.append(contentsOf: "\\x".utf8)
            text.reserveCapacity(text.count + 2 * bytes.count)
            for byte in bytes {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
        return true
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Appends an element of an array: texts are quoted, with a backslash before quotes and backslashes.
    private static func appendElement(_ value: SQLValue, to text: inout [UInt8]) -> Bool {
        switch value {
        case .null:
            text.append(contentsOf: "NULL".utf8)
            return true
        case .integer: return append(value, to: &text)
        case .text(let string):
            let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
            var isComplete = true
            text.append(quote)
            for byte in string.utf8 {
                if byte == quote || byte == backslash { text.append(backslash) }
                if byte == 0 { isComplete = false }
                text.append(byte)
            }
            text.append(quote)
            return isComplete
        case .blob:
            text.append(contentsOf: "\"\\".utf8)
            let isComplete = append(value, to: &text)
            text.append(UInt8(ascii: "\""))
            return isComplete
        }
    }

    deinit { for pointer in owned { pointer?.deallocate() } }

    /// Passes the texts, followed by a null pointer, to a closure; they are freed with this object.
    func read<Value>(_ body: ([UnsafePointer<CChar>?]) -> Value) -> Value {
        withExtendedLifetime(self) { body(owned.map { $0.map { UnsafePointer($0) } } + [nil]) }
    }

    private static func copy(_ text: [UInt8]) -> UnsafeMutablePointer<CChar> {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
        text.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: copy, count: text.count).copyMemory(from: bytes)
        }
        copy[text.count] = 0
        return copy
    }
}
