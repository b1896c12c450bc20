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
