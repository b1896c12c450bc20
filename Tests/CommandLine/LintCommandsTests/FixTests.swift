import Foundation
import Testing

@testable import LintCommands

@Suite("--fix repairs what cannot alter meaning, and nothing else (CF-73)")
struct FixTests {
    @Test("A code is written in lower case, every other byte stays, and the rest is reported")
    func fix() async throws {
        let folder = try Sample.faulty()
        let before = try folder.text("Info.plist")
        let result = try await folder.lint(["--fix"] + Sample.files)
        #expect(result.exitCode == 1)
        #expect(result.error.contains("Info.plist: 1 finding fixed"))
        #expect(result.output.contains("[link-url-not-https]"))
        #expect(!result.output.contains("[country-not-lowercase]"))
        #expect(
            try folder.text("Info.plist") == before.replacingOccurrences(of: "<key>NL</key>", with: "<key>nl</key>")
        )
    }

    @Test("--dry-run prints the diff, writes nothing and ends as lint would")
    func dryRun() async throws {
        let folder = try Sample.faulty()
        let before = try folder.text("Info.plist")
        let result = try await folder.lint(["--fix", "--dry-run"] + Sample.files)
        #expect(result.exitCode == 1)
        #expect(result.output.hasPrefix("--- a/Info.plist\n+++ b/Info.plist\n@@"))
        #expect(result.output.contains("<key>nl</key>"))
        #expect(try folder.text("Info.plist") == before)
    }

    @Test("A disabled rule is not fixed")
    func disabled() async throws {
        let folder = try Sample.faulty()
        let before = try folder.text("Info.plist")
        _ = try await folder.lint(["--fix", "--disable", "country-not-lowercase"] + Sample.files)
        #expect(try folder.text("Info.plist") == before)
    }

    @Test("Entitlements that two apps share are fixed once")
    func shared() async throws {
        let folder = try ScratchFolder()
        try folder.write(Sample.infoPlist(country: "NL"), to: "a/Info.plist")
        try folder.write(Sample.infoPlist(country: "DE"), to: "b/Info.plist")
        let result = try await folder.lint(["--fix", "."])
        #expect(result.error.contains("a/Info.plist: 1 finding fixed"))
        #expect(result.error.contains("b/Info.plist: 1 finding fixed"))
        #expect(try folder.text("b/Info.plist").contains("<key>de</key>"))
    }

    @Test("A built product is refused with one line")
    func built() async throws {
        let folder = try ScratchFolder()
        try folder.write(Sample.infoPlist(country: "NL"), to: "Shop.app/Info.plist")
        let before = try folder.text("Shop.app/Info.plist")
        let result = try await folder.lint(["--fix", "Shop.app"])
        #expect(result.exitCode == 1)
        #expect(result.error.contains("not fixed: a built product is signed"), "\(result.error)")
        #expect(try folder.text("Shop.app/Info.plist") == before)
    }
}
