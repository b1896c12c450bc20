import Foundation
import Testing

@Suite("Corrections between the two sides, as they are run", .serialized)
struct CorrectionStoryTests {
    private func correct(_ sides: TwoSides, _ body: [String: Any]) async throws -> [String] {
        let wish = body.merging(
            ["bundleId": TwoSides.bundleId, "requestedBy": "maria", "reason": "the till was wrong"]
        ) { first, _ in first }
        let run = try await HTTP.send("POST", sides.server.url + "/v1/corrections", wish)
        #expect(run.status == 200, "\(run.json)")
        #expect(run.json["allowed"] as? Bool == true, "\(run.json)")
        let id = try #require(run.json["correctionId"] as? String)
        let order: [String: Any] = ["correctionId": id, "confirm": true, "confirmedBy": "otto"]
        let confirmed = try await HTTP.send("POST", sides.server.url + "/v1/corrections", order)
        #expect(confirmed.status == 201, "\(confirmed.json)")
        let reports = try #require(confirmed.json["reports"] as? [String])
        for _ in 0..<6_000 {
            let list = try await HTTP.get(sides.server.url + "/v1/corrections").json["corrections"] as? [[String: Any]]
            if list?.last?["closed"] is [String: Any] { return reports }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("the correction is not accepted")
        return reports
    }

    private func item(_ sides: TwoSides, _ id: String, net: Int) async throws -> [String: Any] {
        var item: [String: Any]?
        for _ in 0..<6_000 {
            item = try await sides.items()[id]
            if item?["netAmountTaxExclusive"] as? Int == net { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(item?["netAmountTaxExclusive"] as? Int == net)
        return try #require(item)
    }

    @Test("A sale is restated, then retracted with its refund: Apple's newest items and nets (RR-80, RR-83, RR-84)")
    func restateAndRetract() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        _ = try await sides.sell([
            "saleId": "one", "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z", "externalPurchaseId": id,
            "productId": "gems", "quantity": 1, "amount": TwoSides.money("9.99"),
        ])
        _ = try await item(sides, "one", net: 8_256)

        let restated = try await correct(
            sides,
            ["saleId": "one", "action": "restate", "fields": ["inclusive": "12.10", "productId": "gems.200"]]
        )
        #expect(restated.count == 1)
        let newest = try await item(sides, "one", net: 10_000)
        #expect(newest["amountTaxInclusive"] as? Int == 12_100)
        #expect(newest["productIdentifier"] as? String == "gems.200")
        #expect(newest["restatement"] as? Bool == true)

        _ = try await sides.sell([
            "saleId": "back", "type": "refund", "occurredAt": "2026-11-20T12:00:00Z", "refundOf": "one",
            "amount": ["inclusive": "6.05"],
        ])
        _ = try await item(sides, "back", net: 5_000)
        _ = try await correct(sides, ["saleId": "one", "action": "retract"])
        for name in ["one", "back"] {
            let item = try await item(sides, name, net: 0)
            #expect(item["erroneouslySubmitted"] as? Bool == true)
        }
    }

    @Test("A moved sale shows its new token, and a saleId that is the moved item's id is refused (RR-81)")
    func move() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        let (other, otherId) = try await sides.mint()
        for text in [token, other] { try await sides.deliver(text) }
        var sale: [String: Any] = [
            "saleId": "one", "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z", "externalPurchaseId": id,
            "productId": "gems", "quantity": 1, "amount": TwoSides.money("9.99"),
        ]
        _ = try await sides.sell(sale)
        _ = try await item(sides, "one", net: 8_256)
        let fields = ["externalPurchaseId": otherId]
        _ = try await correct(sides, ["saleId": "one", "action": "move", "fields": fields])
        _ = try await item(sides, "one", net: 0)
        _ = try await item(sides, "one.2", net: 8_256)

        sale["saleId"] = "one.2"
        sale["bundleId"] = TwoSides.bundleId
        let taken = try await HTTP.send("POST", sides.server.url + "/v1/sales", sale)
        #expect(taken.status == 409, "\(taken.json)")
        let list = try await HTTP.get(sides.server.url + "/v1/sales").json["sales"] as? [[String: Any]]
        let tokens = Dictionary(
            uniqueKeysWithValues: (list ?? []).map {
                ($0["lineItemId"] as? String, $0["externalPurchaseId"] as? String)
            }
        )
        #expect(tokens == ["one.2": otherId])
    }

    @Test("A history that went on since the dry run is 409 with the new one; wrong fields are 422 (RR-84)")
    func refused() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        _ = try await sides.sell([
            "saleId": "one", "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z", "externalPurchaseId": id,
            "productId": "gems", "quantity": 1, "amount": TwoSides.money("9.99"),
        ])
        _ = try await item(sides, "one", net: 8_256)
        let url = sides.server.url + "/v1/corrections"
        var wish: [String: Any] = [
            "bundleId": TwoSides.bundleId, "saleId": "one", "action": "restate", "fields": ["inclusive": "12.10"],
            "requestedBy": "maria", "reason": "the till was wrong",
        ]
        let run = try await HTTP.send("POST", url, wish)
        _ = try await sides.sell([
            "saleId": "back", "type": "refund", "occurredAt": "2026-11-20T12:00:00Z", "refundOf": "one",
            "amount": ["inclusive": "3.00"],
        ])
        _ = try await item(sides, "back", net: 5_777)
        // The history goes on once more when the server has Apple's answer.
        try await RecordsStoryTests.expect(sides, sale: "back", standing: "reported")
        let order: [String: Any] = [
            "correctionId": run.json["correctionId"] as? String ?? "", "confirm": true, "confirmedBy": "otto",
        ]
        let stale = try await HTTP.send("POST", url, order)
        #expect(stale.status == 409, "\(stale.json)")
        #expect(stale.json["allowed"] as? Bool == true)
        #expect(stale.json["plan"] is [String: Any])
        #expect(try await HTTP.send("POST", url, order).status == 201)
        #expect(try await HTTP.send("POST", url, order).status == 200)

        wish["fields"] = ["inclusive": 12]
        let wrong = try await HTTP.send("POST", url, wish)
        #expect(wrong.status == 422)
        let errors = wrong.json["errors"] as? [[String: Any]]
        #expect(errors?.first?["path"] as? String == "/fields/inclusive")
        let page = try await HTTP.get(url + "?limit=1")
        #expect((page.json["corrections"] as? [Any])?.count == 1)
        #expect(page.json["next"] as? String == "1")
    }
}
