import AppConfiguration
import ExternalPurchaseCore
import Testing

@testable import AppArtifacts

/// Apps that are described for a tool which generates the Xcode project (CF-7).
struct DescriptionTests {
    private static let expo = """
        {
          // Expo reads JSON5.
          "expo": {
            "name": "Acme",
            "ios": {
              "bundleIdentifier": "com.acme.app",
              "infoPlist": {
                "SKExternalPurchase": ["nl", 'de',],
              },
              entitlements: { "com.apple.developer.storekit.external-purchase": true }
            },
            "plugins": [["expo-build-properties", { "ios": { "deploymentTarget": "18.1" } }]]
          }
        }
        """

    private func place(_ member: PropertyListMember?) -> [Int?] {
        [member?.keyPosition?.line, member?.keyPosition?.column, member?.node.position?.column]
    }

    @Test(
        "Info.plist and entitlements of Expo are read with line and column",
        arguments: ["app.json", "app.config.json"]
    )
    func expo(_ name: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(name, Array(Self.expo.utf8))
        for inputs in [folder.find(), folder.find([name])] {
            #expect(inputs.errors.isEmpty && inputs.filesRead == 1)
            let app = try #require(inputs.apps.first)
            #expect(inputs.apps.count == 1)
            #expect(folder.relative(app.name) == name && app.platform == .iOS && !app.isBuilt)
            #expect(folder.files(inputs) == ["\(name) \(name) - -"])
            let infoPlist = try #require(app.configuration.infoPlist)
            #expect(infoPlist.format == .json)
            #expect(place(infoPlist.member("SKExternalPurchase")) == [8, 9, 31])
            #expect(infoPlist.member("SKExternalPurchase")?.node.elements?.map(\.text) == ["nl", "de"])
            let grant = app.configuration.entitlements?.members.first
            #expect(grant?.node.value == .bool(true) && place(grant) == [10, 23, 73])
            let generated = app.configuration.generatedInfoPlist?.members ?? []
            #expect(generated.map(\.key) == ["CFBundleIdentifier", "MinimumOSVersion"])
            #expect(generated.map(\.node.text) == ["com.acme.app", "18.1"])
        }
    }

    struct Part: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        var beside: String?
        var hints = 0
        /// Whether there are Info.plist and entitlements; nil for no app.
        let has: [Bool]?
        var testDescription: String { name }
    }

    @Test(
        "A part that is missing is empty, unless code may add it (CF-7)",
        arguments: [
            Part(name: "nothing", text: #"{"expo":{"name":"a"}}"#, has: [true, true]),
            Part(name: "only keys", text: #"{"expo":{"ios":{"infoPlist":{}}}}"#, has: [true, true]),
            Part(name: "at the root", text: #"{"ios":{"entitlements":{}}}"#, has: [true, true]),
            Part(name: "a plug-in of npm", text: #"{"expo":{"plugins":["expo-router"]}}"#, has: [true, true]),
            Part(
                name: "a local plug-in",
                text: #"{"expo":{"plugins":["./plugins/with.js"],"ios":{"infoPlist":{}}}}"#,
                has: [true, false]
            ),
            Part(
                name: "a local plug-in with options",
                text: #"{"expo":{"plugins":[["../with",{}]]}}"#,
                has: [false, false]
            ),
            Part(
                name: "a plug-in for purchases",
                text: #"{"expo":{"plugins":[["expo-iap",{}]],"ios":{"infoPlist":{}}}}"#,
                hints: 1,
                has: [true, false]
            ),
            Part(name: "a program", text: #"{"expo":{"name":"a"}}"#, beside: "app.config.js", has: [false, false]),
            Part(name: "React Native without Expo", text: #"{"name":"a","displayName":"A"}"#, has: nil),
            Part(name: "Heroku", text: #"{"name":"a","env":{"X":{"required":true}}}"#, has: nil),
            Part(name: "a list", text: "[]", has: nil),
            Part(name: "damaged and of another tool", text: #"{"name": "#, has: nil),
        ]
    )
    func parts(_ part: Part) throws {
        let folder = try TemporaryFolder()
        try folder.write("app.json", Array(part.text.utf8))
        if let beside = part.beside { try folder.write(beside, Array("export default {}".utf8)) }
        let inputs = folder.find()
        #expect(inputs.errors == [])
        #expect(inputs.notes.count(where: \.isHint) == part.hints)
        let has = inputs.apps.first.map { [$0.configuration.infoPlist != nil, $0.configuration.entitlements != nil] }
        #expect(has == (part.has == [false, false] ? nil : part.has))
    }

    private static let xcodeGen = """
        name: Acme
        options:
          deploymentTarget: {iOS: 18.1}
        settings:
          GENERATE_INFOPLIST_FILE: NO
        targetTemplates:
          Paid:
            entitlements:
              path: Gen/App.entitlements
              properties:
                com.apple.developer.storekit.external-purchase-link: true
        targets:
          Acme:
            type: application
            platform: iOS
            templates: [Paid]
            info:
              path: Gen/Info.plist
              properties:
                SKExternalPurchaseCustomLinkRegions: [nl, no, "no"]
          Kit:
            type: framework
            platform: iOS
            info: {path: Kit/Info.plist}
          Widget:
            type: app-extension
            platform: iOS
            sources: [Widget]
            settings:
              configs:
                Debug: {CODE_SIGN_ENTITLEMENTS: Widget/Debug.entitlements}
                Release: {CODE_SIGN_ENTITLEMENTS: $(SRCROOT)/Widget/Release.entitlements}
          Clip:
            type: application.on-demand-install-capable
            platform: iOS
            settings: {base: {GENERATE_INFOPLIST_FILE: YES, CODE_SIGN_ENTITLEMENTS: Clip.entitlements}}
        """

    @Test("The targets of an XcodeGen specification are apps, with templates, settings and places (CF-7)")
    func targets() throws {
        let folder = try TemporaryFolder()
        try folder.write("ios/project.yml", Array(Self.xcodeGen.utf8))
        // The files that XcodeGen writes are not checked a second time.
        for name in ["Gen/Info.plist", "Widget/Info.plist"] { try folder.write("ios/\(name)", plist: Members.app) }
        for name in ["Gen/App", "Widget/Debug", "Widget/Release", "Clip"] {
            try folder.write("ios/\(name).entitlements", plist: Members.grant)
        }
        let inputs = folder.find()
        #expect(inputs.errors == [])
        #expect(
            folder.files(inputs).sorted() == [
                "- ios/Clip.entitlements - -",
                "ios/Widget/Info.plist ios/Widget/Debug.entitlements - -",
                "ios/Widget/Info.plist ios/Widget/Release.entitlements - -",
                "ios/project.yml ios/project.yml - -",
            ]
        )
        #expect(inputs.apps.map(\.name).sorted() == ["Acme", "Clip", "Widget", "Widget (Release)"])
        let app = try #require(inputs.apps.first { $0.name == "Acme" })
        let key = app.configuration.infoPlist?.member("SKExternalPurchaseCustomLinkRegions")
        #expect(place(key) == [20, 9, 46])
        #expect(key?.node.elements?.map(\.value) == [.string("nl"), .bool(false), .string("no")])
        #expect(app.configuration.entitlements?.members.first?.keyPosition?.line == 11)
        #expect(app.configuration.generatedInfoPlist?.member("MinimumOSVersion")?.node.text == "18.1")
        let clip = try #require(inputs.apps.first { $0.name == "Clip" })
        #expect(clip.configuration.generatedInfoPlist?.member("CFBundleIdentifier") != nil)
        let named = folder.find(["ios/project.yml"])
        #expect(named.apps.count == 4 && named.errors.isEmpty)
    }

    @Test("The targets of files that a specification includes are read in their place, with its settings (CF-7)")
    func includes() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "project.yml",
            Array("include:\n  - App/target.yml\n  - path: gone.yml\noptions: {deploymentTarget: {iOS: 18.1}}\n".utf8)
        )
        let target = """
            include: ../project.yml
            targets:
              Acme:
                type: application
                platform: iOS
                info:
                  path: ../App/Info.plist
                  properties: {SKExternalPurchase: [nl]}
                settings: {CODE_SIGN_ENTITLEMENTS: App/Acme.entitlements}
            """
        try folder.write("App/target.yml", Array(target.utf8))
        try folder.write("App/Info.plist", plist: Members.app)
        try folder.write("App/Acme.entitlements", plist: Members.grant)
        let inputs = folder.find()
        #expect(inputs.errors == [])
        #expect(folder.files(inputs) == ["App/target.yml App/Acme.entitlements - -"])
        let app = try #require(inputs.apps.first)
        #expect(app.configuration.infoPlist?.members.first?.keyPosition?.line == 8)
        #expect(app.configuration.generatedInfoPlist?.member("MinimumOSVersion")?.node.text == "18.1")
        #expect(inputs.notes.map { "\(folder.relative($0.file)):\($0.position?.line ?? 0)" } == ["project.yml:3"])
    }

    @Test("Beside its project a specification answers for the targets that it contains, and the project for the rest")
    func besideProject() throws {
        let folder = try XcodeProjectTests.folder()
        let text = "targets:\n  Acme:\n    type: application\n    platform: iOS\n    info: {path: Acme/Info.plist}\n"
        try folder.write("ios/project.yml", Array(text.utf8))
        let inputs = folder.find()
        #expect(inputs.apps.map(\.name).sorted() == ["Acme", "Acme Widgets"])
        #expect(inputs.apps.contains { folder.relative($0.configuration.infoPlist?.path ?? "") == "ios/project.yml" })
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let file: String
        let text: String
        let line: Int?
        let column: Int?
        let says: String
        var testDescription: String { "\(file) \(says)" }
    }

    static let damages: [Damage] = [
        Damage(
            file: "app.json",
            text: "{\"expo\": {\n  \"ios\" {} }}",
            line: 2,
            column: 9,
            says: "a colon belongs here"
        ),
        Damage(file: "app.json", text: "{\"expo\": {", line: 1, column: 11, says: "it ends inside an object"),
        Damage(
            file: "app.json",
            text: "{\"expo\": {\"a\": \"b\n\"}}",
            line: 1,
            column: 16,
            says: "a string does not end"
        ),
        Damage(file: "app.json", text: "{\"expo\": {\"a\": nul}}", line: 1, column: 16, says: "a value belongs here"),
        Damage(
            file: "app.json",
            text: "{\"expo\": {}} x",
            line: 1,
            column: 14,
            says: "there is text after the root value"
        ),
        Damage(file: "app.json", text: "{\"expo\": [1 2]}", line: 1, column: 13, says: "a comma or ] belongs here"),
        Damage(
            file: "app.json",
            text: "{\"expo\": {\"ios\": {\"infoPlist\": \"x\"}}}",
            line: 1,
            column: 32,
            says: "expo.ios.infoPlist is a string, not a dictionary"
        ),
        Damage(
            file: "app.json",
            text: "{\"expo\": " + String(repeating: "[", count: 100_000),
            line: 1,
            column: 73,
            says: "it is nested deeper than 64 levels"
        ),
        Damage(
            file: "app.json",
            text: "{\"expo\": [" + String(repeating: "1,", count: 60_000) + "]}",
            line: 1,
            column: 100_007,
            says: "it has more than 50000 values"
        ),
        Damage(file: "project.yml", text: "targets:\n  A: [\n", line: 3, column: 1, says: "it is not YAML"),
        Damage(
            file: "project.yml",
            text: "targets:\n  A: {type: application, info: {properties: [1]}}",
            line: 2,
            column: 45,
            says: "info.properties is an array, not a dictionary"
        ),
        Damage(
            file: "project.yml",
            text: "targets: " + String(repeating: "[", count: 100_000),
            line: nil,
            column: nil,
            says: "it is not YAML"
        ),
        Damage(
            file: "project.yml",
            text: "targets: {}\na: &a [1,1,1,1,1,1,1,1,1]\n"
                + zip("bcdefgh", "abcdefg").map {
                    "\($0): &\($0) [*\($1),*\($1),*\($1),*\($1),*\($1),*\($1),*\($1),*\($1)]\n"
                }.joined(),
            line: nil,
            column: nil,
            says: "it has more than 50000 values"
        ),
        Damage(
            file: "project.yml",
            text: "targets: {}\ntargets: {}\n",
            line: nil,
            column: nil,
            says: "a mapping has a key twice"
        ),
    ]

    @Test("A damaged description is one error with its place, within bounds (CF-7)", arguments: damages)
    func damage(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        try folder.write(damage.file, Array(damage.text.utf8))
        for inputs in [folder.find(), folder.find([damage.file])] {
            let error = try #require(inputs.errors.first)
            #expect(inputs.errors.count == 1 && inputs.apps.isEmpty)
            #expect(error.cause == .notDescription && folder.relative(error.file) == damage.file)
            #expect(error.reason.hasPrefix(damage.says), "\(error.reason)")
            if let line = damage.line {
                #expect([error.position?.line, error.position?.column] == [line, damage.column])
            }
        }
    }

    @Test("A large description is not read")
    func large() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.json", Array("{\"expo\": \"".utf8) + [UInt8](repeating: 0x61, count: 3_000_000))
        #expect(folder.find().errors == [])
        #expect(folder.find().notes.first?.text == "It was not read: it has more than 2 MiB")
        #expect(folder.find(["app.json"]).errors.map(\.cause) == [.notDescription])
    }

    @Test("Cut off anywhere, a description is an error and nothing else")
    func truncated() {
        let text = Array(Self.expo.utf8)
        for count in 0..<text.count {
            #expect(throws: DescriptionFault.self) { try JSONDescriptionReader.root(Array(text[..<count])) }
        }
    }

    struct Program: Sendable, CustomTestStringConvertible {
        let name: String
        var text = "import ProjectDescription"
        var others: [String] = []
        let hint: String?
        var testDescription: String { "\(name) \(others)" }
    }

    @Test(
        "A program that describes an app is a hint with the command that generates the project (CF-7)",
        arguments: [
            Program(name: "Project.swift", hint: "`tuist generate --no-open`"),
            Program(name: "Project.swift", text: "struct Project {}", hint: nil),
            Program(name: "Project.swift", others: ["App.xcodeproj/project.pbxproj"], hint: nil),
            Program(name: "Project.swift", others: ["Derived/InfoPlists/App-Info.plist"], hint: nil),
            Program(name: "app.config.ts", others: ["package.json"], hint: "`npx expo prebuild --platform ios`"),
            Program(name: "app.config.js", others: ["package.json"], hint: "`npx expo prebuild --platform ios`"),
            Program(name: "app.config.ts", hint: nil),
            Program(name: "app.config.js", others: ["package.json", "ios/App.xcodeproj/project.pbxproj"], hint: nil),
        ]
    )
    func programs(_ program: Program) throws {
        let folder = try TemporaryFolder()
        try folder.write("App/\(program.name)", Array(program.text.utf8))
        for other in program.others {
            if other.hasSuffix(".plist") {
                try folder.write("App/\(other)", plist: Members.app)
            } else {
                let text = other == "package.json" ? #"{"dependencies": {"expo": "~54.0.0"}}"# : "{}"
                try folder.write("App/\(other)", Array(text.utf8))
            }
        }
        let hints = folder.find().notes.filter(\.isHint)
        #expect(hints.count == (program.hint == nil ? 0 : 1))
        if let hint = program.hint { #expect(hints.first?.text.contains(hint) == true) }
    }

    @Test("The files that Tuist generates are paired by target")
    func tuist() throws {
        let folder = try TemporaryFolder()
        try folder.write("Project.swift", Array("import ProjectDescription".utf8))
        for name in ["Acme", "Beta"] {
            try folder.write("Derived/InfoPlists/\(name)-Info.plist", plist: Members.app)
            try folder.write("Derived/Entitlements/\(name).entitlements", plist: Members.grant)
        }
        #expect(
            folder.files(folder.find()) == [
                "Derived/InfoPlists/Acme-Info.plist Derived/Entitlements/Acme.entitlements - -",
                "Derived/InfoPlists/Beta-Info.plist Derived/Entitlements/Beta.entitlements - -",
            ]
        )
    }
}
