import AppConfiguration
import Foundation
import Testing

@testable import AppArtifacts

#if canImport(Glibc)
import Glibc

@testable import ArtifactWriters
#endif

@Suite("A folder is searched for apps")
struct FolderSearchTests {
    @Test("Files in one folder are one app, and files of tools are ignored")
    func oneFolder() throws {
        let folder = try TemporaryFolder()
        try folder.write("Acme/Info.plist", plist: Members.app)
        try folder.write("Acme/Acme.entitlements", plist: Members.grant)
        for skipped in [
            ".build", "DerivedData", "Pods", "Carthage", "node_modules", ".git", "Assets.xcassets", "Kit.framework",
        ] {
            try folder.write("\(skipped)/Info.plist", plist: Members.app)
        }
        try folder.write("Acme/Colors.plist", plist: "<key>red</key><integer>1</integer>")
        try folder.write("Acme/broken.plist", Array("<plist><dict>".utf8))
        let inputs = folder.find()
        #expect(folder.files(inputs) == ["Acme/Info.plist Acme/Acme.entitlements - -"])
        #expect(inputs.errors.isEmpty)
        #expect(inputs.notes.isEmpty)
        #expect(inputs.filesRead == 2)
        #expect(inputs.apps.allSatisfy { !$0.isBuilt })
    }

    @Test("A property list of another name counts when its root has keys of an app")
    func otherNames() throws {
        let folder = try TemporaryFolder()
        try folder.write("Config/Beta.plist", plist: Members.app)
        try folder.write("Config/Case.plist", plist: "<key>skexternalpurchase</key><array/>")
        try folder.write("Config/Deep.plist", plist: "<key>a</key><dict>\(Members.app)</dict>")
        #expect(folder.files(folder.find()) == ["Config/Beta.plist - - -", "Config/Case.plist - - -"])
    }

    @Test("Several apps in one folder pair by stem; debug and release entitlements make an app each")
    func stems() throws {
        let folder = try TemporaryFolder()
        try folder.write("Acme-Info.plist", plist: Members.app)
        try folder.write("Beta-Info.plist", plist: Members.app)
        try folder.write("Acme-Debug.entitlements", plist: Members.grant)
        try folder.write("AcmeRelease.entitlements", plist: Members.grant)
        try folder.write("beta.entitlements", plist: Members.grant)
        try folder.write("Gamma.entitlements", plist: Members.grant)
        #expect(
            folder.files(folder.find()) == [
                "Acme-Info.plist Acme-Debug.entitlements - -", "Acme-Info.plist AcmeRelease.entitlements - -",
                "Beta-Info.plist beta.entitlements - -", "- Gamma.entitlements - -",
            ]
        )
    }

    @Test("Entitlements elsewhere pair with the folder of their stem, and a profile with the app beside it")
    func elsewhere() throws {
        let folder = try TemporaryFolder()
        try folder.write("Acme/Info.plist", plist: Members.app)
        try folder.write("Beta/Info.plist", plist: Members.app)
        try folder.write("Signing/Acme.entitlements", plist: Members.grant)
        try folder.write("Beta/Store.mobileprovision", ProfileWriter(entitlements: Members.grant).bytes())
        try folder.write("Signing/Other.mobileprovision", ProfileWriter(entitlements: Members.grant).bytes())
        let inputs = folder.find()
        #expect(
            folder.files(inputs) == [
                "Acme/Info.plist Signing/Acme.entitlements - -", "Beta/Info.plist - - Beta/Store.mobileprovision",
            ]
        )
        #expect(inputs.notes.map { folder.relative($0.file) } == ["Signing/Other.mobileprovision"])
    }

    @Test("One file that cannot be read is one error, and the others are read")
    func broken() throws {
        let folder = try TemporaryFolder()
        try folder.write("A/Info.plist", Array("<plist version=\"1.0\"><dict><key>".utf8))
        try folder.write("B/Info.plist", Array(#"<plist version="1.0"><array/></plist>"#.utf8))
        try folder.write("C/Info.plist", plist: Members.app)
        try folder.write("C/C.entitlements", [])
        try folder.write("D.ipa", Array("PK, but no archive".utf8))
        try folder.write("E.app/readme.txt", [1])
        let inputs = folder.find()
        #expect(folder.files(inputs) == ["C/Info.plist - - -"])
        #expect(
            inputs.errors.map { "\(folder.relative($0.file)) \($0.cause)" } == [
                "A/Info.plist notPropertyList", "B/Info.plist rootNotDictionary",
                "C/C.entitlements notPropertyList", "D.ipa notArtifact", "E.app notArtifact",
            ]
        )
    }

    @Test("Links are not followed, pipes are not waited for, and giants are not read", .timeLimit(.minutes(10)))
    func hostile() throws {
        let outside = try TemporaryFolder()
        try outside.write("Info.plist", plist: Members.app)
        let folder = try TemporaryFolder()
        try folder.write("A/Info.plist", plist: Members.app)
        try folder.link("A/loop", to: "..")
        try folder.link("A/self.plist", to: "self.plist")
        try folder.link("out", to: outside.path)
        try folder.link("Linked-Info.plist", to: outside("Info.plist"))
        #expect(mkfifo(folder("Pipe-Info.plist"), 0o600) == 0)
        let giant = try #require(fopen(folder("Giant-Info.plist"), "w"))
        #expect(ftruncate(fileno(giant), 100 << 30) == 0)
        fclose(giant)
        let odd = open(folder.path + "/", O_RDONLY)
        let name: [CChar] = [0x41, -1, 0x2E, 0x70, 0x6C, 0x69, 0x73, 0x74, 0]
        close(openat(odd, name, O_CREAT | O_WRONLY, 0o600))
        close(odd)
        let inputs = folder.find()
        #expect(folder.files(inputs) == ["A/Info.plist - - -"])
        #expect(inputs.errors.map { "\(folder.relative($0.file)) \($0.cause)" } == ["Giant-Info.plist tooLarge"])
        #expect(inputs.notes.count == 2)
    }

    @Test("A search ends at its limits with a note")
    func limits() throws {
        let folder = try TemporaryFolder()
        for number in 10..<20 { try folder.write("\(number)/Info.plist", plist: Members.app) }
        try folder.write("a/b/c/Info.plist", plist: Members.app)
        var limits = DiscoveryLimits()
        limits.candidates = 3
        let few = folder.find(limits: limits)
        #expect(few.apps.count == 3)
        #expect(few.notes.count == 1)
        limits = DiscoveryLimits()
        limits.depth = 2
        let shallow = folder.find(limits: limits)
        #expect(shallow.apps.count == 10)
        #expect(shallow.notes.map { folder.relative($0.file) } == ["a/b/c"])
    }

    @Test("Keys in localised files go to the app in or above their folder, with their lines")
    func localized() throws {
        let folder = try TemporaryFolder()
        try folder.write("Acme/Info.plist", plist: Members.app)
        let catalog = """
            {
              "sourceLanguage" : "en",
              "strings" : {
                "CFBundleName" : { "SKExternalPurchase" : { } },
                "SKExternalPurchaseLink" : {
                }
              }
            }
            """
        try folder.write("Acme/InfoPlist.xcstrings", Array(catalog.utf8))
        let strings = "/* name */\n\"CFBundleName\" = \"Acme\";\nSKExternalPurchase = \"nl\";\n"
        let units = strings.utf16.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        try folder.write("Acme/nl.lproj/InfoPlist.strings", [0xFF, 0xFE] + units)
        let app = try #require(folder.find().apps.first)
        #expect(
            app.configuration.elsewhere == [
                KeySetElsewhere(
                    source: .stringsCatalog,
                    key: "SKExternalPurchaseLink",
                    file: folder("Acme/InfoPlist.xcstrings"),
                    position: SourcePosition(line: 5, column: 5)
                ),
                KeySetElsewhere(
                    source: .stringsCatalog,
                    key: "SKExternalPurchase",
                    file: folder("Acme/nl.lproj/InfoPlist.strings"),
                    position: SourcePosition(line: 3, column: 1)
                ),
            ]
        )
    }

    @Test("A folder without apps, and a program that describes an app, are noted")
    func nothing() throws {
        let folder = try TemporaryFolder()
        try folder.write("project.yml", Array("name: Acme".utf8))
        try folder.write("Project.swift", Array("import ProjectDescription".utf8))
        let inputs = folder.find()
        #expect(inputs.apps.isEmpty)
        #expect(inputs.notes.map { folder.relative($0.file) } == ["Project.swift", folder.path])
    }
}
