import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

struct UsableConfigurationTests {
    private func usable(
        _ infoPlist: String,
        entitlements: String = "",
        pack: RulePack = .newest,
        musicStreaming: MusicStreaming = .auto,
        policy: InvalidEntryPolicy = .ignore
    ) throws -> UsableConfiguration {
        let configuration = try ConfigurationText.read(infoPlist: infoPlist, entitlements: entitlements)
        return UsableConfiguration(configuration, pack: pack, musicStreaming: musicStreaming, policy: policy)
    }

    private func multi(_ code: String, _ urls: [String]) -> String {
        let strings = urls.map { "<string>\($0)</string>" }.joined()
        return "<key>SKExternalPurchaseMultiLink</key><dict><key>\(code)</key><array>\(strings)</array></dict>"
    }

    private func single(_ code: String, _ url: String) -> String {
        "<key>SKExternalPurchaseLink</key><dict><key>\(code)</key><string>\(url)</string></dict>"
    }

    @Test("An entry with an error is omitted and its finding recorded; its neighbours are used (CF-50)")
    func errorsRemove() throws {
        let usable = try usable(multi("nl", ["https://a.acme.example", "http://b.acme.example"]))
        #expect(usable.multiLinks["nl"]?.map(\.url) == ["https://a.acme.example"])
        #expect(usable.removed.map(\.path) == ["SKExternalPurchaseMultiLink/nl/1"])
        #expect(usable.removed.map(\.rule) == ["link-url-not-https"])
        #expect(usable.bundleId == BundleId(rawValue: "com.acme.app"))
        #expect(usable.multiLinks["nl"]?.first?.evidence.file == "Info.plist")
        #expect(usable.multiLinks["nl"]?.first?.evidence.position?.line == 1)
    }

    @Test("Entries with warnings stay, a withdrawn code too (CF-50, CF-61)")
    func warningsStay() throws {
        let usable = try usable(single("us", "https://localhost/#x"))
        #expect(usable.singleLinks["us"]?.url == "https://localhost/#x")
        #expect(usable.removed == [])
    }

    @Test("Kept entries need the right type and a URL that can be parsed (CF-50)")
    func keepPolicy() throws {
        let urls = ["http://a.acme.example/?q", "/nl", "https://a.acme.example/%", "https://b.acme.example"]
        let strings = urls.map { "<string>\($0)</string>" }.joined()
        let usable = try usable(
            "<key>SKExternalPurchaseMultiLink</key><dict><key>ru</key><array>\(strings)<true/></array>"
                + "<key>NL</key><array><string>https://c.acme.example</string></array></dict>"
                + "<key>SKExternalPurchase</key><string>nl</string>",
            policy: .keep
        )
        #expect(usable.multiLinks["ru"]?.map(\.url) == ["http://a.acme.example/?q", "https://b.acme.example"])
        #expect(usable.multiLinks["NL"]?.count == 1)
        #expect(usable.regions.isEmpty)
        #expect(
            usable.removed.map(\.rule) == [
                "link-url-relative", "link-url-invalid", "element-wrong-type", "key-wrong-type",
            ]
        )
    }

    @Test("A key of the wrong type counts as absent (CF-51)")
    func wrongTypeOfKey() throws {
        let usable = try usable("<key>SKExternalPurchaseLink</key><string>https://a.acme.example</string>")
        #expect(usable.singleLinks.isEmpty)
        #expect(usable.removed.map(\.rule) == ["key-wrong-type"])
    }

    @Test("With limit one and two different URLs the single link is left out (CF-52)")
    func unionOverLimit() throws {
        let usable = try usable(multi("ru", ["https://a.acme.example"]) + single("ru", "https://b.acme.example"))
        #expect(usable.multiLinks["ru"]?.map(\.url) == ["https://a.acme.example"])
        #expect(usable.singleLinks["ru"] == nil)
        #expect(usable.removed.map(\.rule) == ["link-union-over-limit"])
    }

    @Test("Links over the limit are left out in order, those with an error counted (CF-42, CF-52)")
    func overLimit() throws {
        let urls = ["http://a.acme.example"] + "bcdefg".map { "https://\($0).acme.example" }
        let five = try usable(multi("se", urls) + single("se", "https://z.acme.example"), musicStreaming: .yes)
        #expect(five.multiLinks["se"]?.map(\.url) == Array(urls[1...4]))
        #expect(five.singleLinks["se"] == nil)
        #expect(Set(five.removed.map(\.rule)) == ["link-url-not-https", "multi-link-over-five"])
        #expect(five.excessLinks["se"]?.multi.map(\.url) == Array(urls[5...]))
        #expect(five.excessLinks["se"]?.single?.url == "https://z.acme.example")
        let russia = try usable(multi("ru", Array(urls[1...])))
        #expect(russia.multiLinks["ru"]?.map(\.url) == [urls[1]])
    }

    private static let several = ["https://a.acme.example", "https://b.acme.example", "https://a.acme.example"]

    private static let regions =
        "<key>SKExternalPurchaseLinkStreamingRegions</key><array><string>fi</string></array>"

    static let streamingCases: [(MusicStreaming, String, [String]?, String?, [String])] =
        [
            (.yes, "", ["a", "b"], "b", []),
            (.auto, "", ["a"], nil, ["multi-link-needs-streaming"]),
            (.auto, regions, ["a", "b"], "b", []),
            (.no, "", nil, nil, ["multi-link-over-one"]),
        ]

    @Test(
        "Several links need music streaming: all count with it, one without evidence, none where it is denied (CF-43)",
        arguments: streamingCases
    )
    func streaming(
        _ setting: MusicStreaming,
        _ evidence: String,
        _ used: [String]?,
        _ single: String?,
        _ rules: [String]
    ) throws {
        let configuration = multi("fi", Self.several) + self.single("fi", Self.several[1]) + evidence
        let usable = try usable(configuration, musicStreaming: setting)
        func url(_ name: String) -> String { "https://\(name).acme.example" }
        #expect(usable.multiLinks["fi"]?.map(\.url) == used?.map(url))
        #expect(usable.singleLinks["fi"]?.url == single.map(url))
        #expect(usable.removed.map(\.rule) == rules)
        let excess = usable.excessLinks["fi"]
        #expect((excess?.multi.map(\.url) ?? []) == ["a", "b"].filter { used?.contains($0) != true }.map(url))
        #expect(excess?.rule == rules.first)
    }

    @Test("Without evidence only the first link counts, even if it has an error (CF-42, CF-43)")
    func faultyFirstLink() throws {
        let usable = try usable(multi("fi", ["http://a.acme.example", "https://b.acme.example"]))
        #expect(usable.multiLinks["fi"] == nil)
        #expect(usable.excessLinks["fi"]?.multi.map(\.url) == ["https://b.acme.example"])
        #expect(Set(usable.removed.map(\.rule)) == ["link-url-not-https", "multi-link-needs-streaming"])
    }

    @Test("The policy keep applies no limit, and a repeated URL counts once (CF-43, CF-50)")
    func keepHasNoLimit() throws {
        let usable = try usable(multi("fi", Self.several), musicStreaming: .no, policy: .keep)
        #expect(usable.multiLinks["fi"]?.map(\.url) == Array(Self.several[..<2]))
        #expect(usable.excessLinks.isEmpty)
        #expect(usable.removed.isEmpty)
    }

    @Test("An empty list is nil, never an empty array (CF-53)")
    func emptyIsAbsent() throws {
        let name = Entitlement.allowedRegions.rawValue
        let usable = try usable(
            multi("nl", ["http://a.acme.example"]) + "<key>SKExternalPurchase</key><array><string>ch</string></array>",
            entitlements: "<key>\(name)</key><array><string>ch</string></array>"
        )
        #expect(usable.multiLinks.isEmpty)
        #expect(usable.regions.isEmpty)
        #expect(usable.allowedRegions.isEmpty)
        #expect(usable.entitlements.isEmpty)
    }

    @Test(
        "A Boolean entitlement counts only when it is true (CF-21)",
        arguments: [
            ("<true/>", true), ("<false/>", false), ("<string>true</string>", false), ("<integer>1</integer>", false),
        ]
    )
    func booleanEntitlement(value: String, counts: Bool) throws {
        let usable = try usable("", entitlements: "<key>\(Entitlement.link)</key>\(value)")
        #expect((usable.entitlements[.link] != nil) == counts)
    }

    @Test("The signed entitlements are read instead of the source (CF-1)")
    func signedEntitlements() throws {
        var configuration = try ConfigurationText.read(
            infoPlist: "",
            entitlements: "<key>\(Entitlement.link)</key><true/>"
        )
        let signed = ConfigurationText.plist("<key>\(Entitlement.externalPurchase)</key><true/>")
        configuration.signedEntitlements = try PropertyListFile.parse(Array(signed.utf8), path: "signed")
        let usable = UsableConfiguration(configuration, pack: .newest)
        #expect(Array(usable.entitlements.keys) == [.externalPurchase])
        #expect(usable.entitlements[.externalPurchase]?.file == "signed")
    }

    @Test(
        "The lists of autumn 2025 replace their Boolean entitlement in the packs of their time (CF-24)",
        arguments: [
            ("2024-04", LegacyAllowedRegions.byPack, false), ("2025-07", .byPack, true), ("2026-02", .byPack, true),
            ("2026-06", .byPack, false), ("2026-10", .byPack, false), ("2025-07", .off, false), ("2026-10", .on, true),
        ]
    )
    func legacyLists(pack: String, setting: LegacyAllowedRegions, counts: Bool) throws {
        let name = "com.apple.developer.storekit.external-purchase-link.allowed-regions"
        let configuration = try ConfigurationText.read(
            infoPlist: single("de", "https://shop.acme.example/de"),
            entitlements: "<key>\(name)</key><array><string>de</string><string>ch</string></array>"
        )
        let pack = try #require(RegionTables.builtIn.pack(pack))
        let usable = UsableConfiguration(configuration, pack: pack, legacyAllowedRegions: setting)
        #expect(usable.entitlements[.link] == nil)
        #expect(usable.legacyRegions[.link]?.name.rawValue == (counts ? name : nil))
        #expect(usable.legacyRegions[.link]?.regions.keys.sorted() == (counts ? ["de"] : nil))

        var options = LintOptions(pack: pack)
        options.legacyAllowedRegions = setting
        let rules = Set(ConfigurationLinter.findings(in: configuration, options: options).map(\.rule))
        #expect(rules.contains("entitlement-dropped") == !counts)
        #expect(rules.contains("entitlement-missing") == !counts)
        #expect(rules.contains("country-not-supported") == counts)
        #expect(!rules.contains("key-unknown"))
    }

    struct Alternative: Sendable, CustomTestStringConvertible {
        /// The last part of the list's name.
        let name: String
        var infoPlist = ""
        let standsAlone: Bool
        /// The rules of linting with only the list, besides notes.
        var rules: [String] = []
        var testDescription: String { "\(name) \(infoPlist.prefix(60))" }
    }

    private static let url = "<string>https://shop.acme.example/de</string>"

    static let alternatives: [Alternative] = [
        Alternative(name: "external-purchase", standsAlone: true),
        Alternative(name: "external-purchase-link-streaming", standsAlone: true),
        Alternative(name: "external-purchase-link", standsAlone: false, rules: ["entitlement-without-key"]),
        Alternative(
            name: "external-purchase-link",
            infoPlist: "<key>SKExternalPurchaseLink</key><dict><key>de</key>\(url)</dict>",
            standsAlone: false
        ),
        Alternative(
            name: "external-purchase-link",
            infoPlist: "<key>SKExternalPurchaseMultiLink</key><dict><key>de</key><array>\(url)</array></dict>",
            standsAlone: false
        ),
        Alternative(
            name: "external-purchase-link",
            infoPlist: "<key>SKExternalPurchaseCustomLinkRegions</key><array><string>de</string></array>",
            standsAlone: false,
            rules: ["entitlement-missing", "entitlement-without-key"]
        ),
        Alternative(
            name: "external-purchase",
            infoPlist: "<key>SKExternalPurchase</key><array><string>de</string></array>",
            standsAlone: true
        ),
    ]

    @Test(
        "Two lists of autumn 2025 need no key, that of the link keys needs a link key (CF-24)",
        arguments: alternatives,
        ["2025-07", "2026-02"]
    )
    func alternative(_ alternative: Alternative, pack: String) throws {
        let name = "com.apple.developer.storekit.\(alternative.name).allowed-regions"
        let configuration = try ConfigurationText.read(
            infoPlist: alternative.infoPlist,
            entitlements: "<key>\(name)</key><array><string>de</string></array>"
        )
        let pack = try #require(RegionTables.builtIn.pack(pack))
        let usable = UsableConfiguration(configuration, pack: pack)
        #expect(usable.legacyRegions.values.map(\.standsAlone) == [alternative.standsAlone])
        let findings = ConfigurationLinter.findings(in: configuration, options: LintOptions(pack: pack))
        #expect(findings.filter { $0.severity > .note }.map(\.rule) == alternative.rules)
    }

    @Test("A repeated key or code is out, and a key that the pack lacks is not read")
    func repeatedAndUnknown() throws {
        let link = "<key>nl</key><string>https://a.acme.example</string>"
        let other = "<key>de</key><string>https://a.acme.example</string>"
        let usable = try usable("<key>SKExternalPurchaseLink</key><dict>\(link)\(other)\(link)</dict>")
        #expect(Array(usable.singleLinks.keys) == ["de"])
        #expect(usable.removed.map(\.rule) == ["plist-duplicate-key"])
        let list = "<key>SKExternalPurchase</key><array><string>nl</string></array>"
        #expect(try self.usable(list + list).regions.isEmpty)
        let oldest = try #require(RegionTables.builtIn.pack("2024-04"))
        let custom = "<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"
        #expect(try self.usable(custom, pack: oldest).regions.isEmpty)
    }
}
