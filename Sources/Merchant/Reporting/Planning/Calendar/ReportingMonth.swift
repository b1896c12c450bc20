package import ExternalPurchaseCore

/// A month of one of the two calendars, in the reporting time zone.
package struct ReportingMonth: Hashable, Sendable, CustomStringConvertible {
    /// The calendar of the month.
    package let calendar: ReportingProgramme.Calendar
    /// The calendar year in the name: October of fiscal year 2027 has the name of October 2026.
    let year: Int
    /// The number in the name, from 1 for January to 12.
    let number: Int
    /// The first day.
    package let firstDay: CalendarDate
    /// The last day, inclusive.
    package let lastDay: CalendarDate
    /// True for a fiscal month outside `Data/fiscal-calendar.json`, which is computed by RR-73.
    let isExtrapolated: Bool

    /// The id, such as `2026-10` for October 2026 or for the fiscal month of that name (October of fiscal year 2027).
    package var id: String {
        let text = String(number)
        return "\(year)-" + (text.utf8.count == 1 ? "0" : "") + text
    }

    /// The fiscal year, which begins in October; nil for other calendars.
    var fiscalYear: Int? { calendar == .appleFiscalMonth ? year + (number >= 10 ? 1 : 0) : nil }

    /// The name, such as `October 2026`, or `fiscal October 2027` with the fiscal year.
    package var description: String {
        let name = Self.names[number - 1]
        return fiscalYear.map { "fiscal \(name) \($0)" } ?? "\(name) \(year)"
    }

    static let names = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

/// The consecutive months of one calendar, with their start times in one zone.
package struct MonthTable: Hashable, Sendable {
    /// The months from October 2023 on.
    package let months: [ReportingMonth]
    /// The start of each month and the end of the last one, in ms.
    private let starts: [Int64]
    private let zone: ReportingTimeZone

    /// Creates the months of a calendar; returns nil for an unknown calendar.
    ///
    /// The tables start before March 2024, when the report API was introduced (OB-20), and end in September 2050.
    init?(_ calendar: ReportingProgramme.Calendar, in zone: ReportingTimeZone) {
        switch calendar {
        case .civilMonth: months = Self.civil()
        case .appleFiscalMonth: months = Self.fiscal()
        default: return nil
        }
        self.zone = zone
        let next = months[months.count - 1].lastDay.adding(days: 1)
        starts = (months.map(\.firstDay) + [next]).map { zone.start(of: $0).milliseconds }
    }

    /// The index of the month that contains a moment; nil outside the table.
    package func index(of moment: Timestamp) -> Int? {
        let value = moment.milliseconds
        guard value >= starts[0], value < starts[starts.count - 1] else { return nil }
        var (low, high) = (0, months.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= value { low = middle } else { high = middle }
        }
        return low
    }

    /// The month that contains a moment; nil outside the table.
    func month(of moment: Timestamp) -> ReportingMonth? { index(of: moment).map { months[$0] } }

    /// The month of that id, such as `2026-10`; nil outside the table.
    func month(id: String) -> ReportingMonth? { months.first { $0.id == id } }

    /// The last millisecond of the day that is the given number of days after the end of a month (RR-71).
    func deadline(of month: ReportingMonth, days: Int) -> Timestamp {
        zone.start(of: month.lastDay.adding(days: Int64(days) + 1)).advanced(by: .milliseconds(-1))
    }

    private static let years = 2024...2050

    private static func civil() -> [ReportingMonth] {
        let first = Int64(years.lowerBound - 1) * 12 + 9
        return (first..<Int64(years.upperBound) * 12 + 9).map { number in
            ReportingMonth(
                calendar: .civilMonth,
                year: Int(number / 12),
                number: Int(number % 12) + 1,
                firstDay: CalendarDate(firstOf: number),
                lastDay: CalendarDate(firstOf: number + 1).adding(days: -1),
                isExtrapolated: false
            )
        }
    }

    private static func fiscal() -> [ReportingMonth] {
        var months: [ReportingMonth] = FiscalMonth.all.compactMap { month in
            guard let first = CalendarDate(month.start), let last = CalendarDate(month.end) else { return nil }
            return fiscal(month.fiscalYear, period: month.period, first: first, last: last, isExtrapolated: false)
        }
        let known = FiscalMonth.all.map(\.fiscalYear).max() ?? years.lowerBound - 1
        // Later months are computed by the rule of the table, so that later sales also have a deadline.
        for year in max(known + 1, years.lowerBound)...years.upperBound {
            var day = endOfFiscalYear(year - 1).adding(days: 1)
            let weeks = (endOfFiscalYear(year).number - day.number + 1) / 7
            for period in 1...12 {
                let isLong = period % 3 == 1 || (period == 3 && weeks == 53)
                let last = day.adding(days: isLong ? 34 : 27)
                months.append(fiscal(year, period: period, first: day, last: last, isExtrapolated: true))
                day = last.adding(days: 1)
            }
        }
        return months
    }

    private static func fiscal(
        _ fiscalYear: Int,
        period: Int,
        first: CalendarDate,
        last: CalendarDate,
        isExtrapolated: Bool
    ) -> ReportingMonth {
        ReportingMonth(
            calendar: .appleFiscalMonth,
            year: period <= 3 ? fiscalYear - 1 : fiscalYear,
            number: (period + 8) % 12 + 1,
            firstDay: first,
            lastDay: last,
            isExtrapolated: isExtrapolated
        )
    }

    /// The last Saturday of September (RR-73).
    private static func endOfFiscalYear(_ year: Int) -> CalendarDate {
        let last = CalendarDate(year: Int64(year), month: 9, day: 30)
        // 1970-01-01 was a Thursday, so day number 2 was a Saturday.
        return last.adding(days: -((last.number - 2) % 7))
    }
}
