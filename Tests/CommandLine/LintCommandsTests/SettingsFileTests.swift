import Foundation
import Testing

@testable import LintCommands

@Suite("Settings stand in external-purchase-lint.yaml")
struct SettingsFileTests {
    private static let name = "external-purchase-lint.yaml"

    @Test("Every setting is taken; options go before them")
    func settings() async throws {
        let folder = try Sample.faulty()
        try folder.write(
            "disable: country-not-lowercase\nmusicStreaming: no\nasOf: 2025-08-01\nplatform: iOS\nexclude: []\n",
            to: Self.name
        )
        let result = try await folder.lint(Sample.files + ["--format", "json"])
        #expect(result.json["rulePack"] as? String == "2025-07")
        #expect(!result.rules.contains("country-not-lowercase"))
        let option = try await folder.lint(Sample.files + ["--format", "json", "--as-of", "2026-10-01"])
        #expect(option.json["rulePack"] as? String == "2026-10")
    }

    @Test("A baseline is relative to the settings that name it")
    func baseline() async throws {
        let folder = try Sample.faulty()
        try folder.write("baseline: accepted.json\n", to: "ci/lint.yaml")
        let arguments = ["--config", "ci/lint.yaml"] + Sample.files
        #expect(try await folder.lint(arguments + ["--write-baseline"]).exitCode == 0)
        #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: "ci/accepted.json").path))
        #expect(try await folder.lint(arguments).exitCode == 0)
    }

    @Test(
        "Excluded paths are not checked",
        arguments: ["third", "third/**", "*/party", "**/Info.plist", "./third/party/Info.plist"]
    )
    func exclude(_ pattern: String) async throws {
        let folder = try ScratchFolder()
        try folder.write(Sample.infoPlist(country: "NL"), to: "third/party/Info.plist")
        try folder.write(Sample.entitlements, to: "App.entitlements")
        #expect(try await folder.lint(["."]).exitCode == 1)
        try folder.write("exclude: ['\(pattern)']\n", to: Self.name)
        let result = try await folder.lint([".", "--format", "json"])
        #expect(!result.rules.contains("country-not-lowercase"))
        #expect((result.json["summary"] as? [String: Int])?["files"] == 1)
    }

    struct Fault: Sendable {
        let yaml: String
        let says: String
    }

    @Test(
        "What is wrong in the settings is named with its place",
        arguments: [
            Fault(
                yaml: "strict: true\ndisabel: [x]\n",
                says: "external-purchase-lint.yaml:2:1: 'disabel' is not a key; did you mean 'disable'?"
            ),
            Fault(yaml: "colour: red\n", says: "the keys are disable, strict"),
            Fault(yaml: "disable: [link-url-not-htps]\n", says: "did you mean 'link-url-not-https'?"),
            Fault(yaml: "strict: perhaps\n", says: "'strict' is true or false"),
            Fault(yaml: "musicStreaming: maybe\n", says: "'musicStreaming' is yes, no or auto"),
            Fault(yaml: "asOf: tomorrow\n", says: "asOf 'tomorrow' is not a day"),
            Fault(yaml: "platform: amiga\n", says: "platform 'amiga' is not a platform"),
            Fault(yaml: "exclude: {a: b}\n", says: "'exclude' is a list"),
            Fault(yaml: "exclude: [~]\n", says: "'exclude' needs a text"),
            Fault(yaml: "disable: [null]\n", says: "'disable' needs a text"),
            Fault(yaml: "baseline: null\n", says: "'baseline' needs a text"),
            Fault(yaml: "baseline:\n", says: "'baseline' needs a text"),
            Fault(yaml: "platform: ~\n", says: "'platform' needs a text"),
            Fault(yaml: "asOf: ~\n", says: "'asOf' needs a text"),
            Fault(yaml: "- strict\n", says: "settings are keys with values"),
            Fault(yaml: "strict: [\n", says: "external-purchase-lint.yaml"),
        ]
    )
    func faults(_ fault: Fault) async throws {
        let folder = try Sample.clean()
        try folder.write(fault.yaml, to: Self.name)
        let result = try await folder.lint(Sample.files)
        #expect(result.exitCode == 2)
        #expect(result.error.contains(fault.says), "\(result.error)")
    }

    @Test("An empty file sets nothing")
    func empty() async throws {
        let folder = try Sample.clean()
        try folder.write("# nothing yet\n", to: Self.name)
        #expect(try await folder.lint(Sample.files).exitCode == 0)
    }
}
