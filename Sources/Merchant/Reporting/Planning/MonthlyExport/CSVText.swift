/// Writes comma-separated values according to RFC 4180: CRLF after every record, doubled quotes, UTF-8.
///
/// Spreadsheets treat a cell that begins with `=`, `+`, `-` or `@` as a formula. Texts from outside get an apostrophe
/// before such a character at their start, and also after any character that could separate cells under another
/// setting. Numbers and dates written by this package are not changed.
enum CSVText {
    /// One cell.
    enum Cell: Hashable, Sendable {
        /// A text from an external source.
        case text(String)
        /// A number or date written by this package.
        case figure(String)
        case empty
    }

    /// Returns one record with its line end; headers are texts too, because they are configurable.
    static func record(_ cells: [Cell]) -> String {
        var output = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { output += "," }
            switch cell {
            case .text(let text): output += quoted(guarded(text))
            case .figure(let text): output += quoted(text)
            case .empty: break
            }
        }
        return output + "\r\n"
    }

    /// Returns a text that no spreadsheet treats as a formula, not even in part.
    static func guarded(_ text: String) -> String {
        if isHarmless(text) { return text }
        var output = String.UnicodeScalarView()
        var isBeginning = true
        var blanks = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // Other control characters are replaced; only the JSON export preserves them.
            let isControl = scalar.value < 0x20 && !"\t\r\n".unicodeScalars.contains(scalar)
            let scalar: Unicode.Scalar = isControl ? "\u{FFFD}" : scalar
            if isBeginning, scalar == " " || scalar == "\"" {
                blanks.append(scalar)
                continue
            }
            if isBeginning, triggers.contains(scalar) { output.append("'") }
            output.append(contentsOf: blanks)
            blanks.removeAll()
            output.append(scalar)
            isBeginning = beginnings.contains(scalar)
        }
        output.append(contentsOf: blanks)
        return String(output)
    }

    /// True for most texts, which then need not be looked at by scalar: printable ASCII without a separator, a quotation
    /// mark or a sign at its start.
    private static func isHarmless(_ text: String) -> Bool {
        guard let first = text.utf8.first, !#" =+-@"#.utf8.contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: ";") && byte != UInt8(ascii: "|")
                && byte != UInt8(ascii: "\"")
        }
    }

    private static let triggers = Set("=+-@\t\r＝＋－＠".unicodeScalars)
    private static let beginnings = Set(";|\t\r\n".unicodeScalars)

    private static func quoted(_ text: String) -> String {
        // Compared by Unicode scalars, because CR and LF together are one Character.
        let special = text.unicodeScalars.contains { $0 == "," || $0 == "\"" || $0 == "\r" || $0 == "\n" || $0 == ";" }
        let hasEdge = text.unicodeScalars.first == " " || text.unicodeScalars.last == " "
        guard special || hasEdge else { return text }
        var output = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { output.unicodeScalars.append("\"") }
            output.unicodeScalars.append(scalar)
        }
        return output + "\""
    }
}
