import Crypto
import Foundation
import Testing

@testable import ExternalPurchaseCommands

@Suite("Events to webhooks, as the server is run", .serialized)
struct EventWebhookTests {
    private static let secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "0123456789abcdef-plain"]

    private static func sides(_ entries: String) async throws -> TwoSides {
        try await TwoSides(
            settings: "reporting.send: off",
            more: "webhooks: [\(entries)]",
            files: ["erp.secret": secrets.joined(separator: "\n") + "\n"]
        )
    }

    /// Checks with another implementation of HMAC than the one that signed.
    private static func isSigned(_ message: WebhookReceiver.Message) throws -> Bool {
        let (id, time) = (message.headers["webhook-id"] ?? "", message.headers["webhook-timestamp"] ?? "")
        let keys = [try #require(Data(base64Encoded: String(secrets[0].dropFirst(6)))), Data(secrets[1].utf8)]
        let signed = Data("\(id).\(time).".utf8) + message.body
        let expected = keys.map { key in
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
            return "v1," + Data(code).base64EncodedString()
        }
        return message.headers["webhook-signature"] == expected.joined(separator: " ")
    }

    @Test(
        "Each event arrives signed with both secrets, also after refusals, a redirect and a kill, under one id with one body"
    )
    func kill() async throws {
        let (receiver, elsewhere) = (try WebhookReceiver(), try WebhookReceiver())
        let sides = try await Self.sides(
            "{name: erp, url: '\(receiver.url)', secretFile: erp.secret, types: [token.*], allowPrivate: true}"
        )
        receiver.answer("500 Internal Server Error", "302 Found\r\nLocation: \(elsewhere.url)")
        // A new webhook starts with the next change, which the server's start may come after.
        try await Task.sleep(for: .seconds(2))
        for _ in 0..<2 { try await sides.deliver(try await sides.mint().0) }
        _ = try await receiver.wait(for: 2)
        sides.server.kill()
        let restarted = try await TwoSides.serve(
            config: sides.config,
            database: sides.database,
            emulator: sides.emulator
        )
        // The clock of both sides stands still, and with it the waits between attempts.
        try await sides.advance(days: 0.1)
        var messages: [WebhookReceiver.Message] = []
        for _ in 0..<1_200 {
            messages = receiver.messages
            if Set(messages.filter(\.wasTaken).compactMap { $0.headers["webhook-id"] }).count >= 2 { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try messages.allSatisfy { try Self.isSigned($0) })
        let byId = Dictionary(grouping: messages) { $0.headers["webhook-id"] ?? "" }
        #expect(byId.count >= 2)
        for (_, same) in byId {
            #expect(Set(same.map(\.body)).count == 1)
            #expect(same.contains(where: \.wasTaken))
        }
        #expect(elsewhere.messages.isEmpty)
        let id = try #require(
            (try await HTTP.get(restarted.url + "/v1/deliveries").json["deliveries"] as? [[String: Any]])?
                .first?["id"] as? String
        )
        let count = receiver.messages.count
        let again = try await BuiltBinary.run(["webhooks", "redeliver", id, "--database", "sqlite:\(sides.database)"])
        #expect(again.exitCode == 0, "\(again.error)")
        #expect(try await receiver.wait(for: count + 1).count == count + 1)
        #expect(
            try await BuiltBinary.run(["webhooks", "redeliver", "999", "--database", "sqlite:\(sides.database)"])
                .exitCode == 2
        )
        #expect(restarted.terminate() == 0)
    }

    @Test("`webhooks test` sends one event and says what became of it; an address of this machine needs allowPrivate")
    func test() async throws {
        let receiver = try WebhookReceiver()
        let secure = receiver.url.replacing("http://127.0.0.1", with: "https://localhost")
        let sides = try await Self.sides(
            "{name: erp, url: '\(receiver.url)', secretFile: erp.secret, allowPrivate: true}, "
                + "{name: own, url: '\(secure)', secretFile: erp.secret}"
        )
        func run(_ name: String) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(["webhooks", "test", name, "--config", sides.config])
        }
        let accepted = try await run("erp")
        #expect(accepted.exitCode == 0, "\(accepted.error)")
        let message = try #require(receiver.messages.first)
        #expect(message.json["type"] as? String == "webhook.test")
        #expect(try Self.isSigned(message))
        receiver.answer("503 Service Unavailable")
        let refused = try await run("erp")
        #expect(refused.exitCode == 1)
        #expect(refused.error.contains("503"))
        let own = try await run("own")
        #expect(own.exitCode == 1)
        #expect(own.error.contains("allowPrivate"))
        #expect(try await run("none").exitCode == 2)
        #expect(receiver.messages.count == 2)
    }

    @Test(
        "Addresses that are not of the public internet",
        arguments: [
            ("127.0.0.1", true), ("10.1.2.3", true), ("172.16.0.1", true), ("172.31.255.255", true),
            ("172.32.0.1", false),
            ("192.168.1.1", true), ("169.254.169.254", true), ("100.64.0.1", true), ("100.128.0.1", false),
            ("0.0.0.0", true),
            ("224.0.0.1", true), ("255.255.255.255", true), ("8.8.8.8", false), ("::1", true), ("::", true),
            ("fe80::1", true), ("fd00::1", true), ("ff02::1", true), ("::ffff:127.0.0.1", true),
            ("::ffff:8.8.8.8", false),
            ("64:ff9b::10.0.0.1", true), ("2002:7f00:1::", true), ("2001:db8::1", true), ("2606:4700::1111", false),
        ]
    )
    func addresses(_ text: String, _ isPrivate: Bool) throws {
        #expect(try #require(HostAddress(text)).isPrivate == isPrivate)
    }
}
