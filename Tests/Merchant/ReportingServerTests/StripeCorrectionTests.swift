import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Payments
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("What changes later of a payment that Apple has")
struct StripeCorrectionTests {
    private typealias Stripe = StripeWebhookTests

    @Test("A refund that fails after Apple accepted it holds its event until a person retracts it")
    func failedRefund() async throws {
        try await EmulatedMerchant.run(stripe: Stripe.settings()) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(10_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":10000}"#)
            let refund = Stripe.refund().replacing("\"livemode\":true", with: "\"livemode\":false")
            try await Stripe.deliver(Stripe.session(checkout: checkout, live: false), to: sides.client)
            try await Stripe.deliver(refund, to: sides.client)
            await sides.runUntilIdle()
            let refunded = try await sides.get("/v1/sales/re_1").json
            #expect(refunded["standing"] as? String == "reported", "\(refunded)")

            let failed = refund.replacing("evt_2", with: "evt_3").replacing("refund.created", with: "refund.failed")
                .replacing("succeeded", with: "failed")
            try await Stripe.deliver(failed, to: sides.client)
            let held = try await sides.list("/v1/events?state=held", "events")
            #expect(held.compactMap { $0["eventId"] as? String } == ["evt_2", "evt_3"])
            #expect(held.allSatisfy { $0["sales"] as? [String] == ["re_1"] })

            let retract = #"{"bundleId":"com.example.shop","saleId":"re_1","action":"retract","#
            let planned = try await sides.post(
                "/v1/corrections",
                retract + #""requestedBy":"maria","reason":"the refund failed"}"#
            )
            let id = try #require(planned.json["correctionId"] as? String)
            let confirmed = try await sides.post(
                "/v1/corrections",
                #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
            )
            #expect(confirmed.status == .created)
            await sides.runUntilIdle()
            #expect(try await sides.post("/v1/events/evt_3/apply", "").status == .ok)
            #expect(try await sides.list("/v1/events?state=held", "events").isEmpty)
            #expect(try await sides.get("/v1/sales/re_1").json["standing"] as? String == "retracted")
        }
    }

    @Test(
        "Of refunds that one difference told, one fails: Apple never has more than was given back, and in the end the rest",
        arguments: [(false, .review), (true, .review), (true, .automatic)]
            as [(Bool, ReportingSettings.CorrectionMode)]
    )
    func failedPartOfDifference(isReported: Bool, corrections: ReportingSettings.CorrectionMode) async throws {
        var settings = ReportingSettings()
        settings.paymentCorrections = corrections
        try await EmulatedMerchant.run(settings: settings, stripe: Stripe.settings()) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(10_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":10000}"#)
            func tell(_ id: String, _ type: String, _ object: String) async throws {
                let body = Stripe.event(id, type, object).replacing("\"livemode\":true", with: "\"livemode\":false")
                try await Stripe.deliver(body, to: sides.client)
                if isReported { await sides.runUntilIdle() }
                #expect(try await Self.givenBack(sides) <= 5_000)
            }
            try await Stripe.deliver(Stripe.session(checkout: checkout, live: false), to: sides.client)
            await sides.runUntilIdle()
            let charge = #"{"id":"ch_1","amount":999,"amount_refunded":500,"currency":"eur","payment_intent":"pi_1"}"#
            try await tell("evt_c", "charge.refunded", charge)
            func refund(_ id: String, _ amount: Int, _ status: String) -> String {
                #"{"id":"\#(id)","amount":\#(amount),"status":"\#(status)",\#(Stripe.ofPayment)}"#
            }
            try await tell("evt_r1", "refund.created", refund("re_1", 300, "succeeded"))
            try await tell("evt_r2", "refund.created", refund("re_2", 200, "succeeded"))
            try await tell("evt_r3", "refund.failed", refund("re_2", 200, "failed"))
            if isReported, corrections == .review {
                #expect(try await Self.givenBack(sides) == 5_000)
                let first = try await sides.get("/v1/events/evt_r1").json
                #expect(first["state"] as? String == "waiting", "\(first)")
                let retract = #"{"bundleId":"com.example.shop","saleId":"ch_1/500","action":"retract","#
                let planned = try await sides.post(
                    "/v1/corrections",
                    retract + #""requestedBy":"maria","reason":"a refund of it failed"}"#
                )
                let id = try #require(planned.json["correctionId"] as? String, "\(planned.json)")
                let confirm = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
                #expect(try await sides.post("/v1/corrections", confirm).status == .created)
                await sides.runUntilIdle()
                #expect(try await sides.post("/v1/events/evt_r3/apply", "").status == .ok)
            }
            await sides.runUntilIdle()
            #expect(try await Self.givenBack(sides) == 3_000)
            let open = try await sides.list("/v1/events", "events").filter { event in
                ["held", "waiting"].contains(event["state"] as? String)
            }
            #expect(open.isEmpty, "\(open)")
        }
    }

    // MARK: Test clocks

    @Test(
        "A moment of a test clock of Stripe, ahead of the server's clock, is taken as it is and reported when it has come"
    )
    func testClock() async throws {
        try await EmulatedMerchant.run(stripe: Stripe.settings()) { sides in
            let checkout = try await sides.receiveToken()
            let seconds = 1_795_176_000 + 40 * 86_400
            let answer = try await Stripe.deliver(
                Stripe.session(checkout: checkout, seconds: seconds, live: false),
                to: sides.client
            )
            #expect(answer.json["state"] as? String == "waiting", "\(answer.json)")
            let event = try await sides.get("/v1/events/evt_1").json
            let words = "sale pi_1: 2026-12-30T12:00:00Z is ahead of the server's clock, which says"
            #expect((event["detail"] as? String)?.hasPrefix(words) == true, "\(event)")
            sides.advance(by: .days(41))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":3542400}"#)
            #expect(try await sides.post("/v1/events/evt_1/apply", "").json["state"] as? String == "applied")
            await sides.runUntilIdle()
            let sale = try await sides.get("/v1/sales/pi_1").json
            #expect((sale["sale"] as? [String: Any])?["occurredAt"] as? String == "2026-12-30T12:00:00Z", "\(sale)")
            #expect(sale["standing"] as? String == "reported", "\(sale)")
        }
    }

    // MARK: Reconciliation

    @Test("The figures of a payment by Stripe, the ledger and Apple, and what explains that they differ")
    func reconciliation() async throws {
        try await EmulatedMerchant.run(stripe: Stripe.settings()) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(10_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":10000}"#)
            func differences() async throws -> [String] {
                let work = PaymentReconciliation(
                    sources: PaymentSources([Stripe.settings()]),
                    tokenWait: .hours(24),
                    now: sides.merchant.now
                )
                return try await sides.merchant.store.read { ledger throws(LedgerError) in
                    try work.differences(of: nil, in: ledger)
                }.map { String(decoding: $0.json.encoded(), as: UTF8.self).trimmingCharacters(in: .newlines) }
            }
            func figures(_ statement: String, _ ledger: String, _ apple: String, _ open: String) -> [String] {
                [
                    #"{"provider":"stripe","id":"pi_1","currency":"EUR","statement":"\#(statement)","#
                        + #""ledger":"\#(ledger)","apple":"\#(apple)","open":\#(open)}"#
                ]
            }
            func tell(_ body: String) async throws {
                try await Stripe.deliver(
                    body.replacing("\"livemode\":true", with: "\"livemode\":false"),
                    to: sides.client
                )
            }
            #expect(try await differences() == [])
            // A refund alone is of nothing that is known.
            try await tell(Stripe.refund(amount: 400))
            #expect(try await differences() == [])
            try await tell(Stripe.session(checkout: checkout, live: false))
            #expect(try await differences() == figures("5.99", "5.99", "0.00", #""plan""#))
            await sides.runUntilIdle()
            #expect(try await differences() == [])

            // More than was paid goes back: the event is held with both figures, and Apple hears nothing of it.
            let second = Stripe.refund("evt_5", amount: 700).replacing("re_1", with: "re_2")
            try await tell(second)
            await sides.runUntilIdle()
            let held = try await sides.get("/v1/events/evt_5").json
            #expect(held["state"] as? String == "held")
            #expect(
                held["detail"] as? String == "statement: the customer got back EUR 9.99 of pi_1, and its refunds and "
                    + "chargebacks would be EUR 11"
            )
            #expect(try await Self.givenBack(sides) == 4_000)
            #expect(try await differences() == figures("0.00", "5.99", "5.99", #""hold""#))
            let path = "/v1/events/evt_5/dismiss"
            #expect(try await sides.post(path, #"{"reason":"paid back by mistake"}"#).status == .ok)
            #expect(try await differences() == [])

            // What a person told Apple otherwise is shown with nothing to explain it.
            let wish =
                #"{"bundleId":"com.example.shop","saleId":"pi_1","action":"restate","fields":{"inclusive":"8.99","taxRate":"21"},"#
            let who = #""requestedBy":"maria","reason":"a discount by hand"}"#
            let planned = try await sides.post("/v1/corrections", wish + who).json
            let id = try #require(planned["correctionId"] as? String, "\(planned)")
            let confirm = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
            #expect(try await sides.post("/v1/corrections", confirm).status == .created)
            await sides.runUntilIdle()
            #expect(try await differences() == figures("5.99", "4.99", "4.99", "null"))
        }
    }

    /// What Apple has of refunds, in thousandths.
    static func givenBack(_ sides: EmulatedMerchant) async throws -> Int64 {
        var refunds: [String: Int64] = [:]
        for body in try await sides.acceptedPuts() {
            for item in try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue ?? [] {
                guard let item = item.objectValue, item["eventType"]?.stringValue == "REFUND",
                    let id = item["lineItemId"]?.stringValue
                else { continue }
                let isRetracted = item["erroneouslySubmitted"]?.boolValue == true
                refunds[id] = isRetracted ? 0 : item["amountTaxInclusive"]?.int64Value ?? 0
            }
        }
        return refunds.values.reduce(0, +)
    }

    @Test("A sale is withdrawn once corrections have retracted each of its lines")
    func retractedLines() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            let line =
                #"{"productId":"gems.100","quantity":1,"amount":{"currency":"EUR","inclusive":"9.99","#
                + #""taxRate":"21","taxCountry":"NLD"}}"#
            let order = """
                {"saleId":"order-1","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:59:59Z",
                "checkoutId":"\(checkout)","lines":[\(line),\(line)]}
                """
            #expect(try await sides.post("/v1/sales", order).status == .created)
            await sides.runUntilIdle()
            #expect(try await sides.get("/v1/sales/order-1").json["standing"] as? String == "reported")
            let void = #"{"reason":"a wrong order","by":"kim"}"#
            for line in ["order-1%2F1", "order-1%2F2"] {
                #expect(try await sides.post("/v1/sales/order-1/void", void).status == .conflict)
                let retract = #"{"bundleId":"com.example.shop","saleId":"\#(line.replacing("%2F", with: "/"))","#
                let planned = try await sides.post(
                    "/v1/corrections",
                    retract + #""action":"retract","requestedBy":"maria","reason":"a wrong order"}"#
                )
                let id = try #require(planned.json["correctionId"] as? String, "\(planned.json)")
                let confirmed = try await sides.post(
                    "/v1/corrections",
                    #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
                )
                #expect(confirmed.status == .created)
                await sides.runUntilIdle()
                #expect(try await sides.get("/v1/sales/\(line)").json["standing"] as? String == "retracted")
            }
            #expect(try await sides.post("/v1/sales/order-1/void", void).status == .ok)
        }
    }

    // MARK: Restatements

    /// What is between a sale and what changes it.
    enum Before: CaseIterable {
        case unreported, review, automatic
        /// A person has corrected the sale.
        case person
    }

    private static let opening: [String: (String, [(String, String)], String, Decimal?, Decimal?)] = [
        "charge.captured": (
            #"{"id":"ch_1","object":"charge","amount":999,"amount_captured":600,"captured":true,"currency":"eur","#
                + #""payment_intent":null,"created":1795176000,"livemode":false,"shipping":{"address":{"country":"NL"}},"#
                + #""metadata":{"external_purchase_checkout":"CHECKOUT","external_purchase_product":"gems.100"}}"#,
            [("\"amount_captured\":600", "\"amount_captured\":900")], "ch_1", 6, 9
        ),
        "charge.dispute.created": (
            #"{"id":"dp_1","object":"dispute","amount":999,"status":"lost","livemode":false,"#
                + #""balance_transactions":[{"amount":-999}],\#(Stripe.ofPayment)}"#,
            [("{\"amount\":-999}", "{\"amount\":-999},{\"amount\":20}")], "dp_1", Decimal(string: "9.99"),
            Decimal(string: "9.79")
        ),
    ]

    @Test(
        "More that is captured, and a part of a lost dispute that comes back, restate what was told; a person's amounts stay",
        arguments: ["charge.captured", "charge.dispute.created"],
        Before.allCases
    )
    func restated(_ type: String, _ before: Before) async throws {
        let (object, changes, saleId, first, last) = try #require(Self.opening[type])
        var settings = ReportingSettings()
        settings.paymentCorrections = before == .automatic ? .automatic : .review
        let account = PaymentAccount(bundleId: ServerFixture.bundleId, taxRates: ["NLD": 21])
        let stripe = StripeSource(entries: [.init(account: account, signingSecrets: [Stripe.secret], api: nil)])
        try await EmulatedMerchant.run(settings: settings, stripe: stripe) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(10_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":10000}"#)
            func tell(_ id: String, _ type: String, _ object: String) async throws {
                let body = Stripe.event(id, type, object.replacing("CHECKOUT", with: checkout))
                    .replacing("\"livemode\":true", with: "\"livemode\":false")
                let answer = try await Stripe.deliver(body, to: sides.client)
                #expect(answer.status == .ok, "\(answer.json)")
            }
            func inclusive() async throws -> Decimal? {
                let sale = try await sides.get("/v1/sales/\(saleId)").json["sale"] as? [String: Any]
                return ((sale?["amount"] as? [String: Any])?["inclusive"] as? String).flatMap { Decimal(string: $0) }
            }
            func correct(_ id: String) async throws {
                let confirm = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
                #expect(try await sides.post("/v1/corrections", confirm).status == .created)
                await sides.runUntilIdle()
            }
            if type.contains("dispute") {
                try await Stripe.deliver(Stripe.session(checkout: checkout, live: false), to: sides.client)
                await sides.runUntilIdle()
            }
            try await tell("evt_a", type, object)
            #expect(try await inclusive() == first)
            if before != .unreported {
                await sides.runUntilIdle()
                #expect(try await sides.get("/v1/sales/\(saleId)").json["standing"] as? String == "reported")
            }
            if before == .person {
                let wish =
                    #"{"bundleId":"com.example.shop","saleId":"\#(saleId)","action":"restate","fields":{"inclusive":"5","#
                    + #""tax":"0.87"},"requestedBy":"maria","reason":"agreed by telephone"}"#
                let planned = try await sides.post("/v1/corrections", wish).json
                try await correct(try #require(planned["correctionId"] as? String, "\(planned)"))
            }
            let changed = changes.reduce(object) { $0.replacing($1.0, with: $1.1) }
            try await tell("evt_b", type.contains("dispute") ? "charge.dispute.funds_reinstated" : type, changed)
            await sides.runUntilIdle()
            let event = try await sides.get("/v1/events/evt_b").json
            let detail = try #require(event["detail"] as? String, "\(event)")
            switch before {
            case .unreported, .automatic:
                #expect(event["state"] as? String == "applied", "\(event)")
            case .review:
                #expect(event["state"] as? String == "held", "\(event)")
                #expect(try await inclusive() == first)
                let named = try #require(detail.firstMatch(of: /confirm (\S+) at/), "\(detail)")
                try await correct(String(named.1))
                #expect(try await sides.post("/v1/events/evt_b/apply", "").json["state"] as? String == "applied")
            case .person:
                // What a person decided says less than the dispute took: nothing is more than the newest state.
                let isLess = type.contains("dispute")
                #expect(event["state"] as? String == (isLess ? "applied" : "held"), "\(event)")
                if !isLess { #expect(detail.contains("maria has changed it"), "\(detail)") }
            }
            if before == .review, type == "charge.captured" {
                // What a person confirmed of the events' own corrections is no change of theirs.
                try await tell(
                    "evt_c",
                    type,
                    object.replacing("\"amount_captured\":600", with: "\"amount_captured\":999")
                )
                let next = try await sides.get("/v1/events/evt_c").json["detail"] as? String
                try await correct(String(try #require(next?.firstMatch(of: /confirm (\S+) at/), "\(next ?? "")").1))
                #expect(try await inclusive() == Decimal(string: "9.99"))
                return
            }
            if before == .person, type == "charge.captured" {
                // What goes back of a sale that a person changed is told all the same.
                try await tell("evt_d", "refund.created", Self.refund(100).replacing("\"pi_1\"", with: "null"))
                await sides.runUntilIdle()
                #expect(try await sides.get("/v1/sales/re_1").json["standing"] as? String == "reported")
            }
            let expected = before == .person ? 5 : last
            #expect(try await inclusive() == expected)
            let sale = try await sides.get("/v1/sales/\(saleId)").json
            #expect(sale["standing"] as? String == "reported", "\(sale)")
        }
    }

    // MARK: What customers paid

    /// Events of one payment and what Apple must have in the end: bought less given back, in thousandths.
    struct Course: Sendable, CustomTestStringConvertible {
        let name: String
        /// Type and object of each event; nil lets Apple answer first.
        let events: [(type: String, object: String)?]
        let expected: Int64
        let currency: String

        init(_ name: String, _ expected: Int64, _ currency: String, _ events: [(String, String)?]) {
            (self.name, self.expected, self.currency) = (name, expected, currency)
            self.events = events.map { event in event.map { ($0.0, $0.1) } }
        }

        init(_ name: String, _ expected: Int64, _ events: [(String, String)?]) {
            self.init(name, expected, "EUR", events)
        }

        var testDescription: String { name }
    }

    private static let metadata =
        #""metadata":{"external_purchase_checkout":"CHECKOUT","external_purchase_product":"gems.100"}"#
    private static let shipping = #""shipping":{"address":{"country":"NL"}},"livemode":false"#

    private static func refund(_ amount: Int, _ status: String = "succeeded", at seconds: Int = 900) -> String {
        #"{"id":"re_1","object":"refund","amount":\#(amount),"status":"\#(status)","currency":"eur","charge":"ch_1","#
            + #""payment_intent":"pi_1","created":\#(1_795_176_000 + seconds)}"#
    }

    private static func note(_ amount: Int, _ status: String = "issued") -> String {
        #"{"id":"cn_1","object":"credit_note","amount":\#(amount),"total":\#(amount),"currency":"eur","invoice":"in_1","#
            + #""created":1795176900,"post_payment_amount":\#(amount),"pre_payment_amount":0,"out_of_band_amount":null,"#
            + #""refunds":[],"status":"\#(status)","type":"post_payment","livemode":false}"#
    }

    private static func dispute(_ amount: Int, _ money: String, _ status: String = "needs_response") -> String {
        #"{"id":"dp_1","object":"dispute","amount":\#(amount),"status":"\#(status)","balance_transactions":[\#(money)],"#
            + #""livemode":false,"currency":"eur","charge":"ch_1","payment_intent":"pi_1","created":1795177000}"#
    }

    private static func intent(_ received: Int) -> String {
        #"{"id":"pi_1","object":"payment_intent","amount":1000,"amount_received":\#(received),"currency":"eur","#
            + #""latest_charge":"ch_1","capture_method":"manual","status":"succeeded","created":1795176000,"#
            + "\(shipping),\(metadata)}"
    }

    private static func charge(_ captured: Int, _ more: String = metadata) -> String {
        #"{"id":"ch_1","object":"charge","amount":1000,"amount_captured":\#(captured),"captured":true,"currency":"eur","#
            + #""payment_intent":"pi_1","created":1795176000,\#(shipping),\#(more)}"#
    }

    private static let order = (
        "checkout.session.completed",
        #"{"id":"cs_1","object":"checkout.session","mode":"payment","payment_status":"paid","payment_intent":"pi_1","#
            + #""currency":"eur","amount_total":1000,"amount_subtotal":1000,"livemode":false,"created":1795176000,"#
            + #""client_reference_id":"CHECKOUT","metadata":{},"customer_details":{"address":{"country":"NL"}},"#
            + #""line_items":{"object":"list","has_more":false,"data":["#
            + [(1, 333), (2, 333), (3, 334)].map { number, amount in
                #"{"id":"li_\#(number)","object":"item","quantity":1,"amount_total":\#(amount),"amount_subtotal":\#(amount),"#
                    + #""amount_tax":0,"amount_discount":0,"currency":"eur","price":{"id":"price_\#(number)","#
                    + #""object":"price","product":"prod_\#(number)"}}"#
            }.joined(separator: ",") + "]}}"
    )

    private static func invoice(_ amounts: [Int]) -> (String, String) {
        let lines = amounts.enumerated().map { place, amount in
            #"{"id":"il_\#(place + 1)","object":"line_item","amount":\#(amount),"currency":"eur","type":"subscription","#
                + #""quantity":1,"subscription":"sub_1","subscription_item":"si_\#(place)","proration":false,"#
                + #""price":{"id":"price_\#(place)","product":"prod_\#(place)"},"#
                + #""period":{"start":1795176000,"end":1797768000}}"#
        }
        let object =
            #"{"id":"in_1","object":"invoice","currency":"eur","total":\#(amounts.reduce(0, +)),"subscription":"sub_1","#
            + #""billing_reason":"subscription_create","charge":"ch_1","payment_intent":"pi_1","livemode":false,"#
            + #""customer_address":{"country":"NL"},"status_transitions":{"paid_at":1795176000},"#
            + #""subscription_details":{"metadata":{"external_purchase_checkout":"CHECKOUT"}},"#
            + #""lines":{"object":"list","has_more":false,"data":[\#(lines.joined(separator: ","))]}}"#
        return ("invoice.paid", object)
    }

    private static func refunded(_ amount: Int) -> String {
        charge(1_000, #""metadata":{}"#).replacing(#""captured":"#, with: #""amount_refunded":\#(amount),"captured":"#)
    }

    /// A person confirms the first correction that an event names, where the setting leaves that to a person.
    private static let confirmation = ("confirm", "")

    private static let presented =
        #""metadata":{},"presentment_details":{"presentment_amount":1320,"presentment_currency":"usd"}"#

    static let courses: [Course] = [
        Course(
            "a refund of an order fails",
            10_000,
            [
                order, nil, ("refund.created", refund(400)), nil, ("refund.failed", refund(400, "failed")),
            ]
        ),
        Course(
            "a refund that is nothing for some lines of its order fails, and all of it is given back",
            0,
            [
                order, nil, ("refund.created", refund(1)), nil, ("refund.failed", refund(1, "failed")), nil,
                ("refund.created", refund(1_000, at: 1_900).replacing("re_1", with: "re_2")),
            ]
        ),
        Course(
            "an order is given back again while one line of the withdrawal of its failed refund is confirmed",
            0,
            [
                order, nil, ("charge.refunded", refunded(1_000)), nil, ("refund.created", refund(1_000, at: 200)),
                ("refund.failed", refund(1_000, "failed", at: 200)), confirmation, nil,
                ("charge.refunded", refunded(1_000)), nil,
                ("refund.created", refund(1_000, at: 500).replacing("re_1", with: "re_2")),
            ]
        ),
        Course(
            "an order is given back in part while one line of the withdrawal of its failed refund is confirmed",
            6_000,
            [
                order, nil, ("charge.refunded", refunded(1_000)), nil, ("refund.created", refund(1_000, at: 200)),
                ("refund.failed", refund(1_000, "failed", at: 200)), confirmation, nil,
                ("refund.created", refund(400, at: 550).replacing("re_1", with: "re_2")),
                ("charge.refunded", refunded(400)),
            ]
        ),
        Course(
            "a refund of an invoice with two lines fails",
            12_000,
            [
                invoice([500, 700]), nil, ("refund.created", refund(600)), nil,
                ("refund.failed", refund(600, "failed")),
            ]
        ),
        Course(
            "a credit note of an invoice with two lines is voided, and a refund follows",
            10_000,
            [
                invoice([500, 700]), nil, ("credit_note.created", note(500)), nil,
                ("credit_note.voided", note(500, "void")), nil, ("refund.created", refund(200, at: 1_900)),
            ]
        ),
        Course(
            "a dispute after a refund that fails takes all",
            0,
            [
                ("charge.succeeded", charge(1_000)), nil, ("refund.created", refund(400)), nil,
                ("charge.dispute.created", dispute(1_000, #"{"amount":-1000}"#)), nil,
                ("refund.failed", refund(400, "failed")),
            ]
        ),
        Course(
            "a refund between two captures, of which the first is lost",
            5_000,
            [
                ("refund.created", refund(200, at: -100)), ("charge.captured", charge(700)),
            ]
        ),
        Course(
            "a payment intent is captured in steps",
            9_000,
            [("payment_intent.succeeded", intent(700)), nil, ("payment_intent.succeeded", intent(900))]
        ),
        Course(
            "a charge in another currency and its refund come without a pause",
            9_900,
            "USD",
            [
                invoice([1_200]), ("charge.succeeded", charge(1_200, presented).replacing("1000", with: "1200")),
                (
                    "charge.refunded",
                    charge(1_200, presented).replacing("1000", with: "1200")
                        .replacing(#""captured""#, with: #""amount_refunded":300,"captured""#)
                ),
            ]
        ),
        Course(
            "a charge in another currency and its refund come after Apple's answer",
            9_900,
            "USD",
            [
                invoice([1_200]), nil,
                ("charge.succeeded", charge(1_200, presented).replacing("1000", with: "1200")),
                (
                    "charge.refunded",
                    charge(1_200, presented).replacing("1000", with: "1200")
                        .replacing(#""captured""#, with: #""amount_refunded":300,"captured""#)
                ),
            ]
        ),
    ]

    @Test(
        "Whatever changes later, Apple ends with what the customer paid, and never has more given back than was",
        arguments: courses,
        [ReportingSettings.CorrectionMode.automatic, .review]
    )
    func course(_ course: Course, _ mode: ReportingSettings.CorrectionMode) async throws {
        var settings = ReportingSettings()
        settings.paymentCorrections = mode
        let account = PaymentAccount(bundleId: ServerFixture.bundleId, taxRates: ["NLD": 21])
        let stripe = StripeSource(entries: [.init(account: account, signingSecrets: [Stripe.secret], api: nil)])
        try await EmulatedMerchant.run(settings: settings, stripe: stripe) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(20_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":20000}"#)
            for (number, event) in course.events.enumerated() {
                guard let (type, object) = event else {
                    await sides.runUntilIdle()
                    continue
                }
                if type == Self.confirmation.0 {
                    try await Self.confirmFirst(mode, sides)
                    continue
                }
                let body = Stripe.event("evt_\(number)", type, object.replacing("CHECKOUT", with: checkout))
                    .replacing("\"livemode\":true", with: "\"livemode\":false")
                let moment = "\"created\":\(1_795_176_100 + number * 60)"
                let answer = try await Stripe.deliver(
                    body.replacing("\"created\":1795176100", with: moment),
                    to: sides.client
                )
                #expect(answer.status == .ok, "\(answer.json)")
            }
            // What the server looks at every hour, and what a person confirms.
            for _ in 0..<8 {
                await sides.runUntilIdle()
                for event in try await Self.open(sides) {
                    if mode == .review { try await Self.confirm(event, sides) }
                    _ = try await sides.post("/v1/events/\(event["eventId"] ?? "")/apply", "")
                }
            }
            let open = try await Self.open(sides)
            #expect(open.isEmpty, "\(open.map { "\($0["type"] ?? "") \($0["detail"] ?? "")" })")
            #expect(try await Self.accepted(sides) == [course.currency: course.expected])
        }
    }

    private static func open(_ sides: EmulatedMerchant) async throws -> [[String: Any]] {
        try await sides.list("/v1/events", "events").filter { ["held", "waiting"].contains($0["state"] as? String) }
    }

    /// Confirms the first correction that an event waits for.
    private static func confirm(_ event: [String: Any], _ sides: EmulatedMerchant) async throws {
        let detail = event["detail"] as? String ?? ""
        guard let named = detail.firstMatch(of: #/confirm (?:each of )?(\S+?),? /#) else { return }
        let confirm = #"{"correctionId":"\#(named.1)","confirm":true,"confirmedBy":"otto"}"#
        _ = try await sides.post("/v1/corrections", confirm)
        await sides.runUntilIdle()
    }

    private static func confirmFirst(
        _ mode: ReportingSettings.CorrectionMode,
        _ sides: EmulatedMerchant
    ) async throws {
        await sides.runUntilIdle()
        guard mode == .review else { return }
        let event = try #require(try await open(sides).first { "\($0["detail"] ?? "")".contains("confirm each of") })
        try await confirm(event, sides)
    }

    /// What Apple has of a payment in each currency: bought less given back, in thousandths.
    static func accepted(_ sides: EmulatedMerchant) async throws -> [String: Int64] {
        var items: [String: JSONObject] = [:]
        for body in try await sides.acceptedPuts() {
            for item in try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue ?? [] {
                guard let item = item.objectValue, let id = item["lineItemId"]?.stringValue else { continue }
                items[id] = item
            }
        }
        var sums: [String: Int64] = [:]
        for item in items.values where item["erroneouslySubmitted"]?.boolValue != true {
            let amount = item["amountTaxInclusive"]?.int64Value ?? 0
            let sign: Int64 = item["eventType"]?.stringValue == "REFUND" ? -1 : 1
            sums[item["pricingCurrency"]?.stringValue ?? "", default: 0] += sign * amount
        }
        return sums
    }
}
