/// The reporting duty of a region since a date (spec/07): data, never switched over in code.
public struct ReportingProgramme: Hashable, Sendable, Codable {
    /// How months are counted.
    public struct Calendar: RawRepresentable, Hashable, Sendable, Codable {
        /// The name in the table.
        public let rawValue: String

        /// Takes any name.
        ///
        /// - Parameter rawValue: the name in the table.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Civil months.
        public static let civilMonth = Self(rawValue: "civilMonth")
        /// Apple's fiscal months, ``FiscalMonth``.
        public static let appleFiscalMonth = Self(rawValue: "appleFiscalMonth")
    }

    /// The name, `eu-2026-10`.
    public let id: String
    /// The name for people.
    public let title: String
    /// First day in force, `YYYY-MM-DD` in UTC, inclusive.
    public let effectiveFrom: String
    /// Last day in force, inclusive; nil while open.
    public let effectiveTo: String?
    /// Region codes in lower case; `@NAME` stands for a set of `Data/regions.json`.
    public let regions: [String]
    /// The programmes of the rule packs that it covers.
    public let clientProgrammes: [String]
    /// How months are counted; nil where nothing is to be reported.
    public let calendar: Calendar?
    /// Days after the end of the month; nil where nothing is to be reported.
    public let deadlineDays: Int?

    /// The programmes of this release.
    public static let all: [ReportingProgramme] = {
        let table: Table = EmbeddedTables.decode(EmbeddedTables.programmes)
        return table.programmes
    }()

    private struct Table: Decodable { let programmes: [ReportingProgramme] }
}
