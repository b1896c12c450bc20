import AppArtifacts
import AppConfiguration
import Foundation
import Testing

#if canImport(Glibc)
import Glibc

@testable import ArtifactWriters
#endif

@Suite("Files named together are one app (CF-1)")
struct NamedFilesTests {
    @Test("Kinds are determined by content and name, in any order of the paths", arguments: [false, true])
    func together(isReversed: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("a/Info.plist", plist: Members.app)
        try folder.write("b/signing.plist", plist: Members.grant)
        try folder.write("c/profile.bin", ProfileWriter(entitlements: Members.grant).bytes())
        try folder.write("d/Acme", MachOWriter([.xml(Members.grant)]).bytes())
        var names = ["a/Info.plist", "b/signing.plist", "c/profile.bin", "d/Acme"]
        if isReversed { names.reverse() }
        let inputs = folder.find(names)
        #expect(folder.files(inputs) == ["a/Info.plist b/signing.plist d/Acme c/profile.bin"])
        #expect(inputs.apps.map(\.isBuilt) == [true])
        #expect(inputs.errors.isEmpty)
        #expect(inputs.filesRead == 4)
    }

    @Test("Two Info.plists are two apps, each with the files of its folder")
    func two() throws {
        let folder = try TemporaryFolder()
        for app in ["a", "b"] {
            try folder.write("\(app)/Info.plist", plist: Members.app)
            try folder.write("\(app)/x.entitlements", plist: Members.grant)
        }
        try folder.write("c/y.entitlements", plist: Members.grant)
        let inputs = folder.find([
            "a/Info.plist", "a/x.entitlements", "b/Info.plist", "b/x.entitlements", "c/y.entitlements",
        ])
        #expect(
            folder.files(inputs) == [
                "a/Info.plist a/x.entitlements - -", "b/Info.plist b/x.entitlements - -", "- c/y.entitlements - -",
            ]
        )
    }

    @Test("A path that is not there is the cause missing, and the others are read")
    func missing() throws {
        let folder = try TemporaryFolder()
        try folder.write("Info.plist", plist: Members.app)
        let inputs = folder.find(["Info.plist", "none.entitlements"])
        #expect(inputs.apps.count == 1)
        #expect(inputs.errors.map(\.cause) == [.missing])
        #expect(inputs.errors.map(\.file) == [folder("none.entitlements")])
    }

    @Test("A file that is neither plist nor artifact is one error with its name")
    func unknown() throws {
        let folder = try TemporaryFolder()
        try folder.write("README.md", Array("# Acme".utf8))
        let inputs = folder.find(["README.md"])
        #expect(inputs.apps.isEmpty)
        #expect(inputs.errors.map(\.cause) == [.notPropertyList])
    }

    @Test("A pipe is read to its end", .timeLimit(.minutes(10)))
    func pipe() throws {
        var ends: [CInt] = [0, 0]
        #expect(Glibc.pipe(&ends) == 0)
        let bytes = xml(Members.app)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        let inputs = ArtifactInputs.find(paths: ["/dev/fd/\(ends[0])"])
        close(ends[0])
        #expect(inputs.errors.isEmpty)
        #expect(inputs.apps.first?.configuration.infoPlist?.member("SKExternalPurchase") != nil)
    }
}
