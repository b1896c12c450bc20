/// A currency of ISO 4217.
public struct Currency: Hashable, Sendable, Codable {
    /// Three capital letters, `EUR`.
    public let code: String
    /// The English name.
    public let name: String
    /// Digits after the point in the minor unit, 0 to 4.
    public let exponent: Int
    /// True for the 44 that `reportingCurrency` accepts (RR-50).
    public let reportable: Bool
    /// False for a currency withdrawn from the standard, which late corrections may still name.
    public let current: Bool

    /// The 171 currencies in the order of their codes.
    public static var all: [Currency] { table.currencies }

    /// The currency of a code in capital letters, nil for any other text.
    ///
    /// - Parameter code: compared byte for byte.
    public static func code(_ code: String) -> Currency? { code.isASCII ? byCode[code] : nil }

    private struct Table: Decodable { let currencies: [Currency] }
    private static let table: Table = EmbeddedTables.decode(EmbeddedTables.currencies)
    private static let byCode = Dictionary(uniqueKeysWithValues: table.currencies.map { ($0.code, $0) })
}
