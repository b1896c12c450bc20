/// A month of Apple's fiscal calendar (RR-73).
public struct FiscalMonth: Hashable, Sendable, Codable {
    /// The fiscal year.
    ///
    /// It ends in September of that year.
    public let fiscalYear: Int
    /// 1 to 12.
    ///
    /// The first period is October.
    public let period: Int
    /// 1 to 4.
    public let quarter: Int
    /// The name, `October`.
    public let name: String
    /// 4 or 5.
    public let weeks: Int
    /// The first day, `YYYY-MM-DD`.
    public let start: String
    /// The last day, inclusive.
    public let end: String
    /// The last day on which a report of the month is in time when the deadline is 15 days.
    public let reportDue: String

    /// The months of the fiscal years 2024 to 2030, in order.
    public static let all: [FiscalMonth] = {
        let table: Table = EmbeddedTables.decode(EmbeddedTables.fiscalCalendar)
        return table.months
    }()

    private struct Table: Decodable { let months: [FiscalMonth] }
}
