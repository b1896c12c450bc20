import ExternalPurchaseCore
import Testing

@testable import ReportValidation

private typealias X = Sample

@Suite("Kinds of line items and time windows")
struct KindAndWindowTests {
    /// The kinds of RR-6 by event type, product type and subscription event.
    ///
    /// Other combinations have no kind.
    private static func expected(_ event: EventType?, _ product: ProductType?, _ subscription: SubscriptionEvent?)
        -> LineItemKind?
    {
        if event == .refund { return .refund }
        guard event == .buy else { return nil }
        if product == .oneTimeBuy { return .oneTime }
        guard product == .subscription, let subscription else { return nil }
        return subscription == .start ? .start : .event
    }

    @Test("The kind follows from the fields that decide it; without them it is unknown (RR-6)")
    func kinds() {
        var counts: [LineItemKind?: Int] = [:]
        for event in [nil] + EventType.all {
            for product in [nil] + ProductType.all {
                for subscription in [nil, SubscriptionEvent.start, .renewal, .change, .payment] {
                    let item = ReceivedLineItem().with {
                        $0.eventType = event
                        $0.productType = product
                        $0.subscriptionEvent = subscription
                    }
                    let kind = LineItemKind(of: item)
                    #expect(kind == Self.expected(event, product, subscription))
                    counts[kind, default: 0] += 1
                }
            }
        }
        #expect(counts == [.refund: 15, .oneTime: 5, .start: 1, .event: 3, nil: 21])
        #expect(LineItemKind.allCases.filter(\.isBuy) == [.oneTime, .start, .event])
    }

    struct Submission: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let accepted: [ReceivedLineItem]
        let items: [ReceivedLineItem]
        let errors: [String]
    }

    private static let wrongRefund = X.R.dated(X.D - 1).with { $0.taxCountry = "DEU" }
    private static let wrongEvent = X.W.with { $0.ref = "o" }

    static let submissions = [
        Submission(
            testDescription: "an event that names a one-time buy",
            accepted: [X.O],
            items: [wrongEvent],
            errors: ["E14 referenceLineItemId w"]
        ),
        Submission(
            testDescription: "the same without its event",
            accepted: [X.O],
            items: [wrongEvent.with { $0.subscriptionEvent = nil }],
            errors: ["E4 subscriptionEvent w"]
        ),
        Submission(
            testDescription: "a refund that contradicts its buy",
            accepted: [X.O],
            items: [wrongRefund],
            errors: ["E31 creationDate r", "E23 taxCountry r"]
        ),
        Submission(
            testDescription: "the same without its event type",
            accepted: [X.O],
            items: [wrongRefund.with { $0.eventType = nil }],
            errors: ["E4 eventType r"]
        ),
        Submission(
            testDescription: "the same of a buy without its product type",
            accepted: [],
            items: [X.O.with { $0.productType = nil }, wrongRefund],
            errors: ["E4 productType o"]
        ),
        Submission(
            testDescription: "the same with a stray product type is still a refund",
            accepted: [X.O],
            items: [wrongRefund.with { $0.productType = .oneTimeBuy }],
            errors: ["E5 productType r", "E31 creationDate r", "E23 taxCountry r"]
        ),
    ]

    @Test("Cross rules skip items and targets of unknown kind (RR-6)", arguments: submissions)
    func unknownKind(_ submission: Submission) throws {
        var endpoint = Endpoint()
        for item in submission.accepted { try #expect(brief(endpoint.put(.items(item))) == []) }
        try #expect(brief(endpoint.put(.list(submission.items))) == submission.errors)
    }

    private static let day: Int64 = 86_400_000
    private static let year = 365 * day
    /// Noon in a leap year, so that the year before it has a 29th of February.
    private static let now = X.date("2028-06-01T12:00:00Z")

    @Test("A year is 365 days of 86,400,000 ms, over a 29th of February too, exact to the millisecond (RR-9)")
    func years() throws {
        for (late, isLate) in [(0, false), (1, true)] as [(Int64, Bool)] {
            let bought = Self.now.milliseconds - Self.year - late
            let then = Timestamp(milliseconds: bought + Self.day)
            var restating = Endpoint()
            try #expect(brief(restating.put(.items(X.O.dated(bought)), now: then)) == [])
            try #expect(
                brief(restating.put(.items(X.O.restated.dated(bought)), now: Self.now))
                    == (isLate ? ["E39 creationDate o"] : [])
            )

            var refunding = Endpoint()
            try #expect(brief(refunding.put(.items(X.O.dated(bought)), now: then)) == [])
            try #expect(
                brief(refunding.put(.items(X.R.dated(bought + Self.year + late)), now: Self.now))
                    == (isLate ? ["E40 creationDate r"] : [])
            )

            var old = Endpoint()
            let longAgo = X.O.dated(Self.now.milliseconds - 3 * Self.year - late)
            try #expect(brief(old.put(.items(longAgo), now: Self.now)) == (isLate ? ["E27 creationDate o"] : []))
        }
    }

    @Test("The skew of the clock and the active range of a token are exact to the millisecond (RR-9)")
    func shortWindows() throws {
        for (late, isLate) in [(0, false), (1, true)] as [(Int64, Bool)] {
            var ahead = Endpoint()
            let future = X.O.dated(X.N + 300_000 + late)
            try #expect(brief(ahead.put(.items(future))) == (isLate ? ["E6 creationDate o"] : []))

            var active = Endpoint()
            let last = X.date("2026-11-15T00:00:00Z").milliseconds + late
            try #expect(
                brief(active.put(.items(X.O.dated(last), on: X.services))) == (isLate ? ["E36 creationDate o"] : [])
            )
        }
    }
}
