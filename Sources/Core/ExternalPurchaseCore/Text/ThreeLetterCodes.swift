/// A set of codes of three letters from A to Z, as a table that every possible code indexes.
///
/// A question costs nanoseconds; the dictionaries of currencies and countries hash and compare texts.
package struct ThreeLetterCodes: Sendable {
    /// The currencies of RR-50 in which a report may state amounts.
    package static let reportableCurrencies = ThreeLetterCodes(Currency.all.filter(\.reportable).map(\.code))
    /// The officially assigned alpha-3 codes.
    package static let countries = ThreeLetterCodes(Country.all.map(\.alpha3))

    private var isMember = [Bool](repeating: false, count: 26 * 26 * 26)

    private init(_ codes: [String]) {
        for code in codes {
            if let index = Self.index(of: code) { isMember[index] = true }
        }
    }

    package func contains(_ text: String) -> Bool { Self.index(of: text).map { isMember[$0] } ?? false }

    /// Returns the position of a code; nil for a text of other characters or another length.
    package static func index(of text: String) -> Int? {
        guard text.utf8.count == 3 else { return nil }
        var index = 0
        for byte in text.utf8 {
            guard byte >= UInt8(ascii: "A"), byte <= UInt8(ascii: "Z") else { return nil }
            index = index * 26 + Int(byte - UInt8(ascii: "A"))
        }
        return index
    }
}
