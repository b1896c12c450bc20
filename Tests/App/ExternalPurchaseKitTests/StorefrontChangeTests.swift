import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKit

@Suite("A storefront that changes in the middle of a flow")
@MainActor
struct StorefrontChangeTests {
    /// An app whose storefront becomes another one while a sheet is shown.
    private func fixture(
        _ samples: [SampleFiles],
        _ storefront: String,
        _ other: String,
        _ version: OSVersion
    ) throws -> KitFixture {
        let sessions = Recorder<StoreKitSession>()
        let presenter = ScriptedPresenter(
            .decide { _ in
                sessions.all.last?.storefront = other
                return .continue
            }
        )
        let fixture = try KitFixture(samples, in: storefront, os: version, presenter)
        sessions.record(fixture.session)
        return fixture
    }

    @Test(
        "A custom link opens nothing, requests no token, and what may be offered is read anew (EK-19)",
        arguments: [("DEU", "USA"), ("DEU", "JPN"), ("JPN", "USA"), ("JPN", "BRA"), ("BRA", "DEU")]
    )
    func customLink(_ storefront: String, _ other: String) async throws {
        let fixture = try fixture([.A], storefront, other, OSVersion(27, 2))
        let result = await fixture.tap {
            await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
        }
        guard case .failed(let failure) = result else { throw StoreFailure(.other, message: "\(result)") }
        #expect(failure.kind == .notAvailableInStorefront)
        #expect(fixture.opened.all.isEmpty && fixture.issuer.issued.isEmpty)
        #expect(fixture.model.availability?.storefront == other)
        #expect(await fixture.outbox.currentStatus.interruptedRequests == 0)
        // The next tap is a purchase of the new storefront.
        fixture.session.presenter = ScriptedPresenter(.continue)
        let next = await fixture.tap {
            await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
        }
        await fixture.drain()
        if other == "USA" {
            guard case .notOffered(.notAvailable) = next else { throw StoreFailure(.other, message: "\(next)") }
        } else {
            #expect(fixture.opened.all == [KitFixture.shop])
            #expect(fixture.server.arrivals.allSatisfy { $0.storefront == other })
            #expect(fixture.server.arrivals.count == (other == "DEU" ? 2 : 1))
        }
    }

    @Test("The app's own disclosure is no exception (EK-19)")
    func ownDisclosure() async throws {
        let fixture = try KitFixture([.A], in: "JPN")
        let session = fixture.session
        var configuration = ExternalPurchaseModel.Configuration()
        configuration.disclosure = { _ in
            session.storefront = "USA"
            return true
        }
        let model = ExternalPurchaseModel(
            store: fixture.model.store,
            outbox: fixture.outbox,
            configuration: configuration
        )
        let result = await fixture.tap { await model.purchaseWithCustomLink(.withinApp) }
        guard case .failed = result else { throw StoreFailure(.other, message: "\(result)") }
        #expect(fixture.issuer.issued.isEmpty)
        #expect(await fixture.outbox.currentStatus.interruptedRequests == 0)
    }

    @Test("The token of a notice sheet is kept; it names no storefront, since there were two (EK-19)")
    func noticeSheet() async throws {
        let fixture = try fixture([.P], "KOR", "USA", OSVersion(26, 5))
        let result = await fixture.tap { await fixture.model.presentNoticeSheet() }
        await fixture.drain()
        if let text = fixture.issuer.texts.first {
            #expect(result == .continued(PurchaseToken(text: text, type: nil)))
            #expect(fixture.server.arrivals == [PurchaseToken(text: text, type: nil)])
        } else {
            guard case .failed = result else { throw StoreFailure(.other, message: "\(result)") }
        }
        #expect(fixture.server.arrivals.map(\.text) == fixture.issuer.texts)
        #expect(await fixture.outbox.currentStatus.interruptedRequests == 0)
    }

    @Test("A sheet that nobody answers ends with the system's answer, and the next flow begins (EK-14)")
    func unanswered() async throws {
        let fixture = try KitFixture([.P], in: "KOR", ScriptedPresenter(.never, .continue)) {
            $0.presenterTimeout = .milliseconds(20)
        }
        let first = await fixture.tap { await fixture.model.presentNoticeSheet() }
        guard case .failed = first else { throw StoreFailure(.other, message: "\(first)") }
        #expect(!fixture.model.isPurchasing)
        #expect(await fixture.outbox.currentStatus.interruptedRequests == 0)
        let second = await fixture.tap { await fixture.model.presentNoticeSheet() }
        guard case .continued = second else { throw StoreFailure(.other, message: "\(second)") }
    }
}
