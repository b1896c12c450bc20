/// A country of ISO 3166-1.
public struct Country: Hashable, Sendable, Codable {
    /// Two capital letters, `NL`.
    public let alpha2: String
    /// Three capital letters, `NLD`.
    ///
    /// Storefronts and `taxCountry` use this code.
    public let alpha3: String
    /// The English short name.
    public let name: String

    /// The code of property lists and entitlements: alpha-2 in lower case (CF-2).
    public var region: String { alpha2.lowercased() }

    /// The 249 countries in the order of their alpha-2 codes.
    public static var all: [Country] { table }

    /// Returns the country with an alpha-3 code in capital letters, or nil for any other text.
    ///
    /// - Parameter alpha3: the code, compared byte for byte.
    public static func alpha3(_ alpha3: String) -> Country? { alpha3.isASCII ? byAlpha3[alpha3] : nil }

    /// Returns the country with an alpha-2 code in capital letters, or nil for any other text.
    ///
    /// - Parameter alpha2: the code, compared byte for byte.
    public static func alpha2(_ alpha2: String) -> Country? { alpha2.isASCII ? byAlpha2[alpha2] : nil }

    /// Returns the country with a lower-case alpha-2 code, as property lists write it, or nil for any other text.
    ///
    /// - Parameter region: the code, compared byte for byte.
    public static func region(_ region: String) -> Country? { region.isASCII ? byRegion[region] : nil }

    /// Returns the country that a text probably means, for a "did you mean" message: a code in another case, or `EL` and
    /// `UK`, which the European Union writes for Greece and the United Kingdom; nil when no country matches.
    ///
    /// - Parameter text: the text as written.
    package static func meant(by text: String) -> Country? {
        guard text.utf8.count <= 3 else { return nil }
        let upper = text.uppercased()
        return alpha2(["EL": "GR", "UK": "GB"][upper] ?? upper) ?? alpha3(upper)
    }

    private static let table = TableValue(table: EmbeddedTables.countries)["countries"].elements.map {
        Country(alpha2: $0["alpha2"].text, alpha3: $0["alpha3"].text, name: $0["name"].text)
    }
    private static let byAlpha3 = Dictionary(uniqueKeysWithValues: table.map { ($0.alpha3, $0) })
    private static let byAlpha2 = Dictionary(uniqueKeysWithValues: table.map { ($0.alpha2, $0) })
    private static let byRegion = Dictionary(uniqueKeysWithValues: table.map { ($0.region, $0) })
}
