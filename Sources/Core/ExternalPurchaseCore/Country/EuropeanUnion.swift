/// The European Union.
///
/// Some rules of custom links differ there from those in Iceland and Norway (SK-64, SK-67).
public enum EuropeanUnion {
    /// The alpha-2 codes of the 27 countries in lower case.
    public static let regions = Set(ReportingProgramme.regionSets["EU27"] ?? [])
}
