/// The limits of combining characters and regional indicators in a row, and of names, in texts from outside.
///
/// `String` compares, hashes and splits by canonical equivalence: it sorts the combining characters that follow a base
/// character, in time quadratic in their number. A text of a few hundred kilobytes would stop a server for a minute.
/// Two regional indicators are one flag, so that finding the last `Character` of a run of them counts the whole run, and
/// walking backwards over it is quadratic too (UAX #29, rules GB12 and GB13).
/// Readers of texts from outside therefore refuse, or interrupt, runs that are longer than the Stream-Safe Text Format
/// of Unicode allows (UAX #15, section 13), which no language needs, and runs of more than 32 flags. The cost of every
/// later use is then linear.
package enum StreamSafeText {
    /// The largest number of combining characters in a row.
    static let longestRun = 30
    /// The largest number of regional indicators in a row; two are a flag.
    static let longestFlagRun = 64
    /// The largest size in bytes of the name of a form field, query parameter, column or other named part of a request.
    package static let nameBytes = 64
    /// The words with which a reader refuses a text, to follow its place.
    package static let refusal =
        "has more than \(longestRun) combining characters in a row, or \(longestFlagRun) letters of flags; no language "
        + "needs them"

    /// The smallest first byte of a combining character in UTF-8, that of U+0300.
    fileprivate static let firstByte: UInt8 = 0xCC
}

extension StringProtocol {
    /// True if the text has at most ``StreamSafeText/longestRun`` combining characters in a row, and at most
    /// ``StreamSafeText/longestFlagRun`` regional indicators.
    ///
    /// The function takes time proportional to the length of the text.
    package var isStreamSafe: Bool {
        // Every combining character has two bytes or more.
        guard utf8.count > 2 * StreamSafeText.longestRun, utf8.contains(where: { $0 >= StreamSafeText.firstByte })
        else {
            return true
        }
        var runs = StreamSafeText.Runs()
        return unicodeScalars.allSatisfy { runs.admits($0) }
    }

    /// The text with U+034F between combining characters, and between regional indicators, that are too many in a row, as
    /// UAX #15 describes; the text itself if it is stream-safe.
    var streamSafe: String {
        guard !isStreamSafe else { return String(self) }
        var result = String.UnicodeScalarView()
        var runs = StreamSafeText.Runs()
        for scalar in unicodeScalars {
            if !runs.admits(scalar) {
                // COMBINING GRAPHEME JOINER has the combining class 0, so that no run is sorted across it; it extends the
                // flag before it, so that no run of flags goes on after it.
                result.append("\u{34F}")
                runs = StreamSafeText.Runs()
                _ = runs.admits(scalar)
            }
            result.append(scalar)
        }
        return String(result)
    }

}

extension StreamSafeText {
    /// The lengths of the runs that end at the last scalar of a text so far.
    fileprivate struct Runs {
        private var marks = 0
        private var flags = 0

        /// Counts a scalar; false if it makes a run too long.
        mutating func admits(_ scalar: Unicode.Scalar) -> Bool {
            marks = scalar.isCombining ? marks + 1 : 0
            flags = (0x1F1E6...0x1F1FF).contains(scalar.value) ? flags + 1 : 0
            return marks <= StreamSafeText.longestRun && flags <= StreamSafeText.longestFlagRun
        }
    }
}

extension Unicode.Scalar {
    /// True for characters that canonical ordering moves: those with a combining class, and the three of Tibetan that
    /// have the class 0 and decompose into such characters.
    fileprivate var isCombining: Bool {
        guard value >= 0x300 else { return false }
        return properties.canonicalCombiningClass != .notReordered || [0xF73, 0xF75, 0xF81].contains(value)
    }
}

extension Sequence<String> {
    /// True if one of the names consists of the same bytes as a name from outside.
    package func containsName(_ name: some StringProtocol) -> Bool { contains { $0.hasSameScalars(as: name) } }
}

extension RawRepresentable where RawValue == String {
    /// Returns the value that a text from outside names, compared by bytes; nil if there is none.
    ///
    /// The initializer of an enumeration compares by canonical equivalence, which takes KELVIN SIGN for a `K`.
    package static func named(_ text: some StringProtocol) -> Self? {
        guard text.utf8.count <= StreamSafeText.nameBytes, let value = Self(rawValue: String(text)),
            value.rawValue.hasSameScalars(as: text)
        else { return nil }
        return value
    }
}
