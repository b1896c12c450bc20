import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

struct RuleTests {
    private func findings(_ fixture: RuleFixture) throws -> [Finding] {
        let pack = try #require(RegionTables.builtIn.pack(fixture.pack))
        do throws(ConfigurationReadError) {
            let configuration = try ConfigurationText.read(
                infoPlist: fixture.infoPlist,
                entitlements: fixture.entitlements,
                whole: fixture.wholeInfoPlist
            )
            return ConfigurationLinter.findings(in: configuration, options: LintOptions(pack: pack))
        } catch {
            return [try #require(Finding(error))]
        }
    }

    @Test("Every rule has a configuration that breaks it and one that does not")
    func everyRuleHasFixtures() {
        #expect(Set(RuleFixture.failing.map(\.rule)) == Set(ConfigurationLinter.ruleIds))
        #expect(Set(RuleFixture.passing.map(\.rule)) == Set(ConfigurationLinter.ruleIds))
        #expect(Set(ConfigurationLinter.ruleIds).count == 39)
        #expect(ConfigurationLinter.ruleIds.count == 39)
    }

    @Test(
        "A broken rule gives its finding, with place and hint, and no other (CF-71, CF-76)",
        arguments: RuleFixture.failing
    )
    func failing(_ fixture: RuleFixture) throws {
        let findings = try findings(fixture)
        #expect(findings.map(\.rule) == [fixture.rule])
        let finding = try #require(findings.first)
        #expect(finding.severity == Self.severities[fixture.rule, default: .error])
        #expect(finding.position?.line == 1)
        #expect(finding.hint?.isEmpty == false)
        #expect(!finding.message.contains("{"))
        #expect((finding.fix != nil) == Self.fixable.contains(fixture.rule))
    }

    @Test("The nearest configuration that keeps the rule gives nothing", arguments: RuleFixture.passing)
    func passing(_ fixture: RuleFixture) throws {
        #expect(try findings(fixture) == [])
    }

    // Every other rule is an error (spec/01 section 8).
    private static let severities: [String: Severity] = [
        "key-not-in-pack": .warning, "unresolved-variable": .warning, "country-duplicate": .warning,
        "country-withdrawn": .warning, "allowed-regions-contested": .note, "link-url-fragment": .warning,
        "link-url-userinfo": .warning, "link-url-private-host": .warning, "link-url-placeholder-host": .note,
        "multi-link-duplicate": .warning, "multi-link-needs-streaming": .warning,
    ]

    private static let fixable: Set<String> = [
        "key-case", "element-wrong-type", "country-whitespace", "country-not-lowercase", "country-alpha-3",
        "link-url-whitespace", "link-url-empty-query", "entitlement-wrong-type",
    ]

    @Test(
        "Messages name what was found",
        arguments: [
            ("key-wrong-type", "SKExternalPurchase must be an array of strings, found a string"),
            (
                "element-wrong-type",
                "SKExternalPurchaseMultiLink/nl must be an array of strings, found a string"
            ),
            ("collection-empty", "SKExternalPurchaseMultiLink/nl is empty, so the API is never available there"),
            ("country-withdrawn", "us left SKExternalPurchaseLink with pack 2025-07; the entry has no effect"),
            ("country-not-supported", "SKExternalPurchase does not support ch"),
            ("link-url-too-long", "The link for nl has 1001 characters; 1,000 are allowed"),
            ("link-url-not-https", "\"http://shop.acme.example/nl\" uses http; only https is allowed"),
            ("multi-link-over-five", "se has 6 links; at most five are allowed"),
            ("link-union-over-limit", "ru has 2 different links over both keys; 1 allowed"),
            ("plist-root-not-dictionary", "The root of Info.plist is an array, not a dictionary"),
            (
                "entitlement-wrong-type",
                "com.apple.developer.storekit.external-purchase must be a Boolean, found a string"
            ),
        ]
    )
    func messages(rule: String, message: String) throws {
        let fixture = try #require(RuleFixture.failing.first { $0.rule == rule })
        #expect(try findings(fixture).first?.message == message)
    }

    @Test("A finding points at the line and column of its entry (CF-71)")
    func place() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">
            <dict>
            \t<key>SKExternalPurchaseMultiLink</key>
            \t<dict>
            \t\t<key>es</key>
            \t\t<array>
            \t\t\t<string>https://a.acme.example</string>
            \t\t\t<string>http://b.acme.example</string>
            \t\t</array>
            \t</dict>
            </dict>
            </plist>
            """
        let file = try PropertyListFile.parse(Array(text.utf8), path: "App/Info.plist")
        let findings = ConfigurationLinter.findings(
            in: AppConfiguration(infoPlist: file),
            options: LintOptions(musicStreaming: .yes)
        )
        #expect(
            findings == [
                Finding(
                    rule: "link-url-not-https",
                    severity: .error,
                    file: "App/Info.plist",
                    position: SourcePosition(line: 9, column: 4),
                    key: "SKExternalPurchaseMultiLink",
                    path: "SKExternalPurchaseMultiLink/es/1",
                    country: "es",
                    message: "\"http://b.acme.example\" uses http; only https is allowed",
                    hint: "Serve the page over HTTPS."
                )
            ]
        )
    }

    @Test("A variable left in a built bundle is an error (CF-75)")
    func builtBundle() throws {
        let fixture = try #require(RuleFixture.failing.first { $0.rule == "unresolved-variable" })
        let configuration = try ConfigurationText.read(infoPlist: fixture.infoPlist)
        let findings = ConfigurationLinter.findings(in: configuration, options: LintOptions(built: true))
        #expect(findings.map(\.severity) == [.error])
    }

    @Test("A missing file is no finding about the app")
    func missingFile() {
        #expect(Finding(ConfigurationReadError(cause: .missing, file: "Info.plist", reason: "gone")) == nil)
    }
}
