import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Foundation
import TestSupport
import Testing

@Suite("GemShop's files")
struct GemShopConfigurationTests {
    @Test("Lint finds neither errors nor warnings in them")
    func lint() throws {
        let folder = PackageFolder.file("Examples/GemShop")
        let configuration = try AppConfiguration.read(
            infoPlist: folder.appending(path: "Info.plist").path(),
            entitlements: folder.appending(path: "GemShop.entitlements").path()
        )
        let findings = ConfigurationLinter.findings(in: configuration)
        #expect(findings.filter { $0.severity > .note } == [])
        let usable = UsableConfiguration(configuration, pack: .newest)
        #expect(usable.bundleId == "com.example.gemshop")
        #expect(usable.multiLinks.count == 9)
        #expect(usable.singleLinks.keys.sorted() == usable.multiLinks.keys.sorted())
    }
}
