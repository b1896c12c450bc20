/// The European Economic Area.
///
/// Its tax countries report foreign currencies in euro (RR-51).
public enum EuropeanEconomicArea {
    /// The alpha-3 codes of the 30 countries.
    ///
    /// Apple's region lists omit Liechtenstein, which is a member nevertheless.
    public static let alpha3Codes: Set<String> = {
        let regions = (ReportingProgramme.regionSets["EEA29"] ?? []) + ["li"]
        return Set(regions.compactMap { Country.region($0)?.alpha3 })
    }()
}
