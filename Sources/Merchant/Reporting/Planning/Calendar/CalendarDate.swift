package import ExternalPurchaseCore

/// A date of the Gregorian calendar, without a time zone.
package struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of days since 1970-01-01.
    package var number: Int64

    package init(number: Int64) {
        self.number = number
    }

    init(year: Int64, month: Int64, day: Int64) {
        number = Timestamp.days(year, month, day)
    }

    /// Creates the UTC date of a moment.
    package init(inUTC moment: Timestamp) {
        let (quotient, remainder) = moment.milliseconds.quotientAndRemainder(dividingBy: Timestamp.millisecondsPerDay)
        number = remainder < 0 ? quotient - 1 : quotient
    }

    /// Parses `YYYY-MM-DD`; returns nil for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let moment = Timestamp(rfc3339: text + "T00:00:00Z") else { return nil }
        self.init(inUTC: moment)
    }

    /// Year, month and day of the month.
    var parts: (year: Int64, month: Int64, day: Int64) { Timestamp.civil(number) }

    /// Midnight in UTC.
    package var startInUTC: Timestamp { Timestamp(milliseconds: number * Timestamp.millisecondsPerDay) }

    /// Returns the date the given number of days later.
    func adding(days: Int64) -> CalendarDate { CalendarDate(number: number + days) }

    /// Returns the same day of a later month, or the last day of that month if it is shorter (OB-72).
    package func adding(months: Int) -> CalendarDate {
        let (year, month, day) = parts
        let first = CalendarDate(firstOf: year * 12 + month - 1 + Int64(months))
        let next = CalendarDate(firstOf: year * 12 + month + Int64(months))
        return CalendarDate(number: min(first.number + day - 1, next.number - 1))
    }

    /// Creates the first day of a month, counted from January of year 0 as 0.
    init(firstOf monthNumber: Int64) {
        let (quotient, remainder) = monthNumber.quotientAndRemainder(dividingBy: 12)
        let (year, month) = remainder < 0 ? (quotient - 1, remainder + 12) : (quotient, remainder)
        number = Timestamp.days(year, month + 1, 1)
    }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// The date as `2026-11-15`.
    package var description: String { String(startInUTC.description.prefix { $0 != "T" }) }
}
