import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import StoreKitSimulator
import Testing

@Suite("Members that the app's oldest system lacks (SK-1, SK-2)")
struct GuardDiagnosticTests {
    private typealias Link = ExternalPurchaseCustomLink

    private static func session(
        _ key: String,
        _ minimum: String?,
        on platform: Platform,
        _ version: OSVersion
    ) throws -> StoreKitSession {
        let declared = minimum.map { "<key>\(key)</key><string>\($0)</string>" } ?? ""
        let configuration = try AppConfiguration.parse(
            infoPlist: Array("<plist version=\"1.0\"><dict>\(declared)</dict></plist>".utf8),
            entitlements: nil
        )
        return StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = "DEU"
            inputs.device.platform = platform
            inputs.device.osVersion = version
        }
    }

    /// Uses the older and the newest members, eligible or not.
    private static func useAll() async {
        _ = await ExternalPurchase.canPresent
        _ = await ExternalPurchaseLink.canOpen
        _ = await ExternalPurchaseLink.eligibleURLs
        _ = await Link.isEligible
        _ = await Link.isEligible
        _ = try? await Link.token(for: "SERVICES")
        _ = try? await Link.token(for: .outOfApp)
    }

    @Test(
        "At the end of a session each one is named once, with the system that it needs",
        arguments: [
            ("MinimumOSVersion", "17.4", Platform.iOS, OSVersion(26, 5), ["17.5", "18.1", "18.1", "27.2"]),
            ("MinimumOSVersion", "16.0", .iOS, OSVersion(26, 5), ["17.4", "17.5", "18.1", "18.1", "27.2"]),
            ("MinimumOSVersion", "18.1", .iPadOS, OSVersion(26, 5), ["27.2"]),
            ("MinimumOSVersion", "27.2", .iOS, OSVersion(27, 2), []),
            ("LSMinimumSystemVersion", "14.5", .macOS, OSVersion(26, 5), ["15.1", "15.1", "27.2"]),
            // The key of another platform is ignored, and so is a missing one.
            ("MinimumOSVersion", "14.0", .macOS, OSVersion(26, 5), []),
            ("MinimumOSVersion", nil, .iOS, OSVersion(26, 5), []),
        ] as [(String, String?, Platform, OSVersion, [String])]
    )
    func guards(_ key: String, _ minimum: String?, _ platform: Platform, _ version: OSVersion, _ needed: [String])
        async throws
    {
        let session = try Self.session(key, minimum, on: platform, version)
        await session.run { await Self.useAll() }
        #expect(!session.diagnosticIds.contains("availability-guard-needed"))
        await session.finish()
        await session.finish()
        let pendingDiagnostics = session.diagnostics.filter { $0.id == "availability-guard-needed" }
        let found = pendingDiagnostics.compactMap { $0.message.split(separator: ";").first?.split(separator: " ").last }
        #expect(found.map(String.init) == needed)
        #expect(pendingDiagnostics.allSatisfy { $0.severity == .note })
    }

    @Test("The diagnostic names member, system, deployment target and guard, and the simulator's limitation")
    func text() async throws {
        let session = try Self.session("MinimumOSVersion", "17.4", on: .iPadOS, OSVersion(26, 5))
        await session.run { _ = await Link.isEligible }
        let pendingDiagnostic = try #require(await session.finish().first { $0.id == "availability-guard-needed" })
        #expect(pendingDiagnostic.member == "ExternalPurchaseCustomLink.isEligible")
        #expect(
            pendingDiagnostic.message
                == "ExternalPurchaseCustomLink.isEligible needs iPadOS 18.1; the app runs from 17.4"
        )
        #expect(pendingDiagnostic.hint?.hasPrefix("Xcode compiles it under #available(iOS 18.1, *) only;") == true)
    }
}
