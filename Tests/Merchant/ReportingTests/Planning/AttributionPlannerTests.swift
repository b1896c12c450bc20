import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("Attribution (RR-60 to RR-67)")
struct AttributionPlannerTests {
    typealias S = Samples

    static func buy(
        _ id: SaleId,
        _ day: Double,
        customer: CustomerId? = nil,
        checkout: CheckoutId? = nil,
        token: ExternalPurchaseId? = nil,
        _ purchase: Purchase = S.euros(12)
    ) -> Sale {
        S.sale(id, at: S.day(day), customer: customer, checkout: checkout, token: token, .purchase(purchase))
    }

    static func plan(
        _ tokens: [TokenRecord],
        _ records: [SaleRecord],
        checkouts: [Checkout] = [],
        now: Timestamp = S.now
    ) -> AttributionPlan {
        AttributionPlanner().plan(
            PlanningInput(tokens: tokens, checkouts: checkouts, sales: records),
            now: now
        )
    }

    static func plan(_ tokens: [TokenRecord], _ sales: [Sale], checkouts: [Checkout] = []) -> AttributionPlan {
        plan(tokens, S.records(sales), checkouts: checkouts)
    }

    // MARK: Custom link tokens

    @Test(
        "Of a customer's active tokens SERVICES comes before ACQUISITION, the newest period first (RR-60, RR-61)",
        arguments: [
            (10, "a"), (60, "s1"), (100, "s1"), (120, "s2"), (200, "s2"), (300, "s2"),
        ] as [(Double, ExternalPurchaseId)]
    )
    func newestServices(_ day: Double, _ expected: ExternalPurchaseId) {
        let tokens = [
            S.token("a", .acquisition, from: 0, to: 180, customer: "c"),
            S.token("s1", .services, from: 50, to: 150, customer: "c"),
            S.token("s2", .services, from: 110, to: 310, customer: "c"),
            S.token("other", .services, from: 0, to: 365, customer: "d"),
        ]
        let plan = Self.plan(tokens, [Self.buy("s", day, customer: "c")])
        #expect(plan.sales["s"]?.outcome == .planned(on: expected))
        #expect(plan.tokens[expected]?.report == .lineItems(ready: ["s"], waiting: []))
    }

    @Test("Both ends of the active period are included (TK-35)", arguments: [(0, true), (1, false)])
    func bothEnds(_ excess: Int64, _ isActive: Bool) {
        let token = S.token("t", .services, from: 10, to: 20, customer: "c")
        for moment in [S.day(10).advanced(by: .milliseconds(-excess)), S.day(20).advanced(by: .milliseconds(excess))] {
            let sale = S.sale("s", at: moment, customer: "c", .purchase(S.euros(12)))
            let plan = Self.plan([token], [sale])
            #expect(plan.sales["s"]?.outcome == (isActive ? .planned(on: "t") : .held(on: nil)))
            #expect(plan.sales["s"]?.flags == (isActive ? [] : [.noActiveToken]))
        }
    }

    @Test(
        "A sale in whole seconds is after a token of the same second, other sales only at its moment (TK-35, E36)",
        arguments: [
            // Milliseconds of the token's creation and of the sale within a minute.
            (500, 0, true), (999, 0, true), (1_000, 0, false), (500, 499, false), (500, 500, true), (0, 0, true),
            (61_000, 60_000, false),
        ] as [(Int64, Int64, Bool)],
        [TokenType.services, .linkOut]
    )
    func wholeSeconds(_ times: (created: Int64, sold: Int64, isActive: Bool), _ type: TokenType) {
        func moment(_ milliseconds: Int64) -> Timestamp { S.day(10).advanced(by: .milliseconds(milliseconds)) }
        var token = S.token("t", type, from: 10, to: 20, customer: "c")
        token.token.tokenCreationDate = moment(times.created)
        let sale = S.sale("s", at: moment(times.sold), customer: "c", token: "t", .purchase(S.euros(12)))
        let plan = Self.plan([token], [sale])
        #expect(
            plan.sales["s"]?.outcome == (times.isActive ? .planned(on: "t") : .held(on: type == .linkOut ? "t" : nil))
        )
    }

    @Test("The line item of a sale in whole seconds is not older than its token (TK-35, E36)")
    func creationDate() throws {
        let sales = S.records([S.sale("s", at: S.day(10), customer: "c", .purchase(S.euros(12)))])
        for (created, expected) in [(500, 500), (0, 0), (-1, 0), (1_000, 0)] as [(Int64, Int64)] {
            let items = LineItemPlanner().items(
                of: ["s"],
                among: sales,
                accepted: [:],
                tokenCreationDate: S.day(10).advanced(by: .milliseconds(created))
            ).items
            #expect(items.map(\LineItem.creationDate) == [S.day(10).advanced(by: .milliseconds(expected))])
        }
    }

    @Test("Of the tokens of one period the one received first, links by id; the rest are duplicates (RR-60, RR-62)")
    func oneOfAPeriod() {
        let tokens = [
            S.token("z", .services, from: 0, to: 365, received: 2, customer: "c"),
            S.token("b", .services, from: 0, to: 365, received: 1, customer: "c"),
            S.token("a", .services, from: 0, to: 365, received: 1, customer: "c"),
            S.token("q", .acquisition, from: 0, to: 365, received: 0, customer: "c"),
        ]
        let plan = Self.plan(tokens, [Self.buy("s", 40, customer: "c")])
        #expect(plan.sales["s"]?.outcome == .planned(on: "a"))
        #expect(plan.tokens["b"]?.report == .status(.duplicateToken))
        #expect(plan.tokens["b"]?.reason == .duplicate(of: "a"))
        #expect(plan.tokens["z"]?.report == .status(.duplicateToken))
        #expect(plan.tokens["q"]?.report == .status(.noLineItem))
        #expect(plan.tokens.values.filter(\.isChosen).map(\.externalPurchaseId).sorted() == ["a", "q"])
    }

    @Test("A choice stays, sales or none, whatever arrives later (RR-60)")
    func choiceStays() {
        // Tied to its customer only by a sale, though received first.
        let late = S.token("early", .services, from: 0, to: 365, received: 0)
        for chosen in [
            S.token("x", .services, from: 0, to: 365, received: 5, customer: "c", wasChosen: true),
            S.token("x", .services, from: 0, to: 365, received: 5, customer: "c", reported: [.noLineItem]),
            S.token("x", .services, from: 0, to: 365, received: 5, customer: "c", reported: [.lineItem]),
        ] {
            let plan = Self.plan([chosen, late], [Self.buy("s", 40, customer: "c", token: "early")])
            #expect(plan.sales["s"]?.outcome == .planned(on: "x"))
            #expect(plan.tokens["early"]?.report == .status(.duplicateToken))
        }
    }

    @Test("A custom link token that a sale or its checkout names only tells whose sale it is (RR-60)")
    func namesOnlyTheCustomer() {
        let tokens = [
            S.token("old", .services, from: 0, to: 30, customer: "c"),
            S.token("new", .services, from: 31, to: 365, customer: "c"),
            S.token("site", .acquisition, from: 0, to: 365),
        ]
        let checkout = Checkout(checkoutId: "k", bundleId: S.app, externalPurchaseId: "old")
        let plan = Self.plan(
            tokens,
            [Self.buy("s1", 40, token: "old"), Self.buy("s2", 40, checkout: "k"), Self.buy("s3", 40, token: "site")],
            checkouts: [checkout]
        )
        #expect(plan.sales["s1"]?.outcome == .planned(on: "new"))
        #expect(plan.sales["s2"]?.outcome == .planned(on: "new"))
        #expect(plan.sales["s3"]?.outcome == .planned(on: "site"))
    }

    @Test("A period known from addresses only does not outrank one that the app delivered (TK-76)")
    func addressesComeLast() {
        let tokens = [
            S.token("app", .services, from: 0, to: 365, customer: "c"),
            S.token("forged", .services, from: 300, to: 400, customer: "c", source: .website),
        ]
        let sale = [Self.buy("s", 310, customer: "c"), Self.buy("late", 310, customer: "c")]
        #expect(Self.plan(tokens, sale).sales["s"]?.outcome == .planned(on: "app"))
        var confirmed = tokens
        confirmed[1].state = .confirmed
        #expect(Self.plan(confirmed, sale).sales["s"]?.outcome == .planned(on: "forged"))
        #expect(Self.plan([tokens[1]], sale).sales["s"]?.outcome == .planned(on: "forged"))
    }

    @Test("Production and sandbox never meet; without a name real money comes first (SA-90)")
    func environments() {
        let tokens = [
            S.token("p", .services, from: 0, to: 365, customer: "c"),
            S.token("SANDBOX_1", .services, from: 0, to: 365, customer: "c"),
        ]
        let plan = Self.plan(tokens, [Self.buy("s", 40, customer: "c"), Self.buy("t", 40, token: "SANDBOX_1")])
        #expect(plan.sales["s"]?.outcome == .planned(on: "p"))
        #expect(plan.sales["t"]?.outcome == .planned(on: "SANDBOX_1"))
    }

    // MARK: Plain and transaction tokens

    @Test(
        "A plain or transaction token that is named takes the sale, else that of the checkout (RR-63)",
        arguments: [nil, .inApp, .linkOut, .coreTechnology] as [TokenType?]
    )
    func named(_ type: TokenType?) {
        let tokens = [
            S.token("t", type, from: 0), S.token("u", type, from: 0), S.token("none", type, from: 0),
            S.token("s", .services, from: 0, to: 365, customer: "c"),
        ]
        let checkout = Checkout(checkoutId: "k", bundleId: S.app, externalPurchaseId: "t")
        let plan = Self.plan(
            tokens,
            [
                Self.buy("s1", 40, customer: "c", token: "t"), Self.buy("s2", 41, customer: "c", checkout: "k"),
                Self.buy("s3", 42, checkout: "k", token: "u"),
            ],
            checkouts: [checkout]
        )
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["s1", "s2"], waiting: []))
        #expect(plan.sales["s3"]?.outcome == .planned(on: "u"))
        #expect(plan.sales["s3"]?.flags == [.checkoutContradiction])
        #expect(plan.tokens["none"]?.report == .status(.noLineItem))
    }

    @Test("Two checkouts of one token: both sales are on it (RR-63)")
    func twoCheckouts() {
        let plan = Self.plan(
            [S.token("t")],
            [
                Self.buy("s1", 1, checkout: "k1", token: "t"), Self.buy("s2", 2, checkout: "k2", token: "t"),
                Self.buy("s3", 3, checkout: "k2"),
            ]
        )
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["s1", "s2", "s3"], waiting: []))
        #expect(plan.checkouts["k2"]?.externalPurchaseId == "t")
    }

    @Test("A token of a kind to come takes no sale by itself, but is answered (RR-67)")
    func unknownKind() {
        let plan = Self.plan([S.token("t", TokenType(rawValue: "GIFT"))], [Self.buy("s", 1, token: "t")])
        #expect(plan.sales["s"]?.flags == [.tokenNotReportable])
        #expect(plan.tokens["t"]?.report == .status(.noLineItem))
        #expect(plan.tokens["t"]?.reason == .heldSales(["s"]))
    }

    @Test("A token that Apple does not know holds its sale, ends its duty and touches no other (TK-74)")
    func unknownToApple() {
        let tokens = [
            S.token("t", state: .unknownToApple),
            S.token("gone", .services, from: 0, to: 365, customer: "c", state: .unknownToApple),
            S.token("good", .services, from: 0, to: 365, received: 9, customer: "c"),
        ]
        let plan = Self.plan(tokens, [Self.buy("s", 1, token: "t"), Self.buy("u", 10, token: "gone")])
        #expect(plan.sales["s"]?.outcome == .held(on: "t"))
        #expect(plan.sales["s"]?.flags == [.tokenUnknownToApple])
        #expect(plan.tokens["t"]?.report == .nothing)
        #expect(plan.sales["u"]?.outcome == .planned(on: "good"))
        #expect(plan.tokens["good"]?.report == .lineItems(ready: ["u"], waiting: []))
    }

    // MARK: Subscriptions

    static func charge(
        _ id: SaleId,
        _ day: Double,
        customer: CustomerId? = nil,
        token: ExternalPurchaseId? = nil,
        sub: SubscriptionId = "sub"
    ) -> Sale {
        S.sale(id, at: S.day(day), customer: customer, token: token, S.charge(sub, from: day, to: day + 30))
    }

    @Test("Later events go on the token of the start, though a newer one is active (RR-63, RR-64)")
    func tokenOfTheStart() {
        let tokens = [
            S.token("a", .acquisition, from: 0, to: 180, customer: "c"),
            S.token("s", .services, from: 20, to: 200, customer: "c"), S.token("plain"),
        ]
        let plan = Self.plan(
            tokens,
            [
                Self.charge("start", 0, customer: "c"), Self.charge("r1", 30, customer: "c"),
                Self.charge("p0", 0, token: "plain", sub: "p"), Self.charge("p1", 30, sub: "p"),
            ]
        )
        #expect(plan.sales["start"]?.outcome == .planned(on: "a"))
        #expect(plan.sales["r1"]?.outcome == .planned(on: "a"))
        #expect(plan.sales["r1"]?.reason == .tokenOfStart("start"))
        #expect(plan.tokens["plain"]?.report == .lineItems(ready: ["p0", "p1"], waiting: []))
    }

    @Test("After the start's token expired the newest active one takes the renewal, which waits for the start (RR-64)")
    func afterExpiry() {
        let tokens = [
            S.token("a", .services, from: 0, to: 35, customer: "c"),
            S.token("b", .services, from: 40, to: 65, customer: "c"),
            S.token("d", .services, from: 50, to: 130, customer: "c"),
        ]
        var records = S.records([
            Self.charge("start", 0, customer: "c"), Self.charge("r1", 30), Self.charge("r2", 60),
            Self.charge("r5", 150),
        ])
        var plan = Self.plan(tokens, records)
        #expect(plan.sales["r1"]?.outcome == .planned(on: "a"))
        #expect(plan.sales["r2"]?.outcome == .planned(on: "d"))
        #expect(plan.sales["r2"]?.waitsFor == "start")
        #expect(plan.tokens["d"]?.report == .lineItems(ready: [], waiting: ["r2"]))
        #expect(plan.sales["r5"]?.outcome == .held(on: "a"))
        #expect(plan.sales["r5"]?.flags == [.noActiveToken])
        records[0].report = S.report(.start, .written, on: "a")
        plan = Self.plan(tokens, records)
        #expect(plan.tokens["d"]?.report == .lineItems(ready: [], waiting: ["r2"]))
        records[0].report = S.report(.start, on: "a")
        plan = Self.plan(tokens, records)
        #expect(plan.tokens["d"]?.report == .lineItems(ready: ["r2"], waiting: []))
    }

    @Test("A refund waits with the event that it refunds, and nothing refers across environments (SA-74, SA-90)")
    func waitingRefund() {
        let tokens = [
            S.token("a", .services, from: 0, to: 35, customer: "c"),
            S.token("d", .services, from: 50, to: 130, customer: "c"), S.token("SANDBOX_1"),
        ]
        let plan = Self.plan(
            tokens,
            [
                Self.charge("start", 0, customer: "c"), Self.charge("r2", 60),
                S.sale("back", at: S.day(61), S.refund(of: "r2", 1)), Self.charge("test", 90, token: "SANDBOX_1"),
            ]
        )
        #expect(plan.tokens["d"]?.report == .lineItems(ready: [], waiting: ["r2", "back"]))
        #expect(plan.sales["test"]?.flags == [.environmentContradiction])
    }

    @Test("While the start is held, its events wait with it; they go out together (RR-66)")
    func heldStart() {
        let sales = [Self.charge("start", 0, token: "t"), Self.charge("r1", 30)]
        var plan = Self.plan([], sales)
        #expect(plan.sales["start"]?.flags == [.noToken])
        #expect(plan.sales["start"]?.reason == .namedTokenMissing("t"))
        #expect(plan.sales["r1"]?.flags == [.startHeld])
        plan = Self.plan([S.token("t")], sales)
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["start", "r1"], waiting: []))
    }

    private static func lateStart(token: ExternalPurchaseId? = "t", keepsFigures: Bool = false) -> [SaleRecord] {
        var records = S.records([
            Self.charge("r1", 30, token: "t"), Self.charge("r2", 60), Self.charge("first", 0, token: token),
        ])
        records[0].report = S.report(.start, keepsFigures: keepsFigures)
        return records
    }

    @Test("A charge that arrives after a later one was reported as the start is the start (RR-32)")
    func lateEarlierCharge() {
        let plan = Self.plan([S.token("t")], Self.lateStart())
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["first", "r2"], waiting: []))
        #expect(plan.sales["r2"]?.moment?.start == "first")
        #expect(plan.sales["r2"]?.moment?.daysOfPaidService == 60)
        #expect(plan.sales["r1"]?.outcome == .reported(on: "t"))
        #expect(
            plan.sales["r1"]?.revision
                == SubscriptionRevision(
                    reported: SubscriptionFigures(event: .start, start: nil, daysOfPaidService: 0),
                    right: SubscriptionFigures(event: .renewal, start: "first", daysOfPaidService: 30),
                    start: "first",
                    isTooLate: false
                )
        )
    }

    @Test("A start that cannot be reported leaves the reported one in place, so that later charges have one (E14)")
    func heldEarlierCharge() {
        let plan = Self.plan([S.token("t")], Self.lateStart(token: nil))
        #expect(plan.sales["first"]?.flags == [.noToken])
        #expect(plan.sales["r1"]?.revision == nil)
        #expect(plan.sales["r2"]?.moment?.start == "r1")
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["r2"], waiting: []))
    }

    @Test("Where a person keeps the reported start, an earlier charge is held")
    func keptStart() {
        let plan = Self.plan([S.token("t")], Self.lateStart(keepsFigures: true))
        #expect(plan.sales["first"]?.flags == [.laterStartReported])
        #expect(plan.sales["r1"]?.revision == nil)
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["r2"], waiting: []))
    }

    @Test("A charge waits while its start stands at Apple as another event (E14)")
    func startReportedAsRenewal() {
        var records = S.records([
            Self.charge("first", 0, token: "t"), Self.charge("again", 45),
            S.sale(
                "end",
                at: S.day(10),
                .cancellation(SubscriptionCancellation(subscriptionId: "sub", effectiveAt: S.day(30)))
            ), Self.charge("next", 75),
        ])
        records[0].report = S.report(.start)
        records[1].report = S.report(.renewal, of: "first", after: 30)
        let plan = Self.plan([S.token("t")], records)
        #expect(plan.sales["again"]?.revision?.right.event == .start)
        #expect(plan.sales["next"]?.flags == [.waitsForCorrection])
        #expect(plan.sales["next"]?.outcome == .held(on: "t"))
    }

    @Test("What is about an unknown subscription waits for it, flagged buy-unknown")
    func unknownSubscription() {
        let end = SubscriptionCancellation(subscriptionId: "sub")
        let late = [
            S.sale("bye", at: S.day(50), .cancellation(end)), S.sale("lapse", at: S.day(30), .lapse("sub")),
            S.sale("r1", at: S.day(35), token: "t", S.charge(from: 35, to: 65, event: .renewal)),
            S.sale(
                "up",
                at: S.day(40),
                token: "t",
                S.charge(from: 40, to: 70, 9, product: "club.365d", event: .change)
            ),
        ]
        var plan = Self.plan([S.token("t")], S.records(late))
        for sale in late { #expect(plan.sales[sale.saleId]?.flags == [.buyUnknown], "\(sale.saleId)") }
        for sale in late { #expect(plan.sales[sale.saleId]?.isHeld == true, "\(sale.saleId)") }
        #expect(plan.tokens["t"]?.status == .noLineItem)
        plan = Self.plan([S.token("t")], S.records(late + [Self.charge("start", 0, token: "t")]))
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["start", "r1", "up"], waiting: []))
        #expect(plan.sales["up"]?.moment?.daysOfPaidService == 35)
        for id in ["bye", "lapse"] as [SaleId] { #expect(plan.sales[id]?.outcome == .noLineItem) }
    }

    // MARK: Refunds

    @Test("A refund goes on the token of its buy, also after expiry and when another token is active (RR-65)")
    func refund() {
        let tokens = [
            S.token("a", .services, from: 0, to: 35, customer: "c"),
            S.token("b", .services, from: 40, to: 400, customer: "c"),
        ]
        var records = S.records([
            Self.buy("s", 10, customer: "c"),
            S.sale("back", at: S.day(50), customer: "c", token: "b", S.refund(of: "s", 3)),
        ])
        #expect(Self.plan(tokens, records).tokens["a"]?.report == .lineItems(ready: ["s", "back"], waiting: []))
        records[0].report = ItemReport(externalPurchaseId: "b", state: .accepted)
        let plan = Self.plan(tokens, records)
        #expect(plan.sales["back"]?.outcome == .planned(on: "b"))
        #expect(plan.sales["back"]?.reason == .tokenOfBuy("s"))
    }

    @Test("A refund waits with its buy, and one that does not fit it for a person (RR-15, RR-23, RR-82)")
    func heldRefunds() {
        let tokens = [S.token("t")]
        let plan = Self.plan(
            tokens,
            [
                Self.buy("s", 10, token: "t"), Self.buy("lost", 10),
                S.sale("ok", at: S.day(11), S.refund(of: "s", 5)),
                // The provider's cumulative amount, sent as the second refund.
                S.sale("cumulative", at: S.day(12), S.refund(of: "s", 8)),
                S.sale("early", at: S.day(9), S.refund(of: "s", 1)),
                S.sale("late", at: S.day(10 + 366), S.refund(of: "s", 1)),
                S.sale("orphan", at: S.day(11), S.refund(of: "nothing", 1)),
                S.sale("waits", at: S.day(11), S.refund(of: "lost", 1)),
            ]
        )
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["s", "ok"], waiting: []))
        #expect(plan.sales["cumulative"]?.flags == [.refundAboveBuy])
        #expect(plan.sales["early"]?.flags == [.refundBeforeBuy])
        #expect(plan.sales["late"]?.flags == [.tooLateToReport])
        #expect(plan.sales["orphan"]?.flags == [.buyUnknown])
        #expect(plan.sales["waits"]?.flags == [.buyHeld])
        #expect(plan.sales["waits"]?.reason == .buyHeld("lost"))
    }

    @Test("A chargeback won back retracts its reported refund, or drops it before it was reported (RR-80)")
    func reversal() {
        var records = S.records([
            Self.buy("s", 10, token: "t"), S.sale("cb", at: S.day(11), S.refund(of: "s", 12, chargeback: true)),
            S.sale("won", at: S.day(20), .chargebackReversal(of: "cb")),
            S.sale("again", at: S.day(21), .chargebackReversal(of: "cb")),
        ])
        var plan = Self.plan([S.token("t")], records)
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["s"], waiting: []))
        #expect(plan.sales["cb"]?.reason == .undone(by: "won"))
        #expect(plan.sales["won"]?.outcome == .noLineItem)
        for index in 0...1 { records[index].report = ItemReport(externalPurchaseId: "t", state: .accepted) }
        plan = Self.plan([S.token("t")], records)
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["won"], waiting: []))
        #expect(plan.sales["won"]?.reason == .retracts("cb"))
        #expect(plan.sales["again"]?.outcome == .noLineItem)
        // A refund may take the money again that the reversal brought back.
        records.append(SaleRecord(sequence: 9, sale: S.sale("back", at: S.day(30), S.refund(of: "s", 12))))
        records[1].report?.state = .retracted
        records[2].report = ItemReport(externalPurchaseId: "t", state: .written)
        plan = Self.plan([S.token("t")], records)
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["back"], waiting: []))
        // Too late to retract.
        records[1].report?.state = .accepted
        records[2].report = nil
        plan = Self.plan([S.token("t")], records, now: S.day(11 + 366))
        #expect(plan.sales["won"]?.flags == [.tooLateToReport])
    }

    // MARK: Held sales

    @Test("A sale without any token is kept and finds its place when one arrives (RR-15, RR-66)")
    func lateToken() {
        let sale = [Self.buy("s", 40, customer: "c"), Self.buy("n", 40)]
        var plan = Self.plan([], sale)
        #expect(plan.sales["s"]?.flags == [.noToken])
        #expect(plan.sales["n"]?.flags == [.noToken])
        plan = Self.plan([S.token("t", .services, from: 0, to: 20, customer: "c")], sale)
        #expect(plan.sales["s"]?.flags == [.noActiveToken])
        plan = Self.plan([S.token("t", .services, from: 0, to: 365, received: 50, customer: "c")], sale)
        #expect(plan.sales["s"]?.outcome == .planned(on: "t"))
    }

    static func priced(_ currency: String, _ tax: Purchase.Tax?, _ country: String?) -> Purchase {
        Purchase(productId: "p", quantity: 1, currency: currency, inclusive: 1, tax: tax, taxCountry: country)
    }

    static let missing: [(Purchase, Set<SaleFlag>)] = [
        (S.euros(0), []), (priced("EUR", nil, "AUT"), [.noTax]), (priced("EUR", .rate(20), nil), [.noTaxCountry]),
        (priced("ISK", nil, "ISL"), [.noTax, .noExchangeRate]), (priced("XQX", .rate(20), "ISL"), [.notConvertible]),
    ]

    @Test(
        "What is missing of the money holds the sale on its token, named by flag and in words (RR-45, RR-47, RR-52)",
        arguments: missing
    )
    func missingMoney(_ purchase: Purchase, _ flags: Set<SaleFlag>) {
        let plan = Self.plan([S.token("t")], [Self.buy("s", 1, token: "t", purchase)])
        #expect(plan.sales["s"]?.flags == flags)
        #expect(plan.sales["s"]?.outcome == (flags.isEmpty ? .planned(on: "t") : .held(on: "t")))
        // The token is answered in time all the same; the sale may follow (RR-67).
        if !flags.isEmpty { #expect(plan.tokens["t"]?.report == .status(.noLineItem)) }
    }

    @Test("A rate quoted more than 48 hours away is none (RR-45)", arguments: [(48, true), (-48, true), (49, false)])
    func staleRate(_ hours: Double, _ isTaken: Bool) throws {
        let quote = QuotedRate(
            rate: try #require(ExchangeRate("0.0069")),
            source: "Bloomberg",
            asOf: S.day(1 + hours / 24)
        )
        let purchase = Purchase(
            productId: "p",
            quantity: 1,
            currency: "ISK",
            inclusive: 1_490,
            tax: .rate(24),
            taxCountry: "ISL",
            exchangeRate: quote
        )
        let plan = Self.plan([S.token("t")], [Self.buy("s", 1, token: "t", purchase)])
        #expect(plan.sales["s"]?.flags == (isTaken ? [] : [.noExchangeRate]))
    }

    @Test(
        "A rate into another currency than the sale is reported in is none, whatever changed since it was given (RR-45, RR-51)",
        arguments: [
            ("ISL", "EUR", .automatic, true), ("ISL", "USD", .automatic, false), ("KWT", "USD", .automatic, true),
            ("KWT", "EUR", .automatic, false), ("ISL", "EUR", .usDollar, false), ("KWT", "EUR", .euro, true),
            ("KWT", nil, .automatic, true), ("ISL", nil, .usDollar, true),
        ] as [(String, String?, ForeignCurrency, Bool)]
    )
    func rateTarget(_ country: String, _ to: String?, _ foreign: ForeignCurrency, _ isTaken: Bool) throws {
        let rate = try #require(ExchangeRate("0.0069"))
        let purchase = Purchase(
            productId: "p",
            quantity: 1,
            currency: "ISK",
            inclusive: 1_490,
            tax: .rate(24),
            taxCountry: country,
            exchangeRate: QuotedRate(rate: rate, source: "Bloomberg", asOf: S.day(1), to: to)
        )
        var settings = PlanningSettings()
        settings.foreignCurrency = foreign
        let input = PlanningInput(
            tokens: [S.token("t")],
            checkouts: [],
            sales: S.records([Self.buy("s", 1, token: "t", purchase)])
        )
        let plan = AttributionPlanner(settings: settings).plan(input, now: S.now)
        #expect(plan.sales["s"]?.flags == (isTaken ? [] : [.noExchangeRate]))
    }

    @Test("A withdrawn currency is warned of and reported (RR-52)")
    func withdrawnCurrency() throws {
        let withdrawn = try #require(Currency.all.first { !$0.current && !$0.reportable })
        let purchase = Purchase(
            productId: "p",
            quantity: 1,
            currency: withdrawn.code,
            inclusive: 10,
            tax: .rate(25),
            taxCountry: "HRV",
            exchangeRate: QuotedRate(rate: try #require(ExchangeRate("0.13")), source: "Bloomberg", asOf: S.day(1))
        )
        let plan = Self.plan([S.token("t")], [Self.buy("s", 1, token: "t", purchase)])
        #expect(plan.sales["s"]?.outcome == .planned(on: "t"))
        #expect(plan.sales["s"]?.flags == [.withdrawnCurrency])
    }

    @Test("Dates that Apple takes no more, or not yet, hold a sale (E6, E27, RR-82)")
    func dates() {
        let records = S.records([
            S.sale(
                "old",
                at: S.now.advanced(by: .milliseconds(-1_095 * Timestamp.millisecondsPerDay - 1)),
                token: "t",
                .purchase(S.euros(1))
            ),
            S.sale(
                "oldest",
                at: S.now - .days(1_095),
                token: "t",
                .purchase(S.euros(1))
            ),
            S.sale("soon", at: S.now + .minutes(5), token: "t", .purchase(S.euros(1))),
            S.sale("ahead", at: S.now + .milliseconds(300_001), token: "t", .purchase(S.euros(1))),
        ])
        let plan = Self.plan([S.token("t")], records)
        #expect(plan.sales["old"]?.flags == [.tooLateToReport])
        #expect(plan.sales["ahead"]?.flags == [.inFuture])
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["oldest", "soon"], waiting: []))
    }

    @Test("Nothing of a token made ahead of the clock is reported before its time (TK-75)")
    func suspicious() {
        let now = S.day(10)
        let plan = Self.plan([S.token("t", from: 11)], S.records([Self.buy("s", 9, token: "t")]), now: now)
        #expect(plan.tokens["t"]?.notBefore == S.day(11).advanced(by: .minutes(-5)))
        #expect(Self.plan([S.token("t", from: 11)], [], now: S.day(11)).tokens["t"]?.notBefore == nil)
    }

    // MARK: Answers

    @Test("A token known from Apple only is unrecognised; a sale or a later delivery is still reported (RR-62, RR-67)")
    func knownFromAppleOnly() {
        let heard = S.token("t", source: .notification)
        #expect(Self.plan([heard], []).tokens["t"]?.report == .status(.unrecognizedToken))
        let sale = [Self.buy("s", 1, token: "t")]
        #expect(Self.plan([heard], sale).tokens["t"]?.report == .lineItems(ready: ["s"], waiting: []))
        var told = heard
        told.reported = [.unrecognizedToken]
        #expect(Self.plan([told], []).tokens["t"]?.report == .nothing)
        told.source = .app
        #expect(Self.plan([told], []).tokens["t"]?.report == .status(.noLineItem))
        #expect(Self.plan([told], sale).tokens["t"]?.report == .lineItems(ready: ["s"], waiting: []))
    }

    @Test(
        "A late sale follows a token-only report, and a reported token calls for nothing more (RR-67, E8)",
        arguments: [ReportStatus.noLineItem, .duplicateToken, .unrecognizedToken, .lineItem]
    )
    func afterTokenOnly(_ status: ReportStatus) {
        let token = S.token("t", .services, from: 0, to: 365, customer: "c", reported: [status])
        #expect(
            Self.plan([token], [Self.buy("s", 1, customer: "c")]).tokens["t"]?.report
                == .lineItems(ready: ["s"], waiting: [])
        )
        let isAnswered = status != .unrecognizedToken
        #expect(Self.plan([token], []).tokens["t"]?.report == (isAnswered ? .nothing : .status(.noLineItem)))
    }

    @Test("All sales of a token go into one report, in the order of their moments, references first (RR-15)")
    func oneReportInOrder() {
        let plan = Self.plan(
            [S.token("t")],
            [
                S.sale("back", at: S.day(31), S.refund(of: "r1", 1)), Self.charge("r1", 30), Self.charge("r2", 60),
                Self.charge("start", 0, token: "t"), S.sale("now", at: S.day(60), S.refund(of: "r2", 1)),
            ]
        )
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["start", "r1", "back", "r2", "now"], waiting: []))
    }

    @Test("Cancellations and lapses are kept without a line item")
    func noLineItems() {
        let plan = Self.plan(
            [S.token("t")],
            [Self.charge("start", 0, token: "t"), S.sale("lapse", at: S.day(30), .lapse("sub"))]
        )
        #expect(
            plan.sales["lapse"]?.attribution
                == Attribution(state: .recorded, externalPurchaseId: nil, notes: [.noLineItem])
        )
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["start"], waiting: []))
    }

    @Test("The first tie of token, checkout and customer stays; a contradiction is flagged")
    func links() {
        let tokens = [
            S.token("t", .services, from: 0, to: 365), S.token("u", .services, from: 0, to: 300, customer: "d"),
        ]
        let plan = Self.plan(
            tokens,
            [
                Self.buy("s1", 10, customer: "c", checkout: "k", token: "t"),
                Self.buy("s2", 10, customer: "d", token: "t"),
                Self.buy("s3", 10, checkout: "k"), Self.buy("s4", 10, customer: "c"),
            ],
            checkouts: [Checkout(checkoutId: "other", bundleId: S.app, externalPurchaseId: "u", customerId: "c")]
        )
        #expect(plan.tokens["t"]?.customerId == "c")
        #expect(plan.tokens["u"]?.customerId == "d")
        #expect(plan.checkouts["k"]?.customerId == "c")
        #expect(plan.sales["s2"]?.flags == [.customerContradiction])
        #expect(plan.tokens["t"]?.report == .lineItems(ready: ["s1", "s2", "s3", "s4"], waiting: []))
    }
}
