import AppConfiguration
import ExternalPurchaseCore

/// The external purchase keys in `InfoPlist.strings` and `InfoPlist.xcstrings`, which localise Info.plist.
///
/// Their values are not read, because it is undocumented how the runtime treats a localised configuration.
enum LocalizedInfoPlist {
    /// True for the names of such files, including `Shop-InfoPlist.xcstrings`.
    static func isNamed(_ name: String) -> Bool {
        name.hasSuffix("InfoPlist.strings") || name.hasSuffix("InfoPlist.xcstrings")
    }

    /// Returns the external purchase keys with their positions.
    ///
    /// - Parameters:
    ///   - bytes: the content: a strings file as text or property list, or a strings catalog in JSON.
    ///   - path: the path for messages. Its extension distinguishes JSON from text.
    /// - Throws: `notArtifact` when the text is damaged.
    static func keys(in bytes: [UInt8], path: String) throws(ConfigurationReadError) -> [KeySetElsewhere] {
        var found: [(key: String, position: SourcePosition?)] = []
        if path.hasSuffix(".xcstrings") {
            var scanner = StringsCatalogScanner(bytes)
            found = scanner.keys().map { ($0.key, $0.position) }
        } else if bytes.starts(with: "bplist".utf8) || bytes.first == UInt8(ascii: "<") {
            found = try PropertyListFile.parse(bytes, path: path).members.map { ($0.key, $0.keyPosition) }
        } else {
            do throws(OpenStepPropertyList.Fault) {
                found = try OpenStepPropertyList.strings(utf8(bytes)).map { ($0.key, $0.position) }
            } catch {
                throw ConfigurationReadError(
                    cause: .notArtifact,
                    file: path,
                    position: error.position,
                    reason: error.reason
                )
            }
        }
        return found.filter { KnownNames.isExternalPurchaseKey($0.key) }.map { key, position in
            KeySetElsewhere(source: .stringsCatalog, key: key, file: path, position: position)
        }
    }

    /// Converts a strings file to UTF-8.
    ///
    /// Many are UTF-16 with a byte order mark.
    private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        let isHighFirst = bytes.starts(with: [0xFE, 0xFF])
        guard isHighFirst || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            UInt16(bytes[index + (isHighFirst ? 0 : 1)]) << 8 | UInt16(bytes[index + (isHighFirst ? 1 : 0)])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

/// Finds the keys of the object `strings` at the root of a strings catalog, without building its values.
struct StringsCatalogScanner {
    private let text: [UInt8]
    private var index = 0
    private var counted = 0
    private var line = 1
    private var column = 1

    /// - Parameter text: JSON in UTF-8. The search ends at a syntax error.
    init(_ text: [UInt8]) {
        self.text = text
    }

    /// Returns the keys with their positions, in the order of the file.
    mutating func keys() -> [(key: String, position: SourcePosition)] {
        var keys: [(key: String, position: SourcePosition)] = []
        var depth = 0
        // Whether the containers at the first two depths are objects. Deeper containers have no relevant keys.
        var isObject = [false, false]
        var expectsKey = false
        var rootKey = ""
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if depth < 2 { isObject[depth] = byte == UInt8(ascii: "{") }
                depth += 1
                expectsKey = true
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                guard depth > 0 else { return keys }
                expectsKey = false
                index += 1
            case UInt8(ascii: ","):
                expectsKey = true
                index += 1
            case UInt8(ascii: ":"):
                expectsKey = false
                index += 1
            case UInt8(ascii: "\""):
                let isKey = expectsKey && (1...2).contains(depth) && isObject[depth - 1]
                let position = isKey ? position() : nil
                guard let string = string() else { return keys }
                guard isKey, let position else { continue }
                if depth == 1 {
                    rootKey = string
                } else if rootKey == "strings", isObject[0] {
                    keys.append((string, position))
                }
            default: index += 1
            }
        }
        return keys
    }

    /// Reads a string without resolving escapes, because no relevant key needs one.
    private mutating func string() -> String? {
        index += 1
        let start = index
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < text.count else { return nil }
        defer { index += 1 }
        let string = String(decoding: text[start..<index], as: UTF8.self)
        return string.isStreamSafe ? string : nil
    }

    private mutating func position() -> SourcePosition {
        while counted < index {
            let byte = text[counted]
            counted += 1
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return SourcePosition(line: line, column: column)
    }
}
