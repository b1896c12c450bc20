import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Foundation
import Testing

struct RuleTests {
    private func findings(_ fixture: RuleFixture) throws -> [Finding] {
        let pack = try #require(RegionTables.builtIn.pack(fixture.pack))
        do throws(ConfigurationReadError) {
            if let reason = fixture.unreadableArtifact {
                throw ConfigurationReadError(cause: .notArtifact, file: "App.ipa", reason: reason)
            }
            var configuration = try ConfigurationText.read(
                infoPlist: fixture.infoPlist,
                entitlements: fixture.entitlements,
                signed: fixture.signed,
                profile: fixture.profile,
                reviewed: fixture.reviewed,
                whole: fixture.wholeInfoPlist
            )
            configuration.elsewhere = fixture.elsewhere
            if fixture.isInfoPlistAlone { configuration.entitlements = nil }
            return ConfigurationLinter.findings(in: configuration, options: LintOptions(pack: pack))
        } catch {
            return [try #require(Finding(error))]
        }
    }

    @Test("Every rule has a configuration that breaks it and one that does not")
    func everyRuleHasFixtures() {
        #expect(Set(RuleFixture.failing.map(\.rule)) == Set(ConfigurationLinter.ruleIds))
        #expect(Set(RuleFixture.passing.map(\.rule)) == Set(ConfigurationLinter.ruleIds))
        #expect(Set(ConfigurationLinter.ruleIds).count == ConfigurationLinter.ruleIds.count)
    }

    @Test(
        "A broken rule gives its finding once, with place and hint, and no other error or warning (CF-71, CF-76)",
        arguments: RuleFixture.failing
    )
    func failing(_ fixture: RuleFixture) throws {
        let all = try findings(fixture)
        let others = all.filter { $0.rule != fixture.rule }
        #expect(Set(others.map(\.rule)).isSubset(of: Self.companions[fixture.rule] ?? []))
        #expect(others.allSatisfy { $0.severity == .note })
        let findings = all.filter { $0.rule == fixture.rule }
        #expect(findings.count == 1)
        let finding = try #require(findings.first)
        #expect(finding.severity == Self.severities[fixture.rule, default: .error])
        #expect(finding.position?.line == (fixture.unreadableArtifact == nil ? 1 : nil))
        #expect(finding.hint?.isEmpty == false)
        #expect(!finding.message.contains("{"))
        #expect(finding.related.allSatisfy { !$0.message.isEmpty && $0.position?.line == 1 })
        #expect(finding.edits.allSatisfy { $0.position?.line == 1 })
        #expect((finding.fix != nil) == Self.fixable.contains(fixture.rule))
    }

    @Test("No finding repeats a value of the files uncut", arguments: RuleFixture.failing + RuleFixture.passing)
    func longValues(_ fixture: RuleFixture) throws {
        for text in Self.lengthened(fixture) {
            // A file that cannot be read has an error, which becomes a finding as well.
            for finding in try findings(text) {
                let texts = [finding.message, finding.hint ?? ""] + finding.related.map(\.message)
                #expect(texts.allSatisfy { $0.utf8.count <= 2_000 }, "\(finding.rule): \(finding.message.prefix(300))")
            }
        }
    }

    @Test("The longer values reach the rules that name one")
    func longValuesReachRules() throws {
        var reached: Set<String> = []
        for fixture in RuleFixture.failing {
            for text in Self.lengthened(fixture) {
                for finding in try findings(text) {
                    let texts = [finding.message] + finding.related.map(\.message)
                    if texts.contains(where: { $0.contains("…") }) { reached.insert(finding.rule) }
                }
            }
        }
        let naming: Set = [
            "country-unknown", "country-whitespace", "country-duplicate", "unresolved-variable", "key-unknown",
            "link-url-not-https", "link-url-relative", "link-url-whitespace", "link-url-too-long", "link-url-changed",
            "link-account-url", "multi-link-duplicate", "entitlement-value-differs",
        ]
        #expect(naming.subtracting(reached).isEmpty)
    }

    /// The files with each text of a `string` or of a key made long, at its end, its beginning and after `://`.
    ///
    /// Keys have at most 512 bytes.
    private static func lengthened(_ fixture: RuleFixture) -> [RuleFixture] {
        var all: [RuleFixture] = []
        for (tag, count) in [("string", 5_000), ("string", 500), ("key", 400)] {
            let filler = String(repeating: "y", count: count)
            for form in 0..<3 {
                func long(_ text: String) -> String {
                    let parts = text.components(separatedBy: "<\(tag)>")
                    return parts.prefix(1)
                        .joined()
                        + parts.dropFirst().map { part in
                            let end = part.range(of: "</")?.lowerBound ?? part.endIndex
                            let value = String(part[..<end])
                            // The names of the product's keys stay: without them nothing is checked.
                            let isName =
                                tag == "key" && value.count > 3 && !value.hasPrefix("SKExternalpurchase")
                                && value != "SKExternalPurchaseRegions" || value.hasPrefix("com.acme.app")
                            let longer =
                                switch form {
                                case 0: value + filler
                                case 1: filler + value
                                default: value.replacing("://", with: "://\(filler).")
                                }
                            return "<\(tag)>" + (isName ? value : longer) + part[end...]
                        }.joined()
                }
                var longer = fixture
                longer.infoPlist = long(fixture.infoPlist)
                longer.entitlements = fixture.entitlements.map(long)
                longer.signed = fixture.signed.map(long)
                longer.profile = fixture.profile.map(long)
                longer.reviewed = fixture.reviewed.map(long)
                longer.wholeInfoPlist = fixture.wholeInfoPlist.map(long)
                all.append(longer)
            }
        }
        return all
    }

    @Test("The nearest configuration that keeps the rule gives no error or warning", arguments: RuleFixture.passing)
    func passing(_ fixture: RuleFixture) throws {
        let findings = try findings(fixture)
        #expect(!findings.map(\.rule).contains(fixture.rule))
        #expect(Set(findings.map(\.rule)).isSubset(of: Self.companions[fixture.rule] ?? []))
        #expect(findings.allSatisfy { $0.severity == .note })
    }

    // Notes that the configuration of a rule also causes.
    private static let companions: [String: Set<String>] = {
        let single: [String] = RuleFixture.failing.map(\.rule).filter {
            $0.hasPrefix("link-url-") || ["unresolved-variable", "country-withdrawn"].contains($0)
        }
        return Dictionary(uniqueKeysWithValues: single.map { ($0, ["link-single-only"]) }).merging([
            "custom-link-beside-link": ["link-single-only"],
            "entitlement-missing": ["link-single-only", "custom-link-beside-link"],
            "multi-link-over-five": ["custom-link-beside-link"],
            "multi-link-without-fallback": ["minimum-os-below-use"],
        ]) { $1 }
    }()

    // Every other rule is an error (spec/01 section 8).
    private static let severities: [String: Severity] = [
        "key-not-in-pack": .warning, "unresolved-variable": .warning, "country-duplicate": .warning,
        "country-withdrawn": .warning, "allowed-regions-contested": .note, "link-url-fragment": .warning,
        "link-url-userinfo": .warning, "link-url-private-host": .warning, "link-url-placeholder-host": .note,
        "multi-link-duplicate": .warning, "multi-link-needs-streaming": .warning, "bundle-id-missing": .warning,
        "key-unknown": .warning, "link-url-changed": .warning, "entitlement-without-key": .warning,
        "link-single-only": .note, "multi-link-without-fallback": .warning, "custom-link-beside-link": .note,
        "entitlement-false": .warning, "entitlement-dropped": .warning, "entitlement-not-in-source": .warning,
        "minimum-os-unknown": .note, "minimum-os-below-use": .note, "minimum-os-below-tokens": .warning,
        "key-unavailable-on-platform": .warning, "key-set-elsewhere": .warning, "other-file-missing": .note,
    ]

    private static let fixable: Set<String> = [
        "key-case", "element-wrong-type", "country-whitespace", "country-not-lowercase", "country-alpha-3",
        "link-url-whitespace", "link-url-empty-query", "entitlement-wrong-type", "country-duplicate",
        "multi-link-duplicate",
    ]

    @Test(
        "Messages contain the value that was found",
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
            ("korea-needs-own-app", "kr stands beside nl; an app for Korea is a binary of its own"),
            (
                "other-file-missing",
                "The app's entitlements were not found, so these rules were not applied: entitlement-missing, "
                    + "streaming-entitlement-missing"
            ),
            ("multi-link-over-five", "se has 6 links; at most five are allowed"),
            ("link-union-over-limit", "ru has 2 different links over both keys; 1 allowed"),
            ("plist-root-not-dictionary", "The root of Info.plist is an array, not a dictionary"),
            (
                "key-unknown", "SKExternalPurchaseRegions is not a known key"
            ),
            ("entitlement-missing", "SKExternalPurchase needs com.apple.developer.storekit.external-purchase"),
            (
                "entitlement-without-key",
                "com.apple.developer.storekit.external-purchase-link is set, but none of SKExternalPurchaseLink, "
                    + "SKExternalPurchaseMultiLink, SKExternalPurchaseCustomLinkRegions is in Info.plist"
            ),
            ("multi-link-without-fallback", "On systems before iOS 17.5 nl has no link"),
            (
                "entitlement-value-differs",
                "com.apple.developer.storekit.custom-purchase-link.allowed-regions: br, jp in App.entitlements, "
                    + "jp in App.mobileprovision"
            ),
            (
                "minimum-os-below-use",
                "SKExternalPurchaseCustomLinkRegions works from iOS 18.1; the app runs from 17.6"
            ),
            (
                "key-unavailable-on-platform",
                "SKExternalPurchaseLinkStreamingRegions does not exist on macOS"
            ),
            ("link-account-url", "\"acme.example/account\" is not an absolute https URL"),
            (
                "key-set-elsewhere",
                "INFOPLIST_KEY_SKExternalPurchase has no effect; Xcode takes no key of external purchases from a build setting"
            ),
            (
                "entitlement-wrong-type",
                "com.apple.developer.storekit.external-purchase must be a Boolean, found a string"
            ),
        ]
    )
    func messages(rule: String, message: String) throws {
        let fixture = try #require(RuleFixture.failing.first { $0.rule == rule })
        #expect(try findings(fixture).first { $0.rule == rule }?.message == message)
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
            findings.filter { $0.severity == .error } == [
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
        #expect(findings.map(\.severity).filter { $0 != .note } == [.error])
    }

    @Test("A missing file is not a finding about the app")
    func missingFile() {
        #expect(Finding(ConfigurationReadError(cause: .missing, file: "Info.plist", reason: "gone")) == nil)
    }
}
