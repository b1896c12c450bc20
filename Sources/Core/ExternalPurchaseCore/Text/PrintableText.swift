extension String {
    /// The text on one line, with everything spelled out that would steer a terminal or turn the reading direction.
    ///
    /// A hostile file or id could otherwise colour, hide or reorder what a person reads (https://trojansource.codes).
    /// The escapes are those of JSON: a JSON text keeps its meaning.
    package var printable: String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), unicodeScalars.contains(where: \.isSteering) else {
            return self
        }
        return unicodeScalars.reduce(into: "") { $0 += $1.printable }
    }

    /// The same for a text of several lines: line ends and tabulators stay.
    ///
    /// - Parameter sequences: further sequences that stay, such as the colours of the program itself.
    package func printableLines(keeping sequences: [String] = []) -> String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x09 }) { return self }
        var output = ""
        var rest = unicodeScalars[...]
        while let scalar = rest.first {
            if let kept = Self.kept(at: rest, sequences) {
                output.unicodeScalars += rest.prefix(kept)
                rest = rest.dropFirst(kept)
            } else {
                output += scalar.printable
                rest = rest.dropFirst()
            }
        }
        return output
    }

    /// How many scalars stay as they are at a place; nil where the first is judged by itself.
    private static func kept(at rest: Substring.UnicodeScalarView, _ sequences: [String]) -> Int? {
        switch rest.first {
        case "\n", "\t": 1
        case "\r" where rest.dropFirst().first == "\n": 2
        case "\u{1B}": sequences.first { rest.starts(with: $0.unicodeScalars) }?.unicodeScalars.count
        default: nil
        }
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

    /// True for what no id and no name has: the controls C0 and C1, DEL, separators of lines, and the marks that turn
    /// the reading direction.
    package var isControlOrDirection: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The scalar itself, or its escape as JSON writes it when it steers.
    package var printable: String {
        switch self {
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default: isSteering ? escape : String(self)
        }
    }

    private var escape: String {
        String(self).utf16.reduce(into: "") { text, unit in
            let digits = String(unit, radix: 16, uppercase: true)
            text += #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
