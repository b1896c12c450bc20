import Foundation
import Testing

@Suite("stripe replay, as it is run", .serialized)
struct StripeReplayTests {
    /// The present in whole seconds; no event lies in the future.
    private static let now = Int(Date().timeIntervalSince1970)
    private static let since = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -3_600))

    /// A configuration with an entry of Stripe, beside the server's own.
    struct Setup {
        let server: ServerUnderTest
        /// The value of `--database`.
        let address: String
        let stripe: StripeStandIn
        let config: String

        init(
            secret: String = "whsec_0123456789abcdef0123",
            members: String? = nil,
            extra: String = "",
            address: String? = nil,
            pageSize: Int = 2
        ) async throws {
            server = try await ServerUnderTest()
            self.address = address ?? "sqlite:\(server.database)"
            stripe = try StripeStandIn(pageSize: pageSize)
            let key = try server.scratch.write(StripeStandIn.key + "\n", to: "stripe.key")
            let secretFile = try server.scratch.write(secret + "\n", to: "stripe.secret")
            for file in [key, secretFile] {
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            }
            let folder = server.scratch.url.appending(path: "files").path
            let text = try String(contentsOfFile: server.config, encoding: .utf8)
                .replacing("send.delay: 0s", with: "send.delay: 0s, database.folder: \(folder)")
            config = try server.scratch.write(
                """
                \(text)
                stripe:
                  - bundleId: \(ServerUnderTest.bundleId)
                    signingSecretFile: stripe.secret
                    \(members ?? "apiKeyFile: stripe.key\n    baseURL: \(stripe.url)")\(extra)
                """,
                to: "stripe.yaml"
            )
        }

        func replay(_ more: [String] = ["--since", StripeReplayTests.since]) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(
                ["stripe", "replay", "--config", config, "--database", address] + more
            )
        }

        /// Starts a server of this configuration.
        func start() async throws -> RunningServer {
            try await RunningServer(
                ["serve", "--config", config, "--port", "0", "--database", address]
            )
        }
    }

    @Test("All pages are read; a second run finds every event known, and the sales are there")
    func pages() async throws { try await Self.checkPages(Setup()) }

    static func checkPages(_ setup: Setup) async throws {
        for number in 1...5 {
            setup.stripe.add("evt_\(number)", intent: "pi_\(number)", created: now - 600 + number)
        }
        // Before --since.
        setup.stripe.add("evt_0", intent: "pi_0", created: Self.now - 7_200)
        let first = try await setup.replay()
        #expect(first.exitCode == 0, "\(first.error)")
        #expect(first.output == "5 new events (5 applied), 0 known\n")
        #expect(setup.stripe.requests.count == 3)
        #expect(setup.stripe.requests.map { $0.query["starting_after"] } == [nil, "evt_4", "evt_2"])
        let second = try await setup.replay()
        #expect(second.output == "0 new events, 5 known\n")
        setup.stripe.add("evt_6", intent: "pi_6", created: Self.now - 60)
        #expect(try await setup.replay().output == "1 new events (1 applied), 5 known\n")
        let server = try await setup.start()
        let list = try await HTTP.get(server.url + "/v1/sales").json["sales"] as? [[String: Any]] ?? []
        #expect(Set(list.compactMap { $0["saleId"] as? String }) == Set((1...6).map { "pi_\($0)" }))
        #expect(server.terminate() == 0)
    }

    @Test("Of long pages each event is received once, in a ledger and by a server")
    func longPages() async throws {
        let setup = try await Setup(pageSize: 50)
        for number in 1...120 {
            setup.stripe.add("evt_\(number)", intent: "pi_\(number)", created: Self.now - 600 + number)
        }
        #expect(try await setup.replay().output == "120 new events (120 applied), 0 known\n")
        for number in 121...180 {
            setup.stripe.add("evt_\(number)", intent: "pi_\(number)", created: Self.now - 600 + number)
        }
        let server = try await setup.start()
        let beside = ["--since", Self.since, "--server", server.url]
        #expect(try await setup.replay(beside).output.hasSuffix("60 new events (60 applied), 120 known\n"))
        #expect(try await setup.replay(beside).output == "0 new events, 180 known\n")
        #expect(server.terminate() == 0)
    }

    @Test("ledger reconcile payments reads beside the server; a sale that nobody reports is held for a person")
    func reconcile() async throws {
        let setup = try await Setup()
        setup.stripe.add("evt_1", intent: "pi_1", created: Self.now - 600)
        #expect(try await setup.replay().exitCode == 0)
        func reconcile(_ more: String...) async throws -> BuiltBinary.Result {
            let arguments = ["ledger", "reconcile", "payments", "--database", setup.address] + more
            return try await BuiltBinary.run(arguments)
        }
        let found = try await reconcile("--config", setup.config, "--format", "json")
        #expect(found.exitCode == 0, "\(found.error)")
        let payments = found.json?["payments"] as? [[String: Any]] ?? []
        #expect(payments.map { $0["id"] as? String } == ["pi_1"])
        #expect(payments.map { $0["apple"] as? String } == ["0.00"] && payments.first?["open"] as? String == "hold")
        let text = try await reconcile("--config", setup.config)
        #expect(
            text.output.contains(" in the ledger, 0.00 at Apple; an event or a sale of it is held"),
            "\(text.output)"
        )
        let without = try await reconcile()
        #expect(without.exitCode == 2 && without.error.contains("--config is missing"), "\(without.error)")
        let other = try await reconcile("--config", setup.server.config)
        #expect(other.exitCode == 2 && other.error.contains("has no entry under 'stripe'"), "\(other.error)")
    }

    @Test("stripe reinterpret shows what another configuration makes of stored events, and makes it")
    func reinterpret() async throws {
        let setup = try await Setup()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let old = try setup.server.scratch.write(
            text.replacing("File: stripe.secret", with: "File: stripe.secret\n    from: 2999-01-01"),
            to: "old.yaml"
        )
        setup.stripe.add("evt_1", intent: "pi_1", created: Self.now - 600)
        let arguments = ["--database", setup.address]
        let since = ["stripe", "replay", "--since", Self.since, "--config", old] + arguments
        #expect(try await BuiltBinary.run(since).output == "1 new events (1 not-used), 0 known\n")
        func reinterpret(_ more: String...) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(["stripe", "reinterpret", "--config", setup.config] + arguments + more)
        }
        let change = "evt_1 (checkout.session.completed): not-used → applied, sale pi_1\n"
        let dry = try await reinterpret("--dry-run")
        #expect(dry.exitCode == 0 && dry.output == change + "1 events would change\n", "\(dry.output) \(dry.error)")
        #expect(try await reinterpret("--since", "2999-01-01T00:00:00Z").output == "0 events changed\n")
        #expect(try await reinterpret("--dry-run").output == dry.output, "a dry run has changed something")
        #expect(try await reinterpret().output == change + "1 events changed\n")
        #expect(try await reinterpret().output == "0 events changed\n")
        let server = try await setup.start()
        let busy = try await reinterpret()
        #expect(busy.exitCode == 3 && busy.error.contains("a server has it; stop it first"), "\(busy.error)")
        #expect(try await HTTP.get(server.url + "/v1/sales/pi_1").status == 200)
        #expect(server.terminate() == 0)
        let none = try await BuiltBinary.run(
            ["stripe", "reinterpret", "--config", setup.config, "--database", "sqlite:\(setup.server.database).none"]
        )
        #expect(none.exitCode == 3 && none.error.contains("there is no ledger"), "\(none.error)")
    }

    @Test("A connected account's own list names no account; its events are used all the same")
    func connectedAccount() async throws {
        let setup = try await Setup(extra: "\n    account: acct_1Shop")
        setup.stripe.add("evt_1", intent: "pi_1", created: Self.now - 600)
        #expect(try await setup.replay().output == "1 new events (1 applied), 0 known\n")
        #expect(setup.stripe.requests.map(\.account) == ["acct_1Shop"])
    }

    @Test("Entries that share an endpoint are read once, with the key of whichever has one; the others are named")
    func sharedEndpoint() async throws {
        let setup = try await Setup(
            extra: "\n  - {bundleId: com.example.shop, account: acct_2Shop, signingSecretFile: stripe.secret}"
        )
        setup.stripe.add("evt_1", intent: "pi_1", created: Self.now - 600)
        let result = try await setup.replay()
        #expect(result.output == "1 new events (1 applied), 0 known\n", "\(result.error)")
        #expect(result.error.contains("acct_2Shop: has no apiKeyFile"), "\(result.error)")
        #expect(setup.stripe.requests.count == 1)
    }

    @Test("While a server uses the ledger, the events go to its webhook; without it, the command says so")
    func besideServer() async throws {
        let setup = try await Setup()
        for number in 1...3 {
            setup.stripe.add("evt_\(number)", intent: "pi_\(number)", created: Self.now - 600 + number)
        }
        let server = try await setup.start()
        let sent = try await setup.replay(["--since", Self.since, "--server", server.url])
        #expect(sent.exitCode == 0, "\(sent.error)")
        #expect(sent.output == "3 new events (3 applied), 0 known\n")
        #expect(try await HTTP.get(server.url + "/v1/sales/pi_3").status == 200)
        let again = try await setup.replay(["--since", Self.since, "--server", server.url])
        #expect(again.output == "0 new events, 3 known\n")
        let nowhere = try await setup.replay(["--since", Self.since, "--server", "http://127.0.0.1:1"])
        #expect(nowhere.exitCode == 3)
        #expect(nowhere.error.contains("a server uses the ledger"), "\(nowhere.error)")
        #expect(server.terminate() == 0)
    }

    @Test("An answer 429 is followed by another request; 401 and 500 end the command with one clear line")
    func failures() async throws {
        let setup = try await Setup()
        setup.stripe.add("evt_1", intent: "pi_1", created: Self.now - 600)
        setup.stripe.fail("429 Too Many Requests")
        let limited = try await setup.replay()
        #expect(limited.exitCode == 0, "\(limited.error)")
        #expect(limited.output == "1 new events (1 applied), 0 known\n")
        #expect(setup.stripe.requests.count == 2)
        for (status, words) in [("401 Unauthorized", "Stripe refuses the API key"), ("500 Error", "status 500")] {
            setup.stripe.fail(status)
            let refused = try await setup.replay()
            #expect(refused.exitCode == 3, "\(status): \(refused.error)")
            #expect(refused.error.contains(words), "\(status): \(refused.error)")
            #expect(refused.error.split(separator: "\n").count == 1, "\(status): \(refused.error)")
            #expect(refused.output == "")
        }
    }

    @Test("A key that Stripe refuses does not keep the events of the other accounts away", arguments: [0, 1])
    func oneRefused(_ refused: Int) async throws {
        let setup = try await Setup(
            extra: "\n  - {bundleId: com.example.shop, account: acct_2Shop, signingSecretFile: second.secret, "
                + "apiKeyFile: second.key, baseURL: STRIPE}"
        )
        let (scratch, config) = (setup.server.scratch, setup.config)
        let text = try String(contentsOfFile: config, encoding: .utf8).replacing("STRIPE", with: setup.stripe.url)
        try text.write(toFile: config, atomically: true, encoding: .utf8)
        for (file, text) in [
            ("second.secret", "whsec_fedcba98765432100123"), ("second.key", StripeStandIn.key),
            (refused == 0 ? "stripe.key" : "second.key", "rk_test_revoked00000000"),
        ] {
            let path = try scratch.write(text + "\n", to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        setup.stripe.add("evt_1", intent: "pi_1", created: Self.now - 600)
        let result = try await setup.replay()
        #expect(result.exitCode == 3)
        #expect(result.output == "1 new events (1 applied), 0 known\n", "\(result.error)")
        #expect(result.error.contains("events of com.example.shop: Stripe refuses the API key"), "\(result.error)")
    }

    @Test("Wrong usage is exit code 2")
    func usage() async throws {
        let setup = try await Setup()
        let cases: [([String], String)] = [
            (["--since", "yesterday"], "--since yesterday: is not a time"),
            (["--since", Self.since, "--until", "now"], "--until now: is not a time"),
            (["--since", Self.since, "--until", "2020-01-01T00:00:00Z"], "is before --since"),
            (["--since", Self.since, "--server", "localhost"], "--server"), ([], "--since"),
        ]
        for (arguments, words) in cases {
            let result = try await setup.replay(arguments)
            #expect(result.exitCode == 2, "\(arguments): \(result.error)")
            #expect(result.error.contains(words), "\(arguments): \(result.error)")
        }
        #expect(setup.stripe.requests.isEmpty)
        let keyless = try await Setup(members: "taxRates: {NLD: \"21\"}").replay()
        #expect(keyless.exitCode == 2)
        #expect(keyless.error.contains("apiKeyFile"), "\(keyless.error)")
        let bare = try await BuiltBinary.run(
            [
                "stripe", "replay", "--config", setup.server.config, "--since", Self.since, "--database",
                "sqlite:\(setup.server.database)",
            ]
        )
        #expect(bare.exitCode == 2)
        #expect(bare.error.contains("'stripe'"), "\(bare.error)")
    }

    @Test(
        "A signing secret that can be guessed is refused by serve and replay, and the message names the file",
        arguments: ["whsec_", "whsec_0123456789", "secret_0123456789abcdef0123", "", "whsec_0123456789 abcdef01"]
    )
    func secrets(_ secret: String) async throws {
        let setup = try await Setup(secret: secret)
        let served = try await BuiltBinary.run(
            ["serve", "--config", setup.config, "--port", "0", "--database", "sqlite:\(setup.server.database)"]
        )
        for result in [served, try await setup.replay()] {
            #expect(result.exitCode == 2, "\(result.error)")
            #expect(result.error.contains("stripe.secret"), "\(result.error)")
            #expect(result.error.contains("whsec_…"), "\(result.error)")
        }
        #expect(setup.stripe.requests.isEmpty)
    }

    @Test("An API key goes over TLS, or to a loopback address; anything else is refused at the start")
    func plainHTTP() async throws {
        for host in ["stripe.example.com", "10.0.0.1", "127.0.0.1.example.com"] {
            let setup = try await Setup(members: "apiKeyFile: stripe.key\n    baseURL: http://\(host)")
            let served = try await BuiltBinary.run(
                ["serve", "--config", setup.config, "--port", "0", "--database", "sqlite:\(setup.server.database)"]
            )
            for result in [served, try await setup.replay()] {
                #expect(result.exitCode == 2, "\(host): \(result.error)")
                #expect(result.error.contains("baseURL"), "\(host): \(result.error)")
                #expect(result.error.contains("without TLS"), "\(host): \(result.error)")
            }
        }
    }
}
