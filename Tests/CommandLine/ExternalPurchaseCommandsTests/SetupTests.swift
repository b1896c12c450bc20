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
        var folder: String { scratch.url.appending(path: "server").path }

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
        let config = fixture.folder + "/serve.yaml"
        for name in ["serve.yaml", URL(filePath: fixture.keys.keyFile).lastPathComponent, "root.cer"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(fixture.folder)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let printed = try await BuiltBinary.run(["serve", "--config", config, "--print-configuration"])
        #expect(printed.exitCode == 0, "\(printed.error)")
        for programme in answers.programmes { #expect(printed.output.contains(programme), "\(printed.output)") }
        let doctor = try await BuiltBinary.run(
            ["doctor", "--config", config, "--database", "sqlite:\(fixture.folder)/ledger.sqlite"]
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

    @Test("An answer that cannot work is refused with one line, and nothing is written")
    func refused() async throws {
        let fixture = try await Fixture()
        let noKey = try fixture.scratch.write("no key\n", to: "no.p8")
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
            (["--api": "streaming", "--base-url": "nowhere"], "baseURL"),
            (["--shop": "https://shop.example.com"], "--shop"),
            (["--stripe-secret": noKey], "--stripe-secret"),
        ]
        for (changed, words) in cases {
            let result = try await fixture.run(changed: changed)
            #expect(result.exitCode == 2, "\(changed): \(result.error)")
            #expect(result.error.contains(words), "\(changed): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(changed): \(result.error)")
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
