import AppConfiguration
import ExternalPurchaseCore
import Testing

@testable import AppArtifacts
@testable import ArtifactWriters

@Suite("Built apps are read where they lie: bundle, archived build and package")
struct BundleTests {
    /// The files of an app that uses external purchases, with a widget that does not and one that does.
    static func appFiles(_ app: String) -> [(String, [UInt8])] {
        [
            ("\(app)/Info.plist", xml(Members.app)),
            ("\(app)/Acme", MachOWriter([.xml(Members.grant)]).bytes()),
            ("\(app)/embedded.mobileprovision", ProfileWriter(entitlements: Members.grant).bytes()),
            ("\(app)/Assets.bundle/Info.plist", xml(Members.app)),
            ("\(app)/PlugIns/Plain.appex/Info.plist", xml(Members.plainExtension)),
            ("\(app)/PlugIns/Plain.appex/Widget", MachOWriter([.xml("")]).bytes()),
            ("\(app)/PlugIns/Shop.appex/Info.plist", xml(Members.plainExtension)),
            ("\(app)/PlugIns/Shop.appex/Widget", MachOWriter([.xml(Members.grant)]).bytes()),
        ]
    }

    static func expected(_ app: String) -> [String] {
        [
            "\(app)/Info.plist - \(app)/Acme \(app)/embedded.mobileprovision",
            "\(app)/PlugIns/Shop.appex/Info.plist - \(app)/PlugIns/Shop.appex/Widget -",
        ]
    }

    @Test("A package is read from profile, signature and Info.plist without unpacking")
    func package() throws {
        let folder = try TemporaryFolder()
        let archive = ZipWriter(Self.appFiles("Payload/Acme.app").map { ZipWriter.Entry($0.0, $0.1) }).bytes()
        try folder.write("Acme.ipa", archive)
        for names in [["Acme.ipa"], [""]] {
            let inputs = folder.find(names)
            #expect(inputs.errors.isEmpty)
            #expect(folder.files(inputs) == Self.expected("Acme.ipa/Payload/Acme.app"))
            #expect(inputs.apps.map(\.isBuilt) == [true, true])
            #expect(folder.relative(inputs.apps.last?.name ?? "") == "Acme.ipa/Payload/Acme.app/PlugIns/Shop.appex")
        }
    }

    @Test("The app in a package may have other entitlements than its signature and profile")
    func mismatch() throws {
        let folder = try TemporaryFolder()
        let regions = "<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"
        let archive = ZipWriter([
            ZipWriter.Entry("Payload/Acme.app/Info.plist", xml(Members.app)),
            ZipWriter.Entry(
                "Payload/Acme.app/Acme",
                MachOWriter([.xml(regions + "<array><string>jp</string></array>")]).bytes()
            ),
            ZipWriter.Entry(
                "Payload/Acme.app/embedded.mobileprovision",
                ProfileWriter(entitlements: regions + "<array><string>br</string></array>").bytes()
            ),
        ])
        try folder.write("Acme.ipa", archive.bytes())
        try folder.write("Acme.entitlements", plist: Members.grant)
        let inputs = folder.find(["Acme.ipa", "Acme.entitlements"])
        let app = try #require(inputs.apps.first)
        #expect(inputs.apps.count == 1)
        let key = "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
        let texts = [app.configuration.signedEntitlements, app.configuration.profileEntitlements].map { file in
            guard case .array(let nodes) = file?.member(key)?.node.value else { return [PropertyListValue]() }
            return nodes.map(\.value)
        }
        #expect(texts == [[.string("jp")], [.string("br")]])
        #expect(app.configuration.entitlements?.path == folder("Acme.entitlements"))
    }

    @Test("The layouts of iOS, macOS and an archived build", arguments: ["Acme.app", "A.xcarchive"])
    func folders(_ container: String) throws {
        let folder = try TemporaryFolder()
        let app = container == "Acme.app" ? container : "\(container)/Products/Applications/Acme.app"
        for (name, content) in Self.appFiles(app) { try folder.write(name, content) }
        if container != app { try folder.write("\(container)/Info.plist", plist: Members.app) }
        for names in [[container], [""]] {
            let inputs = folder.find(names)
            #expect(inputs.errors.isEmpty)
            #expect(folder.files(inputs) == Self.expected(app))
        }
    }

    @Test("A bundle of macOS keeps its files in Contents; one with families of devices is Mac Catalyst")
    func mac() throws {
        let folder = try TemporaryFolder()
        let catalyst = Members.app + "<key>UIDeviceFamily</key><array><integer>2</integer></array>"
        try folder.write("Acme.app/Contents/Info.plist", plist: catalyst)
        try folder.write("Acme.app/Contents/MacOS/Acme", MachOWriter([.xml(Members.grant)]).bytes())
        try folder.write(
            "Acme.app/Contents/embedded.provisionprofile",
            ProfileWriter(entitlements: Members.grant).bytes()
        )
        try folder.write(
            "Acme.app/Contents/Resources/nl.lproj/InfoPlist.strings",
            Array("SKExternalPurchase = x;".utf8)
        )
        let inputs = folder.find(["Acme.app"])
        let contents = "Acme.app/Contents"
        #expect(
            folder.files(inputs) == [
                "\(contents)/Info.plist - \(contents)/MacOS/Acme \(contents)/embedded.provisionprofile"
            ]
        )
        #expect(inputs.apps.map(\.platform) == [.macCatalyst])
        #expect(inputs.apps.flatMap(\.configuration.elsewhere).map(\.key) == ["SKExternalPurchase"])
    }

    @Test(
        "A damaged part is one error, and the app's other parts are read",
        arguments: [
            ("Info.plist", Array("no list".utf8), "- - - P", "Info.plist"),
            ("embedded.mobileprovision", [1, 2, 3], "I - B -", "embedded.mobileprovision"),
            ("Acme", [1, 2, 3], "I - - P", "Acme"),
        ]
    )
    func damaged(part: String, content: [UInt8], files: String, error: String) throws {
        let folder = try TemporaryFolder()
        for (name, content) in Self.appFiles("Acme.app").prefix(3) { try folder.write(name, content) }
        try folder.write("Acme.app/\(part)", content)
        let inputs = folder.find(["Acme.app"])
        let app = try #require(inputs.apps.first?.configuration)
        let found = [
            app.infoPlist.map { _ in "I" }, nil, app.signedEntitlements.map { _ in "B" },
            app.profileEntitlements.map { _ in "P" },
        ]
        #expect(found.map { $0 ?? "-" }.joined(separator: " ") == files)
        #expect(inputs.errors.map { folder.relative($0.file) } == ["Acme.app/\(error)"])
    }

    @Test("An executable in another place is refused, one that is not signed is noted")
    func executables() throws {
        let folder = try TemporaryFolder()
        try folder.write("Secret", MachOWriter([.xml(Members.grant)]).bytes())
        try folder.write(
            "Out.app/Info.plist",
            plist: "<key>CFBundleExecutable</key><string>../Secret</string>"
        )
        try folder.write("Link.app/Info.plist", plist: Members.app)
        try folder.link("Link.app/Acme", to: folder("Secret"))
        try folder.write("Plain.app/Info.plist", plist: Members.app)
        try folder.write("Plain.app/Acme", MachOWriter(nil).bytes())
        let inputs = folder.find(["Link.app", "Out.app", "Plain.app"])
        #expect(inputs.errors.map { folder.relative($0.file) } == ["Link.app", "Out.app"])
        #expect(inputs.notes.map { folder.relative($0.file) } == ["Plain.app/Acme"])
        #expect(inputs.apps.allSatisfy { $0.configuration.signedEntitlements == nil })
    }

    @Test("A package without an app is one error")
    func empty() throws {
        let folder = try TemporaryFolder()
        try folder.write("Acme.ipa", ZipWriter([ZipWriter.Entry("readme.txt", [1])]).bytes())
        #expect(folder.find(["Acme.ipa"]).errors.map(\.cause) == [.notArtifact])
    }
}
