import CommandSupport
import ExternalPurchaseCore
import Foundation

/// Reads the records of a file of comma-separated values (RFC 4180), one after the other, in bounded memory.
///
/// Unless it is stated, the separator is a comma, a semicolon, a tab or a pipe, whichever the first line has most often outside
/// quotes. Lines end with LF, CRLF or CR. A byte order mark is skipped.
struct CSVReader {
    /// A record with its fields, without their quotes.
    struct Record: Equatable, Sendable {
        /// The line on which the record begins; the first line is 1.
        let line: Int
        let fields: [String]

        /// True for an empty line, and for a line of separators only, which spreadsheets write for empty rows.
        var isBlank: Bool { fields.allSatisfy { $0.allSatisfy(\.isWhitespace) } }
    }

    /// What follows in the file; messages are words that follow a place.
    enum Item: Equatable, Sendable {
        case record(Record)
        /// A record that cannot be read; the next one can.
        case faulty(line: Int, message: String)
        /// Nothing after this line can be read.
        case unreadable(line: Int, message: String)
    }

    /// The largest size of a record in bytes; without it, a quote that is not closed would take in the whole file.
    static let maximumBytes = 1 << 20
    private static let chunkBytes = 1 << 16

    private let file: FileHandle
    private let name: String
    private var transcoder: Transcoder
    private var isAtEndOfFile = false
    private var chunk: [UInt8] = []
    private var place = 0
    private var isAtEnd = false
    private var line = 1
    /// The separator of fields.
    let separator: UInt8
    /// The bytes that were read so far, of the text in UTF-8.
    private(set) var offset: Int64 = 0

    /// Creates a reader at the beginning of a file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - name: its name for messages.
    ///   - separator: the separator of fields; nil finds it in the first line.
    ///   - encoding: the encoding that a profile states; nil takes UTF-8 only. A byte order mark wins over a profile.
    /// - Throws: ``CommandFailure`` for a file that cannot be read, or that is no text in the encoding.
    init(
        _ file: FileHandle,
        name: String,
        separator stated: UInt8? = nil,
        encoding: FileEncoding? = nil
    ) throws(CommandFailure) {
        self.file = file
        self.name = name
        do {
            try file.seek(toOffset: 0)
            chunk = [UInt8](try file.read(upToCount: Self.chunkBytes) ?? Data())
        } catch {
            throw .input("\(name): cannot be read")
        }
        isAtEndOfFile = chunk.isEmpty
        let isBigEndian = chunk.starts(with: [0xFE, 0xFF])
        let isWide = isBigEndian || chunk.starts(with: [0xFF, 0xFE])
        if isWide, encoding == nil { throw .input("\(name): is UTF-16; save it as CSV in UTF-8") }
        if chunk.starts(with: [0xEF, 0xBB, 0xBF]) {
            transcoder = Transcoder(.utf8)
            place = 3
        } else {
            transcoder = Transcoder(isWide ? .utf16 : encoding ?? .utf8, isBigEndian: isBigEndian)
            if isWide { chunk.removeFirst(2) }
        }
        chunk = transcoder.read(chunk, isLast: false)
        // Compressed files, spreadsheets and UTF-16 without a mark have them.
        if chunk.contains(0) {
            let reason = "has bytes of value 0 and is no text in \((encoding ?? .utf8).rawValue)"
            throw .input("\(name): \(reason); export it as CSV in UTF-8")
        }
        if let stated { separator = stated } else { separator = Self.separator(of: chunk[place...]) }
        offset = Int64(place)
    }

    private static func separator(of bytes: ArraySlice<UInt8>) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in bytes {
            if byte == quote { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == lineFeed || byte == carriageReturn { break }
            counts[byte, default: 0] += 1
        }
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]
        // The first one of those with the same count.
        return separators.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? separators[0]
    }

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private enum Position { case beginning, plain, quoted, afterQuote }

    /// Reads the next record; nil at the end of the file.
    mutating func next() throws(CommandFailure) -> Item? {
        guard try peek() != nil else { return nil }
        let (start, first) = (line, offset)
        var fields: [[UInt8]] = []
        var field: [UInt8] = []
        var fault: String?
        var position = Position.beginning
        while let byte = try take() {
            if offset - first > Self.maximumBytes {
                return end(
                    line: start,
                    message:
                        "has more than \(Self.maximumBytes >> 20) MiB; the file is no CSV, or a quote is not closed"
                )
            }
            if position == .quoted {
                if byte != Self.quote {
                    try countLine(byte)
                    field.append(byte)
                } else if try peek() == Self.quote {
                    _ = try take()
                    field.append(byte)
                } else {
                    position = .afterQuote
                }
                continue
            }
            if byte == separator {
                fields.append(field)
                field = []
                position = .beginning
            } else if byte == Self.lineFeed || byte == Self.carriageReturn {
                if byte == Self.carriageReturn, try peek() == Self.lineFeed { _ = try take() }
                line += 1
                break
            } else if byte == Self.quote, position == .beginning {
                position = .quoted
            } else if position == .afterQuote {
                fault = "has text after a closing quote; a quote inside a quoted field is written twice"
            } else {
                if byte == Self.quote {
                    fault =
                        "has a quote inside a field without quotes; put the field in quotes and write the quote twice"
                }
                field.append(byte)
                position = .plain
            }
        }
        if position == .quoted {
            return end(line: start, message: "ends with the file inside a quoted field; a quote is not closed")
        }
        fields.append(field)
        if let fault { return .faulty(line: start, message: fault) }
        var texts: [String] = []
        for (index, bytes) in fields.enumerated() {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return .faulty(line: start, message: "field \(index + 1) \(notText)")
            }
            if bytes.contains(0) {
                return .faulty(line: start, message: "field \(index + 1) has a character of value 0, which is no text")
            }
            guard text.isStreamSafe else {
                return .faulty(line: start, message: "field \(index + 1) \(StreamSafeText.refusal)")
            }
            texts.append(Self.withoutGuard(text))
        }
        return .record(Record(line: start, fields: texts))
    }

    private var notText: String {
        transcoder.isPlain
            ? "is not UTF-8; save the file as CSV in UTF-8, or name file.encoding in a profile, such as windows-1252"
            : "is no text in the file's encoding"
    }

    /// Ends the reading: the rest of the file has no record that can be told from the faulty one.
    private mutating func end(line: Int, message: String) -> Item {
        place = chunk.count
        isAtEnd = true
        return .unreadable(line: line, message: message)
    }

    /// Removes the apostrophe before a character with which spreadsheets begin formulas; this program's exports, and
    /// others, write it.
    private static func withoutGuard(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.first == "'", let second = scalars.dropFirst().first,
            "=+-@＝＋－＠".unicodeScalars.contains(second)
        else { return text }
        return String(scalars.dropFirst())
    }

    private mutating func countLine(_ byte: UInt8) throws(CommandFailure) {
        if byte == Self.lineFeed {
            line += 1
        } else if byte == Self.carriageReturn, try peek() != Self.lineFeed {
            line += 1
        }
    }

    private mutating func peek() throws(CommandFailure) -> UInt8? {
        if place == chunk.count {
            repeat {
                if isAtEnd || isAtEndOfFile { return nil }
                do {
                    chunk = [UInt8](try file.read(upToCount: Self.chunkBytes) ?? Data())
                } catch {
                    throw .input("\(name): cannot be read after line \(line)")
                }
                place = 0
                isAtEndOfFile = chunk.isEmpty
                chunk = transcoder.read(chunk, isLast: isAtEndOfFile)
            } while chunk.isEmpty
        }
        return chunk[place]
    }

    private mutating func take() throws(CommandFailure) -> UInt8? {
        guard let byte = try peek() else { return nil }
        place += 1
        offset += 1
        return byte
    }
}
