import Crypto
import Foundation
import Testing

@Suite("Ids, addresses and files of a configuration are checked at the start, and an error has their place")
struct ConfiguredValueTests {
    private static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

    /// A right configuration, in which each case replaces one text.
    private static let configuration = """
        apps:
          - bundleId: com.example.shop
            appAppleId: 1234567890
            key: {file: key.p8, keyId: 2X9R4HXF34, issuerId: \(issuer)}
            baseURL: {sandbox: "http://127.0.0.1:8801"}
            links: {nl: "https://shop.example.com/nl"}
        notifications: {roots: [root.cer]}
        alerts: {webhook: {url: "https://alerts.example.com/hook", secretFile: webhook.secret}}
        stripe:
          - bundleId: com.example.shop
            account: acct_1Nabc
            signingSecretFile: stripe.secret
            apiKeyFile: stripe.key
            baseURL: https://api.stripe.com
            products: {price_1Nabc: gems.100}
        payments:
          - provider: custom
            bundleId: com.example.shop
            secretFile: custom.secret
        programmes: terms.json
        """

    private static let link = "\"https://shop.example.com/nl\""

    struct Wrong: Sendable, CustomTestStringConvertible {
        /// The text that is replaced, and the wrong one.
        let right: String
        let wrong: String
        /// The key that the message names.
        let key: String
        let says: String
        var testDescription: String { "\(key): \(wrong)" }

        init(_ right: String, _ wrong: String, _ key: String, _ says: String) {
            (self.right, self.wrong, self.key, self.says) = (right, wrong, key, says)
        }
    }

    static let values = [
        Wrong("2X9R4HXF34", "\"\"", "apps[0].key.keyId", "is empty"),
        Wrong("2X9R4HXF34", "\"2X9R 4HXF34\"", "apps[0].key.keyId", "looks like 2X9R4HXF34"),
        Wrong("2X9R4HXF34", "AuthKey_2X9R4HXF34.p8", "apps[0].key.keyId", "looks like 2X9R4HXF34"),
        Wrong(issuer, "\"\"", "apps[0].key.issuerId", "is empty"),
        Wrong(issuer, "57246542-96fe-1a63-e053", "apps[0].key.issuerId", "is not an issuer id"),
        Wrong(issuer, "57246542-96fe-1a63-e053-0824d011072g", "apps[0].key.issuerId", "is not an issuer id"),
        Wrong(issuer, "\"57246542-96fe-1a63-e053-0824d011072a \"", "apps[0].key.issuerId", "is not an issuer id"),
        Wrong("file: key.p8", "file: \"\"", "apps[0].key.file", "is empty"),
        Wrong("file: key.p8", "file: .", "apps[0].key.file", "is a folder"),
        Wrong("file: key.p8", "file: none.p8", "apps[0].key.file", "none.p8: no such file"),
        Wrong("com.example.shop\n    appApp", "com..shop\n    appApp", "apps[0].bundleId", "is not a bundle id"),
        Wrong("\"http://127.0.0.1:8801\"", "\"\"", "apps[0].baseURL.sandbox", "is not an address"),
        Wrong("http://127.0.0.1:8801", "http://127.0.0.1:0", "apps[0].baseURL.sandbox", "is not an address"),
        Wrong("http://127.0.0.1:8801", "http://127.0.0.1:8801?a=b", "apps[0].baseURL.sandbox", "without query"),
        Wrong("\"https://shop.example.com/nl\"", "\"\"", "apps[0].links.nl", "is not an address"),
        Wrong(Self.link, "https://me:geheim@shop.example.com", "apps[0].links.nl", "see name and password"),
        Wrong(Self.link, "https://me@shop.example.com", "apps[0].links.nl", "see name and password"),
        Wrong(
            Self.link,
            "{url: 'https://me@shop.example.com', paths: on}",
            "apps[0].links.nl.url",
            "name and password"
        ),
        Wrong(Self.link, "https://shop.example.com/?checkout=1", "apps[0].links.nl", "checkout is added to each visit"),
        Wrong(Self.link, "https://shop.example.com/?a=b&%63heckout=1", "apps[0].links.nl", "checkout is added"),
        Wrong(Self.link, "https://shop.example.com/?bundleId", "apps[0].links.nl", "bundleId is added"),
        Wrong(
            Self.link,
            "https://shop.example.com/?externalPurchaseToken=a",
            "apps[0].links.nl",
            "externalPurchaseToken is added"
        ),
        Wrong(Self.link, "https://bücher.example.com/", "apps[0].links.nl", "xn--"),
        Wrong(Self.link, "https://shop.example.com/bücher", "apps[0].links.nl", "character 27 is U+00FC"),
        Wrong(Self.link, "https://\(String(repeating: "a", count: 2_050))", "apps[0].links.nl", "at most 2048 bytes"),
        Wrong(
            Self.link,
            "https://\(String(repeating: "a.", count: 130))example",
            "apps[0].links.nl",
            "at most 253 bytes"
        ),
        Wrong("\"http://127.0.0.1:8801\"", "\"http://b\u{FC}cher\"", "apps[0].baseURL.sandbox", "xn--"),
        Wrong("[root.cer]", "[\"\"]", "notifications.roots[0]", "is empty"),
        Wrong("\"https://alerts.example.com/hook\"", "\"\"", "alerts.webhook.url", "is not an address"),
        Wrong("secretFile: webhook.secret", "secretFile: \"\"", "alerts.webhook.secretFile", "is empty"),
        Wrong("acct_1Nabc", "acct_", "stripe[0].account", "is not an account's id"),
        Wrong("signingSecretFile: stripe.secret", "signingSecretFile: ''", "stripe[0].signingSecretFile", "is empty"),
        Wrong("apiKeyFile: stripe.key", "apiKeyFile: .", "stripe[0].apiKeyFile", "is a folder"),
        Wrong("https://api.stripe.com", "https://api.stripe.com#x", "stripe[0].baseURL", "without query"),
        Wrong("price_1Nabc:", "'':", "stripe[0].products", "is not the id of a price"),
        Wrong("products:", "taxRate: \"21\"\n    products:", "stripe[0].taxRate", "taxCountry, which is missing"),
        Wrong("products:", "take: some\n    products:", "stripe[0].take", "neither referenced nor all"),
        Wrong("products:", "take: \"\"\n    products:", "stripe[0].take", "neither referenced nor all"),
        Wrong("products:", "take: [all]\n    products:", "stripe[0].take", "must be a single value"),
        Wrong("products:", "from: yesterday\n    products:", "stripe[0].from", "is not a date such as 2026-10-01"),
        Wrong("products:", "from: 2026-02-30\n    products:", "stripe[0].from", "is not a date such as 2026-10-01"),
        Wrong("products:", "from: 20261001\n    products:", "stripe[0].from", "is not a date such as 2026-10-01"),
        Wrong("products:", "taxRates: {NLD: \"210\"}\n    products:", "stripe[0].taxRates.NLD", "a rate in per cent"),
        Wrong("products:", "taxRates: {EL: \"24\"}\n    products:", "stripe[0].taxRates", "GR or GRC would be right"),
        Wrong("products:", "taxRates: \"21\"\n    products:", "stripe[0].taxRates", "must be a map"),
        Wrong("products:", "taxRates: {NL: 21, NLD: 9}\n    products:", "stripe[0].taxRates", "has NLD twice"),
        Wrong("provider: custom", "provider: adyen", "payments[0].provider", "neither paddle nor custom"),
        Wrong("provider: custom", "provider: stripe", "payments[0].provider", "an entry of 'stripe'"),
        Wrong(
            "provider: custom",
            "environment: sandbox\n    provider: custom",
            "payments[0].environment",
            "belongs to paddle"
        ),
        Wrong(
            "provider: custom",
            "environment: test\n    provider: paddle",
            "payments[0].environment",
            "neither production nor sandbox"
        ),
        Wrong(
            "- provider: custom",
            "- provider: custom\n    bundleId: com.example.shop\n    take: all\n    secretFile: custom.secret\n"
                + "  - provider: custom",
            "payments[1]",
            "take, from and taxCountry must be the same"
        ),
        Wrong("secretFile: custom.secret", "secretFile: ''", "payments[0].secretFile", "is empty"),
        Wrong("programmes: terms.json", "programmes: ''", "programmes", "is empty"),
    ]

    /// Files with wrong content, each with the key that names it.
    static let files = [
        ("key.p8", "no key", "apps[0].key.file"), ("root.cer", "no certificate", "notifications.roots[0]"),
        ("webhook.secret", "short", "alerts.webhook.secretFile"),
        ("stripe.secret", "no secret", "stripe[0].signingSecretFile"),
        ("custom.secret", "short", "payments[0].secretFile"),
        ("custom.secret", "whsec_not base64 at all", "payments[0].secretFile"),
        ("stripe.key", "no key", "stripe[0].apiKeyFile"),
        ("terms.json", "{}x", "programmes"),
    ]

    private static func run(_ text: String, replacing file: (name: String, content: String)?) async throws
        -> BuiltBinary.Result
    {
        let scratch = try ScratchFolder()
        // A root is needed: the emulator has one.
        let emulator = try await RunningServer(["emulator", "--port", "0", "--no-auth"])
        defer { emulator.terminate() }
        let root = try await HTTP.get(emulator.url + "/emulator/v1/root.cer").body
        try Data(root).write(to: scratch.url.appending(path: "root.cer"))
        let contents = [
            "key.p8": P256.Signing.PrivateKey().pemRepresentation, "webhook.secret": "0123456789abcdef0123456789abcdef",
            "stripe.secret": "whsec_0123456789abcdef", "custom.secret": "a secret of the shop",
            "stripe.key": "sk_test_0123456789",
            "terms.json": "{\"programmes\":[]}",
        ]
        for (name, content) in contents { _ = try scratch.write(content, to: name) }
        if let file { _ = try scratch.write(file.content, to: file.name) }
        let config = try scratch.write(text, to: "serve.yaml")
        return try await BuiltBinary.run(["serve", "--config", config, "--port", "0"], folder: scratch.url)
    }

    @Test("A wrong id, address or path is refused with line and column", arguments: values)
    func value(_ wrong: Wrong) async throws {
        #expect(Self.configuration.contains(wrong.right))
        let text = Self.configuration.replacing(wrong.right, with: wrong.wrong, maxReplacements: 1)
        let result = try await Self.run(text, replacing: nil)
        #expect(result.exitCode == 2, "\(result.error)")
        let place = result.error.firstMatch(of: #/serve\.yaml:([0-9]+):([0-9]+): (.*)/#)
        #expect(place.map { String($0.3).hasPrefix(wrong.key) } == true, "\(result.error)")
        #expect(result.error.contains(wrong.says), "\(result.error)")
        if let line = place.flatMap({ Int($0.1) }) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines[line - 1].contains(wrong.wrong.split(separator: "\n")[0]), "\(result.error)")
        }
    }

    @Test("A message about a long value is short", arguments: Set(values.map(\.right)).sorted())
    func longValue(_ right: String) async throws {
        let text = Self.configuration.replacing(right, with: String(repeating: "x", count: 100_000), maxReplacements: 1)
        let result = try await Self.run(text, replacing: nil)
        #expect(
            result.exitCode == 2 && !result.error.isEmpty && result.error.utf8.count < 2_000,
            "\(result.error.prefix(3_000))"
        )
    }

    @Test("A file with wrong content is refused with the place of its name in the configuration", arguments: files)
    func file(_ name: String, _ content: String, _ key: String) async throws {
        let result = try await Self.run(Self.configuration, replacing: (name, content))
        #expect(result.exitCode == 2, "\(result.error)")
        let lines = Self.configuration.split(separator: "\n")
        let line = try #require(lines.firstIndex { $0.contains(name) }) + 1
        #expect(result.error.contains("serve.yaml:\(line):"), "\(result.error)")
        #expect(result.error.contains("\(key): "), "\(result.error)")
        #expect(result.error.contains(name), "\(result.error)")
        #expect(!result.error.contains(content) || content.count < 8, "\(result.error)")
    }

    @Test("The same ids are refused as options", arguments: [("--key-id", ""), ("--issuer-id", "nobody")])
    func option(_ name: String, _ value: String) async throws {
        let scratch = try ScratchFolder()
        let key = try scratch.write(P256.Signing.PrivateKey().pemRepresentation, to: "key.p8")
        let report = try scratch.write("{}", to: "report.json")
        var options = ["--key-id": "2X9R4HXF34", "--issuer-id": Self.issuer]
        options[name] = value
        let arguments = options.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let result = try await BuiltBinary.run(
            ["report", "send", report, "--key", key, "--bundle-id", "com.example.shop"] + arguments
        )
        #expect(result.exitCode == 2)
        #expect(result.error.contains(name), "\(result.error)")
    }

    @Test("A key for an app that no configuration names is refused with --config, and said without")
    func appOfKey() async throws {
        let setup = try await ServerUnderTest()
        let database = ["--database", "sqlite:\(setup.database)"]
        let create = ["keys", "create", "--scope", "sales"]
        let wrong = try await BuiltBinary.run(
            create + ["--app", "com.example.shoq", "--config", setup.config] + database
        )
        #expect(wrong.exitCode == 2)
        #expect(wrong.error.contains("com.example.shoq: is none of the apps of \(setup.config): com.example.shop"))
        #expect(!FileManager.default.fileExists(atPath: setup.database))
        let right = try await BuiltBinary.run(
            create + ["--app", ServerUnderTest.bundleId, "--config", setup.config] + database
        )
        #expect(right.exitCode == 0 && !right.error.contains("gives access to nothing"), "\(right.error)")
        let unchecked = try await BuiltBinary.run(create + ["--app", "com.example.shoq"] + database)
        #expect(unchecked.exitCode == 0)
        #expect(unchecked.error.contains("no token and no sale of this app"), "\(unchecked.error)")
        // The server says at its start which keys open nothing; here it ends because the emulator has the port.
        let port = String(setup.emulator.url.split(separator: ":").last ?? "")
        let started = try await BuiltBinary.run(
            setup.arguments.map { $0 == "0" ? port : $0 }
        )
        #expect(started.exitCode == 3)
        #expect(
            started.error.contains("gives access to com.example.shoq only, which is none of the apps here"),
            "\(started.error)"
        )
    }

    @Test("A dry run beside a server decides what lies in the future by that server's clock")
    func dryRunClock() async throws {
        let setup = try await ServerUnderTest()
        _ = try await HTTP.send("PUT", setup.emulator.url + "/emulator/v1/clock", ["now": "2031-05-01T12:00:00Z"])
        let server = try await RunningServer(setup.arguments + ["--follow-clock", setup.emulator.url])
        func file(_ moment: String) throws -> String {
            try setup.scratch.write(
                "saleId,type,occurredAt,productId,quantity,currency,inclusive,taxRate,taxCountry\n"
                    + "s-\(moment.prefix(10)),purchase,\(moment),gems,1,EUR,9.99,21,NLD\n",
                to: "sales-\(moment.prefix(10)).csv"
            )
        }
        func run(_ file: String, _ more: [String]) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(
                ["ledger", "import-sales", file, "--config", setup.config, "--database", "sqlite:\(setup.database)"]
                    + more
            )
        }
        for (moment, isTaken) in [("2031-04-30T12:00:00Z", true), ("2031-05-02T12:00:00Z", false)] {
            let file = try file(moment)
            for more in [["--dry-run"], []] {
                let result = try await run(file, more + ["--server", server.url])
                #expect(result.exitCode == (isTaken ? 0 : 1), "\(moment) \(more): \(result.error)")
                #expect(result.error.contains("lies in the future; the server's clock says 2031-05-01") == !isTaken)
            }
        }
        // Where nobody tells the time, that is said.
        let alone = try await run(try file("2031-04-30T12:00:00Z"), ["--dry-run", "--server", "http://127.0.0.1:1"])
        #expect(alone.error.contains("decided by this machine's clock"), "\(alone.error)")
        #expect(server.terminate() == 0)
    }
}
