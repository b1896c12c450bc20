import ExternalPurchaseCore
import Foundation
import Hummingbird
import HummingbirdTesting
import Ledger
import Testing

@testable import Payments
@testable import Reporting
@testable import ReportingServer

extension PaddleDelivery {
    /// A line item of a subscription's transaction; a credit has a quantity and amounts below 0.
    struct Item: Sendable {
        let price: String
        let quantity: Int
        let cents: Int64
        /// The days from and to which a proration is about; nil for a full price.
        let days: (String, String)?

        init(_ price: String, _ cents: Int64, quantity: Int = 1, _ days: (String, String)? = nil) {
            (self.price, self.cents, self.quantity, self.days) = (price, cents, quantity, days)
        }

        var tax: Int64 { cents * 21 / 121 }
        var totals: String {
            #"{"subtotal":"\#(cents - tax)","discount":"0","tax":"\#(tax)","total":"\#(cents)"}"#
        }
    }

    /// A completed transaction of a subscription, in the shape that Paddle has had since March 2024.
    ///
    /// - Parameter credit: what the customer's balance pays of it.
    static func billing(
        _ id: String,
        _ origin: String,
        _ items: Item...,
        days: (String, String),
        credit: Int64 = 0,
        checkout: String? = "c1"
    ) -> String {
        func period(_ days: (String, String)) -> String {
            #"{"starts_at":"\#(days.0)T13:00:00Z","ends_at":"\#(days.1)T13:00:00Z"}"#
        }
        func proration(_ item: Item) -> String {
            item.days.map { #"{"rate":"0.66667","billing_period":\#(period($0))}"# } ?? "null"
        }
        let (total, tax) = (items.reduce(0) { $0 + $1.cents }, items.reduce(0) { $0 + $1.tax })
        let lines = items.enumerated().map { place, item in
            #"{"id":"txnitm_\#(id)-\#(place)","price_id":"\#(item.price)","quantity":\#(item.quantity),"tax_rate":"0.21","#
                + #""totals":\#(item.totals),"product":{"id":"pro_\#(item.price)"},"proration":\#(proration(item))}"#
        }
        let prices = items.map { item in
            #"{"price":{"id":"\#(item.price)","billing_cycle":{"interval":"month","frequency":1}},"quantity":\#(item.quantity),"#
                + #""proration":\#(proration(item))}"#
        }
        let custom = checkout.map { #"{"external_purchase_checkout":"\#($0)"}"# } ?? "null"
        let totals =
            #"{"subtotal":"\#(total - tax)","discount":"0","tax":"\#(tax)","total":"\#(total)","credit":"\#(credit)","#
            + #""credit_to_balance":"\#(max(0, -total))","balance":"0","grand_total":"\#(max(0, total) - credit)"}"#
        let data =
            #"{"id":"txn_\#(id)","status":"completed","customer_id":"ctm_1","address_id":"add_1","currency_code":"EUR","#
            + #""origin":"\#(origin)","subscription_id":"sub_1","billed_at":"\#(days.0)T13:00:00Z","custom_data":\#(custom),"#
            + #""billing_period":\#(period(days)),"items":[\#(prices.joined(separator: ","))],"#
            + #""details":{"totals":\#(totals),"line_items":[\#(lines.joined(separator: ","))]}}"#
        return event("evt_txn_\(id)", "transaction.completed", at: "\(days.0)T13:00:09Z", data)
    }

    /// An approved adjustment of one line item, whose tax is stated.
    static func adjustment(
        _ id: String,
        _ action: String,
        _ type: String,
        cents: Int64,
        tax: Int64,
        of transaction: String,
        line: String,
        day: String
    ) -> String {
        let totals = #"{"subtotal":"\#(cents - tax)","tax":"\#(tax)","total":"\#(cents)"}"#
        let data =
            #"{"id":"adj_\#(id)","action":"\#(action)","type":"partial","status":"approved","transaction_id":"txn_\#(transaction)","#
            + #""subscription_id":"sub_1","customer_id":"ctm_1","currency_code":"EUR","created_at":"\#(day)T13:00:02Z","#
            + #""totals":\#(totals),"items":[{"id":"adjitm_\#(id)","item_id":"txnitm_\#(line)","type":"\#(type)","#
            + #""amount":"\#(cents)","totals":\#(totals),"proration":null}]}"#
        return event("evt_adj_\(id)", "adjustment.created", at: "\(day)T13:00:03Z", data)
    }
}

@Suite("Changes of a subscription by events of Paddle")
struct PaddleProrationTests {
    private typealias Paddle = PaddleDelivery
    private typealias Item = PaddleDelivery.Item

    /// What Paddle sends of a subscription, and the line items that Apple has in the end.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let events: [String]
        /// Event, amount with tax and tax in cents, in the order of their moments.
        let told: [String]

        init(_ name: String, _ events: String..., told: String...) {
            (testDescription, self.events, self.told) = (name, events, told)
        }
    }

    private static let (first, later, next, end) = ("2026-11-20", "2026-11-30", "2026-12-20", "2027-01-19")
    private static let month = (first, next)
    private static let rest = (later, next)
    private static let secondMonth = (next, end)
    private static let (update, renewal) = ("subscription_update", "subscription_recurring")

    private static let courses: [Course] = [
        Course(
            "a dearer plan",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing("2", update, Item("plus", -666, quantity: -1, rest), Item("pro", 1_333, rest), days: rest),
            Paddle.billing("3", renewal, Item("pro", 2_000), days: secondMonth),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_CHANGE 667 116",
            "RENEWAL 2000 347"
        ),
        Course(
            "a cheaper plan, whose credit pays a part of the next month",
            Paddle.billing("1", "web", Item("pro", 2_000), days: month),
            Paddle.billing("2", update, Item("pro", -1_333, quantity: -1, rest), Item("plus", 666, rest), days: rest),
            Paddle.billing("3", renewal, Item("plus", 999), days: secondMonth, credit: 667),
            told: "SUBSCRIPTION_START 2000 347",
            "REFUND 667 115",
            "SUBSCRIPTION_CHANGE 999 173"
        ),
        Course(
            "a free plan that is left, and one that is gone back to",
            Paddle.billing("1", "web", Item("free", 0), days: month),
            Paddle.billing("2", update, Item("free", 0, quantity: -1, rest), Item("plus", 666, rest), days: rest),
            Paddle.billing(
                "3",
                update,
                Item("plus", -333, quantity: -1, ("2026-12-10", next)),
                days: ("2026-12-10", next)
            ),
            told: "SUBSCRIPTION_START 0 0",
            "SUBSCRIPTION_CHANGE 666 115",
            "REFUND 333 57"
        ),
        Course(
            "an item that is removed",
            Paddle.billing("1", "web", Item("plus", 999), Item("add", 1_000), days: month),
            Paddle.billing("2", update, Item("add", -667, quantity: -1, rest), days: rest),
            Paddle.billing("3", renewal, Item("plus", 999), days: secondMonth, credit: 667),
            told: "SUBSCRIPTION_PAYMENT 1000 173",
            "SUBSCRIPTION_START 999 173",
            "REFUND 667 115",
            "RENEWAL 999 173"
        ),
        Course(
            "seats, then fewer",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing(
                "2",
                update,
                Item("plus", -666, quantity: -1, rest),
                Item("plus", 1_998, quantity: 3, rest),
                days: rest
            ),
            Paddle.billing(
                "3",
                update,
                Item("plus", -999, quantity: -3, ("2026-12-10", next)),
                Item("plus", 333, ("2026-12-10", next)),
                days: ("2026-12-10", next)
            ),
            Paddle.billing("4", renewal, Item("plus", 999), days: secondMonth, credit: 666),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_PAYMENT 1332 231",
            "REFUND 666 115",
            "RENEWAL 999 173"
        ),
        Course(
            "a credit for more than the newest charge",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing("2", update, Item("plus", 33, ("2026-12-19", next)), days: ("2026-12-19", next)),
            Paddle.billing(
                "3",
                update,
                Item("plus", -64, quantity: -2, ("2026-12-19", next)),
                days: ("2026-12-19", next)
            )
            .replacing("12-19T13:00:09", with: "12-19T14:00:09").replacing(
                #""billed_at":"2026-12-19T13"#,
                with: #""billed_at":"2026-12-19T14"#
            ),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_PAYMENT 33 5",
            "REFUND 31 5",
            "REFUND 33 5"
        ),
        Course(
            "a dearer plan, and at once a cheaper one than before",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing("2", update, Item("plus", -666, quantity: -1, rest), Item("pro", 1_333, rest), days: rest),
            Paddle.billing("3", update, Item("pro", -1_333, quantity: -1, rest), Item("basic", 67, rest), days: rest)
                .replacing("11-30T13:00:09", with: "11-30T14:00:09").replacing(
                    #""billed_at":"2026-11-30T13"#,
                    with: #""billed_at":"2026-11-30T14"#
                ),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_CHANGE 667 116",
            "REFUND 599 103",
            "REFUND 667 116"
        ),
        Course(
            "seats that are billed with the next period, and given up before",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing(
                "2",
                update,
                Item("plus", -999, quantity: -3, ("2026-12-10", next)),
                days: ("2026-12-10", next)
            ),
            Paddle.billing("3", renewal, Item("plus", 1_332, quantity: 2, rest), days: secondMonth, credit: 999),
            told: "SUBSCRIPTION_START 999 173",
            "REFUND 999 173",
            "SUBSCRIPTION_PAYMENT 1332 231"
        ),
        Course(
            "a credit that a plan and then what was billed later explain",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing(
                "2",
                update,
                Item("plus", -1_200, quantity: -4, ("2026-12-10", next)),
                days: ("2026-12-10", next)
            ),
            Paddle.billing("3", renewal, Item("plus", 1_998, quantity: 3, rest), days: secondMonth, credit: 1_200),
            told: "SUBSCRIPTION_START 999 173",
            "REFUND 999 173",
            "REFUND 201 34",
            "SUBSCRIPTION_PAYMENT 1998 346"
        ),
        Course(
            "a plan that a credit paid, and of which credit is given",
            Paddle.billing("1", "web", Item("plus", 500), Item("add", 1_000), days: month),
            Paddle.billing("2", renewal, Item("add", -667, quantity: -1, rest), Item("plus", 500), days: secondMonth),
            Paddle.billing(
                "3",
                update,
                Item("plus", -400, quantity: -1, ("2026-12-25", end)),
                days: ("2026-12-25", end)
            ),
            told: "SUBSCRIPTION_PAYMENT 1000 173",
            "SUBSCRIPTION_START 500 86",
            "REFUND 667 115",
            "RENEWAL 500 86",
            "REFUND 400 68"
        ),
        Course(
            "an add-on at its full price, and both renewed",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing("2", update, Item("add", 500), days: rest),
            Paddle.billing("3", renewal, Item("plus", 999), Item("add", 500), days: secondMonth),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_PAYMENT 500 86",
            "RENEWAL 999 173",
            "SUBSCRIPTION_PAYMENT 500 86"
        ),
        Course(
            "a free item beside the plan, from the start",
            Paddle.billing("1", "web", Item("plus", 999), Item("free", 0), days: month),
            Paddle.billing("2", renewal, Item("plus", 999), Item("free", 0), days: secondMonth),
            told: "SUBSCRIPTION_START 999 173",
            "RENEWAL 999 173"
        ),
        Course(
            "two add-ons at once, and a free one",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing(
                "2",
                update,
                Item("add", 500, rest),
                Item("more", 300, rest),
                Item("free", 0, rest),
                days: rest
            ),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_PAYMENT 300 52",
            "SUBSCRIPTION_PAYMENT 500 86"
        ),
        Course(
            "a dearer plan that is billed with the next period",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing(
                "2",
                renewal,
                Item("plus", -666, quantity: -1, rest),
                Item("pro", 1_333, rest),
                Item("pro", 2_000),
                days: secondMonth
            ),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_CHANGE 2000 347",
            "SUBSCRIPTION_PAYMENT 667 116"
        ),
        Course(
            "an item whose removal makes the next period cheaper",
            Paddle.billing("1", "web", Item("plus", 999), Item("add", 1_000), days: month),
            Paddle.billing("2", renewal, Item("add", -667, quantity: -1, rest), Item("plus", 999), days: secondMonth),
            told: "SUBSCRIPTION_PAYMENT 1000 173",
            "SUBSCRIPTION_START 999 173",
            "REFUND 667 115",
            "RENEWAL 999 173"
        ),
        Course(
            "an item whose removal pays more than the next period",
            Paddle.billing("1", "web", Item("plus", 500), Item("add", 1_000), days: month),
            Paddle.billing("2", renewal, Item("add", -667, quantity: -1, rest), Item("plus", 500), days: secondMonth),
            told: "SUBSCRIPTION_PAYMENT 1000 173",
            "SUBSCRIPTION_START 500 86",
            "REFUND 667 115",
            "RENEWAL 500 86"
        ),
        Course(
            "a change of the payment method",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing("2", "subscription_payment_method_change", Item("plus", 0), days: (later, later)),
            Paddle.billing(
                "3",
                "subscription_payment_method_change",
                Item("plus", 0),
                days: (later, later),
                checkout: nil
            ).replacing("completed", with: "ready").replacing(
                #""billing_period":{"starts_at":"2026-11-30T13:00:00Z","ends_at":"2026-11-30T13:00:00Z"}"#,
                with: #""billing_period":null"#
            ),
            Paddle.billing("4", renewal, Item("plus", 999), days: secondMonth),
            told: "SUBSCRIPTION_START 999 173",
            "RENEWAL 999 173"
        ),
        Course(
            "a dearer plan with a credit by an adjustment, as before March 2024",
            Paddle.billing("1", "web", Item("plus", 1_500), days: month),
            Paddle.adjustment("1", "credit", "proration", cents: 1_000, tax: 173, of: "1", line: "1-0", day: later),
            Paddle.billing("2", update, Item("pro", 1_333, rest), days: rest, credit: 1_000),
            told: "SUBSCRIPTION_START 1500 260",
            "SUBSCRIPTION_CHANGE 1333 231",
            "REFUND 1000 173"
        ),
        Course(
            "seats with a credit by an adjustment",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.adjustment("1", "credit", "proration", cents: 500, tax: 87, of: "1", line: "1-0", day: later),
            Paddle.billing("2", update, Item("plus", 999, quantity: 2), days: rest, credit: 500),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_PAYMENT 999 173",
            "REFUND 500 87"
        ),
        Course(
            "the tax alone, then a part of the price, then the rest",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.adjustment("1", "refund", "tax", cents: 173, tax: 173, of: "1", line: "1-0", day: "2026-11-21"),
            Paddle.adjustment("2", "refund", "partial", cents: 300, tax: 0, of: "1", line: "1-0", day: "2026-11-22"),
            Paddle.adjustment("3", "refund", "full", cents: 526, tax: 0, of: "1", line: "1-0", day: "2026-11-23"),
            told: "SUBSCRIPTION_START 999 173",
            "REFUND 173 173",
            "REFUND 300 0",
            "REFUND 526 0"
        ),
        Course(
            "a refund of line items that were told as one sale",
            Paddle.billing("1", "web", Item("plus", 999), days: month),
            Paddle.billing("2", update, Item("plus", -666, quantity: -1, rest), Item("pro", 1_333, rest), days: rest),
            Paddle.adjustment("1", "refund", "partial", cents: 200, tax: 34, of: "2", line: "2-0", day: "2026-12-01"),
            Paddle.adjustment("2", "refund", "partial", cents: 300, tax: 52, of: "2", line: "2-1", day: "2026-12-02"),
            told: "SUBSCRIPTION_START 999 173",
            "SUBSCRIPTION_CHANGE 667 116",
            "REFUND 200 34",
            "REFUND 300 52"
        ),
    ]

    /// What customers paid and got back, as the totals of transactions and adjustments say it, less what they have left in their
    /// balance, which nobody sold for yet.
    private static func paid(_ events: [String]) throws -> Int64 {
        var (paid, balance): (Int64, Int64) = (0, 0)
        for event in events {
            let object = try #require(try JSONReader().read(event).objectValue)
            let data = try #require(object["data"]?.objectValue)
            func amount(_ totals: JSONObject?, _ key: String) -> Int64 {
                totals?[key]?.stringValue.flatMap { Int64($0) } ?? 0
            }
            switch (object["event_type"]?.stringValue, data["action"]?.stringValue) {
            case ("transaction.completed", _):
                let totals = data["details"]?.objectValue?["totals"]?.objectValue
                paid += amount(totals, "grand_total")
                balance += amount(totals, "credit_to_balance") - amount(totals, "credit")
            case (_, "credit"): balance += amount(data["totals"]?.objectValue, "total")
            case (_, "refund"): paid -= amount(data["totals"]?.objectValue, "total")
            default: continue
            }
        }
        return paid - balance
    }

    /// The line items that Apple has, in the order of their moments.
    private static func told(_ sides: EmulatedMerchant) async throws -> [String] {
        var items: [String: JSONObject] = [:]
        for body in try await sides.acceptedPuts() {
            for item in try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue ?? [] {
                guard let item = item.objectValue, let id = item["lineItemId"]?.stringValue else { continue }
                items[id] = item
            }
        }
        let told = items.values.filter { $0["erroneouslySubmitted"]?.boolValue != true }.map { item in
            let event = (item["subscriptionEvent"] ?? item["eventType"])?.stringValue ?? ""
            let cents = ["amountTaxInclusive", "taxAmount"].map { String((item[$0]?.int64Value ?? 0) / 10) }
            return (item["creationDate"]?.int64Value ?? 0, ([event] + cents).joined(separator: " "))
        }
        return told.sorted { $0 < $1 }.map(\.1)
    }

    @Test(
        "RR-32, RR-34, RR-103, RR-108: in any order, Apple has what was paid less what is in the customer's balance",
        arguments: courses,
        [0, 1, 2, 3] as [UInt64]
    )
    func course(_ course: Course, _ seed: UInt64) async throws {
        var settings = ReportingSettings()
        (settings.paymentCorrections, settings.subscriptionFigures) = (.automatic, .automatic)
        try await EmulatedMerchant.run(settings: settings, payments: [Paddle.source()]) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .days(60))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":5184000}"#)
            var random = SplitMix64(seed: seed)
            var events = [Paddle.address()] + course.events
            if seed > 0 { events = (events + events).shuffled(using: &random) }
            for event in events {
                let body = event.replacing("\"c1\"", with: "\"\(checkout)\"")
                let answer = try await Paddle.post(body, to: sides.client)
                #expect(answer.status == .ok, "\(answer.json)")
                // Apple answers between two events in the order in which they happened, and in one shuffled order.
                if seed == 0 || seed == 3 { await sides.runUntilIdle() }
            }
            try await PaymentMonth.settle(sides, confirms: false)
            #expect(try await Self.told(sides).sorted() == course.told.sorted())
            if seed == 0 { #expect(try await Self.told(sides) == course.told) }
            let sum = try await StripeCorrectionTests.accepted(sides)
            #expect(try sum == ["EUR": Self.paid(course.events) * 10])
        }
    }

    @Test(
        "RR-108: a credit that no earlier charge explains is not told, and its reason names transaction and line",
        arguments: [
            (
                [Paddle.billing("2", update, Item("add", -667, quantity: -1, rest), days: rest)], "waiting",
                "txnitm_2-0 of txn_2 gives a credit of EUR 6.67 for add, and no transaction that charged"
            ),
            (
                [
                    Paddle.billing("1", "web", Item("plus", 999), days: month),
                    Paddle.billing("2", update, Item("add", -667, quantity: -1, rest), days: rest),
                ], "waiting", "let Paddle send that one again, or report it as a refund"
            ),
            (
                [
                    Paddle.billing("2", renewal, Item("add", -667, quantity: -1, rest), Item("plus", 999), days: month)
                ], "waiting", "txnitm_2-0 of txn_2 gives a credit of EUR 6.67 for add"
            ),
            (
                [
                    Paddle.billing("1", "web", Item("add", 999), days: month),
                    Paddle.adjustment("1", "refund", "full", cents: 999, tax: 173, of: "1", line: "1-0", day: later),
                    Paddle.billing("2", update, Item("add", -667, quantity: -1, rest), days: rest),
                ], "held", "txnitm_2-0 of txn_2 gives a credit of EUR 6.67 for add, which is more than is left"
            ),
            (
                [
                    Paddle.billing("2", update, Item("add", -667, quantity: -1, rest), days: rest)
                        .replacing(#""credit_to_balance":"667""#, with: #""credit_to_balance":"0""#)
                ], "held", "txn_2 gives back 667, and not to the customer's balance"
            ),
            (
                [
                    Paddle.billing("2", update, Item("add", 100), days: rest).replacing(
                        #""tax":"17""#,
                        with: #""tax":"x""#
                    )
                ], "held", "tax of txnitm_2-0 of txn_2 is not an amount"
            ),
        ] as [([String], String, String)]
    )
    func reasons(_ events: [String], _ state: String, _ says: String) async throws {
        for bodies in [events, events.reversed()] {
            let server = try ServerFixture(payments: [Paddle.source(take: .all)])
            try await server.application.test(.router) { client in
                for body in [Paddle.address()] + bodies { try await Paddle.post(body, to: client) }
                try await server.merchant.paymentWorker?.work()
                let event = try await client.execute(uri: "/v1/events/evt_txn_2", method: .get).json
                #expect(event["state"] as? String == state, "\(event)")
                #expect((event["detail"] as? String ?? "").contains(says), "\(event)")
            }
        }
    }

    @Test("RR-46: a refund of a part of the tax alone is held, with the tax that Paddle states and the share of it")
    func partOfTax() async throws {
        let server = try ServerFixture(payments: [Paddle.source(take: .all)])
        try await server.application.test(.router) { client in
            let bodies = [
                Paddle.address(), Paddle.billing("1", "web", Item("plus", 999), days: Self.month),
                Paddle.adjustment("1", "refund", "tax", cents: 100, tax: 100, of: "1", line: "1-0", day: Self.first),
            ]
            for body in bodies { try await Paddle.post(body, to: client) }
            let sale = try await client.execute(uri: "/v1/sales/adj_1%2Ftxnitm_1-0", method: .get).json
            #expect((sale["flags"] as? [String] ?? []).contains("refund-tax-differs"), "\(sale)")
        }
    }
}
