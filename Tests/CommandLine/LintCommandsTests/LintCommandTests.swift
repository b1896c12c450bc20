import Foundation
import Testing

@testable import LintCommands

@Suite("lint answers by exit code and says what is wrong with its own use")
struct LintCommandTests {
    @Test("Without an error the code is 0, with one it is 1 (CF-70)")
    func exitCodes() async throws {
        #expect(try await Sample.clean().lint(Sample.files).exitCode == 0)
        #expect(try await Sample.faulty().lint(Sample.files).exitCode == 1)
    }

    @Test("A warning counts with --strict, as an option or a setting, and --no-strict takes it back (CF-70)")
    func strict() async throws {
        let folder = try ScratchFolder()
        try folder.write(Sample.infoPlist(url: "https://shop.acme.com/#nl"), to: "Info.plist")
        try folder.write(Sample.entitlements, to: "App.entitlements")
        #expect(try await folder.lint(Sample.files).exitCode == 0)
        #expect(try await folder.lint(["--strict"] + Sample.files).exitCode == 1)
        try folder.write("strict: true\n", to: "external-purchase-lint.yaml")
        #expect(try await folder.lint(Sample.files).exitCode == 1)
        #expect(try await folder.lint(["--no-strict"] + Sample.files).exitCode == 0)
    }

    @Test("The command's name may be left out, and a folder is searched")
    func defaults() async throws {
        let folder = try Sample.faulty()
        let result = try await LintBinary.run([".", "--format", "json"], in: folder.url)
        #expect(result.exitCode == 1)
        #expect(result.rules.contains("country-not-lowercase"))
        #expect((result.json["summary"] as? [String: Any])?["files"] as? Int == 2)
    }

    struct Misuse: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let says: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(
        "Wrong usage ends with 2 and one line that says what would be right",
        arguments: [
            Misuse(arguments: [], says: "name a file or a folder"),
            Misuse(arguments: ["nowhere.plist"], says: "nowhere.plist: no such file or folder"),
            Misuse(arguments: ["empty"], says: "empty: nothing to check"),
            Misuse(arguments: ["--disable", "link-url-not-htps", "."], says: "did you mean 'link-url-not-https'?"),
            Misuse(arguments: ["--explain", "country-unknwon"], says: "did you mean 'country-unknown'?"),
            Misuse(arguments: ["--explain", "country-unknown", "--format", "sarif"], says: "--format text or json"),
            Misuse(
                arguments: ["--platform", "amiga", "."],
                says: "--platform 'amiga' is not a platform; choose one of iOS"
            ),
            Misuse(arguments: ["--as-of", "2026-13-01", "."], says: "is not a day"),
            Misuse(arguments: ["--as-of", "1999-01-01", "."], says: "is before the first rules"),
            Misuse(arguments: ["--format", "xml", "."], says: "'text', 'json', 'sarif', 'github' or 'junit'"),
            Misuse(arguments: ["--dry-run", "."], says: "--dry-run belongs to --fix"),
            Misuse(arguments: ["--fix", "--write-baseline", "."], says: "exclude each other"),
            Misuse(arguments: ["--fix", "--dry-run", "--format", "json", "."], says: "--dry-run prints a diff"),
            Misuse(arguments: ["--write-baseline", "."], says: "--write-baseline needs a file"),
            Misuse(arguments: ["--baseline", "none.json", "."], says: "none.json: no such file"),
            Misuse(arguments: ["--baseline", "Info.plist", "."], says: "Info.plist: is not a baseline"),
            Misuse(arguments: ["--config", "none.yaml", "."], says: "none.yaml: no such file"),
            Misuse(arguments: ["--reviewed", "none.plist", "."], says: "none.plist"),
            Misuse(arguments: ["--quiet", "--verbose", "."], says: "exclude each other"),
        ]
    )
    func misuse(_ misuse: Misuse) async throws {
        let folder = try Sample.clean()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "empty"),
            withIntermediateDirectories: true
        )
        let result = try await folder.lint(misuse.arguments)
        #expect(result.exitCode == 2)
        #expect(result.error.contains(misuse.says), "\(result.error)")
        #expect(result.output.isEmpty)
    }

    @Test("A file that is no property list is a finding, and the other files are checked all the same")
    func unreadable() async throws {
        let folder = try Sample.faulty()
        try folder.write("not a plist", to: "other/Info.plist")
        let result = try await folder.lint([".", "--format", "json"])
        #expect(result.exitCode == 1)
        #expect(result.rules.contains("plist-unreadable"))
        #expect(result.rules.contains("country-not-lowercase"))
    }

    @Test("A rule that is disabled says nothing, by option and by setting")
    func disable() async throws {
        let folder = try Sample.faulty()
        let options = ["--disable", "country-not-lowercase", "--disable", "link-url-not-https"]
        #expect(try await folder.lint(options + Sample.files).exitCode == 0)
        try folder.write("disable: [country-not-lowercase]\n", to: "external-purchase-lint.yaml")
        let rules = try await folder.lint(Sample.files + ["--format", "json"]).rules
        #expect(!rules.contains("country-not-lowercase"))
        #expect(rules.contains("link-url-not-https"))
    }

    @Test("--as-of takes older rules (CF-60, key-not-in-pack)")
    func asOf() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            Sample.plist("<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"),
            to: "Info.plist"
        )
        let old = try await folder.lint(["Info.plist", "--as-of", "2024-05-01", "--format", "json"])
        #expect(old.json["rulePack"] as? String == "2024-04")
        #expect(old.rules.contains("key-not-in-pack"))
        let new = try await folder.lint(["Info.plist", "--format", "json"])
        #expect(!new.rules.contains("key-not-in-pack"))
    }

    @Test("--no-music-streaming makes several links an error (CF-43)")
    func musicStreaming() async throws {
        let folder = try ScratchFolder()
        let urls = "<string>https://shop.acme.com/a</string><string>https://shop.acme.com/b</string>"
        try folder.write(
            Sample.plist("<key>SKExternalPurchaseMultiLink</key><dict><key>fi</key><array>\(urls)</array></dict>"),
            to: "Info.plist"
        )
        func rules(_ option: [String]) async throws -> [String] {
            try await folder.lint(["Info.plist", "--format", "json"] + option).rules
        }
        #expect(try await rules([]).contains("multi-link-needs-streaming"))
        #expect(try await rules(["--no-music-streaming"]).contains("multi-link-over-one"))
        let qualified = try await rules(["--music-streaming"])
        #expect(!qualified.contains("multi-link-needs-streaming") && !qualified.contains("multi-link-over-one"))
    }

    @Test("--platform decides which keys exist (CF-74, key-unavailable-on-platform)")
    func platform() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            Sample.plist("<key>SKExternalPurchaseLinkStreamingRegions</key><array><string>is</string></array>"),
            to: "Info.plist"
        )
        let mac = try await folder.lint(["Info.plist", "--platform", "macos", "--format", "json"])
        #expect(mac.rules.contains("key-unavailable-on-platform"))
        let phone = try await folder.lint(["Info.plist", "--platform", "iOS", "--format", "json"])
        #expect(!phone.rules.contains("key-unavailable-on-platform"))
    }

    @Test("--reviewed finds links that App Review has not seen (CF-5, link-url-changed)")
    func reviewed() async throws {
        let folder = try Sample.clean()
        try folder.write(Sample.infoPlist(url: "https://shop.acme.com/old"), to: "reviewed.plist")
        let changed = try await folder.lint(Sample.files + ["--reviewed", "reviewed.plist", "--format", "json"])
        #expect(changed.rules.contains("link-url-changed"))
        try folder.write(Sample.infoPlist(), to: "reviewed.plist")
        let same = try await folder.lint(Sample.files + ["--reviewed", "reviewed.plist", "--format", "json"])
        #expect(!same.rules.contains("link-url-changed"))
    }

    @Test("--explain prints a rule's page, and its parts as JSON")
    func explain() async throws {
        let folder = try ScratchFolder()
        let text = try await folder.lint(["--explain", "link-url-not-https"])
        #expect(text.exitCode == 0)
        #expect(text.output.contains("SKExternalPurchaseLink"))
        let json = try await folder.lint(["--explain", "country-not-lowercase", "--format", "json"]).json
        #expect(json["id"] as? String == "country-not-lowercase")
        #expect(json["severity"] as? String == "error")
        #expect(json["fixable"] as? Bool == true)
    }

    @Test("A stamp is written only when nothing is wrong")
    func stamp() async throws {
        let bad = try Sample.faulty()
        #expect(try await bad.lint(["--stamp", "stamp"] + Sample.files).exitCode == 1)
        #expect(!FileManager.default.fileExists(atPath: bad.url.appending(path: "stamp").path))
        let good = try Sample.clean()
        #expect(try await good.lint(["--stamp", "stamp", "--quiet"] + Sample.files).exitCode == 0)
        #expect(FileManager.default.fileExists(atPath: good.url.appending(path: "stamp").path))
    }
}
