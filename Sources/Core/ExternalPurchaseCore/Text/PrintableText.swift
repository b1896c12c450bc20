extension String {
    /// The text on one line, with characters escaped that would control a terminal or change the text direction.
    ///
    /// A hostile file or id could otherwise colour, hide or reorder what a person reads (https://trojansource.codes).
    /// The escapes are those of JSON, so a JSON text keeps its meaning.
    package var printable: String {
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), unicodeScalars.contains(where: \.isSteering) else {
            return self
        }
        return unicodeScalars.reduce(into: "") { $0 += $1.printable }
    }

    /// Escapes a text of several lines in the same way, except for line ends and tabs.
    ///
    /// - Parameter sequences: further sequences that are not escaped, such as the program's own colours.
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

    /// The number of scalars at a position that are not escaped; nil when the first scalar has to be checked on its
    /// own.
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
    /// True for control characters, format characters and line separators, but not for the joiners that scripts need.
    package var isSteering: Bool {
        // Most text is ASCII, and looking up Unicode properties is slow.
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }

    /// True for characters that no id and no name contains: C0 and C1 controls, DEL, line separators and the marks that
    /// change the text direction.
    package var isControlOrDirection: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The scalar, or its JSON escape when ``isSteering`` is true.
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
