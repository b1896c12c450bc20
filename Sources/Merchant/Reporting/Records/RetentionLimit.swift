package import ExternalPurchaseCore
package import ReportPlanning

/// How young a purged record may be (OB-90, OB-91).
package struct RetentionLimit: Hashable, Sendable {
    /// The longest that any loaded programme asks for, in years; at least one, since Apple takes corrections so long.
    package let years: Int
    /// The programme that asks for it; nil when none says anything.
    package let programme: String?

    /// Whatever programmes are configured, the longest counts: a token that nobody could place belongs to any.
    package init(_ catalog: ProgrammeCatalog) {
        let longest = catalog.programmes.max { ($0.recordKeepingYears ?? 0) < ($1.recordKeepingYears ?? 0) }
        let asked = longest?.recordKeepingYears
        years = max(asked ?? Self.standard, 1)
        programme = asked == nil ? nil : longest?.id
    }

    /// What is kept where no programme says how long.
    private static let standard = 3

    /// The newest day before whose beginning, in UTC, records may be purged.
    package func newestCut(at now: Timestamp) -> CalendarDate {
        CalendarDate(inUTC: now).adding(months: -12 * years)
    }

    /// What is wrong with a day, and what would be right; nil when records before it may go.
    package func refusal(of cut: CalendarDate, at now: Timestamp) -> String? {
        let newest = newestCut(at: now)
        guard cut > newest else { return nil }
        let why = programme.map { "\($0) asks for \(years) years" } ?? "\(years) years are kept"
        return "\(cut) is too young: \(why) from transmission, so \(newest) is the latest possible today"
    }
}
