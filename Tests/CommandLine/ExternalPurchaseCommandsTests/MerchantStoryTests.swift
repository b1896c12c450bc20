import Foundation
import Testing

/// Apple's side on a virtual clock and a server that follows it, with notifications between them.
struct TwoSides {
    static let bundleId = "com.example.shop"

    let scratch: ScratchFolder
    let emulator: RunningServer
    let server: RunningServer
    let database: String
    /// The value of `--database`.
    let address: String
    /// The server's configuration, to start it again.
    let config: String

    /// - Parameters:
    ///   - address: the value of `--database`; nil for a file.
    ///   - more: further lines of the configuration.
    ///   - files: further files beside it.
    init(
        settings: String = "",
        now: String = "2026-11-20T12:00:00Z",
        programmes: String = "eea-link",
        more: String = "",
        files: [String: String] = [:],
        address: String? = nil
    ) async throws {
        scratch = try ScratchFolder()
        for (name, text) in files { _ = try scratch.write(text, to: name) }
        emulator = try await RunningServer([
            "emulator", "--port", "0", "--app", "\(Self.bundleId)=1234567890", "--credentials", scratch.url.path,
            "--now", now,
        ])
        let root = try await HTTP.get(emulator.url + "/emulator/v1/root.cer").body
        try root.write(to: scratch.url.appending(path: "root.cer"))
        let keys = try Keys(folder: scratch.url)
        config = try scratch.write(
            """
            apps:
              - bundleId: \(Self.bundleId)
                appAppleId: 1234567890
                key: {file: \(keys.keyFile), keyId: \(keys.keyId), issuerId: \(keys.issuerId)}
                baseURL: {sandbox: "\(emulator.url)", production: "\(emulator.url)"}
                programmes: [\(programmes)]
            notifications: {roots: [root.cer]}
            settings: {database.folder: \(scratch.url.appending(path: "files").path)\(settings.isEmpty ? "" : ", \(settings)")}
            \(more)
            """,
            to: "serve.yaml"
        )
        database = scratch.url.appending(path: "ledger.sqlite").path
        self.address = address ?? "sqlite:\(database)"
        server = try await Self.serve(config: config, address: self.address, emulator: emulator)
        let app: [String: Any] = [
            "appAppleId": 1_234_567_890, "notificationURL": server.url + "/v1/notifications",
        ]
        #expect(try await HTTP.send("PUT", emulator.url + "/emulator/v1/apps/\(Self.bundleId)", app).status == 200)
    }

    /// Starts the server on a free port, with a ledger in a file.
    static func serve(config: String, database: String, emulator: RunningServer) async throws -> RunningServer {
        try await serve(config: config, address: "sqlite:\(database)", emulator: emulator)
    }

    private static func serve(config: String, address: String, emulator: RunningServer) async throws -> RunningServer {
        try await RunningServer([
            "serve", "--config", config, "--port", "0", "--database", address,
            "--follow-clock", emulator.url,
        ])
    }

    func mint(_ order: [String: Any] = [:]) async throws -> (token: String, id: String) {
        let body = order.merging(["bundleId": Self.bundleId, "environment": "production"]) { first, _ in first }
        let answer = try await HTTP.send("POST", emulator.url + "/emulator/v1/tokens", body)
        let decoded = try #require(answer.json["decoded"] as? [String: Any], "\(answer.json)")
        return (
            try #require(answer.json["token"] as? String), try #require(decoded["externalPurchaseId"] as? String)
        )
    }

    func deliver(_ token: String, customer: String? = nil) async throws {
        var body = ["token": token]
        body["customerId"] = customer
        let answer = try await HTTP.send("POST", server.url + "/v1/tokens", body)
        #expect([200, 201].contains(answer.status), "\(answer.json)")
    }

    func sell(_ sale: [String: Any]) async throws -> [String: Any] {
        let body = sale.merging(["bundleId": Self.bundleId]) { first, _ in first }
        let answer = try await HTTP.send("POST", server.url + "/v1/sales", body)
        #expect(answer.status == 201, "\(answer.json)")
        return answer.json
    }

    /// Advances the clock, and waits until the server has seen it, unless it is stopped.
    func advance(days: Double) async throws {
        let body = ["seconds": Int(days * 86_400)]
        let clock = try await HTTP.send("POST", emulator.url + "/emulator/v1/clock/advance", body)
        #expect(clock.status == 200)
        let now = try #require(clock.json["now"] as? String)
        while let seen = try? await HTTP.get(server.url + "/health/ready").json["now"] as? String, seen < now {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What was last reported of a token, by Apple's side.
    func status(_ id: String) async throws -> String? {
        let list = try await HTTP.get(emulator.url + "/emulator/v1/tokens?bundleId=\(Self.bundleId)").list
        let token = list.first { ($0["decoded"] as? [String: Any])?["externalPurchaseId"] as? String == id }
        return token?["reportStatus"] as? String
    }

    /// Waits until Apple's side says that of a token, and has answered the report.
    ///
    /// The journal has a request from the moment of its answer, which is later than what the report changed.
    func expect(_ id: String, _ wanted: String, _ comment: Comment? = nil) async throws {
        var found: String?
        for _ in 0..<6_000 {
            if found != wanted { found = try await status(id) }
            if found == wanted, try await hasAnswered(id, wanted) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(found == wanted, comment)
        #expect(try await hasAnswered(id, wanted), comment)
    }

    private func hasAnswered(_ id: String, _ status: String) async throws -> Bool {
        try await HTTP.get(emulator.url + "/emulator/v1/requests").list.contains { entry in
            let body = entry["body"] as? String ?? ""
            return entry["method"] as? String == "PUT" && body.contains("\"\(id)\"") && body.contains("\"\(status)\"")
        }
    }

    /// Every line item that Apple's side accepted, the newest version of each, by its id.
    func items() async throws -> [String: [String: Any]] {
        var items: [String: [String: Any]] = [:]
        for entry in try await HTTP.get(emulator.url + "/emulator/v1/requests").list
        where entry["method"] as? String == "PUT" && entry["status"] as? Int == 200 {
            let body = Data((entry["body"] as? String ?? "").utf8)
            let report = try JSONSerialization.jsonObject(with: body) as? [String: Any]
            for item in report?["lineItems"] as? [[String: Any]] ?? [] {
                items[item["lineItemId"] as? String ?? ""] = item
            }
        }
        return items
    }

    static func money(_ inclusive: String) -> [String: Any] {
        ["currency": "EUR", "inclusive": inclusive, "taxRate": "21", "taxCountry": "NLD"]
    }
}

@Suite("The merchant's side beside Apple's, as they are run", .serialized)
struct MerchantStoryTests {
    @Test("A token without a sale is answered a day before it is due (RR-67, RR-70, RR-72)")
    func noLineItem() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        try await sides.advance(days: 8.9)
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await sides.status(id) == nil)
        try await sides.advance(days: 0.2)
        try await sides.expect(id, "NO_LINE_ITEM")
        // A late sale follows all the same.
        let sale = try await sides.sell([
            "saleId": "late", "type": "purchase", "occurredAt": "2026-11-29T00:00:00Z", "externalPurchaseId": id,
            "productId": "gems", "quantity": 1, "amount": TwoSides.money("9.99"),
        ])
        #expect(sale["externalPurchaseId"] as? String == id)
        try await sides.expect(id, "LINE_ITEM")
    }

    @Test("A token that only a notification named is UNRECOGNIZED_TOKEN after a day (NT-1, NT-2, NT-61, NT-65)")
    func unrecognized() async throws {
        let sides = try await TwoSides()
        let (_, id) = try await sides.mint()
        try await sides.advance(days: 10.01)
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await sides.status(id) == nil)
        let known = try await HTTP.get(sides.server.url + "/v1/tokens/\(id)")
        #expect((known.json["firstSeen"] as? [String: Any])?["source"] as? String == "notification")
        try await sides.advance(days: 1)
        try await sides.expect(id, "UNRECOGNIZED_TOKEN")
    }

    @Test("Of two tokens of a period one takes the sales and the other is its duplicate (RR-60, RR-62, NT-62)")
    func duplicate() async throws {
        let sides = try await TwoSides()
        let created = 1_795_176_000_000
        let order: [String: Any] = [
            "tokenType": "SERVICES", "creationDate": created, "expirationDate": created + 31_536_000_000,
        ]
        let (first, firstId) = try await sides.mint(order)
        let (second, secondId) = try await sides.mint(order)
        try await sides.deliver(first, customer: "anna")
        try await sides.deliver(second, customer: "anna")
        let sale = try await sides.sell([
            "saleId": "one", "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z", "customerId": "anna",
            "productId": "gems", "quantity": 1, "amount": TwoSides.money("9.99"),
        ])
        #expect(sale["externalPurchaseId"] as? String == firstId)
        try await sides.expect(firstId, "LINE_ITEM")
        // The month's deadline comes before the expiration.
        try await sides.advance(days: 40)
        try await sides.expect(secondId, "DUPLICATE_TOKEN")
    }

    @Test(
        "A subscription from its start over a renewal to a refund: events, paid days and nets (RR-30 to RR-32, RR-46)"
    )
    func subscription() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        func period(_ start: String, _ end: String) -> [String: Any] { ["start": start, "end": end] }
        func charge(_ saleId: String, at moment: String, _ period: [String: Any]) -> [String: Any] {
            [
                "saleId": saleId, "type": "subscription", "subscriptionId": "sub-1", "occurredAt": moment,
                "period": period, "externalPurchaseId": id, "productId": "plus.monthly",
                "amount": TwoSides.money("9.99"),
            ]
        }
        let first = period("2026-11-20T12:00:00Z", "2026-12-20T12:00:00Z")
        _ = try await sides.sell(charge("start", at: "2026-11-20T12:00:00Z", first))
        try await sides.expect(id, "LINE_ITEM")
        try await sides.advance(days: 30.5)
        let second = period("2026-12-20T12:00:00Z", "2027-01-19T12:00:00Z")
        try await Task.sleep(for: .milliseconds(500))
        let renewal = try await sides.sell(charge("renewal", at: "2026-12-20T12:00:00Z", second))
        #expect(renewal["externalPurchaseId"] as? String == id)
        _ = try await sides.sell([
            "saleId": "back", "type": "refund", "occurredAt": "2026-12-20T18:00:00Z", "refundOf": "renewal",
            "amount": ["inclusive": "9.99"],
        ])
        var items: [String: [String: Any]] = [:]
        for _ in 0..<6_000 {
            items = try await sides.items()
            if items["back"] != nil { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(items["start"]?["subscriptionEvent"] as? String == "SUBSCRIPTION_START")
        #expect(items["start"]?["subscriptionDaysOfPaidService"] as? Int == 0)
        #expect(items["renewal"]?["subscriptionEvent"] as? String == "RENEWAL")
        #expect(items["renewal"]?["subscriptionDaysOfPaidService"] as? Int == 30)
        #expect(items["renewal"]?["referenceLineItemId"] as? String == "start")
        #expect(items["back"]?["netAmountTaxExclusive"] as? Int == 0)
        #expect(items["back"]?["amountTaxExclusive"] as? Int == 8_256)
    }

    @Test("A held sale is completed by sending it again, and a won chargeback can be refunded (RR-45, RR-47, RR-80)")
    func completion() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        var sale: [String: Any] = [
            "saleId": "s", "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z", "externalPurchaseId": id,
            "productId": "gems", "quantity": 1, "bundleId": TwoSides.bundleId,
            "amount": ["currency": "EUR", "inclusive": "9.99", "taxCountry": "NLD"],
        ]
        let held = try await sides.sell(sale)
        #expect(held["state"] as? String == "held")
        #expect(held["flags"] as? [String] == ["no-tax"])
        sale["amount"] = TwoSides.money("8.99")
        #expect(try await HTTP.send("POST", sides.server.url + "/v1/sales", sale).status == 409)
        sale["amount"] = TwoSides.money("9.99")
        let completed = try await HTTP.send("POST", sides.server.url + "/v1/sales", sale)
        #expect(completed.status == 200, "\(completed.json)")
        #expect(completed.json["state"] as? String == "planned")
        try await sides.expect(id, "LINE_ITEM")

        for (saleId, type, more) in [
            ("c", "chargeback", ["refundOf": "s", "amount": ["inclusive": "9.99"]]),
            ("w", "chargebackReversal", ["reversalOf": "c"]),
            ("r", "refund", ["refundOf": "s", "amount": ["inclusive": "5.00"]]),
        ] as [(String, String, [String: Any])] {
            let body: [String: Any] = ["saleId": saleId, "type": type, "occurredAt": "2026-11-20T12:00:00Z"]
            _ = try await sides.sell(body.merging(more) { first, _ in first })
            try await Task.sleep(for: .milliseconds(300))
        }
        var items: [String: [String: Any]] = [:]
        for _ in 0..<6_000 {
            items = try await sides.items()
            if items["r"] != nil { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(items["c"]?["erroneouslySubmitted"] as? Bool == true)
        #expect(items["r"]?["amountTaxInclusive"] as? Int == 5_000)
        #expect(items["r"]?["netAmountTaxExclusive"] as? Int == 8_256 - 4_132)
    }

    @Test("Notifications that are not genuine are 400 and change nothing; a known one is 200 (NT-37, NT-60)")
    func notGenuine() async throws {
        let sides = try await TwoSides()
        for body in [[:], ["signedPayload": "a.b.c"], ["signedPayload": 7]] as [[String: Any]] {
            let answer = try await HTTP.send("POST", sides.server.url + "/v1/notifications", body)
            #expect(answer.status == 400)
        }
        let (_, id) = try await sides.mint()
        for damage in ["leaf-marker-missing", "chain-untrusted", "signature-wrong", "wrong-app"] {
            let order = ["externalPurchaseId": id, "subtype": "UNREPORTED", "damage": damage]
            #expect(try await HTTP.send("POST", sides.emulator.url + "/emulator/v1/notifications", order).status == 201)
        }
        #expect(try await HTTP.get(sides.server.url + "/v1/notifications").json["notifications"] as? [String] == [])
        #expect(try await HTTP.get(sides.server.url + "/v1/tokens/\(id)").status == 404)
    }

    @Test("ledger due, plan, audit and verify read beside the running server (RR-70, OB-51, OB-93)")
    func ledgerCommands() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token, customer: "anna")
        let database = ["--database", "sqlite:\(sides.database)", "--format", "json"]
        let moment = ["--at", "2026-11-20T12:00:00Z"]
        let due = try await BuiltBinary.run(["ledger", "due"] + database + moment)
        #expect(due.exitCode == 0, "\(due.error)")
        let entry = (due.json?["due"] as? [[String: Any]])?.first
        #expect(entry?["externalPurchaseId"] as? String == id)
        #expect(entry?["dueAt"] as? String == "2026-11-30T12:00:00Z")
        #expect(entry?["daysLeft"] as? Int == 10)
        #expect(entry?["sendAt"] as? String == "2026-11-29T12:00:00Z")
        #expect(due.json?["open"] as? Int == 1 && due.json?["left"] as? Int == 0)
        for (filter, count) in [("customerId=anna", 1), ("customerId=ben", 0), ("state=overdue", 0), ("kind=token", 1)]
        {
            let some = try await BuiltBinary.run(["ledger", "due", "--filter", filter] + database + moment)
            #expect((some.json?["due"] as? [Any])?.count == count, "\(filter): \(some.error)")
        }
        let wrong = try await BuiltBinary.run(["ledger", "due", "--filter", "state=late"] + database + moment)
        #expect(
            wrong.exitCode == 2 && wrong.error.contains("--filter state: is none of open, warned"),
            "\(wrong.error)"
        )
        let audited = try await BuiltBinary.run(
            ["ledger", "audit", "--filter", "kind=token-stored", "--filter", "externalPurchaseId=\(id)"]
                + database.prefix(2)
        )
        #expect(audited.output.split(separator: "\n").count == 1, "\(audited.output) \(audited.error)")
        let late = try await BuiltBinary.run(["ledger", "due", "--until", "2026-12-31T00:00:00Z"] + database + moment)
        #expect(late.exitCode == 1)
        let inWords = ["ledger", "due", "--database", "sqlite:\(sides.database)", "--limit", "0"] + moment
        let cut = try await BuiltBinary.run(inWords)
        #expect(cut.exitCode == 0, "\(cut.error)")
        #expect(cut.output.contains("1 more, which --limit shows"))
        #expect(cut.output.contains("1 not reported: 0 overdue, 1 later"))
        // Cutting the list does not change what the exit code says of all of it.
        let overdue = try await BuiltBinary.run(inWords.dropLast(2) + ["--at", "2026-12-20T12:00:00Z"])
        #expect(overdue.exitCode == 1)
        #expect(overdue.output.contains("1 not reported: 1 overdue, 0 later"))
        let plan = try await BuiltBinary.run(["ledger", "plan", "--bundle-id", TwoSides.bundleId] + database)
        #expect(plan.output.contains("NO_LINE_ITEM"), "\(plan.output) \(plan.error)")
        #expect(try await BuiltBinary.run(["ledger", "plan"] + database).output == plan.output)
        let verify = try await BuiltBinary.run(["ledger", "verify"] + database)
        #expect(verify.exitCode == 0, "\(verify.error)")
        #expect((verify.json?["intact"] as? Int ?? 0) > 0)
        let audit = try await BuiltBinary.run(["ledger", "audit", "--database", "sqlite:\(sides.database)"])
        #expect(audit.output.contains("\"hash\""))
        #expect(!audit.output.contains("anna"))
        let export = try await BuiltBinary.run(
            ["ledger", "export", "2026-11", "--config", sides.config] + database.prefix(2)
        )
        #expect(export.exitCode == 0 && export.output.hasPrefix("saleId,"), "\(export.error)")
        let alone = try await BuiltBinary.run(["ledger", "export", "2026-11"] + database.prefix(2))
        #expect(alone.output == export.output, "\(alone.error)")
        let typo = try await BuiltBinary.run(
            ["ledger", "due", "--config", sides.config, "--bundle-id", "no.app"] + database
        )
        #expect(typo.exitCode == 2 && typo.error.contains(TwoSides.bundleId), "\(typo.error)")
        let named = ["--programme", "eu-2026-10", "--bundle-id", TwoSides.bundleId]
        let csv = try await BuiltBinary.run(["ledger", "export", "2026-11"] + named + database.prefix(2))
        #expect(csv.exitCode == 0 && csv.output.hasPrefix("saleId,"), "\(csv.error)")
        // A token stands in one programme: the one with the earliest deadline (OB-11).
        var made = 0
        for programme in ["eu-2026-10", "eea-streaming"] {
            let month = try await BuiltBinary.run(
                ["ledger", "export", "2026-11", "--programme", programme, "--config", sides.config] + database
            )
            let tokens = (month.json?["reconciliation"] as? [String: Any])?["tokens"] as? [String: Any]
            made += try #require(tokens?["made"] as? Int, "\(month.output) \(month.error)")
        }
        #expect(made == 1)
        let nobody = try await BuiltBinary.run(["ledger", "due", "--database", "sqlite:nowhere.sqlite"])
        #expect(nobody.exitCode == 3)
        let served = try await HTTP.get(sides.server.url + "/v1/due").json["due"] as? [[String: Any]]
        #expect(served?.first?["externalPurchaseId"] as? String == id)
        let log = try await HTTP.get(sides.server.url + "/v1/audit").json["audit"] as? [[String: Any]]
        #expect(log?.first?["sequence"] as? Int == 1)
    }
}
