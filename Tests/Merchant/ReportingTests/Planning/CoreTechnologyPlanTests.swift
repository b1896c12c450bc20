import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

/// Apps outside the App Store have one token for each purchase that they offer (TK-47).
@Suite("Plans, due dates and estimates of CORE_TECHNOLOGY tokens")
struct CoreTechnologyPlanTests {
    typealias S = Samples
    typealias Planner = AttributionPlannerTests

    struct Sold: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var customer: CustomerId?
        var checkout: CheckoutId?
        var token: ExternalPurchaseId?
        var day = 40.0
        let outcome: SalePlan.Outcome
        var causes: Set<HoldCause> = []
    }

    /// Of customer c: core and other without an expiration, dated from day 0 to 30, and SERVICES of the App Store's app.
    static let sold = [
        Sold(testDescription: "by its id", token: "core", outcome: .planned(on: "core")),
        Sold(testDescription: "by its checkout", checkout: "k", outcome: .planned(on: "core")),
        Sold(
            testDescription: "its id before the checkout of another",
            checkout: "k",
            token: "other",
            outcome: .planned(on: "other")
        ),
        Sold(
            testDescription: "by its id, though SERVICES of the customer is active",
            customer: "c",
            token: "core",
            outcome: .planned(on: "core")
        ),
        Sold(
            testDescription: "the customer alone leads to SERVICES",
            customer: "c",
            outcome: .planned(on: "services")
        ),
        Sold(
            testDescription: "the customer of core technology tokens only leads to none",
            customer: "d",
            outcome: .held(on: nil),
            causes: [.noToken]
        ),
        Sold(
            testDescription: "after an expiration that was given",
            token: "dated",
            outcome: .held(on: "dated"),
            causes: [.noActiveToken]
        ),
        Sold(testDescription: "before that expiration", token: "dated", day: 29, outcome: .planned(on: "dated")),
    ]

    @Test("A sale is on the token that it or its checkout names, and on no other (RR-63, TK-47)", arguments: sold)
    func sale(_ row: Sold) {
        let tokens = [
            S.token("core", .coreTechnology, customer: "c"), S.token("other", .coreTechnology, customer: "c"),
            S.token("dated", .coreTechnology, to: 30, customer: "c"),
            S.token("services", .services, from: 0, to: 365, customer: "c"),
            S.token("lonely", .coreTechnology, customer: "d"),
        ]
        let checkout = Checkout(checkoutId: "k", bundleId: S.app, externalPurchaseId: "core")
        let sale = Planner.buy("s", row.day, customer: row.customer, checkout: row.checkout, token: row.token)
        let plan = Planner.plan(tokens, [sale], checkouts: [checkout])
        #expect(plan.sales["s"]?.outcome == row.outcome)
        #expect(plan.sales["s"]?.holdCauses == row.causes)
        for token in tokens where row.outcome != .planned(on: token.id) {
            #expect(plan.tokens[token.id]?.report == .status(.noLineItem), "\(token.id)")
        }
    }

    @Test("Later charges and refunds are on the token of the start, also months later (RR-63 to RR-65)")
    func subscription() {
        let tokens = [
            S.token("core", .coreTechnology, customer: "c"),
            S.token("newer", .coreTechnology, from: 20, customer: "c"),
            S.token("services", .services, from: 0, to: 365, customer: "c"),
        ]
        let sales = [
            Planner.charge("start", 0, customer: "c", token: "core"), Planner.charge("r1", 30, customer: "c"),
            Planner.charge("r9", 270, customer: "c"), S.sale("back", at: S.day(271), S.refund(of: "r9", 1)),
        ]
        let plan = Planner.plan(tokens, sales)
        #expect(plan.tokens["core"]?.report == .lineItems(ready: ["start", "r1", "r9", "back"], waiting: []))
        #expect(plan.sales["r9"]?.reason == .tokenOfStart("start"))
        let moved = Planner.plan(tokens, Array(sales.prefix(1)) + [Planner.charge("r1", 30, token: "newer")])
        #expect(moved.sales["r1"]?.outcome == .planned(on: "newer"))
    }

    @Test("Two tokens of a customer are never duplicates; one that Apple alone named is not recognised (RR-62, E37)")
    func statuses() {
        let plan = Planner.plan(
            [
                S.token("a", .coreTechnology, customer: "c"), S.token("b", .coreTechnology, customer: "c"),
                S.token("lost", .coreTechnology, source: .notification),
            ],
            [Planner.buy("s", 1, token: "a")]
        )
        #expect(plan.tokens["a"]?.report == .lineItems(ready: ["s"], waiting: []))
        #expect(plan.tokens["b"]?.report == .status(.noLineItem))
        #expect(plan.tokens["lost"]?.report == .status(.unrecognizedToken))
    }

    struct Due: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var storefront: String?
        let created: String
        var expires: String?
        let token: String
        /// The day with which the deadline of a sale at the creation ends; nil without a programme.
        let sale: String
        var programme = "outside-app-store"
    }

    static let dues = [
        Due(
            testDescription: "the region is not known",
            created: "2026-11-20T12:00:00Z",
            token: "2026-11-30T12:00:00Z",
            sale: "2026-12-15"
        ),
        Due(
            testDescription: "EU, the last millisecond of the month",
            storefront: "DEU",
            created: "2026-11-30T23:59:59.999Z",
            token: "2026-12-10T23:59:59.999Z",
            sale: "2026-12-15"
        ),
        Due(
            testDescription: "EU, the first of the next",
            storefront: "DEU",
            created: "2026-12-01T00:00:00Z",
            token: "2026-12-11T00:00:00Z",
            sale: "2027-01-15"
        ),
        Due(
            testDescription: "Japan, from its own day on",
            storefront: "JPN",
            created: "2025-12-18T00:00:00Z",
            token: "2025-12-28T00:00:00Z",
            sale: "2026-01-15"
        ),
        Due(
            testDescription: "an expiration that was given counts instead of ten days",
            storefront: "BRA",
            created: "2026-11-20T12:00:00Z",
            expires: "2027-11-20T12:00:00Z",
            token: "2026-12-15T23:59:59.999Z",
            sale: "2026-12-15"
        ),
        Due(
            testDescription: "EU before the programme holds there: fiscal September of the old terms",
            storefront: "DEU",
            created: "2026-09-20T12:00:00Z",
            token: "2026-09-30T12:00:00Z",
            sale: "2026-10-11",
            programme: "eu-2025-06"
        ),
    ]

    @Test("The token is due after ten days, its sales with the calendar month (RR-70, OB-11, OB-46)", arguments: dues)
    func due(_ row: Due) throws {
        let type = TokenType.coreTechnology
        let made = try token(type: type, created: row.created, expires: row.expires, storefront: row.storefront)
        #expect(try builtInRules.deadline(of: made)?.moment == moment(row.token))
        let sold = try item(created: row.created, on: "t", kind: type, storefront: row.storefront)
        let deadline = try #require(builtInRules.deadline(of: sold))
        #expect(try deadline.moment == endOfDay(row.sale))
        #expect(deadline.month?.programme == row.programme)
    }

    struct Origin: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var storefront: String?
        var tax: [String] = []
        var token = ObligationOrigin.Token.type(.coreTechnology)
        var app: [String] = []
        let left: [String]
    }

    static let origins = [
        Origin(
            testDescription: "the type decides against the app's programmes",
            storefront: "NLD",
            app: ["eu-custom-link", "nl-dating"],
            left: ["outside-app-store"]
        ),
        Origin(
            testDescription: "the same with the programme configured",
            storefront: "NLD",
            app: ["outside-app-store"],
            left: ["outside-app-store"]
        ),
        Origin(
            testDescription: "a plain token of such an app is of the region's programmes",
            storefront: "DEU",
            token: .type(nil),
            app: ["outside-app-store"],
            left: ["eu-2026-10", "eea-streaming"]
        ),
        Origin(
            testDescription: "a sale without a token is of the app's programme",
            tax: ["DEU"],
            token: .none,
            app: ["outside-app-store"],
            left: ["outside-app-store"]
        ),
        Origin(
            testDescription: "where the programme does not hold, those of the region do",
            storefront: "ISL",
            left: ["eea-streaming"]
        ),
        Origin(testDescription: "no programme in Switzerland (OB-13)", storefront: "CHE", left: []),
    ]

    @Test("Which programme a token or sale counts with (OB-11, OB-46)", arguments: origins)
    func programme(_ row: Origin) throws {
        let origin = ObligationOrigin(
            storefront: try row.storefront.map(storefront),
            taxCountries: row.tax,
            token: row.token,
            appProgrammes: row.app
        )
        let selection = try ProgrammeCatalog.builtIn.select(origin, at: moment("2026-11-20"))
        #expect(selection.programmes.map(\.id) == row.left, "\(selection.reason)")
    }

    struct Fee: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var flow: ReportingProgramme.Flow? = .withinApp
        var developer: Set<String> = []
        var paidDays: Int?
        var kind = EstimateSubject.Kind.buy
        var taps: [String] = []
        /// Nil if it is unknown.
        let amount: String?
    }

    /// Of EUR 100.00 without tax and 121.00 with.
    static let fees = [
        Fee(testDescription: "whether inside the app or not is not known", flow: nil, amount: nil),
        Fee(testDescription: "inside the app", amount: "5"),
        Fee(testDescription: "inside the app, long after a tap", taps: ["2026-10-01"], amount: "5"),
        Fee(testDescription: "on a website, without a known tap", flow: .outOfApp, amount: nil),
        Fee(testDescription: "on a website, on the seventh day", flow: .outOfApp, taps: ["2026-11-13"], amount: "5"),
        Fee(testDescription: "on a website, on the eighth day", flow: .outOfApp, taps: ["2026-11-12"], amount: "0"),
        Fee(testDescription: "small business has no reduced rate", developer: ["smallBusiness"], amount: "5"),
        Fee(testDescription: "nor has a subscription after a year", paidDays: 400, amount: "5"),
        Fee(testDescription: "a small marketplace pays nothing", developer: ["smallMarketplace"], amount: "0"),
        Fee(
            testDescription: "nor for a sale on its website",
            flow: .outOfApp,
            developer: ["smallMarketplace"],
            taps: ["2026-11-19"],
            amount: "0"
        ),
        Fee(testDescription: "a renewal", kind: .renewal(subscriptionStart: S.newYear), amount: "5"),
        Fee(testDescription: "a refund takes it back", kind: .refund(of: .buy, at: S.newYear), amount: "-5"),
    ]

    @Test(
        "Five per cent of the amount without tax, out of the app within seven calendar days (OB-46, OB-71)",
        arguments: fees
    )
    func estimate(_ row: Fee) throws {
        let tests = EstimateTests()
        let subject = try tests.subject(
            at: "2026-11-20",
            kind: row.kind,
            flow: row.flow,
            paidDays: row.paidDays,
            taps: row.taps
        )
        let estimate = try tests.programme("outside-app-store").estimate(subject, developerProgrammes: row.developer)
        #expect(estimate.amount?.description == row.amount, "\(estimate.reason)")
    }
}
