import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// Rules that compare the files of an app with each other.
struct WholeAppTests {
    private func rules(
        _ infoPlist: String = "",
        entitlements: String? = nil,
        signed: String? = nil,
        profile: String? = nil,
        reviewed: String? = nil,
        pack: String = "2026-10"
    ) throws -> [String] {
        let configuration = try ConfigurationText.read(
            infoPlist: infoPlist,
            entitlements: entitlements,
            signed: signed,
            profile: profile,
            reviewed: reviewed
        )
        let pack = try #require(RegionTables.builtIn.pack(pack))
        return ConfigurationLinter.findings(in: configuration, options: LintOptions(pack: pack)).map(\.rule)
            .filter { $0 != "link-single-only" }
    }

    private func regions(_ codes: String...) -> String {
        "<key>\(Entitlement.allowedRegions)</key><array>\(codes.map { "<string>\($0)</string>" }.joined())</array>"
    }

    private func boolean(_ entitlement: Entitlement, _ value: String = "<true/>") -> String {
        "<key>\(entitlement)</key>\(value)"
    }

    private func link(_ country: String, _ url: String) -> String {
        "<key>SKExternalPurchaseLink</key><dict><key>\(country)</key><string>\(url)</string></dict>"
    }

    private func multi(_ country: String, _ urls: String...) -> String {
        let strings = urls.map { "<string>\($0)</string>" }.joined()
        return "<key>SKExternalPurchaseMultiLink</key><dict><key>\(country)</key><array>\(strings)</array></dict>"
    }

    private let purchase = "<key>SKExternalPurchase</key><array><string>nl</string></array>"
    private let url = "https://shop.acme.example/"

    // MARK: Pairing

    @Test(
        "An entitlement that is absent or false is missing; one of another type has its own finding (CF-21)",
        arguments: [
            ("", ["entitlement-missing"]), ("<false/>", ["entitlement-missing", "entitlement-false"]),
            ("<string>true</string>", ["entitlement-wrong-type"]),
            ("<string>$(ON)</string>", ["entitlement-wrong-type"]),
            ("<true/>", []),
        ]
    )
    func missing(value: String, expected: [String]) throws {
        let entitlements = value.isEmpty ? "" : boolean(.externalPurchase, value)
        #expect(try rules(purchase, entitlements: entitlements) == expected)
    }

    @Test("Allowed regions serve the single link from pack 2026-06 on, and no other link key (CF-23)")
    func allowedRegionsServe() throws {
        let list = regions("nl")
        #expect(try rules(link("nl", url), entitlements: list, pack: "2026-06") == ["custom-link-beside-link"])
        #expect(
            try rules(link("nl", url), entitlements: list, pack: "2026-02")
                == ["entitlement-missing", "custom-link-beside-link"]
        )
        #expect(try rules(multi("nl", url), entitlements: list).contains("entitlement-missing"))
    }

    @Test("Pairing uses the source, otherwise the signature, and is skipped without both (CF-1)")
    func pairingSource() throws {
        var configuration = try ConfigurationText.read(
            infoPlist: purchase,
            entitlements: "",
            signed: boolean(.externalPurchase)
        )
        #expect(
            ConfigurationLinter.findings(in: configuration).map(\.rule)
                == ["entitlement-missing", "entitlement-not-in-source"]
        )
        configuration.entitlements = nil
        #expect(ConfigurationLinter.findings(in: configuration) == [])
        configuration.signedEntitlements = nil
        #expect(ConfigurationLinter.findings(in: configuration).map(\.rule) == ["other-file-missing"])
    }

    @Test(
        "A profile is for the app and team of the signature, up to its wildcard",
        arguments: [
            ("TEAM123456.com.acme.app", true), ("TEAM123456.com.acme.*", true), ("TEAM123456.*", true),
            ("TEAM123456.com.acme", false), ("TEAM123456.com.other.*", false), ("OTHER12345.com.acme.app", false),
            ("OTHER12345.*", false),
        ]
    )
    func profile(_ pattern: String, isRight: Bool) throws {
        for name in ["application-identifier", "com.apple.application-identifier"] {
            func file(_ app: String, _ path: String) throws -> PropertyListFile {
                let granted = "<key>\(name)</key><string>\(app)</string>\(boolean(.externalPurchase))"
                let text = "<plist version=\"1.0\"><dict>\(granted)</dict></plist>"
                return try PropertyListFile.parse(Array(text.utf8), path: path)
            }
            var configuration = try ConfigurationText.read(infoPlist: purchase)
            configuration.signedEntitlements = try file("TEAM123456.com.acme.app", "App")
            configuration.profileEntitlements = try file(pattern, "embedded.mobileprovision")
            let findings = ConfigurationLinter.findings(in: configuration)
            #expect(findings.map(\.rule) == (isRight ? [] : ["entitlement-not-in-profile"]))
            #expect(findings.allSatisfy { $0.message.contains("is for \(pattern)") })
        }
    }

    @Test("Entitlements alone, or an Info.plist alone, name the rules that were not applied (CF-6)")
    func oneFile() throws {
        var configuration = try ConfigurationText.read(infoPlist: purchase)
        let infoPlist = configuration.infoPlist
        configuration.infoPlist = nil
        let alone = ConfigurationLinter.findings(in: configuration)
        #expect(alone.map(\.rule) == ["other-file-missing"])
        #expect(alone.first?.severity == .note)
        #expect(
            alone.first?.message.hasSuffix("entitlement-without-key, bundle-id-missing, minimum-os-below-use") == true
        )
        // A target that generates its Info.plist is known to have no keys.
        let empty = PropertyListNode(.dictionary([]), at: SourcePosition(line: 7, column: 1))
        configuration.generatedInfoPlist = PropertyListFile(
            path: "project.pbxproj",
            format: .buildSettings,
            root: empty
        )
        let generated = ConfigurationLinter.findings(in: configuration)
        #expect(generated.map(\.rule) == ["entitlement-without-key", "minimum-os-unknown"])
        #expect(generated.first?.related.first?.file == "project.pbxproj")
        configuration.infoPlist = infoPlist
        #expect(ConfigurationLinter.findings(in: configuration) == [])
    }

    // MARK: Korea

    struct Mixture: Sendable, CustomTestStringConvertible {
        let name: String
        var infoPlist = ""
        var entitlements: String?
        var signed: String?
        var pack = "2026-10"
        /// The path of the finding; nil when there is none.
        let path: String?
        var testDescription: String { name }
    }

    private static func list(_ key: String, _ codes: String...) -> String {
        "<key>\(key)</key><array>\(codes.map { "<string>\($0)</string>" }.joined())</array>"
    }

    private static let korea = list("SKExternalPurchase", "kr")
    private static let address = "https://shop.acme.example/"

    static let mixtures: [Mixture] = [
        Mixture(name: "alone", infoPlist: korea, path: nil),
        Mixture(name: "twice", infoPlist: list("SKExternalPurchase", "kr", "kr"), path: nil),
        Mixture(name: "others", infoPlist: list("SKExternalPurchase", "nl", "de"), path: nil),
        Mixture(name: "one key", infoPlist: list("SKExternalPurchase", "nl", "kr"), path: "SKExternalPurchase/1"),
        Mixture(
            name: "a link",
            infoPlist: korea + "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>\(address)</string></dict>",
            path: "SKExternalPurchase/0"
        ),
        Mixture(
            name: "custom links",
            infoPlist: korea + list("SKExternalPurchaseCustomLinkRegions", "de"),
            path: "SKExternalPurchase/0"
        ),
        Mixture(
            name: "allowed regions",
            infoPlist: korea,
            entitlements: "<key>\(Entitlement.externalPurchase)</key><true/>"
                + list("\(Entitlement.allowedRegions)", "jp"),
            path: "SKExternalPurchase/0"
        ),
        Mixture(
            name: "signed regions",
            infoPlist: korea,
            signed: "<key>\(Entitlement.externalPurchase)</key><true/>" + list("\(Entitlement.allowedRegions)", "br"),
            path: "SKExternalPurchase/0"
        ),
        Mixture(
            name: "a list of 2025",
            entitlements: list("com.apple.developer.storekit.external-purchase.allowed-regions", "fr", "kr"),
            pack: "2026-02",
            path: "com.apple.developer.storekit.external-purchase.allowed-regions/1"
        ),
        Mixture(
            name: "a list of 2025 that nothing reads",
            entitlements: list("com.apple.developer.storekit.external-purchase.allowed-regions", "fr", "kr"),
            path: nil
        ),
        Mixture(
            name: "account links",
            infoPlist: korea + "<key>SKExternalLinkAccount</key><dict><key>*</key><string>\(address)</string>"
                + "<key>nl</key><string>\(address)</string></dict>",
            path: nil
        ),
        Mixture(name: "a variable", infoPlist: list("SKExternalPurchase", "kr", "$(REGION)"), path: nil),
        Mixture(name: "a faulty code", infoPlist: list("SKExternalPurchase", "kr", "ch"), path: nil),
    ]

    @Test("kr stands beside no other region, in one key or in two (CF-26, OB-37)", arguments: mixtures)
    func mixture(_ mixture: Mixture) throws {
        let configuration = try ConfigurationText.read(
            infoPlist: mixture.infoPlist,
            entitlements: mixture.entitlements,
            signed: mixture.signed
        )
        let pack = try #require(RegionTables.builtIn.pack(mixture.pack))
        let findings = ConfigurationLinter.findings(in: configuration, options: LintOptions(pack: pack))
        let found = findings.filter { $0.rule == "korea-needs-own-app" }
        #expect(found.map(\.path) == (mixture.path.map { [$0] } ?? []))
        #expect(found.allSatisfy { $0.severity == .error && $0.related.count == 1 })
        // The systems do not refuse such an app, so the runtime uses its entries.
        let usable = UsableConfiguration(configuration, pack: pack)
        #expect(!usable.removed.contains { $0.rule == "korea-needs-own-app" })
    }

    @Test("No hint for an app of Korea advises In-App Purchase (OB-37)")
    func koreaWithoutInAppPurchase() throws {
        let old =
            "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a.b</string>"
            + "<key>MinimumOSVersion</key><string>15.0</string>\(Self.korea)</dict></plist>"
        let findings = ConfigurationLinter.findings(in: try ConfigurationText.read(infoPlist: "", whole: old))
        #expect(findings.map(\.rule).contains("minimum-os-below-use"))
        #expect(!findings.contains { ($0.message + ($0.hint ?? "")).contains("In-App Purchase") })
        let other = ConfigurationLinter.findings(
            in: try ConfigurationText.read(infoPlist: "", whole: old.replacing("kr", with: "nl"))
        )
        #expect(other.contains { $0.hint?.contains("offer In-App Purchase below") == true })
    }

    @Test("An entitlement whose key is set elsewhere does not lack a key")
    func keyElsewhere() throws {
        var configuration = try ConfigurationText.read(infoPlist: "", entitlements: boolean(.externalPurchase))
        #expect(ConfigurationLinter.findings(in: configuration).map(\.rule) == ["entitlement-without-key"])
        configuration.elsewhere = [
            KeySetElsewhere(source: .stringsCatalog, key: "SKExternalPurchase", file: "InfoPlist.xcstrings")
        ]
        let findings = ConfigurationLinter.findings(in: configuration)
        #expect(findings.map(\.rule) == ["key-set-elsewhere"])
        #expect(findings.first?.file == "InfoPlist.xcstrings")
        #expect(findings.first?.severity == .note)
    }

    // Settings whose key is right, near, and without its beginning: Xcode ignores each of them.
    @Test(
        "A build setting of a key does not set it, whatever the spelling (CF-6, key-set-elsewhere)",
        arguments: ["SKExternalPurchase", "SKExternlPurchase", "ExternalPurchase", "skexternalpurchase"]
    )
    func keyInSetting(_ key: String) throws {
        var configuration = try ConfigurationText.read(infoPlist: "", entitlements: boolean(.externalPurchase))
        configuration.elsewhere = [KeySetElsewhere(source: .buildSetting, key: key, file: "App.xcconfig")]
        let findings = ConfigurationLinter.findings(in: configuration)
        #expect(findings.map(\.rule) == ["entitlement-without-key", "key-set-elsewhere"])
        let finding = try #require(findings.last)
        #expect(finding.severity == .warning && finding.message.hasPrefix("INFOPLIST_KEY_\(key) has no effect"))
        #expect(finding.hint == "Put SKExternalPurchase in the Info.plist file that INFOPLIST_FILE names.")
    }

    @Test("An entitlement that the pack lacks is compared with nothing")
    func entitlementNotInPack() throws {
        let found = try rules(entitlements: regions("jp"), signed: "", profile: "", pack: "2025-07")
        #expect(found == ["key-not-in-pack"])
    }

    @Test("A repeated key lists nothing for the rules that compare")
    func repeatedKey() throws {
        let custom = "<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"
        #expect(try rules(link("nl", url) + custom + custom) == ["plist-duplicate-key"])
    }

    @Test("A country in both link keys and a custom list gives one note")
    func beside() throws {
        let custom = "<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"
        #expect(try rules(link("nl", url) + multi("nl", url) + custom) == ["custom-link-beside-link"])
        #expect(try rules(link("de", url) + multi("nl", url) + custom) == ["custom-link-beside-link"])
        #expect(try rules(link("de", url) + multi("de", url) + custom) == [])
    }

    @Test(
        "An account link needs https and a host (CF-14)",
        arguments: [
            ("https://acme.example", true), ("https://acme.example/?a=b#c", true), ("http://acme.example", false),
            ("https:///account", false), ("https://acme example/", false), ("", false), ("//acme.example", false),
        ]
    )
    func accountLink(url: String, isGood: Bool) throws {
        let account = "<key>SKExternalLinkAccount</key><dict><key>*</key><string>\(url)</string></dict>"
        #expect(try rules(account) == (isGood ? [] : ["link-account-url"]))
    }

    // MARK: Signing

    @Test("Source, signature and profile are compared by their effective values (CF-20, CF-21)")
    func signing() throws {
        let on = boolean(.externalPurchase)
        let off = boolean(.externalPurchase, "<false/>")
        #expect(try rules(purchase, entitlements: on, signed: on, profile: on) == [])
        #expect(try rules(purchase, entitlements: on, signed: "") == ["entitlement-not-signed"])
        #expect(try rules(entitlements: off, signed: "", profile: "") == ["entitlement-false"])
        #expect(
            try rules(purchase, entitlements: on, signed: off) == ["entitlement-value-differs", "entitlement-false"]
        )
        #expect(try rules(purchase, entitlements: on, profile: off) == ["entitlement-not-in-profile"])
        #expect(try rules(purchase, entitlements: on, signed: on, profile: "") == ["entitlement-not-in-profile"])
    }

    @Test("Lists of regions differ by their regions, not by order, and the profile may be wider")
    func regionLists() throws {
        #expect(try rules(entitlements: regions("jp", "br"), signed: regions("br", "jp")) == [])
        #expect(try rules(entitlements: regions("jp"), signed: regions("jp", "br")) == ["entitlement-value-differs"])
        #expect(try rules(entitlements: regions("jp"), profile: regions("jp", "br")) == [])
        #expect(try rules(entitlements: regions("jp"), profile: regions("*")) == [])
        #expect(try rules(entitlements: regions("jp"), profile: boolean(.allowedRegions, "<string>*</string>")) == [])
        #expect(try rules(entitlements: regions("jp"), profile: regions("JP")) == ["entitlement-value-differs"])
        #expect(
            try rules(entitlements: regions("$(CODE)"), signed: regions("jp"), profile: regions("jp"))
                == ["unresolved-variable"]
        )
    }

    @Test("The profile is compared, but not checked by itself")
    func profileAlone() throws {
        let profile = regions("XX") + boolean(.link, "<string>true</string>") + "<key>SKExternalPurchase</key><true/>"
        #expect(try rules(profile: profile) == [])
    }

    @Test("The rules on codes apply to the allowed regions of source and signature (CF-72)")
    func bothLists() throws {
        let configuration = try ConfigurationText.read(
            infoPlist: "",
            entitlements: regions("JP"),
            signed: regions("JP")
        )
        let findings = ConfigurationLinter.findings(in: configuration)
        #expect(findings.map(\.rule) == ["country-not-lowercase", "country-not-lowercase"])
        #expect(findings.map(\.file) == ["App.entitlements", "App (signed)"])
    }

    @Test("A finding about two files belongs to one and refers to the other")
    func bothPlaces() throws {
        let source = "<plist>\n<dict>\n\(regions("br", "jp"))\n</dict></plist>"
        let profile = "<plist>\n\n<dict>\n<key>get-task-allow</key><true/>\n\(regions("jp"))</dict></plist>"
        let findings = ConfigurationLinter.findings(
            in: AppConfiguration(
                entitlements: try PropertyListFile.parse(Array(source.utf8), path: "App.entitlements"),
                profileEntitlements: try PropertyListFile.parse(Array(profile.utf8), path: "embedded.mobileprovision")
            )
        )
        #expect(findings.map(\.rule) == ["other-file-missing", "entitlement-value-differs"])
        #expect(findings.last?.position == SourcePosition(line: 3, column: 1))
        #expect(
            findings.last?.related == [
                RelatedLocation(
                    file: "embedded.mobileprovision",
                    position: SourcePosition(line: 5, column: 1),
                    message: "jp is here"
                )
            ]
        )
    }

    // MARK: Review

    @Test("Links are compared with the reviewed build as sets per country over both keys (CF-5, CF-42)")
    func reviewed() throws {
        let other = "https://shop.acme.example/2"
        #expect(try rules(multi("nl", url), reviewed: link("nl", url)) == [])
        #expect(try rules(multi("ru", url), reviewed: multi("ru", url, url)) == [])
        #expect(try rules(link("nl", url), reviewed: link("nl", url + "#")) == ["link-url-changed"])
        #expect(try rules(link("nl", url), reviewed: link("de", url)) == ["link-url-changed", "link-url-changed"])
        #expect(try rules("", entitlements: "", reviewed: link("de", url)) == ["link-url-changed"])
        #expect(try rules(link("nl", url), reviewed: "") == ["link-url-changed"])
        #expect(
            try rules(link("nl", url), reviewed: link("nl", url) + multi("nl", other)) == ["link-url-changed"]
        )
        #expect(
            try rules(link("nl", "https://$(HOST)/"), reviewed: link("nl", url)) == ["unresolved-variable"]
        )
    }

    @Test("A country that the reviewed build alone has is reported with its place there")
    func removedCountry() throws {
        let configuration = try ConfigurationText.read(infoPlist: link("nl", url), reviewed: link("nl", url))
        var changed = configuration
        let both = ConfigurationText.plist(
            "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>\(url)</string>\n"
                + "<key>de</key><string>\(url)</string></dict>"
        )
        changed.reviewedInfoPlist = try PropertyListFile.parse(Array(both.utf8), path: "Old.plist")
        let found = ConfigurationLinter.findings(in: changed).filter { $0.rule == "link-url-changed" }
        #expect(found.map(\.country) == ["de"])
        #expect(found.first?.path == "SKExternalPurchaseLink")
        #expect(
            found.first?.related == [
                RelatedLocation(
                    file: "Old.plist",
                    position: SourcePosition(line: 2, column: 1),
                    message: "the reviewed build has \(url)"
                )
            ]
        )
    }

    @Test(
        "Comparing many countries with the reviewed build takes time proportional to their number",
        .timeLimit(.minutes(10))
    )
    func hostileReview() throws {
        let copies = String(repeating: "<key>nl</key><string>\(url)</string>", count: 20_000)
        let list = String(repeating: "<string>\(url)</string>", count: 20_000)
        let hostile = "<key>SKExternalPurchaseLink</key><dict>\(copies)<key>nl</key><array>\(list)</array></dict>"
        #expect(try rules(hostile, reviewed: hostile + purchase).contains("link-url-changed") == false)
        let unknown = (0..<5_000).map { "<key>SKExternalPurchasf\($0 % 10)</key><true/>" }.joined()
        #expect(try rules(unknown).filter { $0 == "key-unknown" }.count == 5_000)
    }

    // MARK: Names

    @Test(
        "An unknown key names the one that was meant",
        arguments: [
            ("SKExternalPurchaseLinks", "Did you mean SKExternalPurchaseLink?"),
            ("SKExternalPurchaseMutliLink", "Did you mean SKExternalPurchaseMultiLink?"),
            (
                "com.apple.developer.storekit.custom-purchase-link.allowed-region",
                "Did you mean com.apple.developer.storekit.custom-purchase-link.allowed-regions?"
            ),
            ("SKExternalPurchaseCustomLinkRegion", "Did you mean SKExternalPurchaseCustomLinkRegions?"),
            ("SKExternalPurchaseLinkURL", "Did you mean SKExternalPurchaseLink?"),
            ("SKExtrnalPurchse", "Did you mean SKExternalPurchase?"),
            ("KSExternalPurchase", "Did you mean SKExternalPurchase?"),
            ("SKExternalPurch", "Did you mean SKExternalPurchase?"),
            (
                "com.apple.developer.external-purchase-link",
                "Did you mean com.apple.developer.storekit.external-purchase-link?"
            ),
            (
                "com.apple.developer.storkit.external-purchase",
                "Did you mean com.apple.developer.storekit.external-purchase?"
            ),
        ]
    )
    func nearest(name: String, hint: String) throws {
        let member = "<key>\(name)</key><true/>"
        let isEntitlement = name.hasPrefix("com")
        let configuration = try ConfigurationText.read(
            infoPlist: isEntitlement ? "" : member,
            entitlements: isEntitlement ? member : ""
        )
        let findings = ConfigurationLinter.findings(in: configuration)
        #expect(findings.map(\.rule) == ["key-unknown"])
        #expect(findings.first?.hint == hint)
        #expect(findings.first?.severity == .error)
    }

    @Test("Other vendors' keys and entitlements are left alone")
    func foreignNames() throws {
        let keys = "<key>SKAdNetworkItems</key><array/><key>AcmeExternalPurchase</key><true/>"
        let entitlements = "<key>com.apple.developer.storekit.request-data</key><true/>"
        #expect(try rules(keys, entitlements: entitlements) == [])
    }

    @Test("A variable as bundle id is fine in a source file, not in a built bundle (CF-75)")
    func bundleIdVariable() throws {
        let members = "<key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>"
        let configuration = try ConfigurationText.read(
            infoPlist: "",
            whole: ConfigurationText.plist(members + "<key>MinimumOSVersion</key><string>26.5</string>" + purchase)
        )
        #expect(ConfigurationLinter.findings(in: configuration) == [])
        let built = ConfigurationLinter.findings(in: configuration, options: LintOptions(built: true))
        #expect(built.map(\.rule) == ["unresolved-variable"])
        #expect(built.map(\.severity) == [.error])
        #expect(built.map(\.path) == ["CFBundleIdentifier"])
    }

    // MARK: Edits

    @Test("Repeated codes and links are removed, all but one that matches (CF-73)")
    func removals() throws {
        func edits(_ members: String, _ rule: String) throws -> [FindingEdit] {
            let text = "<plist>\n<dict>\n\(members)</dict></plist>"
            let file = try PropertyListFile.parse(Array(text.utf8), path: "Info.plist")
            let findings = ConfigurationLinter.findings(in: AppConfiguration(infoPlist: file))
            return findings.filter { $0.rule == rule }.flatMap(\.edits)
        }
        func removal(_ line: Int) -> FindingEdit {
            FindingEdit(.element, "", at: SourcePosition(line: line, column: 1))
        }
        func list(_ elements: String...) -> String {
            "<array>\n\(elements.map { "<string>\($0)</string>\n" }.joined())</array>"
        }
        let key = "<key>SKExternalPurchase</key>"
        #expect(try edits(key + list("nl", "it", "nl", "nl"), "country-duplicate") == [removal(6), removal(7)])
        #expect(try edits(key + list("NL", "nl"), "country-duplicate") == [removal(4)])
        let multi = "<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key>\(list(url, url + "b", url))</dict>"
        #expect(try edits(multi, "multi-link-duplicate") == [removal(6)])
        let single = "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string/><key>NL</key><string/></dict>"
        #expect(try edits(single, "country-duplicate") == [])
    }

    @Test("A name is corrected in place, unless it would then occur twice (CF-73)")
    func renames() throws {
        func edits(_ members: String) throws -> [FindingEdit] {
            let text = "<plist>\n<dict>\n\(members)</dict></plist>"
            let file = try PropertyListFile.parse(Array(text.utf8), path: "Info.plist")
            return ConfigurationLinter.findings(in: AppConfiguration(infoPlist: file)).flatMap(\.edits)
        }
        func rename(_ name: String, _ line: Int, _ column: Int = 1) -> FindingEdit {
            FindingEdit(.text, name, at: SourcePosition(line: line, column: column))
        }
        let value = "<string>\(url)</string>"
        let head = "<key>SKExternalPurchaseLink</key><dict>\n"
        #expect(try edits("\(head)<key>NL</key>\(value)</dict>") == [rename("nl", 4)])
        #expect(try edits("\(head)<key>NL</key>\(value)\n<key>nl</key>\(value)</dict>") == [])
        #expect(try edits("\(head)<key>NL</key>\(value)\n<key>nld</key>\(value)</dict>") == [])
        #expect(try edits("\(head)<key>nl</key>\n<string> \(url)</string></dict>") == [rename(url, 5)])
        #expect(try edits("<key>skExternalPurchase</key>\n<true/>") == [rename("SKExternalPurchase", 3)])
        #expect(try edits("<key>skExternalPurchase</key>\n<true/>" + purchase) == [])
    }

    // MARK: What the runtime uses

    @Test("Findings about the files together take no entry from the runtime (CF-50)")
    func runtimeKeepsEntries() throws {
        let account = "<key>SKExternalLinkAccount</key><dict><key>jp</key><string>\(url)</string></dict>"
        let configuration = try ConfigurationText.read(
            infoPlist: purchase + account,
            entitlements: regions("jp"),
            signed: boolean(.link),
            profile: ""
        )
        let errors = ConfigurationLinter.findings(in: configuration).filter { $0.severity == .error }
        #expect(
            Set(errors.map(\.rule)) == [
                "entitlement-missing", "link-account-no-default", "entitlement-not-signed",
                "entitlement-not-in-profile",
            ]
        )
        let usable = UsableConfiguration(configuration, pack: .newest)
        #expect(usable.removed == [])
        #expect(usable.regions[.externalPurchase]?["nl"] != nil)
        #expect(Array(usable.entitlements.keys) == [.link])
    }
}
