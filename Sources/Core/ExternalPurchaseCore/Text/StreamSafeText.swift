/// The limit of combining characters in a row, and of names, in texts from outside.
///
/// `String` compares, hashes and splits by canonical equivalence: it sorts the combining characters that follow a base
/// character, in time quadratic in their number. A text of a few hundred kilobytes would stop a server for a minute.
/// Readers of texts from outside therefore refuse, or interrupt, runs that are longer than the Stream-Safe Text Format
/// of Unicode allows (UAX #15, section 13), which no language needs. The cost of every later use is then linear.
package enum StreamSafeText {
    /// The largest number of combining characters in a row.
    package static let longestRun = 30
    /// The largest size in bytes of the name of a form field, query parameter, column or other named part of a request.
    package static let nameBytes = 64
    /// The words with which a reader refuses a text, to follow its place.
    package static let refusal = "has more than \(longestRun) combining characters in a row; no language needs them"

    /// The smallest first byte of a combining character in UTF-8, that of U+0300.
    fileprivate static let firstByte: UInt8 = 0xCC
}

extension StringProtocol {
    /// True if the text has at most ``StreamSafeText/longestRun`` combining characters in a row.
    ///
    /// The function takes time proportional to the length of the text.
    package var isStreamSafe: Bool {
        // Every combining character has two bytes or more.
        guard utf8.count > 2 * StreamSafeText.longestRun, utf8.contains(where: { $0 >= StreamSafeText.firstByte })
        else {
            return true
        }
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isCombining ? run + 1 : 0
            if run > StreamSafeText.longestRun { return false }
        }
        return true
    }

    /// The text with U+034F between combining characters that are too many in a row, as UAX #15 describes; the text
    /// itself if it is stream-safe.
    package var streamSafe: String {
        guard !isStreamSafe else { return String(self) }
        var result = String.UnicodeScalarView()
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isCombining ? run + 1 : 0
            if run > StreamSafeText.longestRun {
                // COMBINING GRAPHEME JOINER has the combining class 0, so that no run is sorted across it.
                result.append("\u{34F}")
                run = 1
            }
            result.append(scalar)
        }
        return String(result)
    }

    /// The first ``StreamSafeText/nameBytes`` bytes of a name for a message, with `…` if there are more.
    package var shortenedName: String {
        guard utf8.count > StreamSafeText.nameBytes else { return String(self) }
        var result = String.UnicodeScalarView()
        var bytes = 0
        for scalar in unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > StreamSafeText.nameBytes { break }
            result.append(scalar)
        }
        return String(result) + "…"
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
