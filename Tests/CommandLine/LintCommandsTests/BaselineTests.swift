import Foundation
import Testing

@testable import LintCommands

@Suite("A baseline accepts today's findings and nothing else")
struct BaselineTests {
    private let options = ["--baseline", "baseline.json"]

    @Test("What is written is accepted, wherever the lines move")
    func accepts() async throws {
        let folder = try Sample.faulty()
        let written = try await folder.lint(options + ["--write-baseline"] + Sample.files)
        #expect(written.exitCode == 0)
        #expect(written.error.contains("3 findings accepted in baseline.json"), "\(written.error)")
        let text = try folder.text("Info.plist")
        try folder.write(
            text.replacingOccurrences(of: "<dict>\n", with: "<dict>\n\n<!-- moved -->\n"),
            to: "Info.plist"
        )
        let result = try await folder.lint(options + Sample.files)
        #expect(result.exitCode == 0)
        #expect(result.output == "no findings in 2 files (rule pack 2026-10, 3 accepted by the baseline)\n")
        #expect(result.error.isEmpty)
    }

    @Test("A new finding counts, also another value at the same place")
    func newFinding() async throws {
        let folder = try Sample.faulty()
        _ = try await folder.lint(options + ["--write-baseline"] + Sample.files)
        try folder.write(Sample.infoPlist(country: "NL", url: "http://other.acme.com/nl"), to: "Info.plist")
        let result = try await folder.lint(options + ["--format", "json"] + Sample.files)
        #expect(result.exitCode == 1)
        #expect(result.rules == ["link-url-not-https"])
    }

    @Test("Entries that are no longer found are reported, those of files that were not read are not")
    func stale() async throws {
        let folder = try Sample.faulty()
        _ = try await folder.lint(options + ["--write-baseline"] + Sample.files)
        try folder.write(Sample.infoPlist(url: "http://shop.acme.com/nl"), to: "Info.plist")
        let result = try await folder.lint(options + Sample.files)
        #expect(result.error.contains("Info.plist: country-not-lowercase at SKExternalPurchaseLink/NL"))
        let json = try await folder.lint(options + ["--format", "json"] + Sample.files).json
        let stale = (json["baseline"] as? [String: Any])?["stale"] as? [[String: Any]]
        #expect(stale?.contains { $0["rule"] as? String == "country-not-lowercase" } == true)
        let other = try await folder.lint(options + ["App.entitlements"])
        #expect(!other.error.contains("no longer found"))
    }

    @Test("The file is JSON, sorted, relative to its folder and without line numbers")
    func file() async throws {
        let folder = try Sample.faulty()
        try FileManager.default.createDirectory(at: folder.url.appending(path: "ci"), withIntermediateDirectories: true)
        _ = try await folder.lint(["--baseline", "ci/b.json", "--write-baseline"] + Sample.files)
        let text = try folder.text("ci/b.json")
        let json = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(json["version"] as? Int == 1)
        let findings = try #require(json["findings"] as? [[String: String]])
        #expect(findings.map { $0["rule"] } == ["link-single-only", "country-not-lowercase", "link-url-not-https"])
        #expect(findings.allSatisfy { $0["file"] == "../Info.plist" })
        #expect(findings.last?["value"] == "http://shop.acme.com/nl")
        #expect(!text.contains("line"))
    }

    @Test("The same fault twice in a list is accepted as often as it was there")
    func repeated() async throws {
        let folder = try ScratchFolder()
        func write(_ codes: [String]) throws {
            let list = codes.map { "<string>\($0)</string>" }.joined()
            try folder.write(Sample.plist("<key>SKExternalPurchase</key><array>\(list)</array>"), to: "Info.plist")
        }
        try write(["ch"])
        _ = try await folder.lint(options + ["--write-baseline", "Info.plist"])
        try write(["nl", "ch"])
        #expect(try await folder.lint(options + ["Info.plist"]).exitCode == 0)
        try write(["ch", "ch"])
        #expect(try await folder.lint(options + ["Info.plist"]).exitCode == 1)
    }

    @Test(
        "Only a baseline is replaced",
        arguments: [("", true), (#"{"version":1,"findings":[]}"#, true), ("let a = 1\n", false), (#"{"a":1}"#, false)]
    )
    func replaced(_ content: String, isReplaced: Bool) async throws {
        let folder = try Sample.faulty()
        try folder.write(content, to: "baseline.json")
        let result = try await folder.lint(options + ["--write-baseline"] + Sample.files)
        #expect(result.exitCode == (isReplaced ? 0 : 2), "\(result.error)")
        #expect(result.error.contains("would be lost") == !isReplaced)
        #expect(try (folder.text("baseline.json") == content) == !isReplaced)
    }
}
