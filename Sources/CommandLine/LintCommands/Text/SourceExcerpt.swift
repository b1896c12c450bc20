import AppConfiguration
import ExternalPurchaseCore

/// A source line with an underlined range, as compilers print it.
struct SourceExcerpt {
    /// The line for a terminal: tabs as spaces, control characters escaped, clipped to the width.
    let line: String
    /// Spaces, then a caret, then a tilde for each further cell.
    let underline: String

    private static let tabWidth = 4
    /// The number of characters kept before the caret in a clipped line.
    private static let lead = 30
    /// The largest number of characters of a line per cell; combining characters take no cell of their own.
    private static let scalarsPerCell = 4

    /// - Parameters:
    ///   - line: the scalars of the line.
    ///   - marked: the columns to underline, from 0; the caret is at the first one.
    ///   - width: the maximum width of the line in terminal cells.
    init(_ line: [Unicode.Scalar], marked: Range<Int>, width: Int = 110) {
        // Text far from the caret is skipped, so that very long lines are cheap.
        let first = marked.lowerBound > width ? max(0, marked.lowerBound - Self.lead) : 0
        var text = first > 0 ? "…" : ""
        var cells = first > 0 ? 1 : 0
        var caret: Int?
        var end = 0
        var index = first
        let last = first + width * Self.scalarsPerCell
        while index < line.count {
            if index == last {
                text += "…"
                cells += 1
                break
            }
            let piece = Self.piece(line[index], at: cells)
            if cells + piece.cells > width - 1, index + 1 < line.count || cells + piece.cells > width {
                text += "…"
                if marked.contains(index) { end = cells + 1 }
                cells += 1
                break
            }
            if index == marked.lowerBound { caret = cells }
            text += piece.text
            cells += piece.cells
            if marked.contains(index) { end = cells }
            index += 1
        }
        let start = caret ?? cells
        self.line = text
        underline =
            String(repeating: " ", count: start) + "^" + String(repeating: "~", count: max(0, end - start - 1))
    }

    private static func piece(_ scalar: Unicode.Scalar, at cells: Int) -> (text: String, cells: Int) {
        if scalar == "\t" {
            let blanks = tabWidth - cells % tabWidth
            return (String(repeating: " ", count: blanks), blanks)
        }
        let text = scalar.printable
        return (text, scalar.isSteering ? text.unicodeScalars.count : scalar.cells)
    }
}
