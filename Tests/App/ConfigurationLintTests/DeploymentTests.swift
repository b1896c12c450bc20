import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// Platform and minimum OS, and the rules that depend on them.
struct DeploymentTests {
    private static let bundleId = "<key>CFBundleIdentifier</key><string>com.acme.app</string>"

    private func findings(
        _ members: String,
        entitlements: String? = nil,
        platform: Platform? = nil,
        pack: String = "2026-10"
    ) throws -> [Finding] {
        let configuration = try ConfigurationText.read(
            infoPlist: "",
            entitlements: entitlements,
            whole: ConfigurationText.plist(Self.bundleId + members)
        )
        let pack = try #require(RegionTables.builtIn.pack(pack))
        return ConfigurationLinter.findings(in: configuration, options: LintOptions(pack: pack, platform: platform))
    }

    private func key(_ name: String, _ value: String) -> String { "<key>\(name)</key><string>\(value)</string>" }

    private func platforms(_ names: String...) -> String {
        "<key>CFBundleSupportedPlatforms</key><array>\(names.map { "<string>\($0)</string>" }.joined())</array>"
    }

    private let custom = "<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>"
    private let streaming = "<key>SKExternalPurchaseLinkStreamingRegions</key><array><string>no</string></array>"

    @Test("The platform comes from the option, the supported platforms or the version's key, in this order (CF-74)")
    func platform() throws {
        let iOS = key("MinimumOSVersion", "1.0")
        let mac = key("LSMinimumSystemVersion", "1.0")
        let cases: [(String, Platform?, String)] = [
            (iOS, nil, "iOS 18.1"), (mac, nil, "macOS 15.1"), (iOS + mac, nil, "iOS 18.1"),
            (iOS + platforms("XROS"), nil, "visionOS 2.1"), (iOS + platforms("XRSimulator"), nil, "visionOS 2.1"),
            (iOS + platforms("AppleTVOS"), nil, "tvOS 18.1"), (iOS + platforms("WatchOS"), nil, "watchOS 11.1"),
            (iOS + platforms("Toaster", "WatchSimulator"), nil, "watchOS 11.1"),
            (iOS + platforms("Toaster"), nil, "iOS 18.1"), (mac + platforms("MacOSX"), nil, "macOS 15.1"),
            (iOS + platforms("XROS"), .iPadOS, "iPadOS 18.1"), (iOS + mac, .macOS, "macOS 15.1"),
        ]
        for (members, option, expected) in cases {
            let found = try findings(members + custom, platform: option).first { $0.rule == "minimum-os-below-use" }
            #expect(
                found?.message == "SKExternalPurchaseCustomLinkRegions works from \(expected); the app runs from 1.0"
            )
        }
    }

    @Test("Mac Catalyst is checked by the iOS equivalent of the macOS version (CF-74, SK-12)")
    func catalyst() throws {
        let older = try findings(key("LSMinimumSystemVersion", "14.6") + custom, platform: .macCatalyst)
        #expect(
            older.map(\.message) == [
                "SKExternalPurchaseCustomLinkRegions works from Mac Catalyst 18.1; the app runs from 17.6"
            ]
        )
        #expect(try findings(key("LSMinimumSystemVersion", "15.1") + custom, platform: .macCatalyst) == [])
        #expect(try findings(key("MinimumOSVersion", "18.1") + custom, platform: .macCatalyst) == [])
        let ancient = try findings(key("LSMinimumSystemVersion", "11.0") + custom, platform: .macCatalyst)
        #expect(ancient.map(\.rule) == ["minimum-os-below-use"])
        let never = try findings(key("LSMinimumSystemVersion", "16.0") + custom, platform: .macCatalyst)
        #expect(never.map(\.rule) == ["minimum-os-unknown"])
    }

    @Test(
        "A version that is not one to three numbers is unknown (CF-74)",
        arguments: [
            "<string></string>", "<string>$(IPHONEOS_DEPLOYMENT_TARGET)</string>", "<string>17.</string>",
            "<string>1.2.3.4</string>", "<real>17.4</real>",
        ]
    )
    func unknown(value: String) throws {
        let found = try findings("<key>MinimumOSVersion</key>\(value)" + custom)
        #expect(found.map(\.rule) == ["minimum-os-unknown"])
        #expect(found.first?.path == "MinimumOSVersion")
    }

    @Test("The rules ignore a file without external purchase keys")
    func unconcerned() throws {
        let other = "<key>CFBundleName</key><string>Acme</string>"
        let configuration = try ConfigurationText.read(infoPlist: "", whole: ConfigurationText.plist(other))
        #expect(ConfigurationLinter.findings(in: configuration) == [])
    }

    @Test(
        "A region that needs a later version than its list has its own note (CF-62)",
        arguments: [
            ("26.1", ["26.2", "26.4", "26.5"]), ("26.2", ["26.4", "26.5"]), ("26.4", ["26.5"]), ("26.5", []),
        ]
    )
    func gates(minimum: String, expected: [String]) throws {
        let name = Entitlement.allowedRegions.rawValue
        let list = ["de", "jp", "br"].map { "<string>\($0)</string>" }.joined()
        let found = try findings(
            key("MinimumOSVersion", minimum),
            entitlements: "<key>\(name)</key><array>\(list)</array>"
        )
        let what = ["26.2": name, "26.4": "A token for jp", "26.5": "br"]
        #expect(
            found.map(\.message)
                == expected.map { "\(what[$0] ?? "") works from iOS \($0); the app runs from \(minimum)" }
        )
        #expect(found.allSatisfy { $0.file == "App.entitlements" && $0.related.map(\.file) == ["Info.plist"] })
    }

    @Test("The gates are checked for the signed list of regions, and for the source only without a signature (CF-1)")
    func signedGates() throws {
        func list(_ code: String) -> String {
            "<key>\(Entitlement.allowedRegions)</key><array><string>\(code)</string></array>"
        }
        let configuration = try ConfigurationText.read(
            infoPlist: "",
            entitlements: list("br"),
            signed: list("jp"),
            whole: ConfigurationText.plist(Self.bundleId + key("MinimumOSVersion", "26.3"))
        )
        let notes = ConfigurationLinter.findings(in: configuration).filter { $0.severity == .note }
        #expect(notes.map(\.message) == ["A token for jp works from iOS 26.4; the app runs from 26.3"])
        #expect(notes.map(\.file) == ["App (signed)"])
    }

    @Test("Tokens are missed on iOS and iPadOS only")
    func tokens() throws {
        let list = "<key>SKExternalPurchase</key><array><string>nl</string></array>"
        let rule = "minimum-os-below-tokens"
        for platform in [Platform.iOS, .iPadOS] {
            let found = try findings(key("MinimumOSVersion", "17.3.1") + list, platform: platform)
            #expect(found.map(\.rule) == [rule])
        }
        let tvOS = try findings(key("MinimumOSVersion", "17.3") + list, platform: .tvOS)
        #expect(tvOS.map(\.rule) == ["minimum-os-below-use"])
    }

    @Test("A key that the platform lacks is reported together with its entitlement")
    func unavailable() throws {
        let found = try findings(key("LSMinimumSystemVersion", "26.5") + streaming)
        #expect(found.map(\.rule) == ["key-unavailable-on-platform"])
        #expect(found.first?.related.map(\.file) == ["App.entitlements"])
        let alone = try findings(
            key("MinimumOSVersion", "26.5") + custom,
            entitlements: "<key>\(Entitlement.link)</key><true/><key>\(Entitlement.linkAccount)</key><true/>",
            platform: .watchOS
        )
        #expect(alone.map(\.rule) == ["entitlement-without-key", "key-unavailable-on-platform"])
        #expect(alone.last?.key == Entitlement.linkAccount.rawValue)
    }

    @Test("Versions are not checked for keys that the pack lacks")
    func packWithoutKey() throws {
        let found = try findings(key("MinimumOSVersion", "15.4") + custom, pack: "2024-04")
        #expect(found.map(\.rule) == ["key-not-in-pack"])
    }

    @Test("Below the multi key each of its countries needs a single link (CF-12)")
    func fallback() throws {
        let links = "<array><string>https://shop.acme.example/</string></array>"
        let members =
            key("MinimumOSVersion", "17.4.9")
            + "<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key>\(links)<key>de</key>\(links)"
            + "<key>CH</key>\(links)</dict><key>SKExternalPurchaseLink</key>"
            + "<dict><key>nl</key><string>https://shop.acme.example/</string></dict>"
        let found = try findings(members).filter { $0.rule == "multi-link-without-fallback" }
        #expect(found.map(\.country) == ["de"])
        #expect(
            found.first?.related.map(\.message) == ["de is not in SKExternalPurchaseLink", "the app runs from 17.4.9"]
        )
    }
}
