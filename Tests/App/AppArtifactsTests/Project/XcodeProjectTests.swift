import AppConfiguration
import ExternalPurchaseCore
import Foundation
import Testing

@testable import AppArtifacts

@Suite("The targets of an Xcode project determine which files are one app")
struct XcodeProjectTests {
    static func project() throws -> [UInt8] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return Array(try Data(contentsOf: file.appending(path: "Fixtures/project/Acme.pbxproj")))
    }

    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("ios/Acme.xcodeproj/project.pbxproj", try project())
        try folder.write(
            "ios/Configuration/Release.xcconfig",
            Array(
                """
                #include "Base.xcconfig"
                CODE_SIGN_ENTITLEMENTS = $(PROJECT_DIR)/Acme/Acme.entitlements // as signed
                INFOPLIST_KEY_SKExternalPurchaseLink = x
                """.utf8
            )
        )
        try folder.write("ios/Acme/Info.plist", plist: Members.app)
        try folder.write("ios/Acme/Acme.entitlements", plist: Members.grant)
        try folder.write("ios/Acme/Acme-Debug.entitlements", plist: Members.grant)
        try folder.write("ios/Widgets/Info.plist", plist: Members.plainExtension)
        return folder
    }

    @Test("Each pair of files that configurations use is an app", arguments: ["", "ios", "ios/Acme.xcodeproj"])
    func pairs(_ path: String) throws {
        let folder = try Self.folder()
        let inputs = folder.find([path])
        #expect(inputs.errors.isEmpty)
        #expect(
            folder.files(inputs) == [
                "ios/Acme/Info.plist ios/Acme/Acme-Debug.entitlements - -",
                "ios/Acme/Info.plist ios/Acme/Acme.entitlements - -", "ios/Widgets/Info.plist - - -",
            ]
        )
        #expect(inputs.apps.map(\.name) == ["Acme (Debug)", "Acme (Release)", "Acme Widgets"])
        #expect(inputs.apps.map(\.platform) == [.iOS, .iOS, .iOS])
        // Project, configuration file, two Info.plists, two entitlements.
        #expect(inputs.filesRead == 6)
    }

    @Test("Keys in build settings are known with file and line, and nothing else is guessed")
    func elsewhere() throws {
        let folder = try Self.folder()
        let inputs = folder.find()
        let keys = inputs.apps.map { app in
            app.configuration.elsewhere.map { key in
                "\(key.key) \(folder.relative(key.file)):\(key.position?.line ?? 0)"
            }
        }
        #expect(
            keys == [
                ["SKExternalPurchase ios/Acme.xcodeproj/project.pbxproj:113"],
                ["SKExternalPurchaseLink ios/Configuration/Release.xcconfig:3"], [],
            ]
        )
        let notes = inputs.notes.map { "\(folder.relative($0.file)):\($0.position?.line ?? 0)" }
        #expect(
            notes == [
                "ios/Configuration/Release.xcconfig:1", "ios/Acme.xcodeproj/project.pbxproj:129",
                "ios/Acme.xcodeproj/project.pbxproj:137",
            ]
        )
        #expect(inputs.notes.last?.text.contains("$(WIDGETS)") == true)
    }

    @Test(
        "A setting that leads out of the folder, or nowhere, is noted and not read",
        arguments: ["/etc/hosts", "../../outside.plist", "Acme/None.plist", "$(HOME)/x.plist"]
    )
    func outside(_ value: String) throws {
        let folder = try Self.folder()
        let text = String(decoding: try Self.project(), as: UTF8.self)
            .replacingOccurrences(of: "INFOPLIST_FILE = Widgets/Info.plist", with: "INFOPLIST_FILE = \"\(value)\"")
        try folder.write("ios/Acme.xcodeproj/project.pbxproj", Array(text.utf8))
        let inputs = folder.find(["ios"])
        #expect(inputs.errors.isEmpty)
        #expect(inputs.notes.filter { $0.text.hasPrefix("INFOPLIST_FILE") }.count == 2)
        #expect(folder.files(inputs).last == "ios/Widgets/Info.plist - - -")
    }

    @Test("Settings under a condition make an app of their own")
    func conditions() throws {
        let folder = try Self.folder()
        let text = String(decoding: try Self.project(), as: UTF8.self).replacingOccurrences(
            of: "INFOPLIST_KEY_SKExternalPurchase = nl;",
            with: "\"CODE_SIGN_ENTITLEMENTS[sdk=macosx*]\" = Acme/Acme.entitlements;"
        )
        try folder.write("ios/Acme.xcodeproj/project.pbxproj", Array(text.utf8))
        #expect(
            folder.find(["ios"]).apps.map(\.name) == [
                "Acme (Debug)", "Acme (Debug [sdk=macosx*], Release)", "Acme Widgets",
            ]
        )
    }

    private static func generating(_ settings: String, entitlements: String = "App.entitlements") -> [UInt8] {
        Array(
            """
            { objects = {
              P = { isa = PBXProject; buildConfigurationList = L; targets = (T); };
              L = { isa = XCConfigurationList; buildConfigurations = (R); };
              R = { isa = XCBuildConfiguration; name = Release; buildSettings = {
                IPHONEOS_DEPLOYMENT_TARGET = 18.2;
              }; };
              T = { isa = PBXNativeTarget; name = App; buildConfigurationList = M; };
              M = { isa = XCConfigurationList; buildConfigurations = (S); };
              S = { isa = XCBuildConfiguration; name = Release; buildSettings = {
                CODE_SIGN_ENTITLEMENTS = "\(entitlements)";
                \(settings)
              }; };
            }; rootObject = P; }
            """.utf8
        )
    }

    struct Generation: Sendable, CustomTestStringConvertible {
        let settings: String
        /// The members that the build adds; nil when it is unknown which keys there are.
        let members: [String]?
        var testDescription: String { settings }
    }

    @Test(
        "A target that generates its Info.plist has no other keys, and its settings are the members (CF-6)",
        arguments: [
            Generation(
                settings: "GENERATE_INFOPLIST_FILE = YES;",
                members: ["CFBundleIdentifier $(PRODUCT_BUNDLE_IDENTIFIER)", "MinimumOSVersion 18.2"]
            ),
            Generation(settings: "GENERATE_INFOPLIST_FILE = NO;", members: nil),
            Generation(settings: "", members: nil),
            Generation(settings: "GENERATE_INFOPLIST_FILE = YES; INFOPLIST_FILE = None/Info.plist;", members: nil),
            Generation(settings: "GENERATE_INFOPLIST_FILE = YES; INFOPLIST_FILE = \"$(X)\";", members: nil),
            Generation(settings: "INFOPLIST_FILE = Info.plist;", members: ["MinimumOSVersion 18.2"]),
            Generation(
                settings: "GENERATE_INFOPLIST_FILE = YES; INFOPLIST_FILE = Info.plist;",
                members: ["CFBundleIdentifier $(PRODUCT_BUNDLE_IDENTIFIER)", "MinimumOSVersion 18.2"]
            ),
        ]
    )
    func generatedInfoPlist(_ generation: Generation) throws {
        let folder = try TemporaryFolder()
        try folder.write("App.xcodeproj/project.pbxproj", Self.generating(generation.settings))
        try folder.write("App.entitlements", plist: Members.grant)
        try folder.write("Info.plist", plist: "<key>UILaunchScreen</key><dict/>")
        let app = try #require(folder.find(["App.xcodeproj"]).apps.first)
        #expect((app.configuration.infoPlist != nil) == generation.settings.contains("= Info.plist"))
        let generated = app.configuration.generatedInfoPlist
        #expect(
            generated?.members.map { "\($0.key) \($0.node.text ?? "")" } == generation.members
        )
        #expect(
            generated.map { folder.relative($0.path) } ?? ""
                == (generated == nil ? "" : "App.xcodeproj/project.pbxproj")
        )
        #expect(generated?.members.allSatisfy { ($0.keyPosition?.line ?? 0) > 3 } != false)
    }

    @Test("A damaged project is one error, and files are paired without it")
    func damaged() throws {
        let folder = try Self.folder()
        try folder.write("ios/Acme.xcodeproj/project.pbxproj", Array("{ objects = { A = ".utf8))
        let inputs = folder.find()
        #expect(inputs.errors.map(\.cause) == [.notArtifact])
        #expect(inputs.errors.map { folder.relative($0.file) } == ["ios/Acme.xcodeproj/project.pbxproj"])
        #expect(inputs.apps.count == 3)
    }

    @Test("Variables that define each other end")
    func cycles() throws {
        var settings = BuildSettings(builtIn: [:])
        let position = SourcePosition(line: 1, column: 1)
        settings.add([
            BuildSetting(written: "A", value: "$(B)$(B)$(B)", file: "", position: position),
            BuildSetting(written: "B", value: "$(A)$(A)$(A)", file: "", position: position),
        ])
        #expect(throws: BuildSettings.Unresolved.self) { try settings.resolve("$(A)") }
        settings.add([BuildSetting(written: "B", value: "b", file: "", position: position)])
        #expect(try settings.resolve("${A}/$x") == "bbb/$x")
    }
}

@Suite("Old-style property lists are read within bounds")
struct OpenStepPropertyListTests {
    @Test("Cut off anywhere, a project is an error and nothing else")
    func truncated() throws {
        let project = try XcodeProjectTests.project()
        let whole = try OpenStepPropertyList.value(project)
        #expect(whole["objects"]?.members.count == 18)
        let end = try #require(project.lastIndex(of: UInt8(ascii: "}")))
        // The first slash of the comment alone would be a word.
        for count in 0...end where count != 1 {
            #expect(throws: OpenStepPropertyList.Fault.self) {
                try OpenStepPropertyList.value(Array(project[..<count]))
            }
        }
    }

    @Test("Bytes replaced anywhere never stop the reader")
    func replaced() throws {
        let project = try XcodeProjectTests.project()
        for index in stride(from: 0, to: project.count, by: 3) {
            for byte: UInt8 in [0, 0x22, 0x28, 0x7B, 0x7D, 0xFF] {
                var damaged = project
                damaged[index] = byte
                _ = try? OpenStepPropertyList.value(
                    Array(damaged[max(0, index - 600)..<min(damaged.count, index + 600)])
                )
            }
        }
    }

    @Test(
        "Faults have a place",
        arguments: [
            ("{ a = b", 1, 8), ("{\n  a b;\n}", 2, 5), ("(a b)", 1, 4), ("\n\"abc", 2, 1), ("{} x", 1, 4),
            ("/* no end", 1, 1), ("", 1, 1), ("{ = a; }", 1, 3),
        ]
    )
    func faults(_ text: String, line: Int, column: Int) {
        let fault = #expect(throws: OpenStepPropertyList.Fault.self) {
            try OpenStepPropertyList.value(Array(text.utf8))
        }
        #expect(fault?.position == SourcePosition(line: line, column: column))
    }

    @Test("Nesting has a limit")
    func nesting() {
        let text = [UInt8](repeating: UInt8(ascii: "("), count: 1_000_000)
        let fault = #expect(throws: OpenStepPropertyList.Fault.self) { try OpenStepPropertyList.value(text) }
        #expect(fault?.isLimit == true)
    }

    @Test("Escapes, data, comments and bare words are read as Xcode writes them")
    func values() throws {
        let text = #"{ "a\"b" = "x\n\U00e9"; c = (1, /* two */ 2.0,); d = <0fbd 77>; "e;f" = $g/h-i; // end"# + "\n}"
        let value = try OpenStepPropertyList.value(Array(text.utf8))
        #expect(value["a\"b"]?.text == "x\né")
        #expect(value["c"]?.texts == ["1", "2.0"])
        #expect(value["d"] == .data)
        #expect(value["e;f"]?.text == "$g/h-i")
    }
}
