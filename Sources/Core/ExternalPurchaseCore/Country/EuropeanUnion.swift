/// The European Union, where some rules of custom links differ from those of Iceland and Norway (SK-64, SK-67).
public enum EuropeanUnion {
    /// The 27 countries, as alpha-2 codes in lower case.
    public static let regions: Set<String> = {
        let table: Table = EmbeddedTables.decode(EmbeddedTables.regions)
        return Set(table.regionSets["EU27"] ?? [])
    }()

    private struct Table: Decodable { let regionSets: [String: [String]] }
}
