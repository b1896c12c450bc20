import ExternalPurchaseCore
import Foundation
import Observation
import StoreKitSimulator
import Synchronization
import Testing

@testable import ExternalPurchaseKit

@Suite("The model of what may be offered")
@MainActor
struct ModelTests {
    /// Waits for a condition that another task brings about.
    private func eventually(_ what: String, _ condition: () async -> Bool) async {
        for _ in 0..<60_000 {
            if await condition() { return }
            try? await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("\(what) did not happen")
    }

    @Test(
        "At launch both token types are requested and sent, again in a new storefront, not at each return (EK-12, EK-13)"
    )
    func launch() async throws {
        let fixture = try KitFixture([.A, .S], in: "USA")
        let (foreground, returns) = AsyncStream.makeStream(of: Void.self)
        let model = fixture.model
        let run = Task { await model.run(foreground: foreground) }
        await eventually("the first read") { model.availability?.storefront == "USA" }
        #expect(model.availability?.offers == [.inAppPurchase])
        #expect(fixture.issuer.issued.isEmpty)

        fixture.session.storefront = "DEU"
        await eventually("the delivery") { fixture.server.arrivals.count == 2 }
        #expect(Set(fixture.server.arrivals.map(\.type)) == [.acquisition, .services])
        #expect(fixture.server.arrivals.allSatisfy { $0.storefront == "DEU" })
        #expect(model.availability?.offers == [.customLink(ProgrammeTerms.Flow.allCases), .noticeSheet])
        await eventually("the status") { model.outboxStatus.pending == 0 }

        // Nothing is sent twice without need.
        let reads = fixture.events.all.count
        returns.yield()
        await eventually("the read at the return") { fixture.events.all.count > reads }
        #expect(fixture.server.requests == 2)

        // The server learns whose the tokens are.
        model.customerId = "c-1"
        returns.yield()
        await eventually("the delivery with the customer") { fixture.server.arrivals.count == 4 }
        #expect(fixture.server.arrivals.map(\.customerId) == [nil, nil, "c-1", "c-1"])
        #expect(Set(fixture.server.texts).count == 2)

        fixture.session.storefront = "ISL"
        await eventually("the storefront") { model.availability?.storefront == "ISL" }
        run.cancel()
        await run.value
    }

    @Test("A launch token that StoreKit cannot return is requested at the next refresh (EK-13)")
    func launchWithoutNetwork() async throws {
        let fixture = try KitFixture([.C], in: "DEU")
        fixture.session.network = URLError(.notConnectedToInternet)
        await fixture.model.refresh()
        await fixture.drain()
        #expect(fixture.server.arrivals.isEmpty)
        fixture.session.network = nil
        await fixture.model.refresh()
        await fixture.drain()
        #expect(Set(fixture.server.arrivals.map(\.type)) == [.acquisition, .services])
        await fixture.model.refresh()
        await fixture.drain()
        #expect(fixture.server.requests == 2)
    }

    @Test("A period that is over is an answer: it is not requested at every refresh (EK-13, TK-37)")
    func exhausted() async throws {
        let fixture = try KitFixture([.C], in: "DEU") { $0.environment = .production }
        await fixture.model.refresh()
        await fixture.model.refresh()
        #expect(fixture.events.all.filter { $0 == .noToken(type: "SERVICES") }.count == 1)
        #expect(fixture.issuer.issued.isEmpty)
    }

    @Test("Gates are asked in their order before StoreKit, and the first closed one is the reason (EK-10)")
    func gates() async throws {
        let asked = Recorder<String>()
        let closed = Mutex<String?>("consent")
        let fixture = try KitFixture([.C, .L], in: "DEU")
        fixture.gates = ["age", "consent", "switch"].map { name in
            PurchaseGate(name) {
                asked.record(name)
                return closed.withLock { $0 } == name ? .closed(reason: "\(name) is missing") : .open
            }
        }
        fixture.relaunch()
        await fixture.model.refresh()
        #expect(asked.all == ["age", "consent"])
        let gate = ClosedGate(name: "consent", reason: "consent is missing")
        #expect(fixture.model.availability?.closedGate == gate)
        #expect(fixture.model.availability?.offers == [.inAppPurchase])
        #expect(fixture.model.availability?.answers.isEmpty == true)
        #expect(await fixture.model.openLink() == .notOffered(.gateClosed(gate)))
        #expect(await fixture.model.presentNoticeSheet() == .notOffered(.gateClosed(gate)))
        #expect(await fixture.model.purchaseWithCustomLink(.withinApp) == .notOffered(.gateClosed(gate)))
        // StoreKit was asked for nothing: the session saw no use of the families.
        #expect(fixture.issuer.issued.isEmpty)
        #expect(fixture.session.diagnostics.isEmpty)
        closed.withLock { $0 = nil }
        await fixture.model.refresh()
        #expect(fixture.model.availability?.closedGate == nil)
        #expect(fixture.model.availability?.offers == [.customLink(ProgrammeTerms.Flow.allCases), .link])
    }

    @Test("A storefront that changes while it is read leads to answers of one storefront (EK-11)")
    func changingStorefront() async throws {
        let fixture = try KitFixture([.C], in: "DEU")
        let session = fixture.session
        // The reason is read with each answer; the first one comes with a change.
        struct ChangingStore: ExternalPurchaseStore {
            let base: any ExternalPurchaseStore
            let change: @Sendable () -> Void
            var canMakePayments: Bool { base.canMakePayments }
            var canPresent: Bool { get async { await base.canPresent } }
            var canOpen: Bool { get async { await base.canOpen } }
            var eligibleURLs: [URL]? { get async { await base.eligibleURLs } }
            var isEligible: Bool {
                get async {
                    let answer = await base.isEligible
                    change()
                    return answer
                }
            }
            var storefront: String? { get async { await base.storefront } }
            var storefrontUpdates: AsyncStream<String?> { base.storefrontUpdates }
            var noticeNamesDestination: Bool { base.noticeNamesDestination }
            func presentNoticeSheet() async throws -> ExternalPurchaseNotice { try await base.presentNoticeSheet() }
            func open() async throws { try await base.open() }
            func open(url: URL) async throws { try await base.open(url: url) }
            func token(for tokenType: String) async throws -> String? { try await base.token(for: tokenType) }
            func showNotice(_ destination: ExternalPurchaseDestination) async throws -> ExternalPurchaseNotice {
                try await base.showNotice(destination)
            }
            func failure(_ error: any Error) -> StoreFailure { base.failure(error) }
        }
        let store = ChangingStore(base: fixture.model.store) { session.storefront = "USA" }
        let read = await PurchaseAvailability.read(from: store, ExternalPurchaseModel.Configuration())
        #expect(read.storefront == "USA")
        #expect(read.offers == [.inAppPurchase])
    }

    @Test("Views are told of changes by Observation (EK-12)")
    func observation() async throws {
        let fixture = try KitFixture([.C], in: "DEU")
        let changes = Recorder<Int>()
        withObservationTracking {
            _ = fixture.model.availability
        } onChange: {
            changes.record(1)
        }
        await fixture.model.refresh()
        #expect(changes.all.count == 1)
    }

    @Test(
        "What may be offered is a sequence too: the present value, then each change (EK-71)",
        .timeLimit(.minutes(10))
    )
    func updates() async throws {
        let fixture = try KitFixture([.C], in: "DEU")
        let model = fixture.model
        var early = model.availabilityUpdates.makeAsyncIterator()
        await model.refresh()
        let first = await early.next()
        #expect(first?.storefront == "DEU")
        #expect(first == model.availability)
        // The same answer is no change: the next element is that of the other storefront.
        await model.refresh()
        fixture.session.storefront = "USA"
        await model.refresh()
        #expect(await early.next()?.storefront == "USA")
        var late = model.availabilityUpdates.makeAsyncIterator()
        #expect(await late.next() == model.availability)
        #expect(model.availability?.offers == [.inAppPurchase])
    }

    @Test("The token schemes are those of the storefronts' programmes (EK-18, SK-59)")
    func schemes() {
        let periods = TokenScheme.periods([.acquisition, .services])
        let transaction = TokenScheme.transaction(withinApp: .inApp, outOfApp: .linkOut)
        let expected: [String: TokenScheme?] = [
            "DEU": periods, "ISL": periods, "NOR": periods, "JPN": transaction, "BRA": transaction, "KOR": nil,
            "USA": nil, "CHE": nil, "XYZ": nil, "": nil,
        ]
        for (storefront, scheme) in expected { #expect(TokenScheme.builtIn(storefront) == scheme, "\(storefront)") }
    }
}
