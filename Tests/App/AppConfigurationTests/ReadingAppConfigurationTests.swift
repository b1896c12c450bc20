import AppConfiguration
import Foundation
import Testing

struct ReadingAppConfigurationTests {
    private static let list = Array("<plist><array/></plist>".utf8)
    private static let dictionary = Array("<plist><dict><key>a</key><true/></dict></plist>".utf8)

    @Test("The root of either file must be a dictionary")
    func rootNotDictionary() throws {
        let error = try #require(throws: ConfigurationReadError.self) {
            try AppConfiguration.parse(
                infoPlist: Self.dictionary,
                entitlements: Self.list,
                entitlementsPath: "Shop.entitlements"
            )
        }
        #expect(error.cause == .rootNotDictionary)
        #expect(
            error.description
                == "Shop.entitlements:1:8: error: The root of Shop.entitlements is an array, not a dictionary. "
                + "Wrap the content in `<dict>`."
        )
        #expect(throws: ConfigurationReadError.self) { try AppConfiguration.parse(infoPlist: Self.list) }
    }

    @Test("Files are read from their paths, and a missing one is an error")
    func paths() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let plist = folder.appending(path: "Info.plist").path
        try Data(Self.dictionary).write(to: URL(filePath: plist))

        let configuration = try AppConfiguration.read(infoPlist: plist, entitlements: nil)
        #expect(configuration.infoPlist?.path == plist)
        #expect(configuration.infoPlist?.member("a")?.node.value == .bool(true))
        #expect(configuration.entitlements == nil)

        let missing = try #require(throws: ConfigurationReadError.self) {
            try AppConfiguration.read(infoPlist: plist, entitlements: folder.appending(path: "x").path)
        }
        #expect(missing.cause == .missing)
        let unreadable = try #require(throws: ConfigurationReadError.self) {
            try AppConfiguration.read(infoPlist: folder.path, entitlements: nil)
        }
        #expect(unreadable.cause == .unreadable)
        #expect(unreadable.file == folder.path)
    }

    @Test("The signed entitlements are the ones that count, else the source (CF-1)")
    func effectiveEntitlements() throws {
        var configuration = try AppConfiguration.parse(infoPlist: nil, entitlements: Self.dictionary)
        #expect(configuration.effectiveEntitlements?.path == "App.entitlements")
        configuration.signedEntitlements = try PropertyListFile.parse(Self.dictionary, path: "signed")
        #expect(configuration.effectiveEntitlements?.path == "signed")
    }
}
