import Crypto
import Foundation
import RawSockets
import Reporting
import Synchronization
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
        for _ in 0..<6_000 {
            messages = receiver.messages
            if Set(messages.filter(\.wasTaken).compactMap { $0.headers["webhook-id"] }).count >= 2 { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try messages.allSatisfy { try Self.isSigned($0) })
        let byId = Dictionary(grouping: messages) { $0.headers["webhook-id"] ?? "" }
        #expect(byId.count >= 2)
        for (_, same) in byId {
            #expect(Set(same.map(\.body)).count == 1)
            #expect(same.filter(\.wasTaken).count >= 1)
        }
        #expect(elsewhere.messages.isEmpty)
        let id = try #require(
            (try await HTTP.get(restarted.url + "/v1/deliveries").json["deliveries"] as? [[String: Any]])?
                .first?["id"] as? String
        )
        let count = receiver.messages.count
        let again = try await BuiltBinary.run(["webhooks", "redeliver", id, "--database", "sqlite:\(sides.database)"])
        #expect(again.exitCode == 0, "\(again.error)")
        let audit = try await BuiltBinary.run(["ledger", "audit", "--database", "sqlite:\(sides.database)"])
        #expect(audit.output.contains("webhook-redelivered"), "\(audit.output)")
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
        "An entry whose selection is empty or unknown is refused where it stands",
        arguments: [
            ("apps: []", "webhooks[0].apps is empty: name at least one, or leave it out for all"),
            ("types: []", "webhooks[0].types is empty: name at least one, or leave it out for all"),
            ("apps: [com.example.shoq]", "webhooks[0].apps: 'com.example.shoq' is none of the apps"),
            ("types: [sal*]", "webhooks[0].types: 'sal*' is no event"), ("apps: ~", "webhooks[0].apps"),
        ]
    )
    func selection(_ member: String, _ words: String) async throws {
        let setup = try await ServerUnderTest()
        let secret = try setup.scratch.write(Self.secrets[0] + "\n", to: "erp.secret")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        let entry = "{name: erp, url: 'https://erp.example.com', secretFile: erp.secret, \(member)}"
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let config = try setup.scratch.write(text + "\nwebhooks: [\(entry)]\n", to: "wrong.yaml")
        let result = try await BuiltBinary.run(["serve", "--config", config, "--print-configuration"])
        #expect(result.exitCode == 2 && result.error.contains(words), "\(result.error)")
    }

    // MARK: Where an event goes

    private static func poster(_ host: String, _ port: Int, private isAllowed: Bool = true) -> EventPoster {
        EventPoster(
            url: "\(isAllowed ? "http" : "https")://\(host):\(port)/hook",
            secrets: ["0123456789abcdef"],
            allowsPrivate: isAllowed
        )
    }

    private static func port(of receiver: WebhookReceiver) throws -> Int {
        try #require(URL(string: receiver.url)?.port)
    }

    @Test("The connection goes to an address that was judged: the name is resolved once, and by nobody else")
    func judgedAddress() async throws {
        let receiver = try WebhookReceiver()
        let port = try Self.port(of: receiver)
        let asked = Mutex([String]())
        // No name server knows a name below .invalid.
        for host in ["receiver.invalid", "Receiver.INVALID"] {
            var poster = Self.poster(host, port)
            poster.resolve = { host, _ in
                asked.withLock { $0.append(host) }
                return [HostAddress("127.0.0.1")].compactMap(\.self)
            }
            #expect(await poster.post([1], eventId: "evt_1") == DeliveryAnswer(status: 200, error: nil))
        }
        #expect(asked.withLock(\.self) == ["receiver.invalid", "Receiver.INVALID"])
        #expect(
            receiver.messages.map { $0.headers["host"]?.lowercased() ?? "" }
                == Array(repeating: "receiver.invalid:\(port)", count: 2)
        )
        // A name whose addresses are all private is refused, whatever its order.
        var refused = Self.poster("receiver.invalid", port, private: false)
        refused.resolve = { _, _ in ["10.0.0.1", "127.0.0.1", "::1"].compactMap { HostAddress($0) } }
        #expect(await refused.post([1], eventId: "evt_1").error?.contains("allowPrivate") == true)
        #expect(receiver.messages.count == 2)
    }

    @Test("An address without a server leaves the next one, and a refusal of one is not asked of the next")
    func nextAddress() async throws {
        let receiver = try WebhookReceiver()
        var poster = Self.poster("receiver.invalid", try Self.port(of: receiver))
        poster.resolve = { _, _ in ["127.0.0.2", "127.0.0.1", "127.0.0.1"].compactMap { HostAddress($0) } }
        #expect(await poster.post([1], eventId: "evt_1").status == 200)
        receiver.answer("503 Service Unavailable")
        #expect(await poster.post([1], eventId: "evt_1").status == 503)
        #expect(receiver.messages.count == 2)
    }

    @Test(
        "This machine is not reached by another spelling of its address",
        arguments: [
            "127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "0.0.0.0", "localhost", "LOCALHOST",
            "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
            "[2002:7f00:1::1]",
        ]
    )
    func spelling(_ host: String) async throws {
        let receiver = try WebhookReceiver()
        let poster = Self.poster(host, try Self.port(of: receiver), private: false)
        let answer = await poster.post([1], eventId: "evt_1")
        let error = answer.error ?? ""
        #expect(answer.status == nil)
        #expect(error.contains("allowPrivate") || error.contains("no address"), "\(error)")
        #expect(receiver.messages.isEmpty)
    }

    @Test("A response is read up to its head, whatever follows, and one without an end is given up")
    func response() async throws {
        let listener = try RawListener()
        listener.start { connection in
            Thread.detachNewThread {
                // The body says which answer is meant: a client of another test may have kept this port's number.
                switch connection.request()?.body.first {
                case 1:
                    connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n".utf8))
                    connection.send([UInt8](repeating: 0x20, count: 100_000_000))
                case 2: connection.send(Array("HTTP/1.1 200 OK\r\n".utf8))
                case 3:
                    connection.send(Array("HTTP/1.1 200 OK\r\n".utf8))
                    connection.send(Array(String(repeating: "X-More: and more\r\n", count: 1_000_000).utf8))
                case 4:
                    let early = Array(
                        String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 100).utf8
                    )
                    while connection.send(early) {}
                default: connection.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
                }
                while connection.receive() != nil {}
                connection.close()
            }
        }
        var poster = Self.poster("127.0.0.1", listener.port)
        #expect(await poster.post([1], eventId: "evt_1") == DeliveryAnswer(status: 200, error: nil))
        poster.timeout = .seconds(2)
        #expect(await poster.post([2], eventId: "evt_1").error != nil)
        #expect(await poster.post([3], eventId: "evt_1").error != nil)
        #expect(await poster.post([4], eventId: "evt_1").error?.contains("did not answer in time") == true)
        #expect(await poster.post([5], eventId: "evt_1") == DeliveryAnswer(status: 204, error: nil))
        // The port closes with its last reference.
        withExtendedLifetime(listener) {}
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
            ("64:ff9b::10.0.0.1", true), ("2002:7f00:1::", true), ("2001:db8::1", true), ("2001::1", true),
            ("2001:1ff::1", true), ("2001:200::1", false),
            ("64:ff9b::8.8.8.8", false), ("64:ff9b:1::a00:1", true), ("fec0::1", true), ("192.0.0.1", true),
            ("198.18.0.1", true), ("240.0.0.1", true), ("2606:4700::1111", false),
        ]
    )
    func addresses(_ text: String, _ isPrivate: Bool) throws {
        #expect(try #require(HostAddress(text)).isPrivate == isPrivate)
    }
}
