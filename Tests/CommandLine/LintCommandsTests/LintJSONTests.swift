import Foundation
import Testing

@testable import LintCommands

@Suite("The JSON has the shape of the contract")
struct LintJSONTests {
    @Test("Diagnostics, summary and rule pack")
    func shape() async throws {
        let result = try await LintBinary.run(
            ["lint", "--format", "json", "Info.plist", "Shop.entitlements"],
            in: LintBinary.shop
        )
        #expect(result.exitCode == 1)
        let json = result.json
        #expect(Set(json.keys) == ["diagnostics", "summary", "rulePack"])
        #expect(json["rulePack"] as? String == "2026-10")
        #expect(
            json["summary"] as? [String: Int] == ["errors": 3, "warnings": 1, "notes": 1, "files": 2]
        )
        let diagnostics = try #require(json["diagnostics"] as? [[String: Any]])
        #expect(diagnostics.count == 5)
        let lower = try #require(diagnostics.first { $0["rule"] as? String == "country-not-lowercase" })
        #expect(lower["severity"] as? String == "error")
        #expect(lower["file"] as? String == "Info.plist")
        #expect(lower["line"] as? Int == 11)
        #expect(lower["column"] as? Int == 3)
        #expect(lower["key"] as? String == "SKExternalPurchaseLink")
        #expect(lower["path"] as? String == "SKExternalPurchaseLink/NL")
        #expect(lower["country"] as? String == "NL")
        #expect(lower["message"] as? String == "\"NL\" never matches; codes are lower case")
        #expect(lower["hint"] as? String == "Write \"nl\".")
        #expect(lower["fix"] as? String == "nl")
        let missing = try #require(diagnostics.first { $0["rule"] as? String == "entitlement-missing" })
        #expect(missing["fix"] is NSNull)
        #expect(missing["country"] is NSNull)
        let related = try #require(missing["related"] as? [[String: Any]])
        #expect(related.first?["file"] as? String == "Shop.entitlements")
        #expect(related.first?["line"] as? Int == 3)
    }

    @Test("A file without findings has an empty list")
    func clean() async throws {
        let folder = try Sample.clean()
        let json = try await folder.lint(Sample.files + ["--format", "json", "--disable", "link-single-only"]).json
        #expect((json["diagnostics"] as? [Any])?.isEmpty == true)
    }
}
