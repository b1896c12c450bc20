import Foundation
import Testing

@testable import LintCommands

@Suite("SARIF is SARIF 2.1.0")
struct SARIFTests {
    private struct Log {
        let json: [String: Any]
        var run: [String: Any] { (json["runs"] as? [[String: Any]])?.first ?? [:] }
        var results: [[String: Any]] { run["results"] as? [[String: Any]] ?? [] }
        var rules: [[String: Any]] {
            ((run["tool"] as? [String: Any])?["driver"] as? [String: Any])?["rules"] as? [[String: Any]] ?? []
        }
    }

    private func log(_ arguments: [String], in folder: URL) async throws -> Log {
        Log(json: try await LintBinary.run(["lint", "--format", "sarif"] + arguments, in: folder).json)
    }

    @Test("Every object has the members that the standard gives it, and no other")
    func shape() async throws {
        let log = try await log(["Info.plist", "Shop.entitlements"], in: LintBinary.shop)
        #expect(SARIFShape.log.faults(in: log.json) == [])
        #expect(log.results.count == 5)
    }

    @Test("The check of the shape can fail")
    func shapeCanFail() {
        #expect(SARIFShape.log.faults(in: ["version": "2.1.0"]) == ["$.runs is missing"])
        #expect(SARIFShape.log.faults(in: ["version": "2.0.0", "runs": [[String: Any]]()] as [String: Any]).count == 2)
        #expect(SARIFShape.message.faults(in: ["text": "a", "txt": "b"]) == ["$.txt does not exist"])
        #expect(SARIFShape.region.faults(in: ["startLine": 0]) == ["$.startLine is no integer from 1"])
    }

    @Test("A result names its rule by id and number, and its place by line and column")
    func result() async throws {
        let log = try await log(["Info.plist", "Shop.entitlements"], in: LintBinary.shop)
        for result in log.results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(log.rules[index]["id"] as? String == result["ruleId"] as? String)
        }
        let result = try #require(log.results.first { $0["ruleId"] as? String == "country-not-lowercase" })
        #expect(result["level"] as? String == "error")
        let location = try #require((result["locations"] as? [[String: Any]])?.first)
        let place = try #require(location["physicalLocation"] as? [String: Any])
        #expect(place["region"] as? [String: Int] == ["startLine": 11, "startColumn": 3])
        #expect(place["artifactLocation"] as? [String: String] == ["uri": "Info.plist", "uriBaseId": "%SRCROOT%"])
    }

    @Test("A fix deletes exactly the text between the tags")
    func fix() async throws {
        let log = try await log(["Info.plist", "Shop.entitlements"], in: LintBinary.shop)
        let result = try #require(log.results.first { $0["ruleId"] as? String == "country-not-lowercase" })
        let fix = try #require((result["fixes"] as? [[String: Any]])?.first)
        let change = try #require((fix["artifactChanges"] as? [[String: Any]])?.first)
        let replacement = try #require((change["replacements"] as? [[String: Any]])?.first)
        let region = ["startLine": 11, "startColumn": 8, "endLine": 11, "endColumn": 10]
        #expect(replacement["deletedRegion"] as? [String: Int] == region)
        #expect((replacement["insertedContent"] as? [String: String])?["text"] == "nl")
    }

    @Test("The other place of a finding is a related location")
    func related() async throws {
        let log = try await log(["Info.plist", "Shop.entitlements"], in: LintBinary.shop)
        let result = try #require(log.results.first { $0["ruleId"] as? String == "entitlement-missing" })
        #expect((result["relatedLocations"] as? [[String: Any]])?.count == 1)
    }

    @Test("Paths are percent-encoded, relative below the folder and absolute outside")
    func paths() async throws {
        let folder = try ScratchFolder()
        try folder.write(Sample.infoPlist(country: "NL"), to: "my app 100%/ü/Info.plist")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "inner"),
            withIntermediateDirectories: true
        )
        func uri(_ path: String, from working: URL) async throws -> String? {
            let log = try await log([path], in: working)
            #expect(SARIFShape.log.faults(in: log.json) == [])
            let location = (log.results.first?["locations"] as? [[String: Any]])?.first
            let place = location?["physicalLocation"] as? [String: Any]
            return (place?["artifactLocation"] as? [String: String])?["uri"]
        }
        #expect(try await uri("my app 100%/ü", from: folder.url) == "my%20app%20100%25/%C3%BC/Info.plist")
        let outside = try await uri("../my app 100%/ü", from: folder.url.appending(path: "inner"))
        #expect(outside?.hasPrefix("file:///") == true)
        #expect(outside?.hasSuffix("/my%20app%20100%25/%C3%BC/Info.plist") == true)
    }

    @Test("A fingerprint stays when lines move, and changes with the value")
    func fingerprints() async throws {
        func fingerprint(_ plist: String) async throws -> String? {
            let folder = try ScratchFolder()
            try folder.write(plist, to: "Info.plist")
            let log = try await log(["Info.plist"], in: folder.url)
            let result = log.results.first { $0["ruleId"] as? String == "link-url-not-https" }
            return (result?["partialFingerprints"] as? [String: String])?["externalPurchaseLint/v1"]
        }
        let first = try await fingerprint(Sample.infoPlist(url: "http://a.acme.com"))
        let moved = try await fingerprint(
            Sample.infoPlist(url: "http://a.acme.com").replacingOccurrences(of: "<dict>\n", with: "<dict>\n\n\n")
        )
        let other = try await fingerprint(Sample.infoPlist(url: "http://b.acme.com"))
        #expect(first != nil)
        #expect(first == moved)
        #expect(first != other)
    }
}
