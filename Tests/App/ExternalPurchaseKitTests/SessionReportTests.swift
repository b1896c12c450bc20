import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKit

/// Nothing in these tests tells the session anything.
@Suite("What the session learns of the app")
@MainActor
struct SessionReportTests {
    private func findings(in storefront: String, delivery: TokenDelivery) async throws -> Set<String> {
        let configuration = try SampleFiles.configuration([.A], entitled: true)
        let session = StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = storefront
            inputs.device.osVersion = OSVersion(26, 5)
            inputs.presenter = ScriptedPresenter(.continue)
        }
        let transport = SessionTokenTransport(ClosureTokenTransport { _ in delivery }, session: session)
        let outbox = TokenOutbox(files: MemoryFileSystem(), transport: transport)
        var own = ExternalPurchaseModel.Configuration()
        own.disclosure = { _ in true }
        let store = SimulatedExternalPurchaseStore(session: session)
        let model = ExternalPurchaseModel(store: store, outbox: outbox, configuration: own)
        await model.refresh()
        _ = await StoreKitSession.withUserInteraction { await model.purchaseWithCustomLink(.withinApp) }
        await outbox.deliverDue()
        return Set(await session.finish().map(\.id)).intersection([
            "token-not-delivered", "token-before-notice", "token-delivered-twice",
        ])
    }

    @Test("A correct purchase leaves no remark on its token (SK-101)", arguments: ["DEU", "JPN", "BRA"])
    func correct(_ storefront: String) async throws {
        #expect(try await findings(in: storefront, delivery: .stored) == [])
    }

    @Test("A token that the server did not store is reported", arguments: ["DEU", "JPN"])
    func undelivered(_ storefront: String) async throws {
        let refused = TokenDelivery.refused(reason: "no")
        let later = TokenDelivery.retry(reason: "down", after: nil)
        #expect(try await findings(in: storefront, delivery: refused) == ["token-not-delivered"])
        #expect(try await findings(in: storefront, delivery: later) == ["token-not-delivered"])
    }

    @Test("A token that is sent twice was delivered once for the session (EK-24, EK-25)")
    func twice() async throws {
        let session = StoreKitSession { $0.storefront = "DEU" }
        let transport = SessionTokenTransport(ClosureTokenTransport { _ in .stored }, session: session)
        let token = PurchaseToken(text: "eyJ4IjoxfQ", type: .services)
        #expect(await transport.send(token) == .stored)
        #expect(await transport.send(token) == .stored)
        #expect(session.diagnostics.isEmpty)
        session.tell(.tokenDelivered(token.text))
        #expect(session.diagnostics.map(\.id) == ["token-delivered-twice"])
    }

    @Test("The session learns the answer to the app's own disclosure (SK-66)", arguments: [true, false])
    func disclosure(_ isContinued: Bool) async throws {
        let session = StoreKitSession { $0.storefront = "JPN" }
        SimulatedExternalPurchaseStore(session: session).disclosureShown(.outOfApp, isContinued: isContinued)
        session.tell(.offerShown)
        #expect(session.diagnostics.map(\.id) == (isContinued ? [] : ["offer-after-cancel"]))
    }
}
