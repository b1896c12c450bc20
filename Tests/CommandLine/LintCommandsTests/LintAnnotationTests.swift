import Foundation
import Testing

@testable import LintCommands

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("CI systems can read the findings")
struct LintAnnotationTests {
    @Test("GitHub commands carry place and title, and escape what would end them")
    func gitHub() async throws {
        let folder = try ScratchFolder()
        try folder.write(Sample.infoPlist(url: "https://shop.acme.com/100%"), to: "my, app: x/Info.plist")
        let result = try await folder.lint(["--format", "github", "./my, app: x/Info.plist"])
        #expect(result.exitCode == 1)
        let line = try #require(result.output.split(separator: "\n").first { $0.contains("title=link-url-invalid") })
        #expect(
            line.hasPrefix("::error file=my%2C app%3A x/Info.plist,line=6,col=53,title=link-url-invalid::"),
            "\(line)"
        )
        #expect(line.contains("https://shop.acme.com/100%25"))
        #expect(line.contains("%0A"))
        #expect(result.output.contains("::notice file="))
    }

    @Test("JUnit is XML with a suite per app, a failing case per error and warning, a skipped one per note")
    func junit() async throws {
        let folder = try ScratchFolder()
        try folder.write(Sample.infoPlist(country: "n\"<&>", url: "https://shop.acme.com/'#x"), to: "a/Info.plist")
        try folder.write(Sample.infoPlist(), to: "b/Info.plist")
        try folder.write(Sample.entitlements, to: "b/B.entitlements")
        let escaped = Sample.infoPlist(country: "n&quot;&lt;&amp;&gt;", url: "https://shop.acme.com/'#x")
        try folder.write(escaped, to: "a/Info.plist")
        let result = try await folder.lint([".", "--format", "junit"])
        #expect(result.exitCode == 1)
        let counts = JUnitCounts()
        let parser = XMLParser(data: Data(result.output.utf8))
        parser.delegate = counts
        #expect(parser.parse())
        #expect(parser.parserError == nil)
        #expect(counts.suites.count == 2)
        for suite in counts.suites {
            #expect(suite.declared == suite.counted)
        }
        #expect(counts.suites.contains { $0.counted.failures == 0 })
        #expect(counts.suites.contains { $0.counted.failures > 0 })
        #expect(counts.messages.contains { $0.contains("\"n\"<&>\"") }, "\(counts.messages)")
    }

    private final class JUnitCounts: NSObject, XMLParserDelegate {
        struct Counts: Equatable {
            var tests = 0
            var failures = 0
            var skipped = 0
        }
        var suites: [(declared: Counts, counted: Counts)] = []
        var messages: [String] = []

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            switch name {
            case "testsuite":
                func number(_ name: String) -> Int { attributes[name].flatMap { Int($0) } ?? -1 }
                let declared = Counts(tests: number("tests"), failures: number("failures"), skipped: number("skipped"))
                suites.append((declared, Counts()))
            case "testcase": suites[suites.count - 1].counted.tests += 1
            case "failure":
                suites[suites.count - 1].counted.failures += 1
                messages.append(attributes["message"] ?? "")
            case "skipped": suites[suites.count - 1].counted.skipped += 1
            default: break
            }
        }
    }
}
