import Foundation
import Testing

@testable import ArtifactWriters

@Suite("What is shipped is checked as it is shipped")
struct PackageLintTests {
    private static let prefix = "com.apple.developer.storekit."
    private static let link = "<key>\(prefix)external-purchase-link</key><true/>"

    private static func regions(_ codes: String...) -> String {
        "<key>\(prefix)custom-purchase-link.allowed-regions</key><array>"
            + codes.map { "<string>\($0)</string>" }.joined() + "</array>"
    }

    /// A package of one app, as Xcode exports it.
    private func package(
        infoPlist: String = Sample.infoPlist(),
        signed: String,
        granted: String
    ) throws -> ScratchFolder {
        let folder = try ScratchFolder()
        let app = "Payload/Shop.app"
        let executable = "<key>CFBundleExecutable</key><string>Shop</string></dict>"
        let archive = ZipWriter([
            ZipWriter.Entry(
                "\(app)/Info.plist",
                Array(infoPlist.replacing("</dict>\n</plist>", with: executable + "</plist>").utf8)
            ),
            ZipWriter.Entry("\(app)/Shop", MachOWriter([.xml(signed)]).bytes()),
            ZipWriter.Entry("\(app)/embedded.mobileprovision", ProfileWriter(entitlements: granted).bytes()),
        ])
        try Data(archive.bytes()).write(to: folder.url.appending(path: "Shop.ipa"))
        return folder
    }

    @Test("A package whose plist, signature and profile agree has nothing to say")
    func agreement() async throws {
        let folder = try package(signed: Self.link, granted: Self.link)
        let result = try await folder.lint(["Shop.ipa", "--format", "json"])
        #expect(result.exitCode == 0, "\(result.output) \(result.error)")
        #expect(!result.rules.contains { $0.hasPrefix("entitlement") })
    }

    @Test("What signature, profile and plist say against each other is found, each in its file")
    func mismatch() async throws {
        let folder = try package(
            infoPlist: Sample.infoPlist(url: "http://shop.acme.com/nl"),
            signed: Self.regions("jp", "br"),
            granted: Self.regions("jp")
        )
        let result = try await folder.lint(["Shop.ipa", "--format", "json"])
        #expect(result.exitCode == 1)
        let found = (result.json["diagnostics"] as? [[String: Any]] ?? []).map {
            "\($0["rule"] ?? "") \($0["file"] ?? "") \($0["severity"] ?? "")"
        }
        let app = "Shop.ipa/Payload/Shop.app"
        #expect(found.contains("link-url-not-https \(app)/Info.plist error"), "\(found)")
        #expect(found.contains("entitlement-value-differs \(app)/Shop error"), "\(found)")
        #expect(!found.contains { $0.hasPrefix("entitlement-not-in-profile") }, "\(found)")
    }

    @Test("An entitlement that the profile does not grant is found in the signature")
    func notGranted() async throws {
        let folder = try package(signed: Self.link, granted: "")
        let result = try await folder.lint(["Shop.ipa", "--format", "json"])
        #expect(result.exitCode == 1)
        #expect(result.rules.filter { $0.hasPrefix("entitlement") } == ["entitlement-not-in-profile"])
    }

    @Test("An entitlement that is in the source and not in the signature is found in the source")
    func notSigned() async throws {
        let folder = try package(signed: "", granted: Self.link)
        try folder.write(Sample.entitlements, to: "Shop.entitlements")
        let result = try await folder.lint(["Shop.ipa", "Shop.entitlements", "--format", "json"])
        #expect(result.exitCode == 1)
        #expect(result.rules.contains("entitlement-not-signed"), "\(result.output)")
    }

    @Test("A build variable left in a shipped Info.plist is an error (CF-75)")
    func variable() async throws {
        let folder = try package(
            infoPlist: Sample.infoPlist(url: "https://$(SHOP_HOST)/nl"),
            signed: Self.link,
            granted: Self.link
        )
        let result = try await folder.lint(["Shop.ipa", "--format", "json"])
        #expect(result.exitCode == 1)
        #expect(result.rules.contains("unresolved-variable"))
    }

    @Test("Damaged archives are one finding each, and the files beside them are checked all the same")
    func damaged() async throws {
        let folder = try package(signed: Self.link, granted: Self.link)
        let whole = try Data(contentsOf: folder.url.appending(path: "Shop.ipa"))
        try whole.prefix(whole.count - 30).write(to: folder.url.appending(path: "Cut.ipa"))
        try folder.write(Sample.infoPlist(country: "NL"), to: "App/Info.plist")
        try folder.write(Sample.entitlements, to: "App/App.entitlements")
        let result = try await folder.lint([".", "--format", "json"])
        #expect(result.exitCode == 1)
        #expect(result.rules.count { $0 == "artifact-unreadable" } == 1)
        #expect(result.rules.contains("country-not-lowercase"))
    }
}
