import Crypto
import Foundation
import Testing

@Suite("What the server makes of notifications, with both sides as they are run", .serialized)
struct NotificationFollowUpTests {
    /// Sends a notification now.
    private func notify(_ sides: TwoSides, _ id: String, _ subtype: String) async throws {
        let order = ["externalPurchaseId": id, "subtype": subtype]
        let answer = try await HTTP.send("POST", sides.emulator.url + "/emulator/v1/notifications", order)
        #expect(answer.status == 201, "\(answer.json)")
    }

    /// What became of the newest notification about a token, once it is settled.
    private func effect(_ sides: TwoSides, _ id: String) async throws -> String? {
        for _ in 0..<6_000 {
            let page = try await HTTP.get(sides.server.url + "/v1/notifications").json
            let list = page["notifications"] as? [[String: Any]] ?? []
            let newest = list.last { $0["externalPurchaseId"] as? String == id }
            if let effect = newest?["effect"] as? String { return effect }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    @Test("UNREPORTED of a token that was delivered is answered at once, long before it is due (NT-64)")
    func unreported() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        #expect(try await sides.status(id) == nil)
        try await notify(sides, id, "UNREPORTED")
        try await sides.expect(id, "NO_LINE_ITEM")
    }

    @Test("A reminder sends a duplicate that is decided, and nothing where nothing waits (NT-63)")
    func reminder() async throws {
        let sides = try await TwoSides()
        let created = 1_795_176_000_000
        let period: [String: Any] = [
            "tokenType": "SERVICES", "creationDate": created, "expirationDate": created + 31_536_000_000,
        ]
        let (first, firstId) = try await sides.mint(period)
        let (second, secondId) = try await sides.mint(period)
        try await sides.deliver(first, customer: "anna")
        try await sides.deliver(second, customer: "anna")
        try await notify(sides, secondId, "ACTIVE_TOKEN_REMINDER")
        try await sides.expect(secondId, "DUPLICATE_TOKEN")
        try await notify(sides, firstId, "ACTIVE_TOKEN_REMINDER")
        #expect(try await effect(sides, firstId) == "nothing waits to be reported")
        #expect(try await sides.status(firstId) == nil)
    }

    @Test("UNREPORTED of a token whose report was accepted: Apple's own copy decides, and a person is asked (NT-66)")
    func contradiction() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        try await notify(sides, id, "UNREPORTED")
        try await sides.expect(id, "NO_LINE_ITEM")
        try await notify(sides, id, "UNREPORTED")
        var found = try await effect(sides, id)
        for _ in 0..<6_000 where found?.hasPrefix("Apple has report") != true {
            try await Task.sleep(for: .milliseconds(50))
            found = try await effect(sides, id)
        }
        #expect(found?.hasPrefix("Apple has report") == true, "\(found ?? "")")
        let ledger = ["ledger", "review", "--database", "sqlite:\(sides.database)", "--format", "json"]
        #expect(try await BuiltBinary.run(ledger).output == "[]\n")

        // Apple's side forgets the report, but not the token.
        #expect(try await HTTP.send("POST", sides.emulator.url + "/emulator/v1/reset", [:]).status == 200)
        let clock = ["now": "2026-11-20T12:00:00Z"]
        #expect(try await HTTP.send("PUT", sides.emulator.url + "/emulator/v1/clock", clock).status == 200)
        let again = ["token": token]
        #expect(try await HTTP.send("POST", sides.emulator.url + "/emulator/v1/tokens", again).status == 201)
        try await notify(sides, id, "UNREPORTED")
        var items: [[String: Any]] = []
        for _ in 0..<6_000 where items.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            items = try await HTTP.get(sides.server.url + "/v1/review").json["review"] as? [[String: Any]] ?? []
        }
        #expect(items.first?["kind"] as? String == "unreported-but-accepted")
        #expect(items.first?["id"] as? String == id)
        let printed = try await BuiltBinary.run(["ledger", "review", "--database", "sqlite:\(sides.database)"])
        #expect(printed.exitCode == 0)
        #expect(printed.output.contains("unreported-but-accepted: token \(id)"), "\(printed.output)")
    }

    @Test("A TEST is stored and answered 200, and shows as what it is (NT-69, NT-73)")
    func test() async throws {
        let sides = try await TwoSides()
        let keys = try Keys(folder: sides.scratch.url)
        let pem = try String(contentsOfFile: keys.keyFile, encoding: .utf8)
        let now = Int(Date().timeIntervalSince1970)
        let head = try Self.part(["alg": "ES256", "kid": keys.keyId, "typ": "JWT"])
        let claims = try Self.part([
            "iss": keys.issuerId, "iat": now, "exp": now + 600, "aud": "appstoreconnect-v1", "bid": TwoSides.bundleId,
        ])
        let key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        let signature = try key.signature(for: Data("\(head).\(claims)".utf8)).rawRepresentation
        let asked = try await HTTP.send(
            "POST",
            sides.emulator.url + "/inApps/v1/notifications/test",
            nil,
            headers: ["Authorization": "Bearer \(head).\(claims).\(Self.text(signature))"]
        )
        #expect(asked.status == 200, "\(asked.json)")
        var tests: [[String: Any]] = []
        for _ in 0..<6_000 where tests.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            let page = try await HTTP.get(sides.server.url + "/v1/notifications").json
            tests = page["notifications"] as? [[String: Any]] ?? []
        }
        #expect(tests.first?["notificationType"] as? String == "TEST")
        #expect(tests.first?["effect"] as? String == "the test arrived")
        #expect(try await HTTP.get(sides.server.url + "/v1/tokens").json["tokens"] as? [String] == [])
    }

    private static func part(_ object: [String: Any]) throws -> String {
        text(try JSONSerialization.data(withJSONObject: object))
    }

    private static func text(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
