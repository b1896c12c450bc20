import Foundation
import Testing

@Suite("setup: a first configuration that the server takes", .serialized)
struct SetupTests {
    /// Answers, and what the written configuration has.
    struct Answers: Sendable, CustomTestStringConvertible {
        let name: String
        let api: String
        let countries: [String]
        let programmes: [String]
        /// Words of the printed fragments for the app.
        let fragment: String

        var testDescription: String { name }
    }

    static let table: [Answers] = [
        Answers(
            name: "links of the app's choice in the EU",
            api: "custom-link",
            countries: ["nl", "DEU"],
            programmes: ["eu-custom-link"],
            fragment: "SKExternalPurchaseCustomLinkRegions"
        ),
        Answers(
            name: "fixed links lead to the landing address of their country",
            api: "link",
            countries: ["nl", "de"],
            programmes: ["eea-link"],
            fragment: "https://pay.example.com/out/de"
        ),
        Answers(
            name: "in the app in South Korea",
            api: "in-app",
            countries: ["kr"],
            programmes: ["kr-in-app"],
            fragment: "SKExternalPurchase"
        ),
        Answers(
            name: "Japan",
            api: "allowed-regions",
            countries: ["jp"],
            programmes: ["jp-custom-link"],
            fragment: "custom-purchase-link.allowed-regions"
        ),
    ]

    private struct Fixture {
        let scratch: ScratchFolder
        let emulator: RunningServer
        let keys: Keys
        let root: String
        var folder: String { scratch.url.appending(path: "my server").path }

        init() async throws {
            scratch = try ScratchFolder()
            emulator = try await RunningServer(
                [
                    "emulator", "--port", "0", "--app", "com.example.shop=1234567890", "--credentials",
                    scratch.url.path,
                ]
            )
            keys = try Keys(folder: scratch.url)
            root = scratch.url.appending(path: "root.cer").path
            try await HTTP.get(emulator.url + "/emulator/v1/root.cer").body.write(to: URL(filePath: root))
        }

        /// The options, by name, of which a test changes some; a nil value leaves one out.
        func run(
            _ answers: Answers = SetupTests.table[0],
            changed: [String: String?] = [:],
            more: [String] = []
        ) async throws -> BuiltBinary.Result {
            var options: [String: String?] = [
                "--bundle-id": "com.example.shop", "--app-apple-id": "1234567890",
                "--key": keys.keyFile, "--key-id": keys.keyId,
                "--issuer-id": keys.issuerId, "--root": root, "--public-address": "https://pay.example.com",
                "--base-url": emulator.url, "--api": answers.api,
            ]
            options.merge(changed) { $1 }
            let named = options.sorted { $0.key < $1.key }.flatMap { name, value in value.map { [name, $0] } ?? [] }
            let pages =
                changed.keys.contains("--shop")
                ? [] : ["--shop", "nl=https://shop.example.com/nl", "--shop", "de=https://shop.example.com/de"]
            return try await BuiltBinary.run(
                ["setup", folder] + named + pages + answers.countries.flatMap { ["--country", $0] } + more
            )
        }
    }

    @Test("What is written is taken by serve and doctor, with the programmes of what is sold where", arguments: table)
    func written(_ answers: Answers) async throws {
        let fixture = try await Fixture()
        let made = try await fixture.run(answers)
        #expect(made.exitCode == 0, "\(made.error)")
        #expect(made.output.contains(answers.fragment), "\(made.output)")
        #expect(made.output.contains("https://pay.example.com/v1/notifications"))
        let ledger = "'sqlite:\(fixture.folder)/external-purchase.sqlite'"
        #expect(
            made.output.contains("--database \(ledger) --public-address https://pay.example.com\n"),
            "\(made.output)"
        )
        #expect(made.output.contains("users set-password NAME --database \(ledger)"), "\(made.output)")
        let config = fixture.folder + "/serve.yaml"
        for name in ["serve.yaml", URL(filePath: fixture.keys.keyFile).lastPathComponent, "root.cer"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(fixture.folder)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let printed = try await BuiltBinary.run(["serve", "--config", config, "--print-configuration"])
        #expect(printed.exitCode == 0, "\(printed.error)")
        for programme in answers.programmes { #expect(printed.output.contains(programme), "\(printed.output)") }
        let doctor = try await BuiltBinary.run(
            [
                "doctor", "--config", config, "--database", "sqlite:\(fixture.folder)/ledger.sqlite", "--port", "0",
            ]
        )
        #expect(doctor.exitCode == 0, "\(doctor.output)\(doctor.error)")
    }

    @Test("From the answers to a stored token")
    func tokenArrives() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.run().exitCode == 0)
        let server = try await RunningServer(
            [
                "serve", "--config", fixture.folder + "/serve.yaml", "--port", "0", "--database",
                "sqlite:\(fixture.folder)/ledger.sqlite",
            ]
        )
        let minted = try await HTTP.send(
            "POST",
            fixture.emulator.url + "/emulator/v1/tokens",
            ["bundleId": "com.example.shop"]
        )
        let token = try #require(minted.json["token"] as? String)
        #expect(try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token]).status == 201)
        #expect(server.terminate() == 0)
    }

    @Test("With Stripe's endpoint comes an API key, or what its absence leads to")
    func stripe() async throws {
        let fixture = try await Fixture()
        let secret = try fixture.scratch.write("whsec_\(String(repeating: "a", count: 32))\n", to: "stripe.secret")
        let key = try fixture.scratch.write("rk_test_0123456789abcdef\n", to: "stripe.key")
        let without = try await fixture.run(changed: ["--stripe-secret": secret])
        #expect(without.exitCode == 0 && without.output.contains("--stripe-key"), "\(without.error)\(without.output)")
        #expect(without.output.contains("are held"), "\(without.output)")
        let with = try await fixture.run(changed: ["--stripe-secret": secret, "--stripe-key": key], more: ["--force"])
        #expect(with.exitCode == 0 && !with.output.contains("are held"), "\(with.error)\(with.output)")
        let text = try String(contentsOf: URL(filePath: fixture.folder + "/serve.yaml"), encoding: .utf8)
        #expect(text.contains("apiKeyFile: \"stripe.key\""), "\(text)")
    }

    @Test(
        "On a terminal an answer that cannot work is asked for again",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"))
    )
    func terminal() async throws {
        let fixture = try await Fixture()
        let answers = [
            "my shop", "com.example.shop", "shop", "1234567890", "/nowhere/no.p8", fixture.keys.keyFile, "?",
            fixture.keys.keyId, "me", fixture.keys.issuerId, fixture.keys.keyFile, fixture.root, "nowhere",
            "https://pay.example.com", "https://shop.example.com", "nl=https://shop.example.com/nl",
        ]
        let command = [
            BuiltBinary.url.path, "setup", fixture.folder, "--base-url", fixture.emulator.url, "--api", "custom-link",
            "--country", "nl",
        ].map { "'\($0)'" }.joined(separator: " ")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/script")
        process.arguments = ["-qec", command, "/dev/null"]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(answers.map { $0 + "\n" }.joined().utf8))
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try input.fileHandleForWriting.close()
        #expect(process.terminationStatus == 0, "\(said)")
        for flag in [
            "--bundle-id", "--app-apple-id", "--key", "--key-id", "--issuer-id", "--root", "--public-address", "--shop",
        ] {
            #expect(said.contains(flag), "\(flag): \(said)")
        }
        #expect(FileManager.default.fileExists(atPath: fixture.folder + "/serve.yaml"))
    }

    @Test("An answer that cannot work is refused with one line, and nothing is written")
    func refused() async throws {
        let fixture = try await Fixture()
        let noKey = try fixture.scratch.write("no key\n", to: "no.p8")
        let secret = try fixture.scratch.write("whsec_\(String(repeating: "a", count: 32))\n", to: "stripe.secret")
        let chain = try CertificateChain(fixture.scratch)
        let named = fixture.scratch.url.appending(path: "AuthKey_2X9R4HXF34.p8").path
        try FileManager.default.copyItem(atPath: fixture.keys.keyFile, toPath: named)
        let cases: [(changed: [String: String?], words: String)] = [
            (["--bundle-id": nil], "--bundle-id is missing"),
            (["--bundle-id": "my shop"], "is not a bundle id"),
            (["--app-apple-id": "com.example.shop"], "is not the App Store's number"),
            (["--key": "/nowhere/AuthKey.p8"], "--key"),
            (["--key": noKey], "--key"),
            (["--key-id": "?"], "is not the id of a key"),
            (["--issuer-id": "me"], "is not an issuer id"),
            (["--root": noKey], "--root"),
            (["--public-address": "http://pay.example.com"], "https"),
            (["--api": "fax"], "--api"),
            (["--api": "streaming", "--base-url": "nowhere"], "--base-url"),
            (["--shop": "https://shop.example.com"], "--shop"),
            (["--shop": "nl=shop.example.com/nl"], "is not an address"),
            (["--shop": "n l=https://shop.example.com/nl"], "use letters, digits, - and _"),
            (["--stripe-secret": noKey], "--stripe-secret"),
            (["--stripe-key": noKey], "--stripe-key needs --stripe-secret"),
            (["--stripe-secret": secret, "--stripe-key": noKey], "its first line must be an API key of Stripe"),
            (["--root": chain.leaf], "is no root"),
            (["--base-url": nil], "is not Apple Root CA - G3"),
            (["--key": named, "--key-id": "ABCDEFGHIJ"], "is not the id of AuthKey_2X9R4HXF34.p8"),
            (["--public-address": "https://user:open-sesame@pay.example.com"], "do not belong in it"),
        ]
        for (changed, words) in cases {
            let result = try await fixture.run(changed: changed)
            #expect(result.exitCode == 2, "\(changed): \(result.error)")
            #expect(result.error.contains(words), "\(changed): \(result.error)")
            // What nobody wrote yet is not named, but the option is.
            #expect(!result.error.contains("serve.yaml"), "\(changed): \(result.error)")
            #expect(changed.keys.contains { result.error.contains($0) }, "\(changed): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(changed): \(result.error)")
            #expect(!result.error.contains("open-sesame"), "\(result.error)")
            #expect(!FileManager.default.fileExists(atPath: fixture.folder), "\(changed)")
        }
    }

    @Test("What exists is kept without --force; the same answers again change nothing")
    func overwriting() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.run().exitCode == 0)
        #expect(try await fixture.run().exitCode == 0)
        let config = URL(filePath: fixture.folder + "/serve.yaml")
        let before = try Data(contentsOf: config)
        let other = try await fixture.run(Self.table[3])
        #expect(other.exitCode == 2 && other.error.contains("--force"), "\(other.error)")
        #expect(try Data(contentsOf: config) == before)
        #expect(try await fixture.run(Self.table[3], more: ["--force"]).exitCode == 0)
        #expect(try Data(contentsOf: config) != before)
    }
}
