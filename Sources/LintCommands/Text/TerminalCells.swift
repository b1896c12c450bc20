extension String {
    /// The text on one line, with everything spelled out that would steer a terminal or turn the reading direction.
    ///
    /// A hostile file could otherwise colour, hide or reorder what a person reads
    /// (https://trojansource.codes).
    var printable: String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), unicodeScalars.contains(where: \.isSteering) else {
            return self
        }
        return unicodeScalars.reduce(into: "") { $0 += $1.printable }
    }
}

extension Unicode.Scalar {
    /// True for control and format characters and separators of lines; not for the joiners that scripts need.
    var isSteering: Bool {
        // Most text is ASCII, and the tables of Unicode take their time.
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }

    /// The scalar itself, or its name in Swift's notation when it steers.
    var printable: String {
        switch self {
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default: isSteering ? #"\u{\#(String(value, radix: 16, uppercase: true))}"# : String(self)
        }
    }

    /// How many cells of a terminal the scalar takes: 0 for marks on the one before, 2 for wide ones.
    ///
    /// The ranges are the blocks that https://www.unicode.org/reports/tr11/ calls wide.
    var cells: Int {
        if isASCII { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        case .format: return 0
        default: break
        }
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
