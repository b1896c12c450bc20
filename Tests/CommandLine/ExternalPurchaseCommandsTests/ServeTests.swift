import Crypto
import Foundation
import Testing

/// An emulator and what a server needs to report to it.
struct ServerUnderTest {
    static let bundleId = "com.example.shop"

    let scratch: ScratchFolder
    let emulator: RunningServer
    let config: String
    let database: String

    init(settings: [String] = []) async throws {
        scratch = try ScratchFolder()
        emulator = try await RunningServer(
            [
                "emulator", "--port", "0", "--app", "\(Self.bundleId)=1234567890", "--credentials", scratch.url.path,
            ] + settings.flatMap { ["--set", $0] }
        )
        let keys = try Keys(folder: scratch.url)
        config = try scratch.write(
            """
            apps:
              - bundleId: \(Self.bundleId)
                appAppleId: 1234567890
                key: {file: \(keys.keyFile), keyId: \(keys.keyId), issuerId: \(keys.issuerId)}
                baseURL: {sandbox: "\(emulator.url)"}
                links: {nl: "https://shop.example.com/nl?lang=nl#top"}
                programmes: [eea-link]
            settings: {send.delay: 0s, rules.clockSkew: 300s, jwt.lifetime: 5min, reporting.foreignCurrency: EUR}
            """,
            to: "serve.yaml"
        )
        database = scratch.url.appending(path: "ledger.sqlite").path
    }

    var arguments: [String] { ["serve", "--config", config, "--port", "0", "--database", "sqlite:\(database)"] }

    /// A token that Apple's side knows.
    func mint(_ order: [String: Any] = [:]) async throws -> (token: String, id: String) {
        let body = order.merging(["bundleId": Self.bundleId]) { $1 }
        let answer = try await HTTP.send("POST", emulator.url + "/emulator/v1/tokens", body)
        let decoded = try #require(answer.json["decoded"] as? [String: Any], "\(answer)")
        return (
            try #require(answer.json["token"] as? String), try #require(decoded["externalPurchaseId"] as? String)
        )
    }

    static func sale(_ id: String, checkout: String) -> [String: Any] {
        [
            "saleId": id, "bundleId": bundleId, "type": "purchase",
            "occurredAt": ISO8601DateFormatter().string(from: Date()), "checkoutId": checkout,
            "productId": "gems.100", "quantity": 1,
            "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
        ]
    }

    /// The reports of a server once each is answered, or after 20 s.
    static func settledReports(_ server: RunningServer) async throws -> [[String: Any]] {
        for _ in 0..<6_000 {
            let answer = try await HTTP.get(server.url + "/v1/reports")
            let reports = answer.json["reports"] as? [[String: Any]] ?? []
            let states = Set(reports.compactMap { $0["state"] as? String })
            if !reports.isEmpty, states.isSubset(of: ["accepted", "needsAttention", "withdrawn"]) { return reports }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await HTTP.get(server.url + "/v1/reports").json["reports"] as? [[String: Any]] ?? []
    }
}

@Suite("serve, as it is run", .serialized)
struct ServeTests {
    @Test("Fifty times: killed right after a 201, every acknowledged token is there after the restart")
    func killAfterToken() async throws {
        let setup = try await ServerUnderTest()
        var acknowledged: [String] = []
        for _ in 0..<50 {
            let server = try await RunningServer(setup.arguments)
            let (token, id) = try await setup.mint()
            let answer = try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token])
            server.kill()
            if answer.status == 201 { acknowledged.append(id) }
        }
        #expect(acknowledged.count == 50)
        let server = try await RunningServer(setup.arguments)
        for id in acknowledged {
            let answer = try await HTTP.get(server.url + "/v1/tokens/\(id)")
            #expect(answer.status == 200, "\(id) is lost")
        }
        #expect(server.terminate() == 0)
    }

    @Test("Killed while Apple's side holds a report: after the restart it is asked for, not sent again (SA-71)")
    func killWhileSending() async throws {
        let setup = try await ServerUnderTest(settings: ["simultaneous.hold=700ms"])
        for round in 0..<5 {
            let server = try await RunningServer(setup.arguments)
            let (token, _) = try await setup.mint()
            let receipt = try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token])
            let checkout = try #require(receipt.json["checkoutId"] as? String)
            let sale = ServerUnderTest.sale("order-\(round)", checkout: checkout)
            let sold = try await HTTP.send("POST", server.url + "/v1/sales", sale)
            #expect(sold.status == 201, "\(String(decoding: sold.body, as: UTF8.self))")
            // The report is with Apple's side by now, its answer is not.
            try await Task.sleep(for: .milliseconds(350))
            server.kill()
            try await Task.sleep(for: .milliseconds(600))
            let restarted = try await RunningServer(setup.arguments)
            let reports = try await ServerUnderTest.settledReports(restarted)
            #expect(reports.count == round + 1)
            #expect(reports.allSatisfy { $0["state"] as? String == "accepted" }, "\(reports)")
            restarted.terminate()
        }
        let journal = try await HTTP.get(setup.emulator.url + "/emulator/v1/requests").list
        let sent = journal.filter {
            $0["method"] as? String == "PUT" && ($0["path"] as? String)?.hasSuffix("reports") == true
        }
        let accepted = sent.filter { $0["status"] as? Int == 200 }
        var identifiers: [String: Set<String>] = [:]
        for row in accepted {
            let body = Data((row["body"] as? String ?? "").utf8)
            let report = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
            for item in report["lineItems"] as? [[String: Any]] ?? [] {
                let request = report["requestIdentifier"] as? String ?? "?"
                identifiers[item["lineItemId"] as? String ?? "?", default: []].insert(request)
            }
        }
        #expect(accepted.count == 5, "a report was accepted twice")
        #expect(identifiers.count == 5)
        #expect(identifiers.values.allSatisfy { $0.count == 1 }, "a sale went into two reports: \(identifiers)")
    }

    @Test("A second server on the same ledger is refused with 3")
    func secondServer() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let second = try await BuiltBinary.run(setup.arguments)
        #expect(second.exitCode == 3)
        #expect(second.error.contains("in use"), "\(second.error)")
        #expect(server.terminate() == 0)
    }

    @Test("Any host but loopback is refused while no API keys exist")
    func loopbackOnly() async throws {
        let setup = try await ServerUnderTest()
        let result = try await BuiltBinary.run(setup.arguments + ["--host", "0.0.0.0"])
        #expect(result.exitCode == 2)
        #expect(result.error.contains("loopback"))
    }

    @Test("A request under /v1 or for /metrics that names another host is refused; the landing address takes any")
    func foreignHost() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let foreign = ["Host": "attacker.example"]
        #expect(try await HTTP.send("GET", server.url + "/v1/tokens", nil, headers: foreign).status == 403)
        #expect(try await HTTP.send("GET", server.url + "/v1/tokens", nil).status == 200)
        #expect(try await HTTP.send("GET", server.url + "/metrics", nil, headers: foreign).status == 403)
        #expect(try await HTTP.send("GET", server.url + "/metrics", nil).status == 200)
        // Followed, the redirect leads to a host that does not exist: an error here is the redirect's.
        let visit = try? await HTTP.send("GET", server.url + "/out/unknown", nil, headers: foreign)
        #expect(visit?.status == 404)
        server.terminate()
    }

    @Test("A body far too long is 413, also to a client that sends all of it before it reads (NT-3)")
    func longBody() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let body = [UInt8](repeating: 0x20, count: 24_000_000)
        for path in ["/v1/sales", "/v1/tokens", "/v1/corrections", "/v1/notifications"] {
            let connection = try RawConnection(server.url)
            let head = "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            connection.send(head + "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n")
            #expect(connection.send(body), "\(path): closed before everything was sent")
            let answer = connection.receive(silence: 60_000).text
            #expect(answer.hasPrefix("HTTP/1.1 413"), "\(path): \(answer.prefix(100))")
        }
        server.terminate()
    }

    @Test("A clock is followed only away from Apple's hosts, and the server's time is then the emulator's")
    func followClock() async throws {
        let setup = try await ServerUnderTest()
        let moment = "2027-03-01T00:00:00Z"
        #expect(try await HTTP.send("PUT", setup.emulator.url + "/emulator/v1/clock", ["now": moment]).status == 200)
        let clock = setup.emulator.url + "/emulator/v1/clock"
        let server = try await RunningServer(setup.arguments + ["--follow-clock", clock])
        let (token, id) = try await setup.mint()
        #expect(try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token]).status == 201)
        let stored = try await HTTP.get(server.url + "/v1/tokens/\(id)").json
        #expect((stored["firstSeen"] as? [String: Any])?["at"] as? String == moment)
        server.terminate()

        let apple = try setup.scratch.write(
            try String(contentsOfFile: setup.config, encoding: .utf8)
                .replacing(setup.emulator.url, with: "https://api.storekit-sandbox.apple.com"),
            to: "apple.yaml"
        )
        let refused = try await BuiltBinary.run(
            [
                "serve", "--config", apple, "--port", "0", "--database", "sqlite:\(setup.database)", "--follow-clock",
                clock,
            ]
        )
        #expect(refused.exitCode == 2)
        #expect(refused.error.contains("Apple"))
    }

    @Test("Apple's side down: the sale is taken, and reported when it is back")
    func emulatorDown() async throws {
        let setup = try await ServerUnderTest(settings: ["auth.off=on"])
        let server = try await RunningServer(setup.arguments)
        let (token, id) = try await setup.mint(["creationDate": 1_790_000_000_000])
        let receipt = try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token])
        setup.emulator.kill()
        let sale = ServerUnderTest.sale("order-1", checkout: try #require(receipt.json["checkoutId"] as? String))
        #expect(try await HTTP.send("POST", server.url + "/v1/sales", sale).status == 201)
        let port = try #require(setup.emulator.url.split(separator: ":").last.map(String.init))
        let back = try await RunningServer(
            ["emulator", "--port", port, "--app", "\(ServerUnderTest.bundleId)=1234567890", "--no-auth"]
        )
        let again = try await HTTP.send("POST", back.url + "/emulator/v1/tokens", ["token": token])
        #expect(again.status < 300)
        let reports = try await ServerUnderTest.settledReports(server)
        #expect(reports.first?["state"] as? String == "accepted", "\(reports)")
        #expect(reports.first?["externalPurchaseId"] as? String == id)
        server.terminate()
        back.terminate()
    }

    @Test("A server that does not get its port sends nothing")
    func portTaken() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let (token, _) = try await setup.mint(["creationDate": 1_790_000_000_000])
        let receipt = try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token])
        let port = try #require(setup.emulator.url.split(separator: ":").last.map(String.init))
        setup.emulator.kill()
        let sale = ServerUnderTest.sale("order-1", checkout: try #require(receipt.json["checkoutId"] as? String))
        #expect(try await HTTP.send("POST", server.url + "/v1/sales", sale).status == 201)
        server.terminate()
        let back = try await RunningServer(
            ["emulator", "--port", port, "--app", "\(ServerUnderTest.bundleId)=1234567890", "--no-auth"]
        )
        let again = try await HTTP.send("POST", back.url + "/emulator/v1/tokens", ["token": token])
        #expect(again.status < 300)
        let refused = try await BuiltBinary.run(setup.arguments + ["--port", port])
        #expect(refused.exitCode == 3, "\(refused.error)")
        #expect(refused.error.contains("is taken"), "\(refused.error)")
        let journal = try await HTTP.get(back.url + "/emulator/v1/requests")
        #expect(journal.status == 200)
        #expect(journal.list.allSatisfy { ($0["method"] as? String) != "PUT" }, "\(journal.list)")
        back.terminate()
    }

    @Test("An export is never written over the ledger, the key or the configuration")
    func outputKeepsNeededFiles() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let (token, _) = try await setup.mint()
        _ = try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token])
        func value(_ option: String) throws -> String {
            let index = try #require(setup.arguments.firstIndex(of: option))
            return setup.arguments[index + 1]
        }
        let (config, database) = (try value("--config"), try value("--database"))
        let ledger = String(database.dropFirst("sqlite:".count))
        for file in [config, ledger, ledger + "-wal"] {
            let before = try Data(contentsOf: URL(filePath: file))
            for command in [["export", "2026-11"], ["archive", "--from", "2026-10", "--through", "2026-12"]] {
                let run = try await BuiltBinary.run(
                    ["ledger"] + command + ["--config", config, "--database", database, "--output", file]
                )
                #expect(run.exitCode == 2, "\(command) \(file): \(run.error)")
                #expect(run.error.contains("would be lost"), "\(run.error)")
            }
            #expect(try Data(contentsOf: URL(filePath: file)) == before, "\(file)")
        }
        server.terminate()
    }

    @Test("A password in an address is not printed")
    func passwords() async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let port = try #require(setup.emulator.url.split(separator: ":").last.map(String.init))
        for (address, exitCode) in [
            ("http://me:geheim@127.0.0.1:\(port)/x", Int32(3)), ("http://127.0.0.1:\(port)/x?key=geheim", 2),
            ("me:gehe/im@nowhere", 2),
        ] {
            let config = try setup.scratch.write(text.replacing(setup.emulator.url, with: address), to: "password.yaml")
            // The port is taken: everything is said that is said at the start.
            let result = try await BuiltBinary.run(
                ["serve", "--config", config, "--port", port, "--database", "sqlite:\(setup.database)"]
            )
            #expect(result.exitCode == exitCode, "\(result.error)")
            #expect(result.error.contains("sandbox"), "\(result.error)")
            #expect(!result.error.contains("gehe"), "\(result.error)")
        }
    }

    @Test("What a killed archive left is removed by the next one, and nothing that it leads to is touched")
    func unfinishedArchive() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let (token, _) = try await setup.mint()
        _ = try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token])
        let output = setup.scratch.url.appending(path: "records.tar").path
        let precious = try setup.scratch.write("precious", to: "precious.txt")
        for isLink in [true, false] {
            if isLink {
                try FileManager.default.createSymbolicLink(atPath: output + ".part", withDestinationPath: precious)
            } else {
                _ = try setup.scratch.write("half", to: "records.tar.part-1")
            }
            let run = try await BuiltBinary.run(
                [
                    "ledger", "archive", "--from", "2026-10", "--through", "2026-12", "--config", setup.config,
                    "--database", "sqlite:\(setup.database)", "--output", output,
                ]
            )
            #expect(run.exitCode == 0, "\(run.error)")
            let mode = try FileManager.default.attributesOfItem(atPath: output)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let files = try FileManager.default.contentsOfDirectory(atPath: setup.scratch.url.path)
            #expect(!files.contains("records.tar.part-1") && files.contains("records.tar.part"))
            #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
        }
        server.terminate()
    }

    /// A configuration that is right but for its last part.
    static func oidc(_ issuer: String, _ roles: String) -> String {
        "signIn: {oidc: {issuer: \"\(issuer)\", clientId: a, clientSecretFile: key, roles: \(roles)}}"
    }

    /// A configuration that lets a proxy of these networks name users.
    private static func proxied(_ networks: String) -> String {
        with("trustedProxies: [\(networks)]\nsignIn: {proxyHeader: X-Forwarded-User}")
    }

    static func with(_ part: String) -> String {
        "apps:\n  - bundleId: com.example\n    appAppleId: 1\n    key: {file: key.p8, keyId: B2, issuerId: 57246542-96fe-1a63-e053-0824d011072a}\n\(part)"
    }

    @Test(
        "A wrong configuration is refused with file, place and what would be right",
        arguments: [
            ("apps: []", "empty"),
            ("app: 1", "unknown key 'app'"),
            ("apps:\n  - bundleID: x", "did you mean bundleId"),
            (
                "apps:\n  - bundleId: com.example\n    appAppleId: x\n    key: {file: a, keyId: B2, issuerId: 57246542-96fe-1a63-e053-0824d011072a}",
                "appAppleId"
            ),
            (
                "apps:\n  - bundleId: com.example\n    appAppleId: 1\n    key: {file: none.p8, keyId: B2, issuerId: 57246542-96fe-1a63-e053-0824d011072a}",
                "none.p8"
            ),
            (
                "apps:\n  - bundleId: com.example\n    appAppleId: 1\n    key: {keyId: B2, issuerId: 57246542-96fe-1a63-e053-0824d011072a}",
                "'file' is missing"
            ),
            (Self.with("alerts: {webhok: 1}"), "unknown key 'webhok'"),
            (Self.with("    policy: {}"), "apps[0].policy: 'default' is missing"),
            (Self.with("    policy: {default: {}}"), "apps[0].policy.default: 'offered' is missing"),
            (Self.with("    policy: {default: {offered: maybe}}"), "policy.default.offered must be true or false"),
            (Self.with("    policy: {default: {offered: true, token: no}}"), "unknown key 'token'"),
            (
                Self.with("    policy: {default: {offered: true}, storefronts: {jp: {offered: true}}}"),
                "policy.storefronts: 'jp' is no storefront of the App Store; did you mean JPN?"
            ),
            (
                Self.with("    policy: {default: {offered: true}, storefronts: {XX: {offered: true}}}"),
                "'XX' is no storefront of the App Store; one looks like JPN"
            ),
            (
                Self.with(
                    "    policy: {default: {offered: true}, storefronts: {JP: {offered: true}, JPN: {offered: no}}}"
                ),
                "policy.storefronts has JPN twice"
            ),
            (
                Self.with("    policy: {default: {offered: true}, storefronts: [JPN]}"),
                "policy.storefronts must be a map"
            ),
            (
                Self.with("    policy: {default: {offered: true}, maxAge: 8d}"),
                "policy.maxAge '8d' must be a duration from 1min to 7d"
            ),
            (
                Self.with("    policy: {default: {offered: true}, maxAge: 30s}"),
                "policy.maxAge '30s' must be a duration"
            ),
            (
                Self.with("    policy: {default: {offered: false, message: \"a\\u202Eb\"}}"),
                "policy.default.message must have 1 to 500 characters and no control characters"
            ),
            (
                Self.with("    policy: {default: {offered: false, message: ''}}"),
                "policy.default.message must have 1 to 500"
            ),
            (
                Self.with("settings: {commission.window: days}"),
                "commission.window 'days' must be calendarDays or hours"
            ),
            (Self.with("alerts: {webhook: {}}"), "'url' is missing"),
            (Self.with("alerts: {webhook: {url: alerts.example.com}}"), "is not an address; one looks like https"),
            (Self.with("alerts: {webhook: {url: 'ftp://alerts.example.com'}}"), "alerts.webhook.url"),
            (Self.with("alerts: {webhook: {url: 'https://me:pass@example.com'}}"), "sign with secretFile"),
            (Self.with("alerts: {webhook: {url: 'https://a.example', secretFile: none.txt}}"), "none.txt"),
            (Self.with("alerts: {webhook: {url: 'https://a.example', secretFile: key}}"), "16 random"),
            (Self.with("alerts: {webhook: {url: 'https://a.example', format: teams}}"), "must be json or slack"),
            (Self.with("alerts: {webhook: {url: 'https://a.example', severities: []}}"), "severities is empty"),
            (Self.with("alerts: {mail: {to: [ops@example.com]}}"), "'from' is missing"),
            (Self.with("alerts: {mail: {to: [], from: a@example.com}}"), "alerts.mail.to must have 1 to 50"),
            (
                Self.with("alerts: {mail: {to: ['-bd'], from: a@example.com}}"),
                "alerts.mail.to '-bd' must be one address"
            ),
            (Self.with("alerts: {mail: {to: [b], from: \"a\\nBcc: c\"}}"), "alerts.mail.from"),
            (Self.with("alerts: {mail: {to: [b], from: a, sendmail: sendmail}}"), "the absolute path of a program"),
            (Self.with("alerts: {mail: {to: [b], from: a, severities: [info]}}"), "must be warning or error"),
            (Self.with("alerts: {every: soon}"), "such as 60s"),
            (Self.with("alerts: {first: many}"), "such as 50"),
            (Self.with("alerts: {scheduled: maybe}"), "on or off"),
            (Self.with("    links: {nl: \"https://shop.example.com/\\u0007\"}"), "links.nl: character 26 is U+0007"),
            (Self.with("    links: {nl: \"https://shop.example.com/\\r\\nX: y\"}"), "links.nl: character 26 is U+000D"),
            (Self.with("    links: {nl: 'https://shop.example.com/a\\b'}"), "links.nl: character 27 is U+005C"),
            (
                Self.with("    links: {nl: {url: \"https://shop.example.com/\\u202E\"}}"),
                "links.nl.url: character 26 is U+202E"
            ),
            (
                Self.with("trustedProxies: [127.0.0.1, 10.0.0.1/8]"),
                "trustedProxies[1] '10.0.0.1/8' has bits after its prefix; 10.0.0.0/8"
            ),
            (
                Self.with("trustedProxies: ['127.0.0.1:80']"),
                "trustedProxies[0] '127.0.0.1:80' is not an IP address or network"
            ),
            (Self.with("trustedProxies: [proxy.internal]"), "such as 127.0.0.1, 10.0.0.0/8, ::1 or fd00::/8"),
            (Self.with("signIn: {proxyHeader: X-Forwarded-User}"), "signIn.proxyHeader needs trustedProxies"),
            (Self.proxied("0.0.0.0/0"), "trustedProxies has 0.0.0.0/0, and anybody in it could sign in as any user"),
            (Self.proxied("'::/0'"), "trustedProxies has ::/0, and anybody in it"),
            (Self.proxied("'::ffff:0.0.0.0/96'"), "trustedProxies has 0.0.0.0/0"),
            (Self.proxied("10.0.0.0/8, 128.0.0.0/1"), "trustedProxies has 128.0.0.0/1"),
            (Self.proxied("8.0.0.0/8"), "name the proxy's own address, such as 127.0.0.1"),
            (Self.proxied("'2000::/3'"), "trustedProxies has 2000::/3"),
            (
                Self.with("trustedProxies: [127.0.0.1]\nsignIn: {proxyHeader: 'X Forwarded'}"),
                "signIn.proxyHeader 'X Forwarded' is not the name of a header"
            ),
            (Self.with("signIn: {oidc: {issuer: https://login.example.com}}"), "signIn.oidc: 'clientId' is missing"),
            (
                Self.with(Self.oidc("http://login.example.com", "{a: admin}")),
                "must be an address by https, or on this machine"
            ),
            (
                Self.with(Self.oidc("https://login.example.com", "{a: boss}")),
                "signIn.oidc.roles.a: 'boss' is not a role; one of"
            ),
            (
                Self.with(Self.oidc("https://login.example.com", "{}")),
                "signIn.oidc.roles must be a map of groups to roles"
            ),
            (Self.with("signIn: {header: X-Forwarded-User}"), "signIn: unknown key 'header'; known are proxyHeader"),
            (Self.with("settings: {http.maxConnectionsPerAddress: none}"), "a whole number from 1 to 1000000, or off"),
            (Self.with("alerts: {every: soon}"), "alerts.every 'soon' must be from 1s to 24h"),
            ("apps: [", "serve.yaml"), ("", "apps"), ("settings: {send.nonsense: 1}\napps: []", "empty"),
        ]
    )
    func wrongConfiguration(_ text: String, _ expected: String) async throws {
        let scratch = try ScratchFolder()
        _ = try scratch.write("short", to: "key")
        _ = try scratch.write(P256.Signing.PrivateKey().pemRepresentation, to: "key.p8")
        let file = try scratch.write(text, to: "serve.yaml")
        let result = try await BuiltBinary.run(["serve", "--config", file, "--port", "0"], folder: scratch.url)
        #expect(result.exitCode == 2, "\(result.error)")
        #expect(result.error.contains(expected), "\(result.error)")
        #expect(result.error.contains("serve.yaml"), "\(result.error)")
    }
}
