import ExternalPurchaseCore
import Foundation
import Testing

@testable import Reporting

@Suite("Commission estimates and tap windows")
struct EstimateTests {
    func programme(_ id: String) throws -> ReportingProgramme {
        try #require(ProgrammeCatalog.builtIn.programmes.first { $0.id == id })
    }

    func subject(
        at created: String,
        kind: EstimateSubject.Kind = .buy,
        flow: ReportingProgramme.Flow? = .outOfApp,
        net: Int64 = 100_000,
        tax: Int64 = 21_000,
        currency: String = "EUR",
        paidDays: Int? = nil,
        taps: [String] = [],
        acquisition: [String] = [],
        services: [String] = []
    ) throws -> EstimateSubject {
        EstimateSubject(
            id: "i",
            kind: kind,
            createdAt: try moment(created),
            flow: flow,
            taxExclusive: MilliUnits(net),
            tax: MilliUnits(tax),
            currency: currency,
            daysOfPaidService: paidDays,
            events: CustomerEvents(
                taps: try taps.map(moment),
                acquisitionTokens: try acquisition.map(moment),
                servicesTokens: try services.map(moment)
            )
        )
    }

    struct Worked: Sendable {
        let name: String
        let sale: String
        let net: Int64
        let estimate: String
        let outcome: CommissionEstimate.Outcome
        var unit = DayCount.Unit.calendarDays
        let end: String
    }

    /// The example at the end of spec/07, section 6: tap on 2026-10-05 at 10:00, EUR 82.56 without tax.
    static let worked = [
        Worked(
            name: "at the end of the seventh day",
            sale: "2026-10-12T23:59:59.999Z",
            net: 82_560,
            estimate: "12.38",
            outcome: .fees,
            end: "2026-10-12T23:59:59.999Z"
        ),
        Worked(
            name: "one millisecond later",
            sale: "2026-10-13",
            net: 82_560,
            estimate: "0",
            outcome: .outsideWindow,
            end: "2026-10-12T23:59:59.999Z"
        ),
        Worked(
            name: "after 168 hours, with commission.window: hours",
            sale: "2026-10-12T10:00:00Z",
            net: 82_560,
            estimate: "12.38",
            outcome: .fees,
            unit: .hours,
            end: "2026-10-12T10:00:00Z"
        ),
        Worked(
            name: "one millisecond later",
            sale: "2026-10-12T10:00:00.001Z",
            net: 82_560,
            estimate: "0",
            outcome: .outsideWindow,
            unit: .hours,
            end: "2026-10-12T10:00:00Z"
        ),
    ]

    @Test("The worked example comes out to the cent (OB-71, OB-72)", arguments: worked)
    func example(row: Worked) throws {
        let subject = try subject(at: row.sale, net: row.net, taps: ["2026-10-05T10:00:00Z"])
        let estimate = try programme("eu-2026-10").estimate(subject, dayCount: DayCount(unit: row.unit))
        #expect(estimate.amount?.description == row.estimate)
        #expect(estimate.outcome == row.outcome)
        #expect(estimate.programme == "eu-2026-10")
        #expect(estimate.effectiveFrom == "2026-10-01")
        #expect(estimate.windows.first?.lastMoment == (try moment(row.end)))
    }

    @Test("A sale is inside when any tap of the customer opened a window that it lies in (OB-32)")
    func anyTap() throws {
        let eu = try programme("eu-2026-10")
        func outcome(_ taps: [String], at sale: String) throws -> CommissionEstimate.Outcome {
            eu.estimate(try subject(at: sale, taps: taps)).outcome
        }
        #expect(try outcome(["2026-10-01", "2026-10-10", "2026-11-30"], at: "2026-10-17") == .fees)
        #expect(try outcome(["2026-10-01", "2026-11-30"], at: "2026-10-17") == .outsideWindow)
        // A tap at the very moment of the sale lies before it, one after it does not.
        #expect(try outcome(["2026-10-17"], at: "2026-10-17") == .fees)
        // It says nothing of the way to a purchase before it.
        #expect(try outcome(["2026-10-17T00:00:00.001Z"], at: "2026-10-17") == .unknown)
        // Without any tap nothing is known of the customer's way to the purchase.
        let unknown = try eu.estimate(subject(at: "2026-10-17"))
        #expect(unknown.outcome == .unknown)
        #expect(unknown.amount == nil)
        #expect(unknown.reason == "it is not known whether a rate applies: no linkTap before the sale is known")
    }

    @Test("No estimate is 0 because nothing is known of the customer (OB-71)", arguments: [false, true])
    func nothingKnown(_ isRefund: Bool) throws {
        let flows: [ReportingProgramme.Flow?] = [nil, .outOfApp, .withinApp, .inAppPurchase, .any]
        var unknown: Set<String> = []
        for programme in ProgrammeCatalog.builtIn.programmes {
            // An app outside the App Store has no In-App Purchase; its rates name the two other flows.
            let own = programme.id == "outside-app-store" ? flows.filter { $0 != .inAppPurchase && $0 != .any } : flows
            for flow in own {
                let kind: EstimateSubject.Kind = isRefund ? .refund(of: .buy, at: try moment("2026-11-01")) : .buy
                let estimate = programme.estimate(try subject(at: "2026-11-20", kind: kind, flow: flow))
                #expect(estimate.amount != 0, "\(programme.id) \(String(describing: flow)): \(estimate.reason)")
                #expect((estimate.amount == nil) == (estimate.outcome == .unknown))
                if flow == .outOfApp, estimate.amount == nil { unknown.insert(programme.id) }
            }
        }
        #expect(unknown.isSuperset(of: ["eu-2026-10", "eu-2025-06", "jp", "br"]))
    }

    @Test("A renewal follows the window of its subscription's start (OB-32)")
    func renewals() throws {
        let eu = try programme("eu-2026-10")
        let inside = try subject(
            at: "2027-03-01",
            kind: .renewal(subscriptionStart: moment("2026-10-12T10:00:00Z")),
            taps: ["2026-10-05T10:00:00Z"]
        )
        #expect(eu.estimate(inside).amount == 15)
        let outside = try subject(
            at: "2027-03-01",
            kind: .renewal(subscriptionStart: moment("2026-10-13")),
            taps: ["2026-10-05T10:00:00Z", "2027-02-28"]
        )
        #expect(eu.estimate(outside).outcome == .outsideWindow)
    }

    struct Case: Sendable {
        let name: String
        let programme: String
        var flow: ReportingProgramme.Flow? = .outOfApp
        var paidDays: Int?
        var developer: Set<String> = []
        var tapped = true
        var currency = "EUR"
        let estimate: String?
    }

    /// EUR 100.00 without tax, 121.00 with; figures of spec/07, section 3.
    static let cases = [
        Case(name: "link, standard", programme: "eu-2026-10", estimate: "15"),
        Case(name: "link, small business", programme: "eu-2026-10", developer: ["smallBusiness"], estimate: "10"),
        Case(name: "link, video partner", programme: "eu-2026-10", developer: ["videoPartner"], estimate: "10"),
        Case(
            name: "Brazil, link, news partner",
            programme: "br",
            developer: ["newsPartner"],
            currency: "BRL",
            estimate: "10"
        ),
        Case(
            name: "Brazil, in app, news partner",
            programme: "br",
            flow: .withinApp,
            developer: ["newsPartner"],
            currency: "BRL",
            estimate: "10"
        ),
        Case(
            name: "Japan, link, news partner",
            programme: "jp",
            developer: ["newsPartner"],
            currency: "JPY",
            estimate: "15"
        ),
        Case(name: "EU, link, news partner", programme: "eu-2026-10", developer: ["newsPartner"], estimate: "15"),
        Case(name: "link, 364 paid days", programme: "eu-2026-10", paidDays: 364, estimate: "15"),
        Case(name: "link, 365 paid days", programme: "eu-2026-10", paidDays: 365, estimate: "10"),
        Case(name: "link without a tap", programme: "eu-2026-10", tapped: false, estimate: nil),
        Case(name: "in app without a tap", programme: "eu-2026-10", flow: .withinApp, tapped: false, estimate: "20"),
        Case(name: "In-App Purchase", programme: "eu-2026-10", flow: .inAppPurchase, estimate: "26"),
        Case(name: "the flow is not known", programme: "eu-2026-10", flow: nil, estimate: nil),
        Case(name: "Korea, of the price with tax", programme: "kr", flow: nil, currency: "KRW", estimate: "31"),
        Case(name: "Netherlands, any flow", programme: "nl-dating", flow: nil, estimate: "27"),
        Case(name: "Russia: nothing is known", programme: "ru", estimate: nil),
        Case(name: "Korea by a link: nothing is known", programme: "kr", estimate: nil),
        Case(name: "Japan in app", programme: "jp", flow: .withinApp, currency: "JPY", estimate: "21"),
        Case(name: "Japan link", programme: "jp", currency: "JPY", estimate: "15"),
        Case(name: "Brazil in app", programme: "br", flow: .withinApp, currency: "BRL", estimate: "21"),
        Case(
            name: "Brazil, Apple processes the payment",
            programme: "br",
            flow: .inAppPurchase,
            currency: "BRL",
            estimate: "26"
        ),
        Case(
            name: "Brazil, the same for small business",
            programme: "br",
            flow: .inAppPurchase,
            developer: ["smallBusiness"],
            currency: "BRL",
            estimate: "15"
        ),
    ]

    /// The reduced rates of Japan and Brazil, corrected on 2026-11-22: who has them is as in the European Union.
    static let reduced: [Case] =
        [("jp", "JPY"), ("br", "BRL")].flatMap { programme, currency in
            ["smallBusiness", "miniAppsPartner", "videoPartner"].flatMap { developer in
                [(ReportingProgramme.Flow.outOfApp, "10"), (.withinApp, "10")].map { flow, estimate in
                    Case(
                        name: "\(programme), \(developer)",
                        programme: programme,
                        flow: flow,
                        developer: [developer],
                        currency: currency,
                        estimate: estimate
                    )
                }
            }
        } + [
            Case(
                name: "Japan, In-App Purchase of a video partner",
                programme: "jp",
                flow: .inAppPurchase,
                developer: ["videoPartner"],
                currency: "JPY",
                estimate: "15"
            ),
            Case(
                name: "Brazil, Apple processes the payment of a mini app",
                programme: "br",
                flow: .inAppPurchase,
                developer: ["miniAppsPartner"],
                currency: "BRL",
                estimate: "15"
            ),
            // The terms of 2025 know no such programmes.
            Case(
                name: "streaming of a video partner",
                programme: "eea-streaming",
                developer: ["videoPartner"],
                estimate: "27"
            ),
            Case(name: "outside the App Store, in it", programme: "outside-app-store", flow: .withinApp, estimate: "5"),
            Case(
                name: "outside the App Store, by a link",
                programme: "outside-app-store",
                flow: .outOfApp,
                estimate: "5"
            ),
        ]

    @Test("The lowest rate of each fee counts, fees add up (OB-71, OB-30, OB-36 to OB-44)", arguments: cases + reduced)
    func rate(row: Case) throws {
        let subject = try subject(
            at: "2026-11-20",
            flow: row.flow,
            currency: row.currency,
            paidDays: row.paidDays,
            taps: row.tapped ? ["2026-11-19"] : []
        )
        let estimate = try programme(row.programme).estimate(subject, developerProgrammes: row.developer)
        #expect(estimate.amount?.description == row.estimate, "\(row.name): \(estimate.reason)")
        #expect((estimate.outcome == .unknown) == (row.estimate == nil))
    }

    struct OldTerms: Sendable {
        let name: String
        var sale = "2026-03-15"
        var developer: Set<String> = []
        var paidDays: Int?
        let percent: [String: String]
    }

    /// Section 3.2: ACQUISITION token of 2025-08-31, newest SERVICES token of 2025-09-20.
    static let oldTerms = [
        OldTerms(
            name: "in both windows",
            sale: "2026-02-28T23:59:59.999Z",
            percent: ["initialAcquisition": "2", "commission": "13"]
        ),
        OldTerms(name: "the six months end with February", sale: "2026-03-01", percent: ["commission": "13"]),
        OldTerms(
            name: "small business",
            sale: "2026-02-28",
            developer: ["smallBusiness"],
            percent: ["initialAcquisition": "0", "commission": "10"]
        ),
        OldTerms(name: "tier 1", developer: ["storeServicesTier1"], percent: ["commission": "5"]),
        OldTerms(name: "after the first year", paidDays: 365, percent: ["commission": "10"]),
        OldTerms(
            name: "core technology on top",
            developer: ["externalPurchaseLinkAddendum"],
            percent: ["commission": "13", "core-technology": "5"]
        ),
        OldTerms(
            name: "last day of the twelve months",
            sale: "2026-09-20T23:59:59.999Z",
            percent: ["commission": "13"]
        ),
        OldTerms(name: "after the twelve months", sale: "2026-09-21", percent: [:]),
    ]

    @Test(
        "Fee windows of the old terms are estimated from the customer's tokens (OB-33, OB-34, OB-72)",
        arguments: oldTerms
    )
    func oldTerm(row: OldTerms) throws {
        let subject = try subject(
            at: row.sale,
            paidDays: row.paidDays,
            acquisition: ["2025-08-31T15:00:00Z", "2026-01-01"],
            services: ["2025-09-20T15:00:00Z", "2025-07-01", "2026-09-30"]
        )
        let estimate = try programme("eu-2025-06").estimate(subject, developerProgrammes: row.developer)
        let fees = estimate.fees.map { ($0.adds ? $0.rate : $0.name, $0.percent.description) }
        #expect(Dictionary(uniqueKeysWithValues: fees) == row.percent, "\(row.name): \(estimate.reason)")
        let sum = row.percent.values.compactMap { Decimal(string: $0) }.reduce(0, +)
        #expect(estimate.amount == sum)
    }

    static let months: [(start: String, months: Int, end: String)] = [
        ("2026-01-31T10:00:00Z", 1, "2026-02-28T23:59:59.999Z"), ("2028-01-31", 1, "2028-02-29T23:59:59.999Z"),
        ("2026-08-31", 6, "2027-02-28T23:59:59.999Z"), ("2028-02-29", 12, "2029-02-28T23:59:59.999Z"),
        ("2026-12-15", 1, "2027-01-15T23:59:59.999Z"), ("2026-03-31", 0, "2026-03-31T23:59:59.999Z"),
    ]

    @Test("Months are civil months in UTC to the end of the day (OB-72)", arguments: months)
    func month(row: (start: String, months: Int, end: String)) throws {
        #expect(
            try EventWindow.end(of: .months(row.months), from: moment(row.start), counting: DayCount())
                == moment(row.end)
        )
    }

    struct Days: Sendable {
        let tap: String
        var unit = DayCount.Unit.calendarDays
        var zone = "UTC"
        let end: String
    }

    static let days = [
        Days(tap: "2026-10-05T10:00:00Z", end: "2026-10-12T23:59:59.999Z"),
        Days(tap: "2026-10-05T00:00:00Z", end: "2026-10-12T23:59:59.999Z"),
        Days(tap: "2026-10-05T23:59:59.999Z", end: "2026-10-12T23:59:59.999Z"),
        // In Tokyo it is the morning of the sixth.
        Days(tap: "2026-10-05T23:00:00Z", zone: "+09:00", end: "2026-10-13T14:59:59.999Z"),
        Days(tap: "2026-10-05T02:00:00Z", zone: "-03:00", end: "2026-10-12T02:59:59.999Z"),
        // The clocks go back on the 25th, so that the seven days have 169 hours.
        Days(tap: "2026-10-20T10:00:00Z", zone: "Europe/Amsterdam", end: "2026-10-27T22:59:59.999Z"),
        Days(tap: "2026-10-05T10:00:00Z", unit: .hours, end: "2026-10-12T10:00:00Z"),
        Days(tap: "2026-10-20T10:00:00Z", unit: .hours, zone: "Europe/Amsterdam", end: "2026-10-27T10:00:00Z"),
    ]

    @Test("The seventh day ends with the calendar day of due.timeZone, or after 168 hours (OB-72)", arguments: days)
    func sevenDays(row: Days) throws {
        let count = DayCount(unit: row.unit, zone: try ReportingTimeZone(row.zone))
        #expect(try EventWindow.end(of: .days(7), from: moment(row.tap), counting: count) == moment(row.end))
        #expect(
            DayCount().end(of: 0, from: try moment("2026-10-05T10:00:00Z")) == (try moment("2026-10-05T23:59:59.999Z"))
        )
    }

    @Test(
        "A refund takes back what the terms of its buy charged; where those charged nothing or are unknown, so is it (OB-71)"
    )
    func refund() throws {
        let eu = try programme("eu-2026-10")
        func refund(of bought: String, flow: ReportingProgramme.Flow? = .outOfApp) throws -> CommissionEstimate {
            let kind = EstimateSubject.Kind.refund(of: .buy, at: try moment(bought))
            return eu.estimate(
                try subject(at: "2026-12-20", kind: kind, flow: flow, net: 20_000, taps: ["2026-10-05T10:00:00Z"])
            )
        }
        let inside = try refund(of: "2026-10-12T10:00:00Z")
        #expect(inside.amount == -3)
        #expect(inside.reason.hasPrefix("taken back from the buy of 2026-10-12T10:00:00Z: 15 % link; inside"))
        #expect(try refund(of: "2026-10-13").amount == 0)
        #expect(try refund(of: "2026-10-12T10:00:00Z", flow: nil).amount == nil)
    }

    @Test("The flow follows from the token, else from where the checkout was (OB-71)")
    func flows() {
        #expect(ReportingProgramme.Flow(tokenType: .inApp, isCheckoutInApp: false) == .withinApp)
        #expect(ReportingProgramme.Flow(tokenType: .linkOut) == .outOfApp)
        #expect(ReportingProgramme.Flow(tokenType: .services, isCheckoutInApp: true) == .withinApp)
        #expect(ReportingProgramme.Flow(tokenType: nil, isCheckoutInApp: false) == .outOfApp)
        #expect(ReportingProgramme.Flow(tokenType: .services) == nil)
        // The app itself requests this token where it offers the purchase (OB-46).
        #expect(ReportingProgramme.Flow(tokenType: .coreTechnology) == .withinApp)
        #expect(ReportingProgramme.Flow(tokenType: .coreTechnology, isCheckoutInApp: false) == .outOfApp)
    }

    static let rounding: [(net: Int64, currency: String, estimate: String)] = [
        // 15 %: 0.0045 → 0; 0.005 (of 33.333 milli-units is none) and so on, half up.
        (30, "EUR", "0"), (34, "EUR", "0.01"), (100, "EUR", "0.02"), (99, "EUR", "0.01"),
        (3_333, "JPY", "0"), (3_334, "JPY", "1"), (1_490_000, "JPY", "224"), (10, "KWD", "0.002"),
        (.max, "EUR", "1383505805528216.37"),
    ]

    @Test("An estimate is rounded half up once, to the currency's minor unit (RR-42)", arguments: rounding)
    func rounded(row: (net: Int64, currency: String, estimate: String)) throws {
        let subject = try subject(
            at: "2026-11-20",
            net: row.net,
            tax: 0,
            currency: row.currency,
            taps: ["2026-11-20"]
        )
        #expect(try programme("eu-2026-10").estimate(subject).amount?.description == row.estimate)
    }
}
