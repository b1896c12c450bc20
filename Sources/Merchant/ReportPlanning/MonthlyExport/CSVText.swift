/// Writes comma-separated values by RFC 4180: CRLF after every record, quotes doubled, UTF-8.
///
/// A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@` as a formula. Texts that came from outside get an
/// apostrophe in front of such a beginning, also behind a character at which another separator setting would begin a
/// new cell. Figures that this package wrote stay as they are.
package enum CSVText {
    /// One cell.
    package enum Cell: Hashable, Sendable {
        /// A text from outside.
        case text(String)
        /// A number or date that this package wrote.
        case figure(String)
        case empty
    }

    /// A document with its header line; an apostrophe guards headers too, since they can be configured.
    package static func document(header: [String], rows: [[Cell]]) -> String {
        var output = ""
        append(header.map(Cell.text), to: &output)
        for row in rows { append(row, to: &output) }
        return output
    }

    /// A text so that no spreadsheet takes it, or a part of it, for a formula.
    package static func guarded(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        var isBeginning = true
        var blanks = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // Other control characters have no place in a cell; the JSON export keeps them.
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

    private static let triggers = Set("=+-@\t\r＝＋－＠".unicodeScalars)
    private static let beginnings = Set(";|\t\r\n".unicodeScalars)

    private static func append(_ cells: [Cell], to output: inout String) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { output += "," }
            switch cell {
            case .text(let text): output += quoted(guarded(text))
            case .figure(let text): output += quoted(text)
            case .empty: break
            }
        }
        output += "\r\n"
    }

    private static func quoted(_ text: String) -> String {
        // By scalars: a line break of CR and LF is one Character.
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
