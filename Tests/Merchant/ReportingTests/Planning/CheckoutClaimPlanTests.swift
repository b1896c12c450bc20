import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("Claims on checkouts and customers that only public arrivals made (TK-78)")
struct CheckoutClaimPlanTests {
    typealias S = Samples

    /// The plan of one sale that names a checkout with claims.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var claim = Checkout.TokenClaim.contested
        var token: ExternalPurchaseId?
        var states: [TokenState] = [.unconfirmed, .unconfirmed]
        var type: TokenType?
        var customer: CustomerId?
        var named: ExternalPurchaseId?
        /// Nil where the sale waits.
        let expected: ExternalPurchaseId?
        var cause: HoldCause? = .checkoutContradiction
    }

    static let cases: [Case] = [
        Case(testDescription: "one claim", claim: .claimed, token: "t0", expected: "t0"),
        Case(testDescription: "two unconfirmed claims wait", expected: nil),
        Case(testDescription: "one of two is confirmed", states: [.unconfirmed, .confirmed], expected: "t1"),
        Case(
            testDescription: "Apple does not know the other",
            states: [.unknownToApple, .unconfirmed],
            expected: "t1"
        ),
        Case(testDescription: "two confirmed claims wait", states: [.confirmed, .confirmed], expected: nil),
        Case(
            testDescription: "Apple knows neither",
            states: [.unknownToApple, .unknownToApple],
            expected: nil,
            cause: .tokenUnknownToApple
        ),
        Case(testDescription: "an authenticated source says so", claim: .replaced, token: "t1", expected: "t1"),
        Case(testDescription: "the sale names its token", named: "t1", expected: "t1"),
        Case(
            testDescription: "a confirmed claim does not outrank an authenticated source",
            claim: .replaced,
            token: "t1",
            states: [.confirmed, .unconfirmed],
            expected: "t1"
        ),
        Case(testDescription: "custom links without a customer", type: .services, expected: nil),
        Case(
            testDescription: "the customer leads to custom links",
            type: .services,
            customer: "c",
            expected: "own",
            cause: nil
        ),
    ]

    @Test("A sale goes on the token with the best claim on its checkout, or waits between equals", arguments: cases)
    func claims(_ story: Case) {
        let ids: [ExternalPurchaseId] = ["t0", "t1"]
        var tokens = zip(ids, story.states).enumerated().map { number, token in
            S.token(
                token.0,
                story.type,
                from: Double(number),
                to: story.type.map { _ in 365 },
                source: .website,
                state: token.1
            )
        }
        tokens.append(S.token("own", .services, from: 0, to: 365, customer: "c"))
        let checkout = Checkout(
            checkoutId: "k",
            bundleId: S.app,
            externalPurchaseId: story.token,
            tokenClaim: story.claim
        )
        let rank: [TokenState] = [.confirmed, .unconfirmed, .unknownToApple]
        let claims = rank.flatMap { state in zip(ids, story.states).filter { $0.1 == state }.map(\.0) }
        let sale = AttributionPlannerTests.buy("s", 40, customer: story.customer, checkout: "k", token: story.named)
        let plan = AttributionPlanner().plan(
            PlanningInput(
                tokens: tokens,
                checkouts: [checkout],
                claims: story.claim == .claimed ? [:] : ["k": claims],
                sales: S.records([sale])
            ),
            now: S.now
        )
        guard let made = plan.sales["s"] else {
            Issue.record("no plan")
            return
        }
        if let expected = story.expected {
            #expect(made.outcome == .planned(on: expected))
        } else {
            #expect(made.isHeld)
            #expect(made.holdCauses == Set([story.cause].compactMap(\.self)))
        }
    }

    /// A sale of checkout `k` on day 40, and the tokens that public arrivals name for it.
    struct Candidates: Sendable, CustomTestStringConvertible {
        struct Claimed: Sendable {
            let id: ExternalPurchaseId
            var type: TokenType?
            var from = 10.0
            var state = TokenState.unconfirmed
            var claimsSeveral = false
        }

        let testDescription: String
        let claims: [Claimed]
        /// The customer of the sale, who has a `SERVICES` token of the back end's, `own`.
        var customer: CustomerId?
        var ownClaim = TokenRecord.CustomerClaim.none
        var ownState = TokenState.unconfirmed
        var environment: AppStoreEnvironment?
        /// Nil where the sale waits.
        let expected: ExternalPurchaseId?
        var cause = HoldCause.checkoutContradiction
    }

    static let sandbox: ExternalPurchaseId = "SANDBOX_t"
    static let candidates: [Candidates] = [
        // Beside the customer's own token.
        Candidates(
            testDescription: "own token, unconfirmed claim",
            claims: [.init(id: "t")],
            customer: "c",
            expected: nil
        ),
        Candidates(
            testDescription: "own token, LINK_OUT",
            claims: [.init(id: "t", type: .linkOut)],
            customer: "c",
            expected: nil
        ),
        Candidates(
            testDescription: "own token, confirmed claim",
            claims: [.init(id: "t", state: .confirmed)],
            customer: "c",
            expected: "t"
        ),
        Candidates(
            testDescription: "own token, refused claim",
            claims: [.init(id: "t", state: .unknownToApple)],
            customer: "c",
            expected: "own"
        ),
        Candidates(
            testDescription: "own token, unknown type",
            claims: [.init(id: "t", type: TokenType(rawValue: "FOO"))],
            customer: "c",
            expected: "own"
        ),
        Candidates(
            testDescription: "own token, later claim",
            claims: [.init(id: "t", from: 50)],
            customer: "c",
            expected: "own"
        ),
        Candidates(
            testDescription: "own token, sandbox claim",
            claims: [.init(id: sandbox)],
            customer: "c",
            expected: "own"
        ),
        Candidates(
            testDescription: "own token, sandbox custom link",
            claims: [.init(id: sandbox, type: .services)],
            customer: "c",
            expected: "own"
        ),
        Candidates(
            testDescription: "own token is as public",
            claims: [.init(id: "t")],
            customer: "c",
            ownClaim: .arrival,
            expected: "t"
        ),
        Candidates(
            testDescription: "own token is as public and confirmed",
            claims: [.init(id: "t")],
            customer: "c",
            ownClaim: .arrival,
            ownState: .confirmed,
            expected: nil
        ),
        Candidates(
            testDescription: "a customer without tokens",
            claims: [.init(id: "t")],
            customer: "d",
            expected: "t"
        ),
        Candidates(testDescription: "no customer", claims: [.init(id: "t")], expected: "t"),
        // Environments.
        Candidates(
            testDescription: "production is stated, the claim is of the sandbox",
            claims: [.init(id: sandbox, state: .confirmed)],
            environment: .production,
            expected: nil,
            cause: .noToken
        ),
        Candidates(
            testDescription: "production is stated, one of two is of the sandbox",
            claims: [.init(id: sandbox, state: .confirmed), .init(id: "t")],
            environment: .production,
            expected: "t"
        ),
        Candidates(
            testDescription: "the sandbox is stated",
            claims: [.init(id: "t"), .init(id: sandbox)],
            environment: .sandbox,
            expected: sandbox
        ),
        Candidates(
            testDescription: "a confirmed sandbox token does not displace",
            claims: [.init(id: sandbox, state: .confirmed), .init(id: "t")],
            expected: "t"
        ),
        Candidates(
            testDescription: "Apple refuses the production token",
            claims: [.init(id: sandbox, state: .confirmed), .init(id: "t", state: .unknownToApple)],
            expected: sandbox
        ),
        // Times.
        Candidates(testDescription: "a later one", claims: [.init(id: "t"), .init(id: "u", from: 50)], expected: "t"),
        Candidates(
            testDescription: "a later confirmed one",
            claims: [.init(id: "t"), .init(id: "u", from: 50, state: .confirmed)],
            expected: "t"
        ),
        Candidates(testDescription: "none is earlier", claims: [.init(id: "t", from: 50)], expected: "t"),
        // One token that claims many.
        Candidates(
            testDescription: "a confirmed one that claims several waits for the other",
            claims: [.init(id: "t"), .init(id: "u", state: .confirmed, claimsSeveral: true)],
            expected: nil
        ),
        Candidates(
            testDescription: "the other is confirmed",
            claims: [.init(id: "t", state: .confirmed), .init(id: "u", state: .confirmed, claimsSeveral: true)],
            expected: "t"
        ),
        Candidates(
            testDescription: "the other is refused",
            claims: [.init(id: "t", state: .unknownToApple), .init(id: "u", state: .confirmed, claimsSeveral: true)],
            expected: "u"
        ),
    ]

    @Test("Only claims that can hold a sale count, and none before the customer's own token", arguments: candidates)
    func choice(_ story: Candidates) {
        for order in [story.claims, story.claims.reversed()] {
            var tokens = order.map { claim in
                let ends = claim.type == .services ? 365.0 : nil
                var token = S.token(
                    claim.id,
                    claim.type,
                    from: claim.from,
                    to: ends,
                    source: .website,
                    state: claim.state
                )
                token.claimsSeveral = claim.claimsSeveral
                return token
            }
            var own = S.token("own", .services, from: 0, to: 365, customer: "c", state: story.ownState)
            own.customerClaim = story.ownClaim
            tokens.append(own)
            let isOne = order.count == 1
            let checkout = Checkout(
                checkoutId: "k",
                bundleId: S.app,
                externalPurchaseId: isOne ? order[0].id : nil,
                tokenClaim: isOne ? .claimed : .contested
            )
            var sale = AttributionPlannerTests.buy("s", 40, customer: story.customer, checkout: "k")
            sale.environment = story.environment
            let made = AttributionPlanner().plan(
                PlanningInput(
                    tokens: tokens,
                    checkouts: [checkout],
                    claims: isOne ? [:] : ["k": order.map(\.id)],
                    sales: S.records([sale])
                ),
                now: S.now
            ).sales["s"]
            if let expected = story.expected {
                #expect(made?.outcome == .planned(on: expected))
            } else {
                #expect(made?.outcome == .held(on: nil))
                #expect(made?.holdCauses == [story.cause])
            }
        }
    }

    @Test(
        "A period whose customer only public arrivals named ranks behind all others, the confirmed ones first",
        arguments: [
            (TokenRecord.CustomerClaim.none, TokenState.unconfirmed, TokenType.services, "other"),
            (.arrival, .unconfirmed, .services, "own"), (.arrival, .confirmed, .services, "own"),
            (.arrival, .unconfirmed, .acquisition, "own"),
        ] as [(TokenRecord.CustomerClaim, TokenState, TokenType, ExternalPurchaseId)]
    )
    func customers(
        _ claim: TokenRecord.CustomerClaim,
        _ state: TokenState,
        _ type: TokenType,
        _ expected: ExternalPurchaseId
    ) {
        for ownType in [TokenType.services, .acquisition] where claim != .none || ownType == .services {
            var other = S.token("other", type, from: 20, to: 365, customer: "c", state: state)
            other.customerClaim = claim
            let own = S.token("own", ownType, from: 0, to: 365, customer: "c")
            let plan = AttributionPlannerTests.plan(
                [own, other],
                [AttributionPlannerTests.buy("s", 40, customer: "c")]
            )
            #expect(plan.sales["s"]?.outcome == .planned(on: expected))
        }
        var (one, two) = (
            S.token("one", .acquisition, from: 0, to: 365, customer: "c", source: .website, state: .confirmed),
            S.token("two", .services, from: 20, to: 365, customer: "c", source: .website)
        )
        (one.customerClaim, two.customerClaim) = (.arrival, .arrival)
        let plan = AttributionPlannerTests.plan([one, two], [AttributionPlannerTests.buy("s", 40, customer: "c")])
        #expect(plan.sales["s"]?.outcome == .planned(on: "one"))
    }

    /// Tokens that public arrivals name for one customer, and where they place a sale of day 40.
    struct Periods: Sendable, CustomTestStringConvertible {
        struct Claimed: Sendable {
            var type = TokenType.services
            var from = 0.0
            var to = 365.0
            var state = TokenState.unconfirmed
            var claim = TokenRecord.CustomerClaim.arrival
        }

        let testDescription: String
        let tokens: [Claimed]
        /// The number of the token.
        let expected: Int
    }

    static let periods: [Periods] = [
        Periods(testDescription: "one", tokens: [.init()], expected: 0),
        Periods(
            testDescription: "one of each type",
            tokens: [.init(type: .acquisition), .init(from: 20)],
            expected: 1
        ),
        Periods(testDescription: "two, as of two devices", tokens: [.init(), .init(from: 20)], expected: 1),
        Periods(testDescription: "two with one beginning", tokens: [.init(), .init(to: 200)], expected: 0),
        Periods(testDescription: "two of one period", tokens: [.init(), .init()], expected: 0),
        Periods(testDescription: "the other has ended", tokens: [.init(), .init(from: 1, to: 30)], expected: 0),
        Periods(testDescription: "the other begins later", tokens: [.init(), .init(from: 50)], expected: 0),
        Periods(
            testDescription: "two installations",
            tokens: [.init(type: .acquisition), .init(type: .acquisition, from: 20)],
            expected: 1
        ),
        Periods(
            testDescription: "the older one is confirmed",
            tokens: [.init(state: .confirmed), .init(from: 20)],
            expected: 0
        ),
        Periods(
            testDescription: "both are confirmed",
            tokens: [.init(state: .confirmed), .init(from: 20, state: .confirmed)],
            expected: 1
        ),
        Periods(
            testDescription: "Apple does not know the newer one",
            tokens: [.init(), .init(from: 20, state: .unknownToApple)],
            expected: 0
        ),
        Periods(
            testDescription: "three, of which two are left",
            tokens: [.init(), .init(from: 20, state: .unknownToApple), .init(from: 30)],
            expected: 2
        ),
        Periods(
            testDescription: "an installation is confirmed",
            tokens: [.init(type: .acquisition, state: .confirmed), .init(), .init(from: 20)],
            expected: 0
        ),
        Periods(
            testDescription: "an authenticated one is older",
            tokens: [.init(type: .acquisition, claim: .none), .init(from: 10), .init(from: 20, state: .confirmed)],
            expected: 0
        ),
        Periods(
            testDescription: "two authenticated ones",
            tokens: [.init(claim: .none), .init(from: 20, claim: .none)],
            expected: 1
        ),
    ]

    @Test(
        "Of several periods that only public arrivals named the newest confirmed one counts, or the newest",
        arguments: periods
    )
    func customerPeriods(_ story: Periods) {
        for order in [story.tokens.indices.map(\.self), story.tokens.indices.reversed()] {
            let tokens = order.map { number in
                let claimed = story.tokens[number]
                var token = S.token(
                    ExternalPurchaseId("t\(number)"),
                    claimed.type,
                    from: claimed.from,
                    to: claimed.to,
                    customer: "c",
                    source: claimed.claim == .none ? .app : .website,
                    state: claimed.state
                )
                token.customerClaim = claimed.claim
                return token
            }
            let sale = AttributionPlannerTests.buy("s", 40, customer: "c")
            let made = AttributionPlannerTests.plan(tokens, [sale]).sales["s"]
            let expected = ExternalPurchaseId("t\(story.expected)")
            #expect(made?.outcome == .planned(on: expected))
            #expect(made?.flags == [])
            // A later charge, after the token of its start has ended, is one of the customer's sales too (RR-64).
            let start = S.sale("start", at: S.day(-100), token: "plain", S.charge(from: -100, to: -70))
            let renewal = S.sale("renewal", at: S.day(40), customer: "c", S.charge(from: 40, to: 70))
            let plain = S.token("plain", .services, from: -120, to: -80, customer: "c")
            let event = AttributionPlannerTests.plan(tokens + [plain], [start, renewal]).sales["renewal"]
            #expect(event?.outcome == .planned(on: expected))
        }
    }

    @Test("A token that Apple refuses gives back what only a public arrival placed on it", arguments: [true, false])
    func refusedClaim(_ isClaimed: Bool) {
        func place(_ others: [TokenRecord]) -> ReportedPlace? {
            var refused = S.token("t", .services, from: 0, to: 365, customer: "c", state: .unknownToApple)
            refused.customerClaim = isClaimed ? .arrival : .none
            var record = S.records([AttributionPlannerTests.buy("s", 40, customer: "c")])[0]
            record.report = ItemReport(externalPurchaseId: "t", state: .written)
            return AttributionPlannerTests.plan([refused] + others, [record]).sales["s"]?.place
        }
        // Without another token the sale of a vouched one stays before a person (TK-74).
        #expect(place([]) == (isClaimed ? .reassigned : nil))
        #expect(place([S.token("other", .services, from: 0, to: 365, customer: "c")]) != nil)
    }

    @Test("What a sale says of its customer replaces what a public arrival said")
    func saleReplaces() {
        var token = S.token("t", .services, from: 0, to: 365, customer: "mallory", source: .website)
        token.customerClaim = .arrival
        let plan = AttributionPlannerTests.plan(
            [token],
            [AttributionPlannerTests.buy("s", 40, customer: "c", token: "t")]
        )
        #expect(plan.tokens["t"]?.customerId == "c")
        #expect(plan.tokens["t"]?.isCustomerClaimed == false)
        #expect(plan.sales["s"]?.outcome == .planned(on: "t"))
        // Through a checkout that only a public arrival links to the token, it does not.
        let checkout = Checkout(checkoutId: "k", bundleId: S.app, externalPurchaseId: "t", tokenClaim: .claimed)
        let claimed = AttributionPlannerTests.plan(
            [token],
            [AttributionPlannerTests.buy("s", 40, customer: "c", checkout: "k")],
            checkouts: [checkout]
        )
        #expect(claimed.tokens["t"]?.customerId == "mallory")
        #expect(claimed.sales["s"]?.isHeld == true)
    }

    @Test("A subscription that comes back under its id is its customer's, whatever named it before (RR-64)")
    func returningSubscription() {
        func charge(
            _ id: SaleId,
            _ day: Double,
            customer: CustomerId? = nil,
            checkout: CheckoutId? = nil,
            token: ExternalPurchaseId? = nil
        ) -> Sale {
            S.sale(
                id,
                at: S.day(day),
                customer: customer,
                checkout: checkout,
                token: token,
                S.charge(from: day, to: day + 30)
            )
        }
        let ending = S.sale(
            "bye",
            at: S.day(10),
            .cancellation(SubscriptionCancellation(subscriptionId: "sub", effectiveAt: S.day(30)))
        )
        let tokens = [
            S.token("link", .services, from: 0, to: 365, customer: "c"), S.token("plain", from: 0),
        ]
        let checkouts = [Checkout(checkoutId: "k", bundleId: S.app, externalPurchaseId: "plain")]
        let cases: [(Sale, ExternalPurchaseId)] = [
            (charge("start", 0, customer: "c"), "link"), (charge("start", 0, checkout: "k"), "plain"),
            (charge("start", 0, token: "plain"), "plain"), (charge("start", 0, token: "link"), "link"),
        ]
        for (start, expected) in cases {
            let sales = [start, ending, charge("again", 50), charge("next", 80)]
            let plan = AttributionPlannerTests.plan(tokens, sales, checkouts: checkouts)
            #expect(plan.sales["again"]?.moment?.event == .start)
            #expect(plan.sales["again"]?.outcome == .planned(on: expected))
            #expect(plan.sales["next"]?.outcome == .planned(on: expected))
        }
    }
}
