import ConfigurationLint
import Foundation
import StoreKit
import Testing

@Suite("App code that imports StoreKit")
struct AppCodeTests {
    private func session(entitled: Bool = true, _ answer: ScriptedPresenter.Step = .continue) throws -> StoreKitSession
    {
        let plist = """
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>com.example</string>
            <key>MinimumOSVersion</key><string>17.5</string>
            <key>SKExternalPurchaseLink</key>
            <dict><key>es</key><string>https://site.example.com</string></dict>
            <key>SKExternalPurchaseMultiLink</key>
            <dict><key>es</key><array>
            <string>https://site.example.com</string><string>https://site.example.com/sale</string>
            </array></dict>
            </dict></plist>
            """
        let key = "com.apple.developer.storekit.external-purchase-link"
        let entitlements = "<plist version=\"1.0\"><dict>\(entitled ? "<key>\(key)</key><true/>" : "")</dict></plist>"
        let folder = FileManager.default.temporaryDirectory.appending(path: "app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let infoPlist = folder.appending(path: "Info.plist")
        let entitlementsFile = folder.appending(path: "App.entitlements")
        try Data(plist.utf8).write(to: infoPlist)
        try Data(entitlements.utf8).write(to: entitlementsFile)
        return try StoreKitSession(infoPlist: infoPlist.path(), entitlements: entitlementsFile.path()) { inputs in
            inputs.storefront = "ESP"
            // Several links count for qualifying apps only (CF-43).
            inputs.musicStreaming = .yes
            inputs.presenter = ScriptedPresenter(answer)
        }
    }

    @Test("The sample for several links opens the chosen one with token and bundle id")
    func severalLinks() async throws {
        let session = try session()
        try await session.run { try await openOneOfSeveralLinks() }
        guard case .continued(let url) = session.outcomes.last else {
            Issue.record("\(session.outcomes) \(session.diagnostics)")
            return
        }
        #expect(url.absoluteString.hasPrefix("https://site.example.com/sale?externalPurchaseToken="))
        #expect(url.absoluteString.hasSuffix("&bundleId=com.example"))
    }

    @Test("The sample for one link inserts no slash (TK-60)")
    func oneLink() async throws {
        let session = try session()
        let result = await session.run { await openTheLink() }
        #expect(result == "asked")
        guard case .continued(let url) = session.outcomes.last else {
            Issue.record("\(session.outcomes)")
            return
        }
        #expect(url.absoluteString.hasPrefix("https://site.example.com?externalPurchaseToken="))
    }

    @Test("The samples fall back and catch as they would on a device")
    func fallback() async throws {
        let unentitled = try session(entitled: false)
        #expect(await unentitled.run { await openTheLink() } == "in-app purchase")
        let blocked = try session()
        blocked.presenter = nil
        #expect(await blocked.run { await openTheLink() } == "system")
        blocked.canMakePayments = false
        #expect(await blocked.run { mayOfferAnything() } == false)
    }

    @Test("The interface receives storefront changes")
    func storefronts() async throws {
        let session = try session()
        let seen = await session.run {
            var seen: [String] = []
            let changing = Task {
                // The reader may not be listening yet, so changes continue until it has received two.
                while !Task.isCancelled {
                    session.storefront = "NLD"
                    session.storefront = "DEU"
                    try? await Task.sleep(for: .milliseconds(2))
                }
            }
            await followStorefronts { storefront in
                seen.append(storefront)
                return seen.count < 2
            }
            changing.cancel()
            return seen
        }
        #expect(Set(seen) == ["NLD NLD", "DEU DEU"])
    }
}
