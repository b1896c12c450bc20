import ConfigurationLint
import Foundation
import TestSupport
import Testing

struct PageTests {
    private static let root = PackageFolder.root

    private static func names(in folder: String, ending: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(ending) }
            .map { String($0.dropLast(ending.count)) }
    }

    @Test("Each rule has one file, one page and one description, and there are no others")
    func counts() throws {
        let ids = ConfigurationLinter.ruleIds
        let files = try Self.names(in: "Sources/App/ConfigurationLint/Rules", ending: ".swift")
        let pages = try Self.names(in: "docs/lint", ending: ".md").filter { $0 != "README" }
        #expect(ids.count == files.count)
        #expect(Set(ids).count == ids.count)
        // A file is named after its rule: `PlistUnreadable.swift` contains `plist-unreadable`.
        let spelled = { (name: String) in name.filter { $0 != "-" }.lowercased() }
        #expect(files.map(spelled).sorted() == ids.map(spelled).sorted())
        #expect(pages.sorted() == ids.sorted())
        #expect(ConfigurationLinter.rules.map(\.id).sorted() == ids.sorted())
    }

    @Test("The list that groups the rules names each of them once, in the order in which they are described")
    func order() throws {
        let list = try String(contentsOf: Self.root.appending(path: "Scripts/lint-rules.txt"), encoding: .utf8)
        let ids = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        #expect(ids == ConfigurationLinter.rules.map(\.id))
    }

    @Test("A page contains the rule's text below its title, with the severity")
    func pages() throws {
        for rule in ConfigurationLinter.rules {
            let page = try String(contentsOf: Self.root.appending(path: rule.page), encoding: .utf8)
            #expect(page.hasSuffix("\n# \(rule.id)\n\n\(rule.explanation)\n"))
            #expect(rule.explanation.hasPrefix("Severity: \(rule.severity.rawValue); "))
            #expect(rule.explanation.contains("repaired by `lint --fix`") == rule.isFixable, "\(rule.id)")
            #expect(rule.explanation.contains("\n\n\(rule.summary)\n\n"))
            let words = rule.explanation.components(separatedBy: "\nBreaks it:")[0].split(separator: " ").count
            #expect(words > 30, "\(rule.id)")
        }
    }

    @Test("The table of all rules has a line for each, with severity, fix and summary")
    func table() throws {
        let table = try String(contentsOf: Self.root.appending(path: "docs/lint/README.md"), encoding: .utf8)
        let lines = Set(table.split(separator: "\n").filter { $0.hasPrefix("| [") }.map(String.init))
        let expected = ConfigurationLinter.rules.map { rule in
            "| [`\(rule.id)`](\(rule.id).md) | \(rule.severity.rawValue) | \(rule.isFixable ? "yes" : "no") | "
                + "\(rule.summary) |"
        }
        #expect(lines == Set(expected))
    }

    @Test("A text states whether its rule is documented or the project's own (CF-77)")
    func basis() {
        let basis = ConfigurationLinter.rules.filter { $0.explanation.contains(/\nFollows: .* \(documented\)\.$/) }
        #expect(Set(basis.map(\.id)) == Self.documented.intersection(ConfigurationLinter.ruleIds))
    }

    private static let documented: Set<String> = [
        "key-wrong-type", "element-wrong-type", "collection-empty", "country-not-lowercase", "country-alpha-3",
        "country-unknown", "country-needs-entitlement", "country-withdrawn", "country-not-supported",
        "link-url-not-ascii", "link-url-too-long", "link-url-relative", "link-url-not-https", "link-url-no-host",
        "link-url-invalid", "link-url-has-query", "link-url-changed", "multi-link-over-five", "multi-link-over-one",
        "multi-link-needs-streaming", "link-union-over-limit", "entitlement-missing", "streaming-entitlement-missing",
        "multi-link-without-fallback", "link-account-no-default", "entitlement-wrong-type", "minimum-os-below-use",
        "minimum-os-below-tokens", "key-unavailable-on-platform", "korea-needs-own-app",
    ]

    // A damaged archive cannot be shown as text, and a build setting is not a property list.
    private static let languages = ["artifact-unreadable": "text", "key-set-elsewhere": "xcconfig"]

    @Test("The violation on a page gives its finding and no other", arguments: ConfigurationLinter.rules)
    func breaks(_ rule: RuleDescription) throws {
        let block = try #require(PageSnippet.block("Breaks it", in: rule.explanation))
        try #require(block.language == Self.languages[rule.id, default: "xml"])
        guard block.language != "text" else { return }
        let findings = try PageSnippet(block.text, language: block.language).findings().filter {
            $0.severity > .note || $0.rule == rule.id
        }
        #expect(findings.map(\.rule).contains(rule.id))
        #expect(Set(findings.map(\.rule)).subtracting([rule.id]).isEmpty)
        #expect(findings.first { $0.rule == rule.id }?.severity == rule.severity)
    }

    @Test(
        "The correct form on a page gives neither its finding nor an error or warning",
        arguments: ConfigurationLinter.rules
    )
    func right(_ rule: RuleDescription) throws {
        let block = try #require(PageSnippet.block("Right", in: rule.explanation))
        guard block.language != "text" else { return }
        let findings = try PageSnippet(block.text, language: block.language).findings()
        #expect(findings.filter { $0.severity > .note || $0.rule == rule.id } == [])
    }

    @Test("Examples name hosts of acme.example only, apart from the two rules about other hosts")
    func hosts() {
        let strangers = ConfigurationLinter.rules.filter { rule in
            (rule.explanation.components(separatedBy: "\nBreaks it:").last ?? "").matches(of: /https?:\/\/([^\/<\s`]+)/)
                .contains { match in
                    let host = String(match.1)
                    return !host.isEmpty && !host.contains(/acme\.example(:\d+)?$/) && !host.hasPrefix("$(")
                }
        }
        #expect(strangers.map(\.id) == ["link-url-private-host", "link-url-placeholder-host"])
    }

    @Test("The rules whose examples can be repaired are the fixable ones (CF-73)")
    func fixable() throws {
        let repaired = try ConfigurationLinter.rules.filter { rule in
            let block = try #require(PageSnippet.block("Breaks it", in: rule.explanation))
            guard block.language != "text" else { return false }
            return try PageSnippet(block.text, language: block.language).findings().contains {
                $0.rule == rule.id && !$0.edits.isEmpty
            }
        }
        #expect(repaired.map(\.id) == ConfigurationLinter.rules.filter(\.isFixable).map(\.id))
    }

    @Test("A rule is found by its id, and a slip leads to the rule that was meant")
    func lookup() {
        #expect(ConfigurationLinter.rule("link-url-not-https")?.severity == .error)
        #expect(ConfigurationLinter.rule("link-url-not-https")?.page == "docs/lint/link-url-not-https.md")
        #expect(ConfigurationLinter.rule("link-url-not-http") == nil)
        #expect(ConfigurationLinter.rule(nearestTo: "link-url-not-http")?.id == "link-url-not-https")
        #expect(ConfigurationLinter.rule(nearestTo: "KEY-CASE")?.id == "key-case")
        #expect(ConfigurationLinter.rule(nearestTo: "something-else") == nil)
    }
}
