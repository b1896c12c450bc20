import AppConfiguration
import Eligibility
import ExternalPurchaseCore
import ExternalPurchaseKit
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator
import TestSupport
import Testing

@Suite("An app selects the real or the simulated StoreKit behind one protocol")
struct ExternalPurchaseStoreTests {
    private static let files = PackageFolder.file("Examples/GemShop")

    private static func session(_ storefront: String) throws -> StoreKitSession {
        try StoreKitSession(
            infoPlist: files.appending(path: "Info.plist").path(),
            entitlements: files.appending(path: "GemShop.entitlements").path()
        ) { inputs in
            inputs.storefront = storefront
            inputs.presenter = ScriptedPresenter(.continue)
            inputs.urlOpener = { _ in }
        }
    }

    /// The code of an app, which only uses the protocol.
    private static func buy(_ store: any ExternalPurchaseStore) async throws -> String {
        guard store.canMakePayments else { return "nothing" }
        if let url = await store.eligibleURLs?.first {
            try await store.open(url: url)
            return url.absoluteString
        }
        let others = await [store.canOpen, store.canPresent, store.isEligible]
        if others.contains(true) { return "another family" }
        return "In-App Purchase"
    }

    @Test(
        "The simulated store uses its own session, not the task-local one",
        arguments: ["NLD": "https://shop.gemshop.example/out/nl", "USA": "In-App Purchase"]
    )
    func simulated(_ storefront: String, _ expected: String) async throws {
        let session = try Self.session(storefront)
        #expect(try await Self.buy(SimulatedExternalPurchaseStore(session: session)) == expected)
        #expect(await session.settle().count == (storefront == "NLD" ? 1 : 0))
    }

    @Test("A store throws StoreKit's own errors")
    func refused() async throws {
        let store = SimulatedExternalPurchaseStore(session: try Self.session("USA"))
        await #expect(throws: StoreKitError.self) { try await store.open() }
        await #expect(throws: StoreKitError.self) { try await store.presentNoticeSheet() }
        await #expect(throws: StoreKitError.self) { try await store.token(for: "SERVICES") }
        await #expect(throws: StoreKitError.self) { try await store.showNotice(.withinApp) }
        let restricted = try Self.session("NLD")
        restricted.canMakePayments = false
        #expect(try await Self.buy(SimulatedExternalPurchaseStore(session: restricted)) == "nothing")
    }

    private static let destination = URL(string: "https://shop.example/offer")

    /// A session of an app with custom links in Germany.
    private static func customLinks(_ version: OSVersion, _ presenter: any SheetPresenter) throws -> StoreKitSession {
        let info =
            "<key>CFBundleIdentifier</key><string>com.example.app</string>"
            + "<key>SKExternalPurchaseCustomLinkRegions</key><array><string>de</string></array>"
        let entitlements = "<key>com.apple.developer.storekit.external-purchase-link</key><true/>"
        func plist(_ content: String) -> [UInt8] {
            Array("<plist version=\"1.0\"><dict>\(content)</dict></plist>".utf8)
        }
        let configuration = try AppConfiguration.parse(infoPlist: plist(info), entitlements: plist(entitlements))
        return StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = "DEU"
            inputs.device.osVersion = version
            inputs.presenter = presenter
        }
    }

    /// The member that each store calls on a system.
    ///
    /// Only `showNotice(for:)` of 27.2 passes a destination to the sheet.
    private static func checkCustomLinks(
        _ version: OSVersion,
        _ store: (StoreKitSession) -> any ExternalPurchaseStore
    ) async throws {
        let presenter = ScriptedPresenter(.continue)
        let session = try customLinks(version, presenter)
        let store = store(session)
        let isNew = version >= OSVersion(27, 2)
        try await session.run { () async throws in
            #expect(try await store.showNotice(.outOfApp(destinationURL: destination)) == .continued(token: nil))
            #expect(try await store.showNotice(.withinApp) == .continued(token: nil))
            #expect(try await store.token(for: "SERVICES") != nil)
        }
        #expect(presenter.requests.map(\.kind) == [.disclosure, .disclosure])
        #expect(presenter.requests.map(\.destination) == [isNew ? destination : nil, nil])
        // The older members are deprecated from 27.2 on, the newer ones missing before.
        let ids = session.diagnostics.map(\.id)
        #expect(!ids.contains("api-deprecated") && !ids.contains("api-newer-than-os"), "\(ids)")
    }

    @Test(
        "From 27.2 on the notice names the destination, below the older member serves (SK-63, SK-69)",
        arguments: [OSVersion(18, 1), OSVersion(26, 5), OSVersion(27, 1), OSVersion(27, 2)]
    )
    func customLinkMembers(_ version: OSVersion) async throws {
        try await Self.checkCustomLinks(version) { SimulatedExternalPurchaseStore(session: $0) }
        #if !canImport(Darwin)
        try await Self.checkCustomLinks(version) { _ in SystemExternalPurchaseStore() }
        #endif
    }

    #if !canImport(Darwin)
    @Test("The system's store, here with this package's StoreKit module, uses the current session")
    func system() async throws {
        let session = try Self.session("DEU")
        let opened = try await session.run { try await Self.buy(SystemExternalPurchaseStore()) }
        #expect(opened == "https://shop.gemshop.example/out/de")
    }
    #endif
}
