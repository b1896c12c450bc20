import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ReportValidation
import Reporting
import Testing

@Suite("Events of a subscription that arrive after a later one was reported (RR-30 to RR-34)")
struct LateEventTests {
    /// One arrival: a body of `POST /v1/sales` whose times are days after 2026-08-22T12:00:00Z.
    struct Arrival: Sendable {
        let id: String
        let type: String
        let at: Int
        var from: Int?
        var to: Int?
        var more = ""

        static func charge(_ id: String, _ from: Int, _ to: Int, at: Int? = nil, event: String? = nil) -> Arrival {
            let event = event.map { #""event":"\#($0)","# } ?? ""
            return Arrival(
                id: id,
                type: "subscription",
                at: at ?? from,
                from: from,
                to: to,
                more: #"\#(event)"subscriptionId":"sub","productId":"club","quantity":1,\#(money)"#
            )
        }

        static let money = #""amount":{"currency":"EUR","inclusive":"12.10","taxRate":"21","taxCountry":"NLD"}"#

        static func end(_ type: String, at: Int, effect: Int? = nil) -> Arrival {
            let effect = effect.map { #","effectiveAt":"\#(moment($0))""# } ?? ""
            return Arrival(id: type, type: type, at: at, more: #""subscriptionId":"sub"\#(effect)"#)
        }

        static func refund(of buy: String, at: Int) -> Arrival {
            Arrival(
                id: "back",
                type: "refund",
                at: at,
                more: #""refundOf":"\#(buy)","amount":{"inclusive":"12.10"}"#
            )
        }

        static func moment(_ day: Int) -> String {
            Timestamp(milliseconds: 1_787_400_000_000 + Int64(day) * Timestamp.millisecondsPerDay).description
        }

        func body(checkout: String) -> String {
            let tie = type == "subscription" ? #""checkoutId":"\#(checkout)","# : ""
            let period =
                from.flatMap { from in
                    to.map { #""period":{"start":"\#(Self.moment(from))","end":"\#(Self.moment($0))"},"# }
                } ?? ""
            return """
                {"saleId":"\(id)","bundleId":"\(EmulatedMerchant.bundleId)","type":"\(type)",
                "occurredAt":"\(Self.moment(at))",\(tie)\(period)\(more)}
                """
        }
    }

    /// Arrivals in their order, each reported before the next one arrives, and what must stand at Apple in the end.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let arrivals: [Arrival]
        /// Event, start and days by sale, counted by hand from the table of RR-34.
        let expected: [String: String]
        /// How many items have to be restated.
        let restated: Int
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(
            name: "a renewal after the next one: 61 days, not 30",
            arrivals: [.charge("s", 0, 30), .charge("r2", 61, 91), .charge("r1", 30, 61)],
            expected: ["s": "START 0", "r1": "RENEWAL s 30", "r2": "RENEWAL s 61"],
            restated: 1
        ),
        Case(
            name: "a change of plan after the renewal that follows it: 51 days, not 30",
            arrivals: [
                .charge("s", 0, 30), .charge("r", 51, 81), .charge("up", 21, 51, event: "change"),
            ],
            expected: ["s": "START 0", "up": "CHANGE s 21", "r": "RENEWAL s 51"],
            restated: 1
        ),
        Case(
            name: "a lapse after the recovered payment: counting stopped at the lapse (RR-33)",
            arrivals: [.charge("s", 0, 60), .charge("r", 47, 77, at: 47), .end("lapse", at: 20)],
            expected: ["s": "START 0", "r": "RENEWAL s 20"],
            restated: 1
        ),
        Case(
            name: "the first charge after two later ones: it is the start, and they refer to it (E14, E29)",
            arrivals: [.charge("r1", 30, 60), .charge("r2", 60, 90), .charge("s", 0, 30)],
            expected: ["s": "START 0", "r1": "RENEWAL s 30", "r2": "RENEWAL s 60"],
            restated: 2
        ),
        Case(
            name: "a cancellation after the new checkout that followed it, and a renewal of that: a new start (RR-33)",
            arrivals: [
                .charge("s", 0, 30), .charge("again", 45, 75), .charge("r1", 75, 90),
                .end("cancellation", at: 20, effect: 30), .charge("r2", 90, 91),
            ],
            expected: ["s": "START 0", "again": "START 0", "r1": "RENEWAL again 30", "r2": "RENEWAL again 45"],
            restated: 2
        ),
        Case(
            name: "everything backwards",
            arrivals: [
                .charge("r3", 80, 91), .charge("r2", 60, 80), .charge("r1", 30, 60), .charge("s", 0, 30),
            ],
            expected: ["s": "START 0", "r1": "RENEWAL s 30", "r2": "RENEWAL s 60", "r3": "RENEWAL s 80"],
            restated: 3
        ),
        Case(
            name: "money that went back before the renewal, told after it: the period was not paid (RR-31)",
            arrivals: [.charge("s", 0, 30), .charge("r1", 30, 60), .refund(of: "s", at: 12)],
            expected: ["s": "START 0", "r1": "RENEWAL s 0"],
            restated: 1
        ),
        Case(
            name: "money that went back after the renewal restates nothing (RR-34)",
            arrivals: [.charge("s", 0, 30), .charge("r1", 30, 60), .refund(of: "s", at: 40), .charge("r2", 60, 90)],
            expected: ["s": "START 0", "r1": "RENEWAL s 30", "r2": "RENEWAL s 30"],
            restated: 0
        ),
    ]

    /// What stands at Apple: event, start and days of every subscription item, newest version first.
    private static func standing(_ sides: EmulatedMerchant) async throws -> [String: String] {
        var standing: [String: String] = [:]
        for body in try await sides.acceptedPuts() {
            for item in try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue ?? [] {
                guard let object = item.objectValue, let id = object["lineItemId"]?.stringValue,
                    let event = object["subscriptionEvent"]?.stringValue,
                    let days = object["subscriptionDaysOfPaidService"]?.int64Value
                else { continue }
                let start = object["referenceLineItemId"]?.stringValue.map { " \($0)" } ?? ""
                standing[id] = "\(Self.word(event))\(start) \(days)"
            }
        }
        return standing
    }

    private static func word(_ event: String) -> String {
        event.hasPrefix("SUBSCRIPTION_") ? String(event.dropFirst("SUBSCRIPTION_".count)) : event
    }

    private static func restatements(_ sides: EmulatedMerchant) async throws -> Int {
        try await sides.acceptedPuts().reduce(0) { count, body in
            let items = try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue ?? []
            return count + items.count { $0.objectValue?["restatement"]?.boolValue == true }
        }
    }

    private static func post(_ arrivals: [Arrival], _ sides: EmulatedMerchant, checkout: String) async throws {
        for arrival in arrivals {
            let answer = try await sides.post("/v1/sales", arrival.body(checkout: checkout))
            #expect(answer.status == .created, "\(arrival.id): \(answer.json)")
            await sides.runUntilIdle()
        }
    }

    @Test("One review item offers the restatement, one POST confirms it, and it closes by itself", arguments: cases)
    func review(_ row: Case) async throws {
        try await EmulatedMerchant.run { sides in
            try await Self.post(row.arrivals, sides, checkout: try await sides.receiveToken())
            var confirmed = 0
            while let item = try await sides.list("/v1/review", "review").first {
                #expect(item["kind"] as? String == "subscription-figures")
                let id = try #require(item["correctionId"] as? String, "\(item)")
                let body = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"maria"}"#
                let answer = try await sides.post("/v1/corrections", body)
                #expect(answer.status == .created, "\(answer.json)")
                await sides.runUntilIdle()
                confirmed += 1
                if confirmed > row.arrivals.count { break }
            }
            #expect(try await Self.standing(sides) == row.expected)
            #expect(try await sides.states().allSatisfy { $0 == "accepted" })
            #expect((confirmed == 0) == (row.restated == 0))
            let sales = try await sides.list("/v1/sales", "sales")
            #expect(sales.allSatisfy { ["reported", "recorded"].contains($0["standing"] as? String) }, "\(sales)")
        }
    }

    @Test("By setting the restatement goes out by itself, each item once per change", arguments: cases)
    func automatic(_ row: Case) async throws {
        var settings = ReportingSettings()
        settings.subscriptionFigures = .automatic
        try await EmulatedMerchant.run(settings: settings) { sides in
            try await Self.post(row.arrivals, sides, checkout: try await sides.receiveToken())
            #expect(try await Self.standing(sides) == row.expected)
            #expect(try await sides.list("/v1/review", "review").isEmpty)
            #expect(try await Self.restatements(sides) >= row.restated)
            #expect(try await sides.states().allSatisfy { $0 == "accepted" })
            for _ in 0..<3 { await sides.runUntilIdle() }
            let corrections = try await sides.list("/v1/corrections", "corrections")
            #expect(corrections.allSatisfy { !($0["closed"] is NSNull) }, "\(corrections)")
        }
    }

    @Test("An event that a charge states later is added until Apple has it, and then needs an amendment (RR-32)")
    func statedLater() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await Self.post([.charge("s", 0, 30)], sides, checkout: checkout)
            func post(_ id: String, event: String?) async throws -> HTTPResponse.Status {
                let body = Arrival.charge(id, 20, 50, event: event).body(checkout: checkout)
                return try await sides.post("/v1/sales", body).status
            }
            #expect(try await post("add", event: nil) == .created)
            for event in ["payment", nil] { #expect(try await post("add", event: event) == .ok) }
            await sides.runUntilIdle()
            #expect(try await Self.standing(sides) == ["s": "START 0", "add": "PAYMENT s 20"])
            #expect(try await post("add", event: "change") == .conflict)

            #expect(try await post("reported", event: nil) == .created)
            await sides.runUntilIdle()
            let late = Arrival.charge("reported", 20, 50, event: "payment").body(checkout: checkout)
            let refused = try await sides.post("/v1/sales", late)
            #expect(refused.status == .conflict, "\(refused.json)")
            #expect((refused.json["detail"] as? String)?.contains(#"send it with "amends": true"#) ?? false)
        }
    }

    @Test("The item names what was reported and what is right, of each charge")
    func detail() async throws {
        try await EmulatedMerchant.run { sides in
            try await Self.post(Self.cases[0].arrivals, sides, checkout: try await sides.receiveToken())
            let items = try await sides.list("/v1/review", "review")
            let item = try #require(items.first)
            #expect(item["about"] as? String == "sale")
            #expect(item["id"] as? String == "r2")
            let detail = try #require(item["detail"] as? String)
            #expect(detail.contains("sale r2 is reported as RENEWAL of s after 30 paid days"), "\(detail)")
            #expect(detail.contains("right is RENEWAL of s after 61 paid days"), "\(detail)")
            #expect(items.count == 1)
        }
    }

    @Test(
        "A refund before its charge counts if it can be one of it; one that cannot leaves the period paid (RR-23, RR-31)",
        arguments: [("12.10", 12, 0), ("12.11", 12, 30), ("12.10", -1, 30)]
    )
    func refundsBeforeTheCharge(_ amount: String, day: Int, paidDays: Int) async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            var refund = Arrival.refund(of: "s", at: day)
            refund.more.replace("12.10", with: amount)
            try await Self.post([refund, .charge("s", 0, 30), .charge("r1", 30, 60)], sides, checkout: checkout)
            #expect(try await Self.standing(sides) == ["s": "START 0", "r1": "RENEWAL s \(paidDays)"])
            let isCounted = paidDays == 0
            #expect(
                try await sides.list("/v1/sales", "sales").count { $0["state"] as? String == "held" }
                    == (isCounted ? 0 : 1)
            )
        }
    }

    @Test("Retry confirms the correction that the item offers")
    func retry() async throws {
        try await EmulatedMerchant.run { sides in
            try await Self.post(Self.cases[3].arrivals, sides, checkout: try await sides.receiveToken())
            let answer = try await sides.post("/v1/review/1", #"{"action":"retry","by":"maria"}"#)
            #expect(answer.status == .ok, "\(answer.json)")
            await sides.runUntilIdle()
            #expect(try await Self.standing(sides) == Self.cases[3].expected)
            #expect(try await sides.list("/v1/review", "review").isEmpty)
        }
    }

    @Test("Resolve keeps what was reported; the same figures never come back, other ones do")
    func keep() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await Self.post(Self.cases[0].arrivals, sides, checkout: checkout)
            let answer = try await sides.post(
                "/v1/review/1",
                #"{"action":"resolve","by":"maria","note":"the provider counts otherwise"}"#
            )
            #expect(answer.status == .ok, "\(answer.json)")
            try await Self.post([.charge("r3", 90, 95)], sides, checkout: checkout)
            #expect(try await sides.list("/v1/review", "review").isEmpty)
            #expect(try await Self.standing(sides)["r2"] == "RENEWAL s 30")
            #expect(try await Self.standing(sides)["r3"] == "RENEWAL s 90")
            let corrections = try await sides.list("/v1/corrections", "corrections")
            #expect(corrections.allSatisfy { !($0["closed"] is NSNull) }, "\(corrections)")
            try await Self.post([.end("lapse", at: 50)], sides, checkout: checkout)
            #expect(try await sides.list("/v1/review", "review").count == 1)
        }
    }

    @Test("A start that arrives while later charges are held by its absence ends their wait (buy-unknown)")
    func unknown() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            let early: [Arrival] = [
                .end("cancellation", at: 70, effect: 90), .end("lapse", at: 25),
                .charge("r1", 30, 60, event: "renewal"),
            ]
            try await Self.post(early, sides, checkout: checkout)
            var sales = try await sides.list("/v1/sales", "sales")
            #expect(sales.allSatisfy { $0["state"] as? String == "held" })
            #expect(sales.allSatisfy { ($0["flags"] as? [String])?.contains("buy-unknown") == true }, "\(sales)")
            #expect(try await sides.states().isEmpty)
            try await Self.post([.charge("s", 0, 30)], sides, checkout: checkout)
            sales = try await sides.list("/v1/sales", "sales")
            #expect(sales.map { $0["standing"] as? String } == ["recorded", "recorded", "reported", "reported"])
            #expect(try await Self.standing(sides) == ["s": "START 0", "r1": "RENEWAL s 25"])
        }
    }
}
