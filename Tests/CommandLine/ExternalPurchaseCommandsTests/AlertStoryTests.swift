import Crypto
import Foundation
import Testing

@Suite("Escalations, as the server is run", .serialized)
struct AlertStoryTests {
    static let secret = "0123456789abcdef-of-the-webhook"

    /// Two sides with a webhook; nothing is reported, so that everything becomes due.
    private static func sides(_ receiver: WebhookReceiver) async throws -> TwoSides {
        try await TwoSides(
            settings: "reporting.send: off",
            more: "alerts: {webhook: {url: '\(receiver.url)', secretFile: secret}, every: 1s, scheduled: on}",
            files: ["secret": secret + "\n"]
        )
    }

    @Test("A token that comes near its due date is told at each distance, signed, and not again after a kill (OB-51)")
    func distances() async throws {
        let receiver = try WebhookReceiver()
        let sides = try await Self.sides(receiver)
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        try await sides.advance(days: 5.5)
        let first = try #require(try await receiver.wait(for: 1).first)
        #expect(first.steps == ["5d"])
        #expect(first.path == "/hook")
        #expect(first.headers["content-type"] == "application/json")
        #expect(first.headers["external-purchase-message"] == first.json["id"] as? String)
        #expect(!String(decoding: first.body, as: UTF8.self).contains(id))
        // Checked with another implementation of HMAC than the one that signed.
        let signature = try #require(first.headers["external-purchase-signature"])
        let parts = signature.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1)[1] }
        let signed = Data("\(parts[0]).".utf8) + first.body
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: Data(Self.secret.utf8)))
        #expect(code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == parts[1])
        let age = Date().timeIntervalSince1970 - (Double(parts[0]) ?? 0)
        #expect(abs(age) < 300)
        let due = try await HTTP.get(sides.server.url + "/v1/due").json["due"] as? [[String: Any]]
        let alertId = try #require(due?.first?["escalationId"] as? String)
        #expect((first.events.first?["id"] as? String) == "\(alertId)-5d")

        // The receiver fails while the token becomes overdue; the server is killed before it is delivered.
        receiver.answer("503 Service Unavailable", "302 Found", "500 Internal Server Error")
        try await sides.advance(days: 6)
        _ = try await receiver.wait(for: 2)
        sides.server.kill()
        let restarted = try await TwoSides.serve(
            config: sides.config,
            database: sides.database,
            emulator: sides.emulator
        )
        for _ in 0..<2_400 where !receiver.messages.contains(where: { $0.steps == ["overdue"] && $0.wasTaken }) {
            try await Task.sleep(for: .milliseconds(50))
        }
        try await Task.sleep(for: .seconds(2))
        let messages = receiver.messages
        #expect(messages.filter { !$0.wasTaken }.count == 3)
        // The clock may have been seen on its way, a day before the due date.
        #expect([["5d", "overdue"], ["5d", "1d", "overdue"]].contains(messages.filter(\.wasTaken).flatMap(\.steps)))
        for (_, same) in Dictionary(grouping: messages, by: { $0.json["id"] as? String }) {
            #expect(Set(same.map(\.body)).count == 1)
            #expect(same.filter(\.wasTaken).count == 1)
        }
        let metrics = String(decoding: try await HTTP.get(restarted.url + "/metrics").body, as: UTF8.self)
        #expect(metrics.contains("external_purchase_alert_messages_waiting 0\n"))
        #expect(metrics.contains(#"state="overdue",warning_days="",held="false"} 1"#), "\(metrics)")
        #expect(restarted.terminate() == 0)
    }

    @Test("A redirect is not followed, and a webhook that nobody answers keeps nothing from being taken or reported")
    func unreachable() async throws {
        let receiver = try WebhookReceiver()
        let elsewhere = try WebhookReceiver()
        for _ in 0..<20 { receiver.answer("307 Temporary Redirect\r\nLocation: \(elsewhere.url)") }
        let sides = try await TwoSides(
            more: "alerts: {webhook: {url: '\(receiver.url)'}, every: 1s}"
        )
        let (token, id) = try await sides.mint(["creationDate": 1_794_000_000_000])
        try await sides.deliver(token)
        try await sides.expect(id, "NO_LINE_ITEM")
        let messages = receiver.messages
        #expect(messages.allSatisfy { $0.headers["external-purchase-signature"] == nil })
        #expect(elsewhere.messages.isEmpty)
        #expect(sides.server.terminate() == 0)
    }

    @Test("`ledger review` shows, retries and resolves on the database of a stopped server")
    func commandLine() async throws {
        let sides = try await TwoSides(settings: "rules.plainTokenRange: on")
        let options = ["--database", "sqlite:\(sides.database)", "--at", "2026-11-20T12:30:00Z"]
        let (token, _) = try await sides.mint()
        try await sides.deliver(token, customer: "c-1")
        _ = try await sides.sell([
            "saleId": "order-1", "type": "purchase", "occurredAt": "2026-11-18T09:00:00Z", "customerId": "c-1",
            "externalPurchaseId": try #require(
                (try await HTTP.get(sides.server.url + "/v1/tokens").json["tokens"] as? [[String: Any]])?.first?[
                    "externalPurchaseId"
                ] as? String
            ),
            "productId": "gems.100", "quantity": 1, "amount": TwoSides.money("9.99"),
        ])
        var open: [[String: Any]] = []
        for _ in 0..<2_400 where open.isEmpty {
            open = try await HTTP.get(sides.server.url + "/v1/review").json["review"] as? [[String: Any]] ?? []
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(open.map { $0["kind"] as? String } == ["report-refused"])
        let listed = try await BuiltBinary.run(["ledger", "review"] + options)
        #expect(listed.exitCode == 0)
        #expect(listed.output.hasPrefix("1: "), "\(listed.output)\(listed.error)")
        let help = try await BuiltBinary.run(["ledger", "--help"]).output
        #expect(help.contains("  review ") && help.contains("  submitted "), "\(help)")

        let whileRunning = try await BuiltBinary.run(
            ["ledger", "review", "resolve", "1", "--by", "kim", "--note", "x"] + options
        )
        #expect(whileRunning.exitCode == 3)
        #expect(whileRunning.error.contains("a server has it"), "\(whileRunning.error)")
        #expect(sides.server.terminate() == 0)

        let withoutConfig = try await BuiltBinary.run(["ledger", "review", "retry", "1", "--by", "kim"] + options)
        #expect(withoutConfig.exitCode == 2)
        #expect(withoutConfig.error.contains("--config"))
        let unknown = try await BuiltBinary.run(
            ["ledger", "review", "resolve", "9", "--by", "kim", "--note", "x"] + options
        )
        #expect(unknown.exitCode == 2, "\(unknown.error)")
        let nobody = try await BuiltBinary.run(
            ["ledger", "review", "resolve", "1", "--by", "", "--note", "x"] + options
        )
        #expect(nobody.exitCode == 2)
        #expect(nobody.error.contains("--by"), "\(nobody.error)")
        let retried = try await BuiltBinary.run(
            ["ledger", "review", "retry", "1", "--by", "kim", "--config", sides.config] + options
        )
        #expect(retried.exitCode == 0, "\(retried.error)")
        #expect(retried.output.contains("sent again in a report of their own"), "\(retried.output)")
        let again = try await BuiltBinary.run(
            ["ledger", "review", "resolve", "1", "--by", "kim", "--note", "x"] + options
        )
        #expect(again.exitCode == 1, "\(again.error)")
        #expect(again.error.contains("closed by kim"))

        // The rule is off now: what was planned anew goes out at the start.
        let milder = try String(contentsOfFile: sides.config, encoding: .utf8)
            .replacing("rules.plainTokenRange: on", with: "rules.plainTokenRange: off")
        try Data(milder.utf8).write(to: URL(filePath: sides.config))
        let restarted = try await TwoSides.serve(
            config: sides.config,
            database: sides.database,
            emulator: sides.emulator
        )
        var items: [String: [String: Any]] = [:]
        for _ in 0..<2_400 where items.isEmpty {
            items = try await sides.items()
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(items.keys.sorted() == ["order-1"])
        let nothing = try await BuiltBinary.run(["ledger", "review"] + options)
        #expect(nothing.output == "nothing waits for a person\n")
        let verified = try await BuiltBinary.run(["ledger", "verify"] + options)
        #expect(verified.exitCode == 0)
        #expect(restarted.terminate() == 0)
    }
}
