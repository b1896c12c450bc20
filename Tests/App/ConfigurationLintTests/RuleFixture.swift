import AppConfiguration
import Testing

/// A configuration for one rule: members of the root dictionaries, or a complete Info.plist.
struct RuleFixture: Sendable, CustomTestStringConvertible {
    let rule: String
    var pack = "2026-10"
    var infoPlist = ""
    var entitlements: String?
    var signed: String?
    var profile: String?
    var reviewed: String?
    var wholeInfoPlist: String?
    var elsewhere: [KeySetElsewhere] = []
    /// Why an archive could not be read; such a case has no files.
    var unreadableArtifact: String?
    /// True when there is no entitlements file.
    var isInfoPlistAlone = false

    init(
        _ rule: String,
        pack: String = "2026-10",
        infoPlist: String = "",
        entitlements: String? = nil,
        signed: String? = nil,
        profile: String? = nil,
        reviewed: String? = nil,
        wholeInfoPlist: String? = nil,
        elsewhere: [KeySetElsewhere] = [],
        unreadableArtifact: String? = nil,
        isInfoPlistAlone: Bool = false
    ) {
        self.isInfoPlistAlone = isInfoPlistAlone
        self.rule = rule
        self.pack = pack
        self.infoPlist = infoPlist
        self.entitlements = entitlements
        self.signed = signed
        self.profile = profile
        self.reviewed = reviewed
        self.elsewhere = elsewhere
        self.unreadableArtifact = unreadableArtifact
        self.wholeInfoPlist = wholeInfoPlist
    }

    var testDescription: String { rule }

    /// Each violates the rule it is named after and causes no other error or warning (CF-76).
    static let failing: [RuleFixture] = [
        RuleFixture(
            "korea-needs-own-app",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>kr</string><string>nl</string></array>"#
        ),
        RuleFixture(
            "other-file-missing",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#,
            isInfoPlistAlone: true
        ),
        RuleFixture(
            "plist-unreadable",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>SKExternalPurchase</key><array><string>nl</array></dict>"#
                + #"</plist>"#
        ),
        RuleFixture(
            "plist-root-not-dictionary",
            wholeInfoPlist: #"<plist version="1.0"><array><string>nl</string></array></plist>"#
        ),
        RuleFixture(
            "plist-duplicate-key",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array><key>SKExternalPurchase"#
                + #"</key><array><string>de</string></array>"#
        ),
        RuleFixture("key-case", infoPlist: #"<key>SKExternalpurchase</key><array><string>nl</string></array>"#),
        RuleFixture(
            "key-not-in-pack",
            pack: "2024-04",
            infoPlist: #"<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"#
        ),
        RuleFixture(
            "key-in-wrong-file",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#,
            entitlements: #"<key>com.apple.developer.storekit.external-purchase</key><true/><key>SKExternalPurchase"#
                + #"</key><array><string>nl</string></array>"#
        ),
        RuleFixture(
            "unresolved-variable",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://$(SHOP_HOST)/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture("key-wrong-type", infoPlist: #"<key>SKExternalPurchase</key><string>nl</string>"#),
        RuleFixture(
            "element-wrong-type",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/nl</string></dict>"#
        ),
        RuleFixture(
            "collection-empty",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array/></dict>"#
        ),
        RuleFixture(
            "country-whitespace",
            infoPlist: #"<key>SKExternalPurchase</key><array><string> nl</string></array>"#
        ),
        RuleFixture(
            "country-not-lowercase",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key><array>"#
                + #"<string>JP</string></array>"#
        ),
        RuleFixture(
            "country-alpha-3",
            infoPlist: #"<key>SKExternalPurchaseCustomLinkRegions</key><array><string>fra</string></array>"#
        ),
        RuleFixture("country-unknown", infoPlist: #"<key>SKExternalPurchase</key><array><string>el</string></array>"#),
        RuleFixture(
            "country-duplicate",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string><string>it</string><string>nl"#
                + #"</string></array>"#
        ),
        RuleFixture(
            "country-needs-entitlement",
            infoPlist: #"<key>SKExternalPurchaseCustomLinkRegions</key><array><string>de</string><string>jp"#
                + #"</string></array>"#
        ),
        RuleFixture(
            "country-withdrawn",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>us</key><string>https://shop.acme.example/us"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "country-not-supported",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>ch</string></array>"#
        ),
        RuleFixture(
            "allowed-regions-contested",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key><array>"#
                + #"<string>no</string></array>"#
        ),
        RuleFixture(
            "link-url-empty",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string></string></dict>"#
        ),
        RuleFixture(
            "link-url-whitespace",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/nl </string></dict>"#
        ),
        RuleFixture(
            "link-url-not-ascii",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>de</key>"#
                + #"<string>https://münchen.acme.example/</string></dict>"#
        ),
        RuleFixture(
            "link-url-too-long",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/A×975</string></dict>"#
        ),
        RuleFixture(
            "link-url-relative",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>shop.acme.example/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "link-url-not-https",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>http://shop.acme.example/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "link-url-no-host",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https:///nl</string></dict>"#
        ),
        RuleFixture(
            "link-url-invalid",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/100%</string></dict>"#
        ),
        RuleFixture(
            "link-url-has-query",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/?from=app</string></dict>"#
        ),
        RuleFixture(
            "link-url-empty-query",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/nl?</string></dict>"#
        ),
        RuleFixture(
            "link-url-fragment",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/nl#plans</string></dict>"#
        ),
        RuleFixture(
            "link-url-userinfo",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://app@shop.acme.example/nl</string></dict>"#
        ),
        RuleFixture(
            "link-url-private-host",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://localhost:8443/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "link-url-placeholder-host",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://www.example.com/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "multi-link-duplicate",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array>"#
                + #"<string>https://shop.acme.example/a</string><string>https://shop.acme.example/a</string>"#
                + #"</array></dict>"#
        ),
        RuleFixture(
            "multi-link-over-five",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>se</key><array>"#
                + #"<string>https://a.acme.example</string><string>https://b.acme.example</string>"#
                + #"<string>https://c.acme.example</string><string>https://d.acme.example</string>"#
                + #"<string>https://e.acme.example</string><string>https://f.acme.example</string></array>"#
                + #"</dict>"#
        ),
        RuleFixture(
            "multi-link-over-one",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>ru</key><array>"#
                + #"<string>https://shop.acme.example/a</string><string>https://shop.acme.example/b</string>"#
                + #"</array></dict>"#
        ),
        RuleFixture(
            "multi-link-needs-streaming",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>fi</key><array>"#
                + #"<string>https://shop.acme.example/a</string><string>https://shop.acme.example/b</string>"#
                + #"</array></dict>"#
        ),
        RuleFixture(
            "link-union-over-limit",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>ru</key><array>"#
                + #"<string>https://shop.acme.example/a</string></array></dict><key>SKExternalPurchaseLink"#
                + #"</key><dict><key>ru</key><string>https://shop.acme.example/b</string></dict>"#
        ),
        RuleFixture(
            "entitlement-wrong-type",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#,
            entitlements: #"<key>com.apple.developer.storekit.external-purchase</key><string>true</string>"#
        ),
        RuleFixture(
            "artifact-unreadable",
            unreadableArtifact: "its central directory is cut off"
        ),
        RuleFixture(
            "bundle-id-missing",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>MinimumOSVersion</key><string>26.5</string><key>"#
                + #"SKExternalPurchase</key><array><string>nl</string></array></dict></plist>"#
        ),
        RuleFixture(
            "key-unknown",
            infoPlist: #"<key>SKExternalPurchaseRegions</key><array><string>nl</string></array>"#
        ),
        RuleFixture(
            "link-url-changed",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl2</string></dict>"#,
            reviewed: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl</string></dict>"#
        ),
        RuleFixture(
            "entitlement-missing",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>kr</string></array>"#,
            entitlements: ""
        ),
        RuleFixture(
            "streaming-entitlement-missing",
            infoPlist: #"<key>SKExternalPurchaseLinkStreamingRegions</key><array><string>is</string>"#
                + #"</array>"#,
            entitlements: ""
        ),
        RuleFixture(
            "entitlement-without-key",
            entitlements: #"<key>com.apple.developer.storekit.external-purchase-link</key><true/>"#
        ),
        RuleFixture(
            "link-single-only",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl</string></dict>"#
        ),
        RuleFixture(
            "multi-link-without-fallback",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>MinimumOSVersion</key><string>17.4</string><key>"#
                + #"SKExternalPurchaseMultiLink</key><dict><key>nl</key><array><string>"#
                + #"https://shop.acme.example/nl</string></array></dict></dict></plist>"#
        ),
        RuleFixture(
            "custom-link-beside-link",
            infoPlist: #"<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"#
                + #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl</string></dict>"#
        ),
        RuleFixture(
            "link-account-no-default",
            infoPlist: #"<key>SKExternalLinkAccount</key><dict><key>jp</key><string>"#
                + #"https://acme.example/jp</string></dict>"#
        ),
        RuleFixture(
            "link-account-url",
            infoPlist: #"<key>SKExternalLinkAccount</key><dict><key>*</key><string>"#
                + #"acme.example/account</string></dict>"#
        ),
        RuleFixture(
            "entitlement-false",
            entitlements: #"<key>com.apple.developer.storekit.external-purchase</key><false/>"#
        ),
        RuleFixture(
            "entitlement-dropped",
            entitlements: #"<key>com.apple.developer.storekit.external-purchase-link.allowed-regions</key>"#
                + #"<array><string>de</string></array>"#
        ),
        RuleFixture(
            "entitlement-not-signed",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string></array>"#,
            signed: ""
        ),
        RuleFixture(
            "entitlement-not-in-source",
            entitlements: "",
            signed: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string></array>"#
        ),
        RuleFixture(
            "entitlement-not-in-profile",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string></array>"#,
            profile: ""
        ),
        RuleFixture(
            "entitlement-value-differs",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>br</string><string>jp</string></array>"#,
            profile: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string></array>"#
        ),
        RuleFixture(
            "minimum-os-unknown",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>SKExternalPurchase</key><array><string>nl</string>"#
                + #"</array></dict></plist>"#
        ),
        RuleFixture(
            "minimum-os-below-use",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>MinimumOSVersion</key><string>17.6</string><key>"#
                + #"SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"#
                + #"</dict></plist>"#
        ),
        RuleFixture(
            "minimum-os-below-tokens",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>MinimumOSVersion</key><string>16.0</string><key>"#
                + #"SKExternalPurchase</key><array><string>kr</string></array></dict></plist>"#
        ),
        RuleFixture(
            "key-unavailable-on-platform",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>LSMinimumSystemVersion</key><string>26.5</string><key>"#
                + #"SKExternalPurchaseLinkStreamingRegions</key><array><string>no</string></array>"#
                + #"</dict></plist>"#
        ),
        RuleFixture(
            "key-set-elsewhere",
            elsewhere: [
                KeySetElsewhere(
                    source: .buildSetting,
                    key: "SKExternalPurchase",
                    file: "App.xcodeproj/project.pbxproj",
                    position: SourcePosition(line: 1, column: 5)
                )
            ]
        ),
    ]

    /// The most similar configurations that satisfy the rule.
    ///
    /// They have no error or warning.
    static let passing: [RuleFixture] = [
        RuleFixture(
            "korea-needs-own-app",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>kr</string></array>"#
        ),
        RuleFixture(
            "other-file-missing",
            infoPlist: #"<key>NSCameraUsageDescription</key><string>a</string>"#,
            isInfoPlistAlone: true
        ),
        RuleFixture(
            "plist-unreadable",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.acme.app</string>"#
                + #"<key>MinimumOSVersion</key><string>26.5</string><key>SKExternalPurchase</key>"#
                + #"<array><string>nl</string></array></dict></plist>"#
        ),
        RuleFixture("plist-root-not-dictionary", wholeInfoPlist: #"<plist version="1.0"><dict/></plist>"#),
        RuleFixture(
            "plist-duplicate-key",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string><string>de</string></array>"#
        ),
        RuleFixture("key-case", infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#),
        RuleFixture(
            "key-not-in-pack",
            pack: "2025-07",
            infoPlist: #"<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"#
        ),
        RuleFixture(
            "key-in-wrong-file",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#,
            entitlements: #"<key>com.apple.developer.storekit.external-purchase</key><true/>"#
        ),
        RuleFixture(
            "unresolved-variable",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/$nl()</string></dict>"#
        ),
        RuleFixture("key-wrong-type", infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#),
        RuleFixture(
            "element-wrong-type",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array>"#
                + #"<string>https://shop.acme.example/nl</string></array></dict>"#
        ),
        RuleFixture(
            "collection-empty",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array>"#
                + #"<string>https://shop.acme.example/nl</string></array></dict>"#
        ),
        RuleFixture(
            "country-whitespace",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#
        ),
        RuleFixture(
            "country-not-lowercase",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key><array>"#
                + #"<string>jp</string></array>"#
        ),
        RuleFixture(
            "country-alpha-3",
            infoPlist: #"<key>SKExternalPurchaseCustomLinkRegions</key><array><string>fr</string></array>"#
        ),
        RuleFixture("country-unknown", infoPlist: #"<key>SKExternalPurchase</key><array><string>gr</string></array>"#),
        RuleFixture(
            "country-duplicate",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string><string>it</string></array>"#
        ),
        RuleFixture(
            "country-needs-entitlement",
            infoPlist: #"<key>SKExternalPurchaseCustomLinkRegions</key><array><string>de</string></array>"#,
            entitlements: #"<key>com.apple.developer.storekit.external-purchase-link</key><true/>"#
                + #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key><array>"#
                + #"<string>jp</string></array>"#
        ),
        RuleFixture(
            "country-withdrawn",
            pack: "2024-04",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>us</key><string>https://shop.acme.example/us"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "country-not-supported",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>kr</string></array>"#
        ),
        RuleFixture(
            "allowed-regions-contested",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key><array>"#
                + #"<string>br</string></array>"#
        ),
        RuleFixture(
            "link-url-empty",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://shop.acme.example/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "link-url-whitespace",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/a%20b</string></dict>"#
        ),
        RuleFixture(
            "link-url-not-ascii",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://xn--mnchen-3ya.acme.example/%C3%BC</string></dict>"#
        ),
        RuleFixture(
            "link-url-too-long",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/A×974</string></dict>"#
        ),
        RuleFixture(
            "link-url-relative",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://shop.acme.example/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "link-url-not-https",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>HTTPS://shop.acme.example/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "link-url-no-host",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://shop.acme.example/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "link-url-invalid",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example:65535/100%25</string></dict>"#
        ),
        RuleFixture(
            "link-url-has-query",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/from/app</string></dict>"#
        ),
        RuleFixture(
            "link-url-empty-query",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/nl%3F</string></dict>"#
        ),
        RuleFixture(
            "link-url-fragment",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/nl/plans</string></dict>"#
        ),
        RuleFixture(
            "link-url-userinfo",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key>"#
                + #"<string>https://shop.acme.example/@app</string></dict>"#
        ),
        RuleFixture(
            "link-url-private-host",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://172.15.0.1:8443/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "link-url-placeholder-host",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://www.example.shop/nl"#
                + #"</string></dict>"#
        ),
        RuleFixture(
            "multi-link-duplicate",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array>"#
                + #"<string>https://shop.acme.example/a</string></array></dict>"#
        ),
        RuleFixture(
            "multi-link-over-five",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>se</key><array>"#
                + #"<string>https://a.acme.example</string><string>https://b.acme.example</string>"#
                + #"<string>https://c.acme.example</string><string>https://d.acme.example</string>"#
                + #"<string>https://e.acme.example</string></array></dict>"#
                + #"<key>SKExternalPurchaseLinkStreamingRegions</key><array><string>se</string></array>"#
        ),
        RuleFixture(
            "multi-link-over-one",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>ru</key><array>"#
                + #"<string>https://shop.acme.example/a</string></array></dict>"#
        ),
        RuleFixture(
            "multi-link-needs-streaming",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>fi</key><array>"#
                + #"<string>https://shop.acme.example/a</string></array></dict>"#
        ),
        RuleFixture(
            "link-union-over-limit",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>ru</key><array>"#
                + #"<string>https://shop.acme.example/a</string></array></dict><key>SKExternalPurchaseLink"#
                + #"</key><dict><key>ru</key><string>https://shop.acme.example/a</string></dict>"#
        ),
        RuleFixture(
            "entitlement-wrong-type",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#,
            entitlements: #"<key>com.apple.developer.storekit.external-purchase</key><true/>"#
        ),
        RuleFixture(
            "artifact-unreadable",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#
        ),
        RuleFixture(
            "bundle-id-missing",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"$(PRODUCT_BUNDLE_IDENTIFIER)</string><key>MinimumOSVersion</key><string>"#
                + #"26.5</string><key>SKExternalPurchase</key><array><string>nl</string></array>"#
                + #"</dict></plist>"#
        ),
        RuleFixture(
            "key-unknown",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array><key>"#
                + #"SKAdNetworkItems</key><array/>"#
        ),
        RuleFixture(
            "link-url-changed",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl</string></dict>"#,
            reviewed: #"<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array><string>"#
                + #"https://shop.acme.example/nl</string></array></dict>"#
        ),
        RuleFixture(
            "entitlement-missing",
            infoPlist: #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl</string></dict>"#,
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>nl</string></array>"#
        ),
        RuleFixture(
            "streaming-entitlement-missing",
            infoPlist: #"<key>SKExternalPurchaseLinkStreamingRegions</key><array><string>is</string>"#
                + #"</array>"#,
            entitlements: #"<key>com.apple.developer.storekit.external-purchase-link-streaming</key><true/>"#
        ),
        RuleFixture(
            "entitlement-without-key",
            infoPlist: #"<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array><string>"#
                + #"https://shop.acme.example/nl</string></array></dict>"#,
            entitlements: #"<key>com.apple.developer.storekit.external-purchase-link</key><true/>"#
        ),
        RuleFixture(
            "link-single-only",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>MinimumOSVersion</key><string>17.4</string><key>"#
                + #"SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl</string></dict></dict></plist>"#
        ),
        RuleFixture(
            "multi-link-without-fallback",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>MinimumOSVersion</key><string>17.4</string><key>"#
                + #"SKExternalPurchaseMultiLink</key><dict><key>nl</key><array><string>"#
                + #"https://shop.acme.example/nl</string></array></dict><key>"#
                + #"SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl</string></dict></dict></plist>"#
        ),
        RuleFixture(
            "custom-link-beside-link",
            infoPlist: #"<key>SKExternalPurchaseCustomLinkRegions</key><array><string>de</string></array>"#
                + #"<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>"#
                + #"https://shop.acme.example/nl</string></dict>"#
        ),
        RuleFixture(
            "link-account-no-default",
            infoPlist: #"<key>SKExternalLinkAccount</key><dict><key>*</key><string>"#
                + #"https://acme.example/</string></dict>"#
        ),
        RuleFixture(
            "link-account-url",
            infoPlist: #"<key>SKExternalLinkAccount</key><dict><key>*</key><string>"#
                + #"HTTPS://acme.example/account?from=app</string></dict>"#
        ),
        RuleFixture(
            "entitlement-false",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#,
            entitlements: #"<key>com.apple.developer.storekit.external-purchase</key><true/>"#
        ),
        RuleFixture(
            "entitlement-dropped",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>de</string></array>"#
        ),
        RuleFixture(
            "entitlement-not-signed",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string></array>"#,
            signed: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string></array>"#
        ),
        RuleFixture(
            "entitlement-not-in-source",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string><string>br</string></array>"#,
            signed: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>br</string><string>jp</string></array>"#
        ),
        RuleFixture(
            "entitlement-not-in-profile",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string></array>"#,
            profile: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>*</string></array>"#
        ),
        RuleFixture(
            "entitlement-value-differs",
            entitlements: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>br</string><string>jp</string></array>"#,
            profile: #"<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"#
                + #"<array><string>jp</string><string>de</string><string>br</string></array>"#
        ),
        RuleFixture(
            "minimum-os-unknown",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>MinimumOSVersion</key><string>17.4.1</string><key>"#
                + #"SKExternalPurchase</key><array><string>nl</string></array></dict></plist>"#
        ),
        RuleFixture(
            "minimum-os-below-use",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>MinimumOSVersion</key><string>18.1</string><key>"#
                + #"SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"#
                + #"</dict></plist>"#
        ),
        RuleFixture(
            "minimum-os-below-tokens",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>MinimumOSVersion</key><string>17.4</string><key>"#
                + #"SKExternalPurchase</key><array><string>kr</string></array></dict></plist>"#
        ),
        RuleFixture(
            "key-unavailable-on-platform",
            wholeInfoPlist: #"<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>"#
                + #"com.acme.app</string><key>LSMinimumSystemVersion</key><string>26.5</string><key>"#
                + #"SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"#
                + #"</dict></plist>"#
        ),
        RuleFixture(
            "key-set-elsewhere",
            infoPlist: #"<key>SKExternalPurchase</key><array><string>nl</string></array>"#
        ),
    ]
}
