import ExternalPurchaseCore
import Foundation
import Testing

@testable import Reporting

@Suite("Due dates of tokens and line items")
struct DeadlineTests {
    struct TokenRow: Sendable {
        let name: String
        let storefront: String
        let type: TokenType?
        let created: String
        let expires: String?
        let horizon: String
        /// The day with which the month's deadline ends.
        let deadline: String
        /// A moment, or a day that ends then.
        let due: String
    }

    /// The rows for tokens of the first table in section 10 of the report rules.
    static let tokens = [
        TokenRow(
            name: "KR plain token, fiscal October",
            storefront: "KOR",
            type: nil,
            created: "2026-10-20T09:00:00Z",
            expires: nil,
            horizon: "2026-10-30T09:00:00Z",
            deadline: "2026-11-15",
            due: "2026-10-30T09:00:00Z"
        ),
        TokenRow(
            name: "KR plain token, fiscal November",
            storefront: "KOR",
            type: nil,
            created: "2026-11-01T00:00:00Z",
            expires: nil,
            horizon: "2026-11-11T00:00:00Z",
            deadline: "2026-12-13",
            due: "2026-11-11T00:00:00Z"
        ),
        TokenRow(
            name: "EU SERVICES token",
            storefront: "NLD",
            type: .services,
            created: "2026-10-05T00:00:00Z",
            expires: "2027-10-05T00:00:00Z",
            horizon: "2027-10-05T00:00:00Z",
            deadline: "2026-11-15",
            due: "2026-11-15"
        ),
        TokenRow(
            name: "JP IN_APP token, calendar",
            storefront: "JPN",
            type: .inApp,
            created: "2026-11-25T12:00:00Z",
            expires: nil,
            horizon: "2026-12-05T12:00:00Z",
            deadline: "2026-12-15",
            due: "2026-12-05T12:00:00Z"
        ),
    ]

    @Test("A token's first report is due at the earlier of both rules (RR-70, RR-71)", arguments: tokens)
    func firstReport(row: TokenRow) throws {
        let token = try token(
            type: row.type,
            created: row.created,
            expires: row.expires,
            storefront: row.storefront
        )
        let due = try #require(builtInRules.deadline(of: token))
        #expect(try due.horizon?.moment == moment(row.horizon))
        #expect(try due.month?.moment == endOfDay(row.deadline))
        #expect(try due.moment == (row.due.contains("T") ? moment(row.due) : endOfDay(row.due)))
        switch due.rule {
        case .horizon: #expect(row.due.contains("T"))
        case .month: #expect(!row.due.contains("T"))
        }
    }

    struct ItemRow: Sendable {
        let name: String
        let taxCountry: String
        let app: [String]
        let created: String
        let programme: String
        let month: String
        let due: String
    }

    /// The rows for sales of the same table.
    static let items = [
        ItemRow(
            name: "KR sale in fiscal October",
            taxCountry: "KOR",
            app: [],
            created: "2026-10-31T23:59:00Z",
            programme: "kr",
            month: "fiscal October 2027",
            due: "2026-11-15"
        ),
        ItemRow(
            name: "KR sale in fiscal November",
            taxCountry: "KOR",
            app: [],
            created: "2026-11-01T00:00:00Z",
            programme: "kr",
            month: "fiscal November 2027",
            due: "2026-12-13"
        ),
        ItemRow(
            name: "EU sale, calendar",
            taxCountry: "NLD",
            app: ["eu-custom-link"],
            created: "2026-12-31T23:59:59.999Z",
            programme: "eu-2026-10",
            month: "December 2026",
            due: "2027-01-15"
        ),
        ItemRow(
            name: "EU sale under the old terms, fiscal September",
            taxCountry: "DEU",
            app: ["eu-custom-link"],
            created: "2026-09-26T12:00:00Z",
            programme: "eu-2025-06",
            month: "fiscal September 2026",
            due: "2026-10-11"
        ),
        ItemRow(
            name: "EU sale under the old terms, fiscal October",
            taxCountry: "DEU",
            app: ["eu-custom-link"],
            created: "2026-09-27T00:00:00Z",
            programme: "eu-2025-06",
            month: "fiscal October 2027",
            due: "2026-11-15"
        ),
        ItemRow(
            name: "KR sale in the fifth week of December",
            taxCountry: "KOR",
            app: [],
            created: "2027-12-31T12:00:00Z",
            programme: "kr",
            month: "fiscal December 2028",
            due: "2028-01-16"
        ),
        ItemRow(
            name: "The last of the four days of OB-33",
            taxCountry: "DEU",
            app: ["eu-custom-link"],
            created: "2026-09-30T23:59:59.999Z",
            programme: "eu-2025-06",
            month: "fiscal October 2027",
            due: "2026-11-15"
        ),
        ItemRow(
            name: "The first moment of the new terms",
            taxCountry: "DEU",
            app: ["eu-custom-link"],
            created: "2026-10-01T00:00:00Z",
            programme: "eu-2026-10",
            month: "October 2026",
            due: "2026-11-15"
        ),
    ]

    @Test("A line item is due at the deadline of its month (RR-70, OB-10, OB-33, OB-50)", arguments: items)
    func lineItem(row: ItemRow) throws {
        let rules = DeadlineRules(appProgrammes: [shop: row.app])
        let item = try item(created: row.created, taxCountry: row.taxCountry)
        let due = try #require(rules.deadline(of: item))
        #expect(due.horizon == nil)
        #expect(due.month?.programme == row.programme)
        #expect(due.month?.month.description == row.month)
        #expect(try due.moment == endOfDay(row.due))
    }

    @Test("Without a programme only the token's own horizon counts, and items have no deadline (OB-13)")
    func noProgramme() throws {
        let token = try token(created: "2026-10-20T09:00:00Z", storefront: "CHE")
        let due = try #require(builtInRules.deadline(of: token))
        #expect(due.month == nil)
        #expect(try due.moment == moment("2026-10-30T09:00:00Z"))
        #expect(builtInRules.selection(of: token).programmes.isEmpty)
        #expect(try builtInRules.deadline(of: item(created: "2026-10-20", taxCountry: "CHE")) == nil)
    }

    @Test("Nothing to report in the United States means no deadline by month, and the entry says so (OB-43)")
    func unitedStates() throws {
        let token = try token(created: "2026-10-20T09:00:00Z", storefront: "USA")
        #expect(builtInRules.selection(of: token).programmes.map(\.id) == ["us-none"])
        #expect(builtInRules.deadline(of: token)?.month == nil)
        #expect(try builtInRules.deadline(of: item(created: "2026-10-20", taxCountry: "USA")) == nil)
    }

    @Test("A due date tells what makes it due, since when and how sure it is (OB-2, OB-51)")
    func reasons() throws {
        let kr = try #require(builtInRules.deadline(of: item(created: "2026-10-31T23:59:00Z", taxCountry: "KOR")))
        #expect(
            kr.reason
                == "15 days after the end of fiscal October 2027 (2026-09-27 to 2026-10-31), programme kr in force since "
                + "2024-03-05, second-hand as of 2026-09-06: look at Apple's page before relying on it"
        )
        let br = try #require(builtInRules.deadline(of: item(created: "2026-10-31", taxCountry: "BRA")))
        #expect(br.month?.confidence.level == .assumed)
        let eu = DeadlineRules(appProgrammes: [shop: ["eu-custom-link"]])
        let old = try #require(eu.deadline(of: item(created: "2026-09-26", taxCountry: "DEU")))
        #expect(old.month?.confidence.level == .apple)
        let plain = try #require(builtInRules.deadline(of: token(created: "2026-10-20T09:00:00Z", storefront: "KOR")))
        #expect(plain.reason == "10 days after the token was made at 2026-10-20T09:00:00Z")
    }

    @Test("The unreported horizon is a setting (RR-95 due.unreportedHorizon)")
    func horizonSetting() throws {
        let rules = DeadlineRules(settings: try DeadlineSettings(unreportedHorizon: .days(3)))
        let due = try #require(rules.deadline(of: token(created: "2026-10-20T09:00:00Z", storefront: "KOR")))
        #expect(try due.moment == moment("2026-10-23T09:00:00Z"))
    }

    // MARK: Days left, states, sending

    static let states: [(now: String, state: DeadlineState, daysLeft: Int)] = [
        ("2026-11-10T23:59:59.998Z", .open, 5),
        ("2026-11-10T23:59:59.999Z", .warned(days: 5), 5),
        ("2026-11-13T23:59:59.998Z", .warned(days: 5), 2),
        ("2026-11-13T23:59:59.999Z", .warned(days: 2), 2),
        ("2026-11-14T23:59:59.998Z", .warned(days: 2), 1),
        ("2026-11-14T23:59:59.999Z", .warned(days: 1), 1),
        ("2026-11-15T23:59:59.999Z", .warned(days: 1), 0),
        ("2026-11-16T00:00:00Z", .overdue, -1),
        ("2026-11-17T00:00:00Z", .overdue, -2),
    ]

    @Test("Warnings come at 5, 2 and 1 days; the due moment itself is in time (OB-51, RR-71)", arguments: states)
    func state(row: (now: String, state: DeadlineState, daysLeft: Int)) throws {
        let due = try #require(builtInRules.deadline(of: item(created: "2026-10-31", taxCountry: "KOR")))
        let now = try moment(row.now)
        #expect(
            DeadlineClassifier(at: now, warnDays: DeadlineSettings.defaults.warnDays).state(of: due.moment) == row.state
        )
        #expect(due.daysLeft(at: now) == row.daysLeft)
    }

    @Test("Token-only reports are sent a tenth of the time before, at most a day (RR-72, send.lead)")
    func tokenReports() throws {
        // 10 days: a tenth is a day.
        let plain = try #require(builtInRules.deadline(of: token(created: "2026-10-20T09:00:00Z", storefront: "KOR")))
        #expect(try plain.sendMomentOfTokenReport(lead: day) == moment("2026-10-29T09:00:00Z"))
        // An hour in the sandbox: a tenth is six minutes.
        let sandbox = try token(
            type: .services,
            created: "2026-10-20T09:00:00Z",
            expires: "2026-10-20T10:00:00Z",
            storefront: "NLD"
        )
        let hour = try #require(builtInRules.deadline(of: sandbox))
        #expect(try hour.sendMomentOfTokenReport(lead: day) == moment("2026-10-20T09:54:00Z"))
        // 41 days: at most the hint.
        let services = try token(
            type: .services,
            created: "2026-10-05",
            expires: "2027-10-05",
            storefront: "NLD"
        )
        let month = try #require(builtInRules.deadline(of: services))
        #expect(try month.sendMomentOfTokenReport(lead: day) == endOfDay("2026-11-14"))
        #expect(try month.sendMomentOfTokenReport(lead: .zero) == endOfDay("2026-11-15"))
    }

    @Test("Items are sent when they settle plus send.delay, within the last 24 hours without delay (RR-72, OB-52)")
    func sending() throws {
        let due = try #require(builtInRules.deadline(of: item(created: "2026-10-31", taxCountry: "KOR")))
        func sent(_ settled: String, delay: Duration) throws -> Timestamp {
            Deadline.sendMoment(ofItemSettledAt: try moment(settled), due: due.moment, delay: delay)
        }
        #expect(try sent("2026-10-31", delay: .zero) == moment("2026-10-31"))
        #expect(try sent("2026-10-31", delay: .days(3)) == moment("2026-11-03"))
        #expect(try sent("2026-11-10", delay: .days(30)) == endOfDay("2026-11-14"))
        // Settled within the last day, or too late: at once (OB-53).
        #expect(try sent("2026-11-15T12:00:00Z", delay: day) == moment("2026-11-15T12:00:00Z"))
        #expect(try sent("2026-12-24", delay: day) == moment("2026-12-24"))
    }

    // MARK: Time zones

    static let zones: [(zone: String, created: String, due: String)] = [
        // 2026-10-31T23:59Z is already November in Seoul.
        ("Asia/Seoul", "2026-10-31T23:59:00Z", "2026-12-13T14:59:59.999Z"),
        ("+09:00", "2026-10-31T23:59:00Z", "2026-12-13T14:59:59.999Z"),
        ("Asia/Seoul", "2026-10-31T14:59:59.999Z", "2026-11-15T14:59:59.999Z"),
        ("-08:00", "2026-11-01T07:59:59.999Z", "2026-11-16T07:59:59.999Z"),
        // Summer time there ends on 2026-11-01: UTC−7 before, UTC−8 after.
        ("America/Los_Angeles", "2026-11-01T06:59:59.999Z", "2026-11-16T07:59:59.999Z"),
        ("America/Los_Angeles", "2026-11-01T07:00:00Z", "2026-12-14T07:59:59.999Z"),
        ("UTC", "2026-11-01T00:00:00Z", "2026-12-13T23:59:59.999Z"),
    ]

    @Test("Months and deadlines follow due.timeZone (RR-71)", arguments: zones)
    func zone(row: (zone: String, created: String, due: String)) throws {
        let rules = DeadlineRules(settings: try DeadlineSettings(timeZone: ReportingTimeZone(row.zone)))
        let due = try #require(rules.deadline(of: item(created: row.created, taxCountry: "KOR")))
        #expect(try due.moment == moment(row.due))
    }

    @Test("A day whose midnight is skipped begins after the jump, one with two midnights at the first")
    func midnights() throws {
        // Clocks in Cairo went from 2026-04-24 00:00 to 01:00, UTC+2 to UTC+3.
        let cairo = try ReportingTimeZone("Africa/Cairo")
        #expect(try cairo.start(of: #require(CalendarDate("2026-04-24"))) == moment("2026-04-23T22:00:00Z"))
        // Clocks in Havana went from 2026-11-01 01:00 back to 00:00, UTC−4 to UTC−5.
        let havana = try ReportingTimeZone("America/Havana")
        #expect(try havana.start(of: #require(CalendarDate("2026-11-01"))) == moment("2026-11-01T04:00:00Z"))
        #expect(try havana.start(of: #require(CalendarDate("2026-11-02"))) == moment("2026-11-02T05:00:00Z"))
    }

    @Test(
        "What is no time zone is refused by the setting's name",
        arguments: ["", "Moon/Sea", "utc", "+9", "+9:00", "+15:00", "09:00", "EST", "+0a:00"]
    )
    func badZone(name: String) {
        #expect { try ReportingTimeZone(name) } throws: { error in
            "\(error)".hasPrefix("due.timeZone: \"\(name)\" is not a value of this setting; expected a time zone")
        }
    }

    @Test("Settings that make no sense are refused by name")
    func badSettings() {
        func setting(_ make: () throws(SettingError) -> DeadlineSettings) -> String? {
            do {
                _ = try make()
                return nil
            } catch {
                guard case .unknownValue(let name, _, _) = error else { return nil }
                return name
            }
        }
        #expect(
            setting { () throws(SettingError) in try DeadlineSettings(unreportedHorizon: .zero) }
                == "due.unreportedHorizon"
        )
        #expect(
            setting { () throws(SettingError) in try DeadlineSettings(sendDelay: .milliseconds(-1)) }
                == "send.delay"
        )
        #expect(
            setting { () throws(SettingError) in try DeadlineSettings(sendLead: .milliseconds(Int64.max)) }
                == "send.lead"
        )
        #expect(setting { () throws(SettingError) in try DeadlineSettings(warnDays: [5, 0]) } == "due.warn")
        #expect(setting { () throws(SettingError) in try DeadlineSettings(warnDays: [5, 5]) } == "due.warn")
        #expect((try? DeadlineSettings(warnDays: [1, 30, 7]))?.warnDays == [30, 7, 1])
    }

    @Test("Dates at the ends of time do no harm")
    func extremes() {
        for value in [Int64.min, 0, 1, .max] {
            let due = builtInRules.deadline(of: token("t", nil, Timestamp(milliseconds: value)))
            #expect(due?.month == nil)
            #expect(due?.sendMomentOfTokenReport(lead: day) != nil)
            #expect(due?.daysLeft(at: Timestamp(milliseconds: .max)) != nil)
            #expect(due?.daysLeft(at: Timestamp(milliseconds: .min)) != nil)
        }
    }
}
