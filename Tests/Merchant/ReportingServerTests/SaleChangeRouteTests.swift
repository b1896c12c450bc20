import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import ReportValidation
import Testing

@testable import Reporting

@Suite("Sales are amended, completed and voided, from the request to Apple's side")
struct SaleChangeRouteTests {
    private static func sale(
        _ id: String = "s",
        checkout: String?,
        _ inclusive: String = "9.99",
        at moment: String = "2026-11-20T11:59:00Z",
        more: String = ""
    ) -> String {
        let named = checkout.map { #""checkoutId":"\#($0)","# } ?? ""
        return """
            {"saleId":"\(id)","bundleId":"\(EmulatedMerchant.bundleId)","type":"purchase","occurredAt":"\(moment)",
            \(named)\(more)"productId":"gems.100","quantity":1,
            "amount":{"currency":"EUR","inclusive":"\(inclusive)","taxRate":"21","taxCountry":"NLD"}}
            """
    }

    private static let amends = #""amends":true,"by":"kim","reason":"the till was wrong","#
    private static let void = #"{"by":"kim","reason":"never paid"}"#

    /// The amounts without tax of each line item that Apple accepted, in order.
    private static func amounts(_ sides: EmulatedMerchant) async throws -> [String: [Int64]] {
        let accepted = zip(try await sides.puts(), try await sides.journal().filter { $0.hasPrefix("PUT") })
            .filter { $0.1 == "PUT 200" }
        var amounts: [String: [Int64]] = [:]
        for (body, _) in accepted {
            for item in try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue ?? [] {
                guard let id = item.objectValue?["lineItemId"]?.stringValue,
                    let amount = item.objectValue?["amountTaxExclusive"]?.int64Value
                else { continue }
                amounts[id, default: []].append(amount)
            }
        }
        return amounts
    }

    @Test("An amended sale goes out once, as it is right; versions and audit name who and why")
    func amended() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: checkout)).status == .created)
            let amended = Self.sale(checkout: checkout, "4.99", more: Self.amends)
            let answer = try await sides.post("/v1/sales", amended)
            #expect(answer.status == .ok, "\(answer.json)")
            #expect(answer.json["state"] as? String == "planned")
            #expect(answer.json["lineItemId"] as? String == "s")
            #expect(try await sides.post("/v1/sales", amended).status == .ok)
            // What was sent first is known as well.
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: checkout)).status == .ok)
            await sides.runUntilIdle()
            #expect(try await Self.amounts(sides) == ["s": [4_124]])
            let listed = try await sides.list("/v1/sales", "sales")
            #expect(listed.map { $0["version"] as? Int } == [2])
            let audit = try await sides.list("/v1/audit?limit=1000", "audit")
            let entries = audit.filter { $0["kind"] as? String == "sale-corrected" }
                .compactMap { $0["content"] as? [String: Any] }
            #expect(entries.map { $0["by"] as? String } == ["kim"])
            #expect(entries.map { $0["reason"] as? String } == ["the till was wrong"])
            #expect(try await sides.merchant.lists.verifyAudit().broken == nil)
        }
    }

    @Test("A void sale is never reported; again it is 200, its id is 409 for good")
    func voided() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: checkout)).status == .created)
            for _ in 0..<2 {
                let answer = try await sides.post("/v1/sales/s/void", Self.void)
                #expect(answer.status == .ok, "\(answer.json)")
                #expect(answer.json["state"] as? String == "void")
            }
            for body in [Self.sale(checkout: checkout), Self.sale(checkout: checkout, "1.00", more: Self.amends)] {
                let answer = try await sides.post("/v1/sales", body)
                #expect(answer.status == .conflict)
                #expect((answer.json["detail"] as? String)?.contains("voided by kim") == true)
            }
            await sides.runUntilIdle()
            #expect(try await sides.puts().isEmpty)
            let due = try await sides.get("/v1/due").json
            #expect(!"\(due)".contains("\"s\""), "\(due)")
            // A refund of it is kept, and held for a person.
            let refund = """
                {"saleId":"r","bundleId":"\(EmulatedMerchant.bundleId)","type":"refund","refundOf":"s",
                "occurredAt":"2026-11-20T11:59:30Z","amount":{"inclusive":"1.00"}}
                """
            let held = try await sides.post("/v1/sales", refund)
            #expect(held.status == .created, "\(held.json)")
            #expect(held.json["state"] as? String == "held")
            #expect(held.json["flags"] as? [String] == ["buy-voided"])
        }
    }

    struct Refused: Sendable {
        let path: String
        let body: String
        let status: HTTPResponse.Status
        let says: String
    }

    @Test(
        "Who is missing, and what is not known, is said",
        arguments: [
            Refused(path: "/v1/sales", body: sale("x", checkout: nil, more: amends), status: .notFound, says: "x"),
            Refused(path: "/v1/sales/x/void", body: void, status: .notFound, says: "x"),
            Refused(
                path: "/v1/sales",
                body: sale(checkout: nil, more: #""amends":true,"#),
                status: .unprocessableContent,
                says: "/by"
            ),
            Refused(
                path: "/v1/sales",
                body: sale(checkout: nil, more: #""amends":"yes","by":"kim","#),
                status: .unprocessableContent,
                says: "/amends"
            ),
            Refused(
                path: "/v1/sales",
                body: sale(checkout: nil, more: #""amends":false,"by":"kim","#),
                status: .unprocessableContent,
                says: "/by"
            ),
            Refused(path: "/v1/sales/s/void", body: #"{"by":"kim"}"#, status: .unprocessableContent, says: "/reason"),
            Refused(path: "/v1/sales/s/void", body: #"{"reason":"x"}"#, status: .unprocessableContent, says: "/by"),
        ]
    )
    func refused(_ refused: Refused) async throws {
        try await EmulatedMerchant.run { sides in
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: nil)).status == .created)
            let answer = try await sides.post(refused.path, refused.body)
            #expect(answer.status == refused.status, "\(answer.json)")
            #expect((answer.json["detail"] as? String)?.contains(refused.says) == true, "\(answer.json)")
            #expect(try await sides.list("/v1/sales", "sales").map { $0["version"] as? Int } == [1])
        }
    }

    @Test("The sale of a refused report is amended: the report is taken back, and all its sales go out anew")
    func refusedReport() async throws {
        var settings = ReportingSettings()
        settings.isPreflightOn = false
        try await EmulatedMerchant.run(emulator: ["rules.plainTokenRange=on"], settings: settings) { sides in
            let checkout = try await sides.receiveToken()
            let wrong = Self.sale(checkout: checkout, at: "2026-11-10T11:00:00Z")
            #expect(try await sides.post("/v1/sales", wrong).status == .created)
            await sides.runUntilIdle()
            let right = Self.sale(checkout: checkout, more: Self.amends)
            let answer = try await sides.post("/v1/sales", right)
            #expect(answer.status == .ok, "\(answer.json)")
            await sides.runUntilIdle()
            #expect(try await sides.states().last == "accepted")
            #expect(try await sides.states().contains("needsAttention") == false)
            #expect(try await sides.acceptances() == ["s": 1])
            #expect(try await sides.list("/v1/review", "review").isEmpty)
        }
    }

    @Test("While the report's fate is unknown the change waits, and is made when Apple does not have it")
    func waiting() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await sides.fault("PUT", #"{"status":500}"#)
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: checkout)).status == .created)
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["unknown"])
            let amended = Self.sale(checkout: checkout, "4.99", more: Self.amends)
            for _ in 0..<2 {
                let answer = try await sides.post("/v1/sales", amended)
                #expect(answer.status == .accepted, "\(answer.json)")
                #expect(answer.json["state"] as? String == "waiting")
            }
            sides.advance(by: .seconds(2))
            await sides.runUntilIdle()
            // What was sent may still arrive: nothing else is sent before two minutes have gone by.
            #expect(try await sides.states() == ["unknown"])
            for _ in 0..<4 {
                sides.advance(by: .minutes(1))
                await sides.runUntilIdle()
            }
            let states = try await sides.states()
            #expect(states == ["withdrawn", "accepted"])
            let amounts = try await Self.amounts(sides)
            #expect(amounts == ["s": [4_124]])
            let items = try await sides.list("/v1/review", "review")
            #expect(items.isEmpty)
            #expect(try await sides.post("/v1/sales", amended).status == .ok)
        }
    }

    @Test("When Apple has the report, the change that waited is a review item with its correction, ready to confirm")
    func waitedInVain() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            try await sides.fault("PUT", #"{"dropAfterAccept":true}"#)
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: checkout)).status == .created)
            await sides.runUntilIdle()
            let amended = Self.sale(checkout: checkout, "4.99", more: Self.amends)
            #expect(try await sides.post("/v1/sales", amended).status == .accepted)
            sides.advance(by: .seconds(5))
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["accepted"])
            let items = try await sides.list("/v1/review", "review")
            #expect(items.map { $0["kind"] as? String } == ["sale-changed"])
            #expect(items.map { $0["id"] as? String } == ["s"])
            let again = try await sides.post("/v1/sales", amended)
            #expect(again.status == .conflict)
            let id = try #require(again.json["correctionId"] as? String)
            #expect((items.first?["detail"] as? String)?.contains(id) == true, "\(items)")
            // Another correction of the sale does not settle what was asked for.
            let other = try await sides.post(
                "/v1/corrections",
                #"{"bundleId":"com.example.shop","saleId":"s","action":"restate","fields":{"productId":"other"},"#
                    + #""requestedBy":"maria","reason":"another product"}"#
            )
            try await Self.confirm(try #require(other.json["correctionId"] as? String, "\(other.json)"), sides)
            #expect(try await sides.list("/v1/review", "review").count == 1)
            let renewed = try await sides.post("/v1/sales", amended)
            try await Self.confirm(try #require(renewed.json["correctionId"] as? String, "\(renewed.json)"), sides)
            let amounts = try await Self.amounts(sides)
            #expect(amounts["s"]?.last == 4_124, "\(amounts)")
            #expect(try await sides.list("/v1/review", "review").isEmpty)
        }
    }

    /// Requests a correction and confirms it; nil where it cannot be planned.
    private static func correct(_ id: String, _ action: String, _ sides: EmulatedMerchant) async throws -> String? {
        let planned = try await sides.post(
            "/v1/corrections",
            #"{"bundleId":"com.example.shop","saleId":"\#(id)","action":"\#(action)","requestedBy":"maria","reason":"r"}"#
        )
        guard let correction = planned.json["correctionId"] as? String else { return planned.json["detail"] as? String }
        try await confirm(correction, sides)
        return nil
    }

    @Test("A retracted refund that a later report contains by its total is not restored beside it (RR-46, RR-80)")
    func containedInTotal() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            let refunds = [("r", #""inclusive":"4.00""#), ("t", #""refundedTotal":"4.00""#)].map { id, amount in
                #"{"saleId":"\#(id)","bundleId":"com.example.shop","type":"refund","refundOf":"s","#
                    + #""occurredAt":"2026-11-20T11:59:30Z","amount":{\#(amount)}}"#
            }
            for sale in [Self.sale(checkout: checkout)] + refunds {
                #expect(try await sides.post("/v1/sales", sale).status == .created)
                await sides.runUntilIdle()
            }
            #expect(try await Self.correct("r", "retract", sides) == nil)
            sides.advance(by: .minutes(1))
            await sides.runUntilIdle()
            #expect(try await sides.get("/v1/sales/t").json["standing"] as? String == "reported")
            let refusal = try #require(try await Self.correct("r", "undo", sides))
            #expect(refusal.contains("retract t first"), "\(refusal)")
            #expect(try await Self.correct("t", "retract", sides) == nil)
            #expect(try await Self.correct("r", "undo", sides) == nil)
            let standings = try await sides.list("/v1/sales", "sales").map { sale in
                "\(sale["saleId"] as? String ?? "") \(sale["standing"] as? String ?? "")"
            }
            #expect(Set(standings) == ["s reported", "r reported", "t retracted"])
            // 4.00 with 21 % tax.
            #expect(try await Self.amounts(sides)["r"]?.last == 3_306)
        }
    }

    private static func confirm(_ id: String, _ sides: EmulatedMerchant) async throws {
        let body = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
        let answer = try await sides.post("/v1/corrections", body)
        #expect(answer.status == .created, "\(answer.json)")
        await sides.runUntilIdle()
    }

    @Test("Once accepted, amending and voiding answer 409 with the correction's dry run, the same one each time")
    func accepted() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: checkout)).status == .created)
            await sides.runUntilIdle()
            let amended = Self.sale(checkout: checkout, "4.99", more: Self.amends)
            let first = try await sides.post("/v1/sales", amended)
            #expect(first.status == .conflict)
            #expect(first.headers[.contentType] == "application/problem+json")
            #expect(first.json["allowed"] as? Bool == true, "\(first.json)")
            #expect(first.json["plan"] is [String: Any])
            let id = try #require(first.json["correctionId"] as? String)
            #expect(try await sides.post("/v1/sales", amended).json["correctionId"] as? String == id)
            try await Self.confirm(id, sides)
            #expect(try await Self.amounts(sides) == ["s": [8_256, 4_124]])
            #expect(try await sides.post("/v1/sales", amended).status == .ok)
            let void = try await sides.post("/v1/sales/s/void", Self.void)
            #expect(void.status == .conflict)
            try await Self.confirm(try #require(void.json["correctionId"] as? String), sides)
            let listed = try await sides.list("/v1/sales", "sales")
            #expect(listed.map { $0["standing"] as? String } == ["retracted"])
            // What says that it never happened is what a repetition is told (RR-80).
            let again = try await sides.post("/v1/sales", Self.sale(checkout: checkout))
            #expect(again.status == .ok)
            #expect(again.json["standing"] as? String == "retracted")
            #expect(try await sides.post("/v1/sales/s/void", Self.void).status == .ok)
            #expect(try await sides.acceptances() == ["s": 3])
        }
    }

    @Test("What an accepted sale says of its customer is amended without a correction")
    func acceptedCustomer() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: checkout)).status == .created)
            await sides.runUntilIdle()
            let named = Self.sale(checkout: checkout, more: Self.amends + #""customerId":"anna","#)
            #expect(try await sides.post("/v1/sales", named).status == .ok)
            let listed = try await sides.list("/v1/sales", "sales").first?["sale"] as? [String: Any]
            #expect(listed?["customerId"] as? String == "anna")
            await sides.runUntilIdle()
            #expect(try await sides.acceptances() == ["s": 1])
        }
    }

    @Test("A checkout that the sale lacked frees it, without amends (RR-66)")
    func completed() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            let bare = try await sides.post("/v1/sales", Self.sale(checkout: nil))
            #expect(bare.json["flags"] as? [String] == ["no-token"])
            let whole = try await sides.post("/v1/sales", Self.sale(checkout: checkout))
            #expect(whole.status == .ok, "\(whole.json)")
            #expect(whole.json["state"] as? String == "planned")
            // A field left out contradicts nothing; another one does.
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: nil)).status == .ok)
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: "other")).status == .conflict)
            #expect(try await sides.post("/v1/sales", Self.sale(checkout: checkout, "9.98")).status == .conflict)
            await sides.runUntilIdle()
            #expect(try await sides.acceptances() == ["s": 1])
        }
    }
}
