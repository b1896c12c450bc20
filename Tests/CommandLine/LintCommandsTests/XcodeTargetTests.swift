import Testing

@Suite("An Xcode target is checked by what its build settings prove")
struct XcodeTargetTests {
    struct Target: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var settings = "INFOPLIST_FILE = Info.plist; CODE_SIGN_ENTITLEMENTS = App.entitlements;"
        var configuration = ""
        var files: [String: String] = [:]
        var infoPlist = Self.key
        let rules: Set<String>
        var says = ""

        init(
            _ name: String,
            _ settings: String,
            files: [String: String] = [:],
            infoPlist: String = Self.key,
            rules: Set<String>,
            says: String = ""
        ) {
            testDescription = name
            self.settings = settings
            self.files = files
            self.infoPlist = infoPlist
            self.rules = rules
            self.says = says
        }

        static let key = plist("<key>SKExternalPurchase</key><array><string>nl</string></array>")
        static let grant = plist("<key>com.apple.developer.storekit.external-purchase</key><true/>")

        static func plist(_ members: String) -> String {
            "<plist version=\"1.0\"><dict>\(members)</dict></plist>"
        }
    }

    private static let info = "INFOPLIST_FILE = Info.plist; IPHONEOS_DEPLOYMENT_TARGET = 26.2; SDKROOT = iphoneos; "
    private static let bundle = "GENERATE_INFOPLIST_FILE = YES; "
    private static let named = info + bundle + "CODE_SIGN_ENTITLEMENTS = App.entitlements; "
    private static let included = info + bundle + "baseConfiguration;"

    static let targets: [Target] = [
        Target("both files", named, files: ["App.entitlements": Target.grant], rules: []),
        Target(
            "no setting",
            info + bundle,
            rules: ["entitlement-missing"],
            says: "CODE_SIGN_ENTITLEMENTS of the target"
        ),
        Target(
            "no setting, and a file that no target uses",
            info + bundle,
            files: ["Old.entitlements": Target.grant],
            rules: ["entitlement-missing", "other-file-missing"]
        ),
        Target("a file that is not there", named, rules: ["entitlement-missing"], says: "no setting names a file"),
        Target(
            "a value that is not known",
            info + bundle + "CODE_SIGN_ENTITLEMENTS = \"$(PLACE)/App.entitlements\";",
            rules: ["other-file-missing"]
        ),
        Target(
            "an included file",
            included,
            files: [
                "A.xcconfig": "#include \"Shared/B.xcconfig\"\n#include? \"None.xcconfig\"\n",
                "Shared/B.xcconfig": "#include \"C.xcconfig\"\n",
                "Shared/C.xcconfig": "CODE_SIGN_ENTITLEMENTS = App.entitlements\n", "App.entitlements": Target.grant,
            ],
            rules: []
        ),
        Target(
            "an included file that a later line overrides",
            included,
            files: [
                "A.xcconfig": "#include \"B.xcconfig\"\nCODE_SIGN_ENTITLEMENTS = App.entitlements\n",
                "B.xcconfig": "CODE_SIGN_ENTITLEMENTS = None.entitlements\n", "App.entitlements": Target.grant,
            ],
            rules: []
        ),
        Target(
            "an include that is not there may have the setting",
            included,
            files: ["A.xcconfig": "#include \"None.xcconfig\"\n"],
            rules: ["other-file-missing"]
        ),
        Target(
            "files that include each other",
            included,
            files: ["A.xcconfig": "#include \"B.xcconfig\"\n", "B.xcconfig": "#include \"A.xcconfig\"\n"],
            rules: ["other-file-missing"]
        ),
        Target(
            "several platforms, of which one does not have the key",
            """
            INFOPLIST_FILE = Info.plist; GENERATE_INFOPLIST_FILE = YES; CODE_SIGN_ENTITLEMENTS = App.entitlements;
            SDKROOT = auto; SUPPORTED_PLATFORMS = "iphoneos iphonesimulator macosx";
            IPHONEOS_DEPLOYMENT_TARGET = 18.2; MACOSX_DEPLOYMENT_TARGET = 15.4;
            """,
            files: [
                "App.entitlements": Target.plist(
                    "<key>com.apple.developer.storekit.external-purchase-link-streaming</key><true/>"
                )
            ],
            infoPlist: Target.plist(
                "<key>SKExternalPurchaseLinkStreamingRegions</key><array><string>no</string></array>"
            ),
            rules: ["key-unavailable-on-platform"],
            says: "does not exist on macOS"
        ),
        Target(
            "an Info.plist that cannot be read",
            named,
            files: ["App.entitlements": Target.grant],
            infoPlist: "",
            rules: ["plist-unreadable"]
        ),
        Target(
            "a key that the allowed regions make superfluous",
            named,
            files: [
                "App.entitlements": Target.plist(
                    "<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"
                        + "<array><string>nl</string></array>"
                )
            ],
            rules: ["entitlement-missing"],
            says: "warning: SKExternalPurchase has no effect without"
        ),
    ]

    @Test("What the settings prove is found, and what they leave open is a note", arguments: targets)
    func settings(_ target: Target) async throws {
        let folder = try ScratchFolder()
        let hasBase = target.settings.contains("baseConfiguration;")
        try folder.write(
            """
            { objects = {
              P = { isa = PBXProject; mainGroup = G; targets = (T); };
              G = { isa = PBXGroup; children = (F); sourceTree = "<group>"; };
              F = { isa = PBXFileReference; path = A.xcconfig; sourceTree = "<group>"; };
              T = { isa = PBXNativeTarget; name = App; buildConfigurationList = M; };
              M = { isa = XCConfigurationList; buildConfigurations = (S); };
              S = { isa = XCBuildConfiguration; name = Release; \(hasBase ? "baseConfigurationReference = F;" : "")
                buildSettings = { \(target.settings.replacing("baseConfiguration;", with: "")) }; };
            }; rootObject = P; }
            """,
            to: "App.xcodeproj/project.pbxproj"
        )
        try folder.write(target.infoPlist, to: "Info.plist")
        for (name, content) in target.files { try folder.write(content, to: name) }
        let result = try await folder.lint([".", "--format", "json"])
        #expect(Set(result.rules) == target.rules, "\(result.output)\(result.error)")
        let text = try await folder.lint([".", "--verbose"])
        #expect(text.output.contains(target.says), "\(text.output)")
    }

    @Test("The hints of a description are written as the description is (CF-7)")
    func descriptions() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            """
            {"expo": {"ios": {"infoPlist": {"SKExternalPurchase": "nl", "com.apple.developer.storekit.external-purchase": true},
              "entitlements": {"com.apple.developer.storekit.external-purchase-link": "true"}}}}
            """,
            to: "app.json"
        )
        let text = try await folder.lint(["app.json", "--verbose"]).output
        for hint in [
            "Write `\"SKExternalPurchase\": [\"nl\"]`.", "Set `expo.ios.bundleIdentifier`.",
            "Move it to `expo.ios.entitlements`.", "external-purchase-link\": true`",
        ] {
            #expect(text.contains(hint), "\(text)")
        }
        for foreign in ["<true/>", "<key>", "CFBundleIdentifier`", "`.entitlements` file"] {
            #expect(!text.contains(foreign), "\(text)")
        }
    }
}
