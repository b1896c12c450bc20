/// The encoding of a file of sales, whose bytes ``Transcoder`` turns into UTF-8.
enum FileEncoding: String, CaseIterable, Sendable {
    case utf8 = "utf-8"
    case utf16 = "utf-16"
    case windows1252 = "windows-1252"
    case latin1 = "iso-8859-1"
}

/// Turns the bytes of a file into UTF-8, chunk by chunk.
struct Transcoder: Sendable {
    private enum Form: Sendable { case utf8, single(isWindows: Bool), wide(isBigEndian: Bool) }

    private let form: Form
    /// The bytes of a character that the last chunk did not end.
    private var rest: [UInt8] = []

    /// True where the bytes are read as they are.
    var isPlain: Bool { if case .utf8 = form { true } else { false } }

    /// Creates a transcoder.
    ///
    /// - Parameters:
    ///   - encoding: the encoding of the file.
    ///   - isBigEndian: the order of the bytes in UTF-16.
    init(_ encoding: FileEncoding, isBigEndian: Bool = false) {
        switch encoding {
        case .utf8: form = .utf8
        case .utf16: form = .wide(isBigEndian: isBigEndian)
        case .windows1252: form = .single(isWindows: true)
        case .latin1: form = .single(isWindows: false)
        }
    }

    /// Returns the UTF-8 of the next chunk; what is no text in the encoding becomes bytes that are no UTF-8.
    ///
    /// - Parameter isLast: true for the end of the file.
    mutating func read(_ chunk: [UInt8], isLast: Bool) -> [UInt8] {
        switch form {
        case .utf8: return chunk
        case .single(let isWindows):
            var text: [UInt8] = []
            text.reserveCapacity(chunk.count + chunk.count / 8)
            for byte in chunk {
                let value = isWindows && (0x80...0x9F).contains(byte) ? Self.windows[Int(byte) - 0x80] : UInt32(byte)
                Self.append(value, to: &text)
            }
            return text
        case .wide(let isBigEndian):
            let bytes = rest + chunk
            rest = []
            var (text, index): ([UInt8], Int) = ([], 0)
            func unit(_ index: Int) -> UInt32 {
                let (first, second) = (UInt32(bytes[index]), UInt32(bytes[index + 1]))
                return isBigEndian ? first << 8 | second : second << 8 | first
            }
            while index + 1 < bytes.count {
                let first = unit(index)
                if (0xD800..<0xDC00).contains(first) {
                    guard index + 3 < bytes.count else { break }
                    let second = unit(index + 2)
                    if (0xDC00..<0xE000).contains(second) {
                        Self.append(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00), to: &text)
                        index += 4
                        continue
                    }
                }
                Self.append(first, to: &text)
                index += 2
            }
            if isLast, index < bytes.count { text.append(Self.invalid) } else { rest = Array(bytes[index...]) }
            return text
        }
    }

    /// A byte that UTF-8 never has.
    private static let invalid: UInt8 = 0xFF

    private static func append(_ value: UInt32, to text: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(value) else { return text.append(invalid) }
        text.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [invalid])
    }

    /// The characters of windows-1252 from 0x80; 0xD800 stands for a byte without one.
    private static let windows: [UInt32] = [
        0x20AC, 0xD800, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xD800,
        0x017D, 0xD800, 0xD800, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0xD800, 0x017E, 0x0178,
    ]
}
