import Foundation
import Testing

/// Tokens of an app that a marketplace or a website distributes, from the request to the accepted report.
///
/// What was reported is read from the journal of Apple's side, what is due and what it costs from the server.
@Suite("An app outside the App Store, with both sides as they are run", .serialized)
struct OutsideAppStoreStoryTests {
    private static func purchase(_ id: String, at moment: String, more: [String: Any] = [:]) -> [String: Any] {
        [
            "saleId": id, "type": "purchase", "occurredAt": moment, "productId": "gems", "quantity": 1,
            "amount": TwoSides.money("9.99"),
        ].merging(more) { $1 }
    }

    private static func charge(_ id: String, _ start: String, _ end: String, on token: String? = nil) -> [String: Any] {
        var charge: [String: Any] = [
            "saleId": id, "type": "subscription", "subscriptionId": "plus", "occurredAt": start,
            "productId": "plus.monthly", "period": ["start": start, "end": end], "amount": TwoSides.money("4.99"),
        ]
        charge["externalPurchaseId"] = token
        return charge
    }

    /// The token as the app sends it to the server, and its id.
    private static func token(_ sides: TwoSides, of customer: String) async throws -> (id: String, checkout: String) {
        let (token, id) = try await sides.mint(["tokenType": "CORE_TECHNOLOGY"])
        let body = ["token": token, "customerId": customer, "storefront": "DEU"]
        let answer = try await HTTP.send("POST", sides.server.url + "/v1/tokens", body)
        #expect(answer.status == 201, "\(answer.json)")
        #expect(answer.json["tokenType"] as? String == "CORE_TECHNOLOGY")
        #expect(answer.json["family"] as? String == "unknown")
        #expect(answer.json["warnings"] as? [String] == [])
        return (id, try #require(answer.json["checkoutId"] as? String))
    }

    /// What is due of a token or sale.
    private static func due(_ sides: TwoSides, _ query: String) async throws -> [[String: Any]] {
        try await HTTP.get(sides.server.url + "/v1/due?" + query).json["due"] as? [[String: Any]] ?? []
    }

    /// The accepted reports of a token, by the journal of Apple's side.
    private static func reports(_ sides: TwoSides, of id: String) async throws -> [[String: Any]] {
        try await HTTP.get(sides.emulator.url + "/emulator/v1/requests").list
            .filter { $0["method"] as? String == "PUT" && $0["status"] as? Int == 200 }
            .compactMap { entry in
                let body = Data((entry["body"] as? String ?? "").utf8)
                return try JSONSerialization.jsonObject(with: body) as? [String: Any]
            }
            .filter { $0["externalPurchaseId"] as? String == id }
    }

    /// Waits until Apple's side accepted a line item.
    private static func item(_ sides: TwoSides, _ id: String) async throws -> [String: Any] {
        for _ in 0..<6_000 {
            if let item = try await sides.items()[id] { return item }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try #require(try await sides.items()[id], "\(id) was not accepted")
    }

    @Test(
        "Token, sale, refund and subscription: accepted reports, due dates, estimate, export (TK-47, RR-63, OB-44, OB-46)",
        arguments: ["outside-app-store", "eu-custom-link"]
    )
    func wholeWay(programmes: String) async throws {
        let sides = try await TwoSides(settings: "send.delay: 2h", programmes: programmes)
        let (first, checkout) = try await Self.token(sides, of: "anna")

        // The token is due ten days after its creation, and answered a day before if nothing is sold.
        let token = try #require(try await Self.due(sides, "externalPurchaseId=\(first)").first)
        #expect(token["kind"] as? String == "token")
        #expect(token["dueAt"] as? String == "2026-11-30T12:00:00Z")
        #expect(token["sendAt"] as? String == "2026-11-29T12:00:00Z")

        // The customer alone leads to no such token; the checkout and the id do.
        let moment = "2026-11-20T12:00:00Z"
        var alone = Self.purchase("alone", at: moment, more: ["customerId": "anna"])
        let held = try await sides.sell(alone)
        #expect(held["state"] as? String == "held")
        #expect(held["flags"] as? [String] == ["no-token"])
        alone["externalPurchaseId"] = first
        alone["bundleId"] = TwoSides.bundleId
        let completed = try await HTTP.send("POST", sides.server.url + "/v1/sales", alone)
        #expect(completed.status == 200 && completed.json["state"] as? String == "planned", "\(completed.json)")
        let sold = try await sides.sell(Self.purchase("basket", at: moment, more: ["checkoutId": checkout]))
        #expect(sold["externalPurchaseId"] as? String == first)

        // A sale is due with the month, by the programme of the token's type, whatever the app names.
        let sale = try #require(try await Self.due(sides, "saleId=basket").first)
        #expect(sale["dueAt"] as? String == "2026-12-15T23:59:59.999Z")
        let reason = try #require(sale["reason"] as? String)
        #expect(reason.contains("outside-app-store"), "\(reason)")
        let listed = try await BuiltBinary.run([
            "ledger", "due", "--filter", "saleId=basket", "--at", moment, "--config", sides.config, "--database",
            "sqlite:\(sides.database)",
        ])
        #expect(listed.exitCode == 0, "\(listed.error)")
        #expect(listed.output.contains("2026-12-15") && listed.output.contains("outside-app-store"), "\(listed.output)")

        // A subscription starts on a token of its own.
        let (second, _) = try await Self.token(sides, of: "ben")
        _ = try await sides.sell(Self.charge("plus-1", moment, "2026-12-20T12:00:00Z", on: second))
        try await sides.advance(days: 0.1)
        try await sides.expect(first, "LINE_ITEM")
        try await sides.expect(second, "LINE_ITEM")
        let refund = try await sides.sell([
            "saleId": "back", "type": "refund", "occurredAt": "2026-11-20T14:00:00Z", "refundOf": "basket",
            "amount": ["inclusive": "3.00"],
        ])
        #expect(refund["externalPurchaseId"] as? String == first)
        try await sides.advance(days: 0.1)
        #expect(try await Self.item(sides, "back")["netAmountTaxExclusive"] as? Int == 5_777)
        let reports = try await Self.reports(sides, of: first)
        #expect(reports.map { $0["status"] as? String } == ["LINE_ITEM", "LINE_ITEM"])
        let ids = reports.map { ($0["lineItems"] as? [[String: Any]] ?? []).compactMap { $0["lineItemId"] as? String } }
        #expect(ids.map(Set.init) == [["alone", "basket"], ["back"]])

        // The renewal is on the token of the start (RR-63).
        try await sides.advance(days: 30)
        try await Task.sleep(for: .milliseconds(500))
        let renewal = try await sides.sell(Self.charge("plus-2", "2026-12-20T12:00:00Z", "2027-01-19T12:00:00Z"))
        #expect(renewal["externalPurchaseId"] as? String == second)
        try await sides.advance(days: 0.1)
        let event = try await Self.item(sides, "plus-2")
        #expect(event["subscriptionEvent"] as? String == "RENEWAL")
        #expect(event["subscriptionDaysOfPaidService"] as? Int == 30)

        // Five per cent of the amounts without tax: 8.256, 8.256 and the refund's 2.479, 4.124.
        let month = sides.server.url + "/v1/exports/2026-11"
        let export = try await HTTP.get(month + ".json?programme=outside-app-store").json
        let rows = export["rows"] as? [[String: Any]] ?? []
        let estimates = rows.map { "\($0["saleId"] ?? "") \($0["state"] ?? "") \($0["estimate"] ?? "")" }
        #expect(
            Set(estimates) == [
                "alone reported 0.41", "basket reported 0.41", "plus-1 reported 0.21", "back reported -0.12",
            ]
        )
        #expect((export["reconciliation"] as? [String: Any])?["differences"] as? [String] == [])
        let csv = try await HTTP.get(month + ".csv?programme=outside-app-store").body
        #expect(String(decoding: csv, as: UTF8.self).split(separator: "\r\n").count == 5)
        let printed = try await BuiltBinary.run([
            "ledger", "export", "2026-11", "--programme", "outside-app-store", "--config", sides.config, "--database",
            "sqlite:\(sides.database)",
        ])
        #expect(Data(printed.output.utf8) == csv, "\(printed.error)")
        // No sale is in another programme's export.
        let other = try await HTTP.get(month + ".json?programme=eu-2026-10").json["rows"] as? [[String: Any]]
        #expect(other?.isEmpty == true)
    }

    @Test("Without a sale it is answered, and a sale that comes later follows (TK-47, RR-67, RR-72)")
    func withoutSale() async throws {
        let sides = try await TwoSides(programmes: "outside-app-store")
        let (id, _) = try await Self.token(sides, of: "anna")
        try await sides.advance(days: 8.9)
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await sides.status(id) == nil)
        try await sides.advance(days: 0.2)
        try await sides.expect(id, "NO_LINE_ITEM")
        let late = Self.purchase("late", at: "2026-11-29T12:00:00Z", more: ["externalPurchaseId": id])
        #expect(try await sides.sell(late)["externalPurchaseId"] as? String == id)
        try await sides.expect(id, "LINE_ITEM")
        #expect(try await Self.reports(sides, of: id).map { $0["status"] as? String } == ["NO_LINE_ITEM", "LINE_ITEM"])
    }

    @Test(
        "UNREPORTED: a token that the app lost is UNRECOGNIZED_TOKEN a day later, others are answered at once (NT-48)"
    )
    func unreported() async throws {
        let sides = try await TwoSides(programmes: "outside-app-store")
        let (_, lost) = try await sides.mint(["tokenType": "CORE_TECHNOLOGY"])
        try await sides.advance(days: 10.01)
        var known: [String: Any] = [:]
        for _ in 0..<2_400 where known["tokenType"] == nil {
            known = try await HTTP.get(sides.server.url + "/v1/tokens/\(lost)").json
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(known["tokenType"] as? String == "CORE_TECHNOLOGY", "\(known)")
        #expect((known["firstSeen"] as? [String: Any])?["source"] as? String == "notification")
        #expect(known["state"] as? String == "confirmed")
        #expect(try await sides.status(lost) == nil)
        let sent = try await HTTP.get(sides.emulator.url + "/emulator/v1/notifications").list
        #expect(sent.map { $0["subtype"] as? String } == ["UNREPORTED"])

        let (here, _) = try await Self.token(sides, of: "anna")
        let order = ["externalPurchaseId": here, "subtype": "UNREPORTED"]
        #expect(try await HTTP.send("POST", sides.emulator.url + "/emulator/v1/notifications", order).status == 201)
        try await sides.expect(here, "NO_LINE_ITEM")
        try await sides.advance(days: 1)
        try await sides.expect(lost, "UNRECOGNIZED_TOKEN")
        let filtered = try await HTTP.get(sides.server.url + "/v1/tokens?kind=CORE_TECHNOLOGY").json["tokens"]
        #expect(Set((filtered as? [[String: Any]] ?? []).map { $0["externalPurchaseId"] as? String }) == [lost, here])
    }

    @Test("A sale without its tax is overdue after the programme's deadline, and the exit code says so (OB-46, OB-51)")
    func overdue() async throws {
        let sides = try await TwoSides(programmes: "outside-app-store")
        let (id, _) = try await Self.token(sides, of: "anna")
        let money = ["currency": "EUR", "inclusive": "9.99", "taxCountry": "DEU"]
        let sale = Self.purchase("untaxed", at: "2026-11-20T12:00:00Z", more: ["externalPurchaseId": id])
        #expect(try await sides.sell(sale.merging(["amount": money]) { $1 })["flags"] as? [String] == ["no-tax"])
        func overdue(at moment: String) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run([
                "ledger", "due", "--filter", "saleId=untaxed", "--filter", "state=overdue", "--at", moment,
                "--database",
                "sqlite:\(sides.database)", "--config", sides.config,
            ])
        }
        #expect(try await overdue(at: "2026-12-15T23:59:59Z").exitCode == 0)
        let late = try await overdue(at: "2026-12-16T00:00:00Z")
        #expect(late.exitCode == 1 && late.output.contains("outside-app-store"), "\(late.output) \(late.error)")
    }
}
