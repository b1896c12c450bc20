/// A currency of ISO 4217.
public struct Currency: Hashable, Sendable, Codable {
    /// Three capital letters, `EUR`.
    public let code: String
    /// The English name.
    public let name: String
    /// The number of digits after the decimal point in the minor unit, 0 to 4.
    public let exponent: Int
    /// True for the 44 currencies that `reportingCurrency` accepts (RR-50).
    public let reportable: Bool
    /// False for a currency that was withdrawn from the standard.
    ///
    /// Late corrections may still name it.
    public let current: Bool

    /// The 171 currencies in the order of their codes.
    public static var all: [Currency] { table.currencies }

    /// Returns the currency with a code in capital letters, or nil for any other text.
    ///
    /// - Parameter code: the code, compared byte for byte.
    public static func code(_ code: String) -> Currency? { code.isASCII ? byCode[code] : nil }

    private struct Table: Decodable { let currencies: [Currency] }
    private static let table: Table = EmbeddedTables.decode(EmbeddedTables.currencies)
    private static let byCode = Dictionary(uniqueKeysWithValues: table.currencies.map { ($0.code, $0) })
}
