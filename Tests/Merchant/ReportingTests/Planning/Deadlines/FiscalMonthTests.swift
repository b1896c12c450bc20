import ExternalPurchaseCore
import Foundation
import Testing

@testable import Reporting

@Suite("Apple's fiscal months")
struct FiscalMonthTests {
    /// A row of the table of months: first day, last day, report due.
    struct Row: Sendable {
        let year: Int
        let period: Int
        let first: String
        let last: String
        let weeks: Int
        let due: String

        init(_ year: Int, _ period: Int, _ first: String, _ last: String, _ weeks: Int, _ due: String) {
            (self.year, self.period, self.first, self.last, self.weeks, self.due) =
                (year, period, first, last, weeks, due)
        }
    }

    /// The table of fiscal months in section 10 of the report rules.
    static let table = [
        Row(2026, 1, "2025-09-28", "2025-11-01", 5, "2025-11-16"),
        Row(2026, 2, "2025-11-02", "2025-11-29", 4, "2025-12-14"),
        Row(2026, 3, "2025-11-30", "2025-12-27", 4, "2026-01-11"),
        Row(2026, 4, "2025-12-28", "2026-01-31", 5, "2026-02-15"),
        Row(2026, 5, "2026-02-01", "2026-02-28", 4, "2026-03-15"),
        Row(2026, 6, "2026-03-01", "2026-03-28", 4, "2026-04-12"),
        Row(2026, 7, "2026-03-29", "2026-05-02", 5, "2026-05-17"),
        Row(2026, 8, "2026-05-03", "2026-05-30", 4, "2026-06-14"),
        Row(2026, 9, "2026-05-31", "2026-06-27", 4, "2026-07-12"),
        Row(2026, 10, "2026-06-28", "2026-08-01", 5, "2026-08-16"),
        Row(2026, 11, "2026-08-02", "2026-08-29", 4, "2026-09-13"),
        Row(2026, 12, "2026-08-30", "2026-09-26", 4, "2026-10-11"),
        Row(2027, 1, "2026-09-27", "2026-10-31", 5, "2026-11-15"),
        Row(2027, 2, "2026-11-01", "2026-11-28", 4, "2026-12-13"),
        Row(2027, 3, "2026-11-29", "2026-12-26", 4, "2027-01-10"),
        Row(2027, 4, "2026-12-27", "2027-01-30", 5, "2027-02-14"),
        Row(2027, 5, "2027-01-31", "2027-02-27", 4, "2027-03-14"),
        Row(2027, 6, "2027-02-28", "2027-03-27", 4, "2027-04-11"),
        Row(2027, 7, "2027-03-28", "2027-05-01", 5, "2027-05-16"),
        Row(2027, 8, "2027-05-02", "2027-05-29", 4, "2027-06-13"),
        Row(2027, 9, "2027-05-30", "2027-06-26", 4, "2027-07-11"),
        Row(2027, 10, "2027-06-27", "2027-07-31", 5, "2027-08-15"),
        Row(2027, 11, "2027-08-01", "2027-08-28", 4, "2027-09-12"),
        Row(2027, 12, "2027-08-29", "2027-09-25", 4, "2027-10-10"),
        Row(2028, 1, "2027-09-26", "2027-10-30", 5, "2027-11-14"),
        Row(2028, 2, "2027-10-31", "2027-11-27", 4, "2027-12-12"),
        Row(2028, 3, "2027-11-28", "2028-01-01", 5, "2028-01-16"),
        Row(2028, 4, "2028-01-02", "2028-02-05", 5, "2028-02-20"),
        Row(2028, 5, "2028-02-06", "2028-03-04", 4, "2028-03-19"),
        Row(2028, 6, "2028-03-05", "2028-04-01", 4, "2028-04-16"),
        Row(2028, 7, "2028-04-02", "2028-05-06", 5, "2028-05-21"),
        Row(2028, 8, "2028-05-07", "2028-06-03", 4, "2028-06-18"),
        Row(2028, 9, "2028-06-04", "2028-07-01", 4, "2028-07-16"),
        Row(2028, 10, "2028-07-02", "2028-08-05", 5, "2028-08-20"),
        Row(2028, 11, "2028-08-06", "2028-09-02", 4, "2028-09-17"),
        Row(2028, 12, "2028-09-03", "2028-09-30", 4, "2028-10-15"),
    ]

    @Test("A month begins, ends and is due as the table of RR-73 says", arguments: table)
    func monthOfTable(row: Row) throws {
        let months = try #require(MonthTable(.appleFiscalMonth, in: .utc))
        let first = try #require(months.month(of: moment(row.first)))
        #expect(try months.month(of: endOfDay(row.last)) == first)
        #expect(first.firstDay.description == row.first)
        #expect(first.lastDay.description == row.last)
        #expect(first.fiscalYear == row.year)
        #expect((first.number + 2) % 12 + 1 == row.period)
        #expect(Int(first.lastDay.number - first.firstDay.number) + 1 == row.weeks * 7)
        #expect(try months.deadline(of: first, days: 15) == endOfDay(row.due))
        #expect(try months.month(of: moment(row.first).advanced(by: .milliseconds(-1))) != first)
    }

    @Test("The fiscal years 2024 to 2030 follow from the last Saturday of September (RR-73)", arguments: 2024...2030)
    func rule(year: Int) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        func lastSaturday(of year: Int) throws -> Date {
            let days = try (24...30).map { day in
                try #require(calendar.date(from: DateComponents(year: year, month: 9, day: day)))
            }
            return try #require(days.last { calendar.component(.weekday, from: $0) == 7 })
        }
        func text(_ date: Date) -> String {
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        }
        let start = try #require(calendar.date(byAdding: .day, value: 1, to: lastSaturday(of: year - 1)))
        let length = try calendar.dateComponents([.day], from: start, to: lastSaturday(of: year)).day.map { $0 + 1 }
        let weeks = try #require(length) / 7
        #expect(weeks == (year == 2028 ? 53 : 52))
        var plan = [5, 4, 4, 5, 4, 4, 5, 4, 4, 5, 4, 4]
        if weeks == 53 { plan[2] = 5 }

        let months = FiscalMonth.all.filter { $0.fiscalYear == year }
        #expect(months.map(\.weeks) == plan)
        #expect(months.map(\.quarter) == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
        var day = start
        for month in months {
            #expect(month.start == text(day))
            let last = try #require(calendar.date(byAdding: .day, value: month.weeks * 7 - 1, to: day))
            #expect(month.end == text(last))
            day = try #require(calendar.date(byAdding: .day, value: 1, to: last))
        }
        #expect(months.count == 12)
    }

    @Test("Months beyond the table go on without gap and say that they follow from the rule alone (RR-73)")
    func beyond() throws {
        let months = try #require(MonthTable(.appleFiscalMonth, in: .utc)).months
        for (month, next) in zip(months, months.dropFirst()) {
            #expect(month.lastDay.adding(days: 1) == next.firstDay, "\(month)")
        }
        let last = try #require(months.last { !$0.isExtrapolated })
        #expect(last.lastDay.description == "2030-09-28")
        let first = try #require(months.first { $0.isExtrapolated })
        #expect(first.description == "fiscal October 2031")
        #expect(first.lastDay.description == "2030-11-02")
        // 2034 has 53 weeks: from 2033-09-25 to 2034-09-30.
        let december = try #require(months.first { $0.fiscalYear == 2034 && $0.number == 12 })
        #expect(december.lastDay.number - december.firstDay.number + 1 == 35)
        #expect(try #require(months.last).lastDay.description == "2050-09-24")
        let late = try #require(builtInRules.deadline(of: item(created: "2031-01-01", taxCountry: "KOR")))
        #expect(late.month?.confidence.level == .assumed)
    }

    @Test("A month's name is that of a civil month in both calendars")
    func names() throws {
        let fiscal = try #require(MonthTable(.appleFiscalMonth, in: .utc)?.month(id: "2026-10"))
        #expect(fiscal.description == "fiscal October 2027")
        #expect(fiscal.firstDay.description == "2026-09-27")
        let civil = try #require(MonthTable(.civilMonth, in: .utc)?.month(id: "2026-10"))
        #expect(civil.description == "October 2026")
        #expect(civil.fiscalYear == nil)
        #expect(civil.lastDay.description == "2026-10-31")
        #expect(MonthTable(.civilMonth, in: .utc)?.month(id: "2026-13") == nil)
        #expect(MonthTable(ReportingProgramme.Calendar(rawValue: "lunar"), in: .utc) == nil)
    }

    @Test("Moments outside the tables lie in no month")
    func outside() throws {
        let months = try #require(MonthTable(.civilMonth, in: .utc))
        #expect(try months.month(of: moment("2023-10-01"))?.id == "2023-10")
        #expect(try months.month(of: moment("2023-10-01").advanced(by: .milliseconds(-1))) == nil)
        #expect(try months.month(of: endOfDay("2050-09-30"))?.id == "2050-09")
        #expect(months.month(of: Timestamp(milliseconds: .max)) == nil)
        #expect(months.month(of: Timestamp(milliseconds: .min)) == nil)
    }
}
