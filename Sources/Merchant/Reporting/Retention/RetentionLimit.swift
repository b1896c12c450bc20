package import ExternalPurchaseCore

/// The minimum age of records that may be purged (OB-90, OB-91).
package struct RetentionLimit: Hashable, Sendable {
    /// The longest retention of all loaded programmes in years.
    ///
    /// It is at least 1, because Apple accepts corrections for a year.
    let years: Int
    /// The programme that requires it; nil if no programme states a retention.
    let programme: String?

    /// Computes the limit.
    ///
    /// The longest retention of all programmes counts, even of programmes that no app is configured for, because a
    /// token without a known programme could belong to any of them.
    package init(_ catalog: ProgrammeCatalog) {
        let longest = catalog.programmes.max { ($0.recordKeepingYears ?? 0) < ($1.recordKeepingYears ?? 0) }
        let asked = longest?.recordKeepingYears
        years = max(asked ?? Self.standard, 1)
        programme = asked == nil ? nil : longest?.id
    }

    /// The retention in years if no programme states one.
    private static let standard = 3

    /// Returns the latest day such that records before its beginning, in UTC, may be purged.
    func newestCut(at now: Timestamp) -> CalendarDate {
        CalendarDate(inUTC: now).adding(months: -12 * years)
    }

    /// Returns an error message with the latest possible day; nil if records before the day may be purged.
    package func refusal(of cut: CalendarDate, at now: Timestamp) -> String? {
        let newest = newestCut(at: now)
        guard cut > newest else { return nil }
        let why = programme.map { "\($0) asks for \(years) years" } ?? "\(years) years are kept"
        return "\(cut) is too young: \(why) from transmission, so \(newest) is the latest possible today"
    }
}
