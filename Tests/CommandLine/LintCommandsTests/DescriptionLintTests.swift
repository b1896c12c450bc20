import Foundation
import Testing

@Suite("Descriptions of generated projects are checked where they are written")
struct DescriptionLintTests {
    private func places(_ result: LintBinary.Result) -> [String] {
        ((result.json["diagnostics"] as? [[String: Any]]) ?? []).map { finding in
            "\(finding["rule"] ?? "") \(finding["file"] ?? ""):\(finding["line"] ?? "-")"
        }
    }

    private static let expo = """
        {
          "expo": {
            "ios": {
              "bundleIdentifier": "com.acme.app",
              "infoPlist": {
                "SKExternalPurchaseCustomLinkRegion": ["nl"],
                "SKExternalPurchase": ["NL"]
              }
            }
          }
        }
        """

    @Test("Findings of Expo's app.json have its lines, and --fix leaves it alone (CF-7)")
    func expo() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.expo, to: "app.json")
        for path in [".", "app.json"] {
            let result = try await folder.lint([path, "--format", "json"])
            #expect(result.exitCode == 1)
            #expect(
                Set(places(result)) == [
                    "key-unknown app.json:6", "country-not-lowercase app.json:7", "entitlement-missing app.json:7",
                    "minimum-os-unknown app.json:3",
                ]
            )
        }
        let text = try await folder.lint(["app.json"])
        #expect(text.output.contains("app.json:6:9: error: SKExternalPurchaseCustomLinkRegion is not a known key"))
        #expect(text.output.contains("    6 |         \"SKExternalPurchaseCustomLinkRegion\""))
        let fixed = try await folder.lint(["app.json", "--fix"])
        #expect(fixed.exitCode == 1)
        #expect(fixed.error.contains("app.json is not fixed: it is no property list. Change it by hand"))
        #expect(try folder.text("app.json") == Self.expo)
    }

    @Test("A word that YAML reads as a Boolean is found in project.yml (CF-7)")
    func xcodeGen() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            """
            targets:
              Acme:
                type: application
                platform: iOS
                deploymentTarget: "26.5"
                info:
                  path: Info.plist
                  properties:
                    SKExternalPurchaseLinkStreamingRegions: [is, no]
                entitlements:
                  path: App.entitlements
                  properties:
                    com.apple.developer.external-purchase-link-streaming: true
            """,
            to: "project.yml"
        )
        let result = try await folder.lint(["project.yml", "--format", "json"])
        #expect(result.exitCode == 1)
        #expect(
            Set(places(result)) == [
                "element-wrong-type project.yml:9", "key-unknown project.yml:13",
                "streaming-entitlement-missing project.yml:9",
            ]
        )
        #expect(try await folder.lint(["project.yml"]).output.contains("in YAML a word such as no needs quotes"))
    }

    @Test("A country is the text of its key, as XcodeGen reads it: no is Norway (CF-7)", arguments: ["no", "'no'"])
    func norway(_ key: String) async throws {
        let folder = try ScratchFolder()
        let link = "SKExternalPurchaseLink: {\(key): 'https://shop.acme.com/no'}"
        try folder.write(
            Self.specification(
                """
                    deploymentTarget: "26.5"
                    info: {path: Info.plist, properties: {\(link)}}
                    entitlements:
                      path: App.entitlements
                      properties: {com.apple.developer.storekit.external-purchase-link: true}

                """
            ),
            to: "project.yml"
        )
        let result = try await folder.lint(["project.yml", "--format", "json"])
        #expect(result.rules.filter { $0 != "link-single-only" } == [], "\(places(result)) \(result.error)")
    }

    @Test("The settings name a key by its text", arguments: ["no", "on", "y", "true"])
    func settingsKey(_ key: String) async throws {
        let folder = try ScratchFolder()
        try folder.write("\(key): 1\n", to: "external-purchase-lint.yaml")
        try folder.write(Sample.infoPlist(), to: "Info.plist")
        #expect(try await folder.lint(["."]).error.contains("external-purchase-lint.yaml:1:1: '\(key)' is not a key"))
    }

    struct Misspelled: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let files: [String: String]
        /// The rule with the place that names the right spelling, and that spelling.
        let place: String
        let spelling: String
    }

    private static let project = """
        { objects = {
          P = { isa = PBXProject; targets = (T); };
          T = { isa = PBXNativeTarget; name = App; buildConfigurationList = M; };
          M = { isa = XCConfigurationList; buildConfigurations = (S); };
          S = { isa = XCBuildConfiguration; name = Release; buildSettings = {
            GENERATE_INFOPLIST_FILE = YES;
            INFOPLIST_KEY_SKExternlPurchase = nl;
          }; };
        }; rootObject = P; }
        """

    private static func specification(_ part: String) -> String {
        "targets:\n  Acme:\n    type: application\n    platform: iOS\n" + part
    }

    static let misspelled = [
        Misspelled(
            testDescription: "Expo, key",
            files: ["app.json": #"{"expo": {"ios": {"infoPlist": {"ExternalPurchase": ["nl"]}}}}"#],
            place: "key-unknown app.json:1",
            spelling: "Did you mean SKExternalPurchase?"
        ),
        Misspelled(
            testDescription: "Expo, entitlement",
            files: ["app.json": #"{"expo": {"ios": {"entitlements": {"external-purchase-link": true}}}}"#],
            place: "key-unknown app.json:1",
            spelling: "Did you mean com.apple.developer.storekit.external-purchase-link?"
        ),
        Misspelled(
            testDescription: "XcodeGen, key",
            files: ["project.yml": specification("    info: {path: I.plist, properties: {ExternalPurchase: [nl]}}\n")],
            place: "key-unknown project.yml:5",
            spelling: "Did you mean SKExternalPurchase?"
        ),
        Misspelled(
            testDescription: "XcodeGen, entitlement",
            files: [
                "project.yml": specification(
                    "    entitlements: {path: A.entitlements, properties: {external-purchase: true}}\n"
                )
            ],
            place: "key-unknown project.yml:5",
            spelling: "Did you mean com.apple.developer.storekit.external-purchase?"
        ),
        Misspelled(
            testDescription: "XcodeGen, build setting",
            files: [
                "project.yml": specification(
                    "    settings:\n      GENERATE_INFOPLIST_FILE: YES\n      INFOPLIST_KEY_ExternalPurchaseLink: nl\n"
                )
            ],
            place: "key-set-elsewhere project.yml:7",
            spelling: "Put SKExternalPurchaseLink in the Info.plist file"
        ),
        Misspelled(
            testDescription: "Xcode project, build setting",
            files: ["App.xcodeproj/project.pbxproj": project],
            place: "key-set-elsewhere App.xcodeproj/project.pbxproj:7",
            spelling: "Put SKExternalPurchase in the Info.plist file"
        ),
        Misspelled(
            testDescription: "xcconfig",
            files: ["App.xcconfig": "INFOPLIST_KEY_SKExternalPurchaseCustomLinkRegion = nl\n"],
            place: "key-set-elsewhere App.xcconfig:1",
            spelling: "Put SKExternalPurchaseCustomLinkRegions in the Info.plist file"
        ),
        Misspelled(
            testDescription: "Tuist's derived files",
            files: [
                "Derived/InfoPlists/App-Info.plist": Sample.infoPlist().replacing("SKExternal", with: "External"),
                "Derived/Entitlements/App.entitlements": Sample.entitlements,
            ],
            place: "key-unknown Derived/InfoPlists/App-Info.plist",
            spelling: "Did you mean SKExternalPurchaseLink?"
        ),
    ]

    @Test(
        "A name without its beginning, or one letter off, is found in every input (CF-7, CF-10)",
        arguments: misspelled
    )
    func everyInput(_ one: Misspelled) async throws {
        let folder = try ScratchFolder()
        for (path, text) in one.files { try folder.write(text, to: path) }
        // Of a folder only those configuration files are read that a project names.
        let path = one.files.count == 1 ? one.files.keys.first { $0.hasSuffix(".xcconfig") } : nil
        let result = try await folder.lint([path ?? ".", "--format", "json"])
        let findings = (result.json["diagnostics"] as? [[String: Any]]) ?? []
        let index = places(result).firstIndex { $0.hasPrefix(one.place) }
        let hint = index.flatMap { findings[$0]["hint"] as? String } ?? ""
        #expect(hint.hasPrefix(one.spelling), "\(places(result)): \(hint)\(result.error)")
    }

    @Test("A program is named with the command that generates the project, also where nothing else is there (CF-7)")
    func program() async throws {
        let folder = try ScratchFolder()
        try folder.write("import ProjectDescription", to: "Project.swift")
        let alone = try await folder.lint(["."])
        #expect(alone.exitCode == 2)
        #expect(
            alone.error.contains("nothing to check; Project.swift: note: Tuist's targets are not read; run `tuist")
        )
        try folder.write(Sample.infoPlist(), to: "App/Info.plist")
        try folder.write(Sample.entitlements, to: "App/App.entitlements")
        let beside = try await folder.lint(["."])
        #expect(beside.exitCode == 0)
        #expect(beside.error.contains("run `tuist generate --no-open`"))
        #expect(try await folder.lint([".", "--quiet"]).error.isEmpty)
    }

    @Test("A damaged description is one finding with its place")
    func damaged() async throws {
        let folder = try ScratchFolder()
        try folder.write("{\n  \"expo\": {,}\n}", to: "app.json")
        let result = try await folder.lint([".", "--format", "json"])
        #expect(result.exitCode == 1)
        #expect(places(result) == ["artifact-unreadable app.json:2"])
    }

    @Test("An entitlement of a target that generates its Info.plist lacks its key (CF-6)")
    func generated() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            """
            { objects = {
              P = { isa = PBXProject; targets = (T); };
              T = { isa = PBXNativeTarget; name = App; buildConfigurationList = M; };
              M = { isa = XCConfigurationList; buildConfigurations = (S); };
              S = { isa = XCBuildConfiguration; name = Release; buildSettings = {
                CODE_SIGN_ENTITLEMENTS = App.entitlements;
                GENERATE_INFOPLIST_FILE = YES;
              }; };
            }; rootObject = P; }
            """,
            to: "App.xcodeproj/project.pbxproj"
        )
        try folder.write(Sample.entitlements, to: "App.entitlements")
        let result = try await folder.lint([".", "--format", "json"])
        #expect(Set(result.rules) == ["entitlement-without-key", "minimum-os-unknown"])
        let alone = try await folder.lint(["App.entitlements", "--verbose"])
        #expect(
            alone.output.contains("Info.plist was not found, so these rules were not applied: entitlement-without-key")
        )
    }
}
