import Foundation
import TestSupport
import Testing

@Suite("token decode prints what interfaces promise, for every golden case")
struct TokenDecodeTests {
    /// The golden cases of the core's tests.
    static var vectors: [[String: Any]] {
        let file = PackageFolder.file("Tests/Core/ExternalPurchaseCoreTests/Fixtures/tokens.json")
        let json = try? JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        return json?["decode"] as? [[String: Any]] ?? []
    }

    static let families = [
        "plain": "plain", "custom-link": "customLink", "transaction": "perTransaction", "core-technology": "unknown",
        "other": "unknown",
    ]

    @Test("Every vector by standard input, in both modes", arguments: 0..<78, [false, true])
    func vector(_ index: Int, _ strict: Bool) async throws {
        #expect(Self.vectors.count == 78)
        let vector = Self.vectors[index]
        let id = vector["id"] as? String ?? "?"
        let generate = vector["generate"] as? [String: Any]
        let text =
            vector["token"] as? String
            ?? String(repeating: generate?["repeat"] as? String ?? "", count: generate?["count"] as? Int ?? 0)
        let modes = try #require(vector["expect"] as? [String: [String: Any]])
        let expected = try #require(modes[strict ? "strict" : "lenient"])
        let result = try await BuiltBinary.run(
            ["token", "decode", "--format", "json"] + (strict ? ["--strict"] : []) + ["-"],
            input: Data(text.utf8)
        )
        let json = try #require(result.json, "\(id): \(result.output) \(result.error)")
        if expected["outcome"] as? String == "error" {
            #expect(result.exitCode == 1, "\(id)")
            #expect(json["error"] as? String == expected["error"] as? String, "\(id)")
            #expect(json["field"] as? String == expected["field"] as? String, "\(id)")
            #expect((json["message"] as? String)?.isEmpty == false)
            #expect(result.error.contains(expected["error"] as? String ?? "?"), "\(id)")
            return
        }
        #expect(result.exitCode == 0, "\(id): \(result.error)")
        let decoded = try #require(vector["decoded"] as? [String: Any])
        for key in ["appAppleId", "tokenCreationDate", "tokenExpirationDate"] {
            #expect((json[key] as? NSNumber)?.int64Value == (decoded[key] as? NSNumber)?.int64Value, "\(id) \(key)")
            #expect(json[key] != nil, "\(id): \(key) is left out")
        }
        for key in ["bundleId", "externalPurchaseId", "tokenType", "environment"] {
            #expect(json[key] as? String == decoded[key] as? String, "\(id) \(key)")
        }
        #expect(json["family"] as? String == Self.families[decoded["family"] as? String ?? ""], "\(id)")
        let warnings = json["warnings"] as? [NSDictionary] ?? []
        let expectedWarnings = expected["warnings"] as? [NSDictionary] ?? []
        #expect(warnings.map { $0["name"] as? String } == expectedWarnings.map { $0["name"] as? String }, "\(id)")
        #expect(warnings.map { $0["field"] as? String } == expectedWarnings.map { $0["field"] as? String }, "\(id)")
        #expect(json["unknownFields"] as? [String] == vector["unknownFields"] as? [String] ?? [], "\(id)")
    }

    static func token(_ id: String) throws -> String {
        try #require(vectors.first { $0["id"] as? String == id }?["token"] as? String)
    }

    @Test("A URL is searched for its token, and what does not fit is said (TK-65)")
    func url() async throws {
        let token = try Self.token("apple-plain-production")
        let url =
            "https://example.com/nl?x=1&externalPurchaseToken=\(token)&externalPurchaseToken=\(token)&bundleId=other#top"
        let result = try await BuiltBinary.run(["token", "decode", "--format", "json", url])
        #expect(result.exitCode == 0, "\(result.error)")
        #expect(result.json?["externalPurchaseId"] as? String == "00000000-0000-0000-0000-000000000000")
        let names = (result.json?["warnings"] as? [NSDictionary])?.map { $0["name"] as? String }
        #expect(names == ["repeated-parameter", "bundle-mismatch"])
    }

    @Test("A URL without a token is wrong input, not a wrong token")
    func urlWithoutToken() async throws {
        let result = try await BuiltBinary.run(["token", "decode", "https://example.com/nl?x=1"])
        #expect(result.exitCode == 2)
        #expect(result.error.contains("externalPurchaseToken"))
    }

    @Test("Text output has no colour when it is piped, and names every field")
    func text() async throws {
        let result = try await BuiltBinary.run(["token", "decode", try Self.token("apple-services-production")])
        #expect(result.exitCode == 0)
        #expect(!result.output.contains("\u{1B}"))
        for part in ["customLink", "SERVICES", "com.example", "2025-06-26T00:00:00Z"] {
            #expect(result.output.contains(part), "\(part) in \(result.output)")
        }
    }

    @Test(
        "What token mint makes, strict decoding takes (TK-27)",
        arguments: [nil, "SERVICES", "IN_APP"],
        ["sandbox", "production"]
    )
    func mint(_ type: String?, _ environment: String) async throws {
        let minted = try await BuiltBinary.run(
            [
                "token", "mint", "--bundle-id", "com.example.shop", "--app-apple-id", "1234567890", "--environment",
                environment, "--created", "2026-11-20T12:00:00Z",
            ] + (type.map { ["--type", $0] } ?? [])
        )
        #expect(minted.exitCode == 0, "\(minted.error)")
        let decoded = try await BuiltBinary.run(
            ["token", "decode", "--strict", "--format", "json", "--", minted.output.trimmingCharacters(in: .newlines)]
        )
        #expect(decoded.exitCode == 0, "\(decoded.error)")
        #expect(decoded.json?["environment"] as? String == environment)
        #expect(decoded.json?["tokenType"] as? String == type)
        #expect(decoded.json?["tokenCreationDate"] as? Int == 1_795_176_000_000)
    }
}

@Suite("Usage: exit codes and what is absent")
struct UsageTests {
    @Test(
        "Wrong usage ends with 2 and one clear message",
        arguments: [
            ["nonsense"], ["token", "decode"], ["token", "decode", "x", "--format", "xml"], ["lint", "no/such/file"],
            ["demo", "--app", "."], ["emulator", "--state", "/no/such/folder/x"],
            ["serve"], ["serve", "--config", "/no/such/file"],
            ["token", "mint", "--bundle-id", "a", "--app-apple-id", "x"], ["report", "send", "/no/such/file"],
            ["report", "get", "no-uuid", "--key", "k"], ["emulator", "--set", "nonsense"],
            ["emulator", "--set", "rules.noSuch=1"], ["emulator", "--app", "com.example"],
            ["demo", "--storefront", "nl"],
            ["serve", "--config", "x", "--database", "postgres://localhost/x"],
        ]
    )
    func wrongUsage(_ arguments: [String]) async throws {
        let result = try await BuiltBinary.run(arguments)
        #expect(result.exitCode == 2, "\(arguments): \(result.output) \(result.error)")
        #expect(result.error.lowercased().contains("error"), "\(arguments): \(result.error)")
    }

    @Test("Help and version go to standard output and end with 0")
    func help() async throws {
        let help = try await BuiltBinary.run(["--help"])
        #expect(help.exitCode == 0)
        for command in ["demo", "token", "report", "emulator", "serve"] { #expect(help.output.contains(command)) }
        let version = try await BuiltBinary.run(["--version"])
        #expect(version.exitCode == 0)
        #expect(version.output.contains(/^\d+\.\d+\.\d+\n$/))
    }

    @Test("A port that is taken ends with 3")
    func portTaken() async throws {
        let server = try await RunningServer(["emulator", "--port", "0"])
        let port = try #require(server.url.split(separator: ":").last)
        let second = try await BuiltBinary.run(["emulator", "--port", String(port)])
        #expect(second.exitCode == 3, "\(second.error)")
        #expect(second.error.contains("port is taken"))
        #expect(server.terminate() == 0)
    }

    @Test("Nobody at the other end ends with 3")
    func nobodyThere() async throws {
        let scratch = try ScratchFolder()
        let emulator = try await RunningServer(
            ["emulator", "--port", "0", "--app", "com.example.shop=1234567890", "--credentials", scratch.url.path]
        )
        let keys = try Keys(folder: scratch.url)
        emulator.kill()
        let file = try scratch.write("{}", to: "report.json")
        let result = try await BuiltBinary.run(["report", "send", file, "--base-url", emulator.url] + keys.options)
        #expect(result.exitCode == 3, "\(result.error)")
    }
}

/// What `emulator --credentials` wrote.
struct Keys {
    let keyFile: String
    let keyId: String
    let issuerId: String
    let bundleId: String

    init(folder: URL, bundleId wanted: String = "com.example.shop") throws {
        let data = try Data(contentsOf: folder.appending(path: "credentials.json"))
        let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let apps = json?["apps"] as? [[String: Any]] ?? []
        let app = try #require(apps.first { $0["bundleId"] as? String == wanted })
        keyFile = folder.appending(path: try #require(app["keyFile"] as? String)).path
        keyId = try #require(app["keyId"] as? String)
        issuerId = try #require(app["issuerId"] as? String)
        bundleId = wanted
    }

    var options: [String] {
        ["--key", keyFile, "--key-id", keyId, "--issuer-id", issuerId, "--bundle-id", bundleId]
    }
}
