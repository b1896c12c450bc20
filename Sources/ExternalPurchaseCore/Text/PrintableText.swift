extension String {
    /// The text on one line, with everything spelled out that would steer a terminal or turn the reading direction.
    ///
    /// A hostile file could otherwise colour, hide or reorder what a person reads
    /// (https://trojansource.codes).
    package var printable: String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), unicodeScalars.contains(where: \.isSteering) else {
            return self
        }
        return unicodeScalars.reduce(into: "") { $0 += $1.printable }
    }
}

extension Unicode.Scalar {
    /// True for control and format characters and separators of lines; not for the joiners that scripts need.
    package var isSteering: Bool {
        // Most text is ASCII, and the tables of Unicode take their time.
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }

    /// The scalar itself, or its name in Swift's notation when it steers.
    package var printable: String {
        switch self {
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default: isSteering ? #"\u{\#(String(value, radix: 16, uppercase: true))}"# : String(self)
        }
    }
}
