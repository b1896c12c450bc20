import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerTesting
import TestSupport
import Testing

@testable import Reporting

/// Movements of one purchase's money, told in every order, over real stores and Apple's real rules (RR-23, RR-46, RR-80).
@Suite("Money of a purchase goes back in whatever order it is told")
struct ReturnOrderTests {
    enum Event: Sendable {
        /// A request to `POST /v1/sales`.
        case told(String)
        /// A request that amends the sale.
        case amended(SaleId, String)
        case voided(SaleId)

        var id: SaleId? {
            switch self {
            case .told: nil
            case .amended(let id, _), .voided(let id): id
            }
        }

        func tells(_ id: SaleId) -> Bool {
            if case .told(let body) = self { body.contains(#""saleId":"\#(id)""#) } else { false }
        }
    }

    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// In the order in which it happened.
        let events: [Event]
        /// The milli-units that live items of each sale state in the end, tax included.
        let live: [String: Int64]
        /// False where a correction of what Apple accepted has another result than an amendment before.
        var isAlsoReported = true

        var hasTotals: Bool {
            events.contains { if case .told(let body) = $0 { body.contains("Total") } else { false } }
        }
    }

    static let buy = #"""
        {"saleId":"s","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:00:00Z",
        "externalPurchaseId":"\#(Merchant.token().externalPurchaseId)","productId":"gems.100","quantity":1,
        "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
        """#

    static func back(
        _ id: String,
        _ amount: String,
        at minute: Int,
        of buy: String = "s",
        type: String = "refund"
    ) -> Event {
        .told(
            """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"\(type)","refundOf":"\(buy)",
            "occurredAt":"2026-11-20T11:\(minute):00Z",\(amount)}
            """
        )
    }

    static func refund(_ id: String, _ inclusive: String, at minute: Int, of buy: String = "s") -> Event {
        back(id, #""amount":{"inclusive":"\#(inclusive)"}"#, at: minute, of: buy)
    }

    static func chargeback(_ id: String, _ inclusive: String, at minute: Int, of buy: String = "s") -> Event {
        back(id, #""amount":{"inclusive":"\#(inclusive)"}"#, at: minute, of: buy, type: "chargeback")
    }

    static func total(_ id: String, _ sum: String, at minute: Int, of buy: String = "s") -> Event {
        back(id, #""refundedTotal":"\#(sum)""#, at: minute, of: buy)
    }

    static func reversal(_ id: String, of chargeback: String, at minute: Int) -> Event {
        .told(
            """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"chargebackReversal","reversalOf":"\(chargeback)",
            "occurredAt":"2026-11-20T11:\(minute):00Z"}
            """
        )
    }

    static let stories: [Story] = [
        Story(
            testDescription: "a chargeback is won back, then all is refunded",
            events: [
                .told(buy), chargeback("c", "9.99", at: 10), reversal("v", of: "c", at: 20),
                refund("r", "9.99", at: 30),
            ],
            live: ["s": 9_990, "r": 9_990]
        ),
        Story(
            testDescription: "a chargeback is won back, then two refunds take all",
            events: [
                .told(buy), chargeback("c", "9.99", at: 10), reversal("v", of: "c", at: 20),
                refund("f", "4.00", at: 30), refund("g", "5.99", at: 40),
            ],
            live: ["s": 9_990, "f": 4_000, "g": 5_990]
        ),
        Story(
            testDescription: "all is refunded, then charged back and won back",
            events: [
                .told(buy), refund("r", "9.99", at: 10), chargeback("c", "9.99", at: 20),
                reversal("v", of: "c", at: 30),
            ],
            live: ["s": 9_990, "r": 9_990]
        ),
        Story(
            testDescription: "two chargebacks are won back between refunds of parts",
            events: [
                .told(buy), chargeback("c", "9.99", at: 10), reversal("v", of: "c", at: 15),
                refund("r", "4.00", at: 20), chargeback("d", "5.99", at: 25), reversal("w", of: "d", at: 30),
                refund("q", "5.99", at: 35),
            ],
            live: ["s": 9_990, "r": 4_000, "q": 5_990]
        ),
        Story(
            testDescription: "a chargeback is lost, and the rest is refunded twice",
            events: [
                .told(buy), refund("r", "3.00", at: 10), chargeback("c", "2.99", at: 20), refund("q", "4.00", at: 30),
            ],
            live: ["s": 9_990, "r": 3_000, "c": 2_990, "q": 4_000]
        ),
        Story(
            testDescription: "totals before and after a chargeback that is won back",
            events: [
                .told(buy), total("t", "4.00", at: 10), chargeback("c", "5.99", at: 20), reversal("v", of: "c", at: 30),
                total("u", "9.99", at: 40),
            ],
            live: ["s": 9_990, "t": 4_000, "u": 5_990]
        ),
        Story(
            testDescription: "minor units",
            events: [
                .told(buy), chargeback("c", "9.99", at: 10), reversal("v", of: "c", at: 20),
                back("r", #""amount":{"currency":"EUR","inclusiveMinor":999}"#, at: 30),
            ],
            live: ["s": 9_990, "r": 9_990]
        ),
        Story(
            testDescription: "an order is charged back and won back, then refunded in two parts",
            events: [
                .told(OrderTests.two), chargeback("c", "9.99", at: 10, of: "o"), reversal("v", of: "c", at: 20),
                refund("r", "4.99", at: 30, of: "o"), refund("q", "5.00", at: 40, of: "o"),
            ],
            live: ["o": 9_990, "r": 4_990, "q": 5_000]
        ),
        Story(
            testDescription: "one line of an order is charged back, won back and refunded",
            events: [
                .told(OrderTests.two), chargeback("c", "5.00", at: 10, of: "o/1"), reversal("v", of: "c", at: 20),
                refund("r", "5.00", at: 30, of: "o/1"),
            ],
            live: ["o": 9_990, "r": 5_000]
        ),
        Story(
            testDescription: "a period of a subscription",
            events: [
                .told(
                    buy.replacing(
                        #""type":"purchase","#,
                        with: #"""
                            "type":"subscription","subscriptionId":"sub",
                            "period":{"start":"2026-11-20T11:00:00Z","end":"2026-12-20T11:00:00Z"},
                            """#
                    )
                ), chargeback("c", "9.99", at: 10), reversal("v", of: "c", at: 20), refund("r", "9.99", at: 30),
            ],
            live: ["s": 9_990, "r": 9_990]
        ),
        Story(
            testDescription: "an amendment of the purchase makes room",
            events: [
                .told(buy.replacing("9.99", with: "5.00")), refund("r", "8.00", at: 10),
                .amended("s", buy.replacing(#""quantity""#, with: #""amends":true,"by":"kim","quantity""#)),
            ],
            live: ["s": 9_990, "r": 8_000]
        ),
        Story(
            testDescription: "an amendment of a refund makes room for another one",
            events: [
                .told(buy), refund("r", "9.99", at: 10), refund("q", "4.00", at: 20),
                .amended(
                    "r",
                    """
                    {"saleId":"r","bundleId":"com.example.shop","type":"refund","refundOf":"s","amends":true,"by":"kim",
                    "occurredAt":"2026-11-20T11:10:00Z","amount":{"inclusive":"5.99"}}
                    """
                ),
            ],
            live: ["s": 9_990, "r": 5_990, "q": 4_000]
        ),
        Story(
            testDescription: "a refund that failed is voided and makes room for a chargeback",
            events: [
                .told(buy), refund("r", "9.99", at: 10), chargeback("c", "9.99", at: 20), .voided("r"),
            ],
            live: ["s": 9_990, "c": 9_990]
        ),
        Story(
            testDescription: "the moment of the purchase was told wrong",
            events: [
                .told(buy.replacing("T11:00", with: "T11:50")), refund("r", "9.99", at: 30),
                .amended("s", buy.replacing(#""quantity""#, with: #""amends":true,"by":"kim","quantity""#)),
            ],
            live: ["s": 9_990, "r": 9_990],
            isAlsoReported: false
        ),
        Story(
            testDescription: "the tax of the purchase was told wrong",
            events: [
                .told(buy.replacing(#""taxRate":"21""#, with: #""taxRate":"9""#)),
                back("r", #""amount":{"inclusive":"3.00","tax":"0.52"}"#, at: 30),
                .amended("s", buy.replacing(#""quantity""#, with: #""amends":true,"by":"kim","quantity""#)),
            ],
            live: ["s": 9_990, "r": 3_000]
        ),
    ]

    /// The orders of arrival, at most 24: a change follows the sale that it changes.
    static func orders(of events: [Event]) -> [[Event]] {
        var random = SplitMix64(seed: 27)
        var orders: [[Int]] = [[]]
        for index in events.indices {
            orders = orders.flatMap { order in
                (0...order.count).map { place in Array(order[..<place]) + [index] + Array(order[place...]) }
            }
        }
        let possible = orders.map { $0.map { events[$0] } }.filter { order in
            order.indices.allSatisfy { place in
                guard let id = order[place].id else { return true }
                return order[..<place].contains { $0.tells(id) }
            }
        }
        return Array(possible.shuffled(using: &random).prefix(24))
    }

    private static func take(_ event: Event, at merchant: Merchant) async throws {
        do {
            switch event {
            case .told(let body), .amended(_, let body): try await merchant.sell(body)
            case .voided(let id):
                let reason = try JSONReader().read(#"{"by":"kim","reason":"it failed"}"#)
                _ = try await merchant.system.voidSale(id, body: reason)
            }
        } catch RequestError.needsCorrection(_, let dryRuns) {
            for dryRun in dryRuns {
                let order = #"{"correctionId":"\#(dryRun.correctionId)","confirm":true,"confirmedBy":"kim"}"#
                _ = try await merchant.system.confirmCorrection(body: JSONReader().read(order))
                await merchant.system.sender.runUntilIdle()
            }
        }
    }

    /// The milli-units of Apple's live items by sale, tax included.
    private static func live(at merchant: Merchant) -> [String: Int64] {
        var sums: [String: Int64] = [:]
        for item in merchant.apple.items where item.erroneouslySubmitted != true {
            let sale = item.lineItemId?.rawValue.prefix { $0 != "/" && $0 != "." } ?? ""
            sums[String(sale), default: 0] += item.amountTaxInclusive ?? 0
        }
        return sums
    }

    @Test("Told together, every order ends with the same ledger and the same reports", arguments: stories)
    func together(_ story: Story) async throws {
        var first: [String]?
        for (number, order) in sample(Self.orders(of: story.events), 8).enumerated() {
            let merchant = number < 4 ? try EarlyRefundTests.merchant() : Merchant()
            try await merchant.take(Merchant.token())
            for event in order { try await Self.take(event, at: merchant) }
            await merchant.system.sender.runUntilIdle()
            #expect(Self.live(at: merchant) == story.live, "\(order)")
            let sales = try await merchant.system.lists.sales(LedgerPage()).sorted { $0.sale.saleId < $1.sale.saleId }
            // A currency is kept while nothing else says it.
            let rows = sales.map { "\($0.sale.saleId) \($0.standing) \($0.attribution.flags) \($0.sale.kind)" }
                .map { $0.replacing(#"currency: Optional("EUR")"#, with: "currency: nil") }
            let items = merchant.apple.items.map { String(decoding: $0.json.encoded(), as: UTF8.self) }.sorted()
            if first == nil { first = rows + items }
            #expect(rows + items == first, "\(order)")
            #expect(sales.allSatisfy { $0.standing != .held }, "\(order): \(rows)")
            #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty, "\(order)")
        }
    }

    @Test("Reported in between, every order ends with the same live items", arguments: stories.filter(\.isAlsoReported))
    func reported(_ story: Story) async throws {
        for (number, order) in sample(Self.orders(of: story.events), 8).enumerated() {
            let merchant = number < 4 ? try EarlyRefundTests.merchant() : Merchant()
            try await merchant.take(Merchant.token())
            for event in order {
                try await Self.take(event, at: merchant)
                await merchant.system.sender.runUntilIdle()
            }
            let live = Self.live(at: merchant)
            if story.hasTotals {
                // What a reported total contained stays in it.
                #expect(live["s"] == story.live["s"], "\(order)")
                #expect(live.values.reduce(0, +) == story.live.values.reduce(0, +), "\(order)")
            } else {
                #expect(live == story.live, "\(order)")
            }
            let sales = try await merchant.system.lists.sales(LedgerPage())
            let held = sales.filter { $0.standing == .held }.map { "\($0.sale.saleId) \($0.attribution.flags)" }
            #expect(held.isEmpty, "\(order)")
            #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty, "\(order)")
            let refunds = merchant.apple.items.filter { $0.eventType == .refund && $0.erroneouslySubmitted != true }
            let buys = merchant.apple.items.filter { $0.eventType == .buy && $0.erroneouslySubmitted != true }
            let (back, sold) = (Self.sums(refunds), Self.sums(buys))
            // What is refunded completely leaves neither tax nor price.
            if back.inclusive == sold.inclusive { #expect(back.exclusive == sold.exclusive, "\(order)") }
        }
    }

    private static func sums(_ items: [ReceivedLineItem]) -> (inclusive: Int64, exclusive: Int64) {
        items.reduce((0, 0)) { ($0.0 + ($1.amountTaxInclusive ?? 0), $0.1 + ($1.amountTaxExclusive ?? 0)) }
    }

    struct Wait: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let event: Event
        let flag: SaleFlag
        /// A part of the text that a person reads.
        let words: String
    }

    @Test(
        "What a later event can make right is stored and held, with a review item that says what is left (RR-23, RR-46)",
        arguments: [
            Wait(
                testDescription: "more than is left",
                event: refund("r", "7.00", at: 30),
                flag: .refundAboveBuy,
                words: "the 6.99 EUR left of sale s"
            ),
            Wait(
                testDescription: "more than the purchase",
                event: refund("r", "12.00", at: 30),
                flag: .refundAboveBuy,
                words: "the 6.99 EUR left of sale s"
            ),
            Wait(
                testDescription: "a total above the purchase",
                event: total("r", "12.00", at: 30),
                flag: .refundAboveBuy,
                words: "the 6.99 EUR left of sale s"
            ),
            Wait(
                testDescription: "before its purchase",
                event: back("r", #""amount":{"inclusive":"1.00"}"#, at: 30)
                    .replacing("T11:30", with: "T10:30"),
                flag: .refundBeforeBuy,
                words: "dated before its buy"
            ),
            Wait(
                testDescription: "another tax than the share",
                event: back("r", #""amount":{"inclusive":"1.00","tax":"0.90"}"#, at: 30),
                flag: .refundTaxDiffers,
                words: "its tax is 0.90 EUR; the refund's share of the purchase's tax is 0.17 EUR"
            ),
            Wait(
                testDescription: "another tax than what is left",
                event: back("r", #""amount":{"inclusive":"6.99","tax":"0.10"}"#, at: 30),
                flag: .refundTaxDiffers,
                words: "its tax is 0.10 EUR; the refund's share of the purchase's tax is 1.21 EUR"
            ),
        ]
    )
    func waits(_ wait: Wait) async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.buy)
        try await Self.take(Self.refund("earlier", "3.00", at: 20), at: merchant)
        guard case .told(let body) = wait.event else { return }
        let receipt = try await merchant.sell(body)
        #expect(receipt.isNew)
        #expect(receipt.state == .held)
        #expect(receipt.flags == [wait.flag])
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        #expect(item.kind == .saleHeld)
        #expect(item.detail.contains(wait.words), "\(item.detail)")
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r") == nil)
        // Known, however often it is told.
        #expect(try await merchant.sell(body).isNew == false)
    }

    @Test(
        "Whatever sales reference, themselves and one another, every amendment too, the month is exported",
        arguments: sample(1...30 as ClosedRange<UInt64>, 12)
    )
    func references(_ seed: UInt64) async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        var random = SplitMix64(seed: seed)
        var known: Set<String> = []
        for _ in 0..<14 {
            let ids = ["a", "b", "c", "d"]
            let (id, other) = (ids[Int.random(in: 0..<4, using: &random)], ids[Int.random(in: 0..<4, using: &random)])
            let event =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: Event.told(Merchant.purchase(id, on: Merchant.token()))
                case 1: Self.refund(id, "1.00", at: 20, of: other)
                case 2: Self.chargeback(id, "2.00", at: 25, of: other)
                default: Self.reversal(id, of: other, at: 30)
                }
            guard case .told(let body) = event else { continue }
            let amends = known.contains(id) ? #"{"amends":true,"by":"kim","# : "{"
            do {
                try await merchant.sell(amends + body.dropFirst())
                known.insert(id)
                #expect(!body.contains(#"Of":"\#(id)""#), "it references itself: \(body)")
            } catch let error as RequestError {
                if body.contains(#"Of":"\#(id)""#), !known.contains(id) {
                    #expect(error.description.contains("is the sale itself; name the"), "\(error)")
                }
            }
            let exports = try await merchant.system.exports.make(MonthChoice("2026-11")).exports
            #expect(exports.map(\.rowCount).reduce(0, +) <= known.count)
        }
    }

    @Test("A refund of one line says what is left of the line, one of the order what is left of the order")
    func linesLeft() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(OrderTests.two)
        for event in [
            Self.refund("a", "5.00", at: 10, of: "o/1"), Self.refund("b", "1.00", at: 20, of: "o/1"),
            Self.refund("c", "6.00", at: 30, of: "o"),
        ] {
            try await Self.take(event, at: merchant)
        }
        let details = try await merchant.system.lists.review(LedgerPage()).map(\.detail)
        #expect(details.contains { $0.contains("the 0.00 EUR left of sale o/1") }, "\(details)")
        #expect(details.contains { $0.contains("the 4.99 EUR left of sale o ") }, "\(details)")
    }

    @Test(
        "A refund of a sale that a correction retracted is stored, and goes out once the retraction is undone (RR-80)"
    )
    func retracted() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.buy)
        await merchant.system.sender.runUntilIdle()
        for (action, state) in [("retract", SaleState.held), ("undo", .planned)] {
            let wish =
                #"{"bundleId":"com.example.shop","saleId":"s","action":"\#(action)","requestedBy":"kim","reason":"x"}"#
            let dryRun = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
            let order = #"{"correctionId":"\#(dryRun.correctionId)","confirm":true,"confirmedBy":"kim"}"#
            _ = try await merchant.system.confirmCorrection(body: try JSONReader().read(order))
            await merchant.system.sender.runUntilIdle()
            if action == "retract" {
                guard case .told(let body) = Self.refund("r", "3.00", at: 30) else { return }
                #expect(try await merchant.sell(body).flags.contains(.buyRetracted))
            }
            #expect(try await EarlyRefundTests.sale("r", of: merchant)?.attribution.state == state)
        }
        #expect(merchant.apple.item("r")?.amountTaxInclusive == 3_000)
    }
}

extension ReturnOrderTests.Event {
    fileprivate func replacing(_ text: String, with other: String) -> Self {
        if case .told(let body) = self { .told(body.replacing(text, with: other)) } else { self }
    }
}
