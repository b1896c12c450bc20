/// The European Economic Area, whose tax countries report foreign currencies in euro (RR-51).
public enum EuropeanEconomicArea {
    /// The 30 countries, as alpha-3 codes.
    ///
    /// Apple's lists of regions leave Liechtenstein out, which is a member all the same.
    public static let alpha3Codes: Set<String> = {
        let table: Table = EmbeddedTables.decode(EmbeddedTables.regions)
        let regions = (table.regionSets["EEA29"] ?? []) + ["li"]
        return Set(regions.compactMap { Country.region($0)?.alpha3 })
    }()

    private struct Table: Decodable { let regionSets: [String: [String]] }
}
