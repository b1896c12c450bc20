import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Synchronization
import Testing

@testable import ExternalPurchaseKit

@Suite("Gates that are slow")
@MainActor
struct SlowGateTests {
    /// A gate that waits for its decisions, in the order of its questions.
    private final class SlowGate: Sendable {
        private let questions = Recorder<CheckedContinuation<PurchaseGate.Decision, Never>>()

        var gate: PurchaseGate {
            PurchaseGate("consent") { await withCheckedContinuation { self.questions.record($0) } }
        }

        /// Waits until the gate was asked so often.
        func asked(_ count: Int) async {
            while questions.all.count < count { await Task.yield() }
        }

        /// Decides a question.
        func decide(_ number: Int, _ decision: PurchaseGate.Decision) async {
            await asked(number + 1)
            questions.all[number].resume(returning: decision)
        }
    }

    private let slow = SlowGate()

    private func fixture() throws -> KitFixture {
        let fixture = try KitFixture([.A, .L], in: "DEU")
        fixture.gates = [slow.gate]
        fixture.relaunch()
        return fixture
    }

    @Test("A purchase waits, a second one is refused meanwhile, and a gate that closes late stops it (EK-10, EK-14)")
    func purchase() async throws {
        let fixture = try fixture()
        let model = fixture.model
        async let first = fixture.tap { await model.purchaseWithCustomLink(.withinApp) }
        while !model.isPurchasing { await Task.yield() }
        #expect(await model.presentNoticeSheet() == .notOffered(.purchaseInProgress))
        #expect(await model.openLink() == .notOffered(.purchaseInProgress))
        await slow.decide(0, .closed(reason: "refused"))
        #expect(await first == .notOffered(.gateClosed(ClosedGate(name: "consent", reason: "refused"))))
        #expect(fixture.issuer.issued.isEmpty && fixture.session.diagnostics.isEmpty)
        async let second = fixture.tap { await model.purchaseWithCustomLink(.withinApp) }
        await slow.decide(1, .open)
        guard case .continued(let tokens) = await second else { throw StoreFailure(.other, message: "stopped") }
        #expect(tokens.tokens.count == 2)
    }

    @Test("A read whose gate answers after a later read does not replace it (EK-12)")
    func reads() async throws {
        let fixture = try fixture()
        let model = fixture.model
        let first = Task { await model.refresh() }
        await slow.asked(1)
        let second = Task { await model.refresh() }
        await slow.asked(2)
        await slow.decide(1, .closed(reason: "refused"))
        await second.value
        #expect(model.availability?.closedGate?.reason == "refused")
        await slow.decide(0, .open)
        await first.value
        #expect(model.availability?.closedGate?.reason == "refused")
        #expect(fixture.issuer.issued.isEmpty)
    }

    @Test("A refresh whose read was overtaken ends when the newest read is what may be offered (EK-12)")
    func overtaken() async throws {
        let fixture = try fixture()
        let model = fixture.model
        let (states, state) = AsyncStream.makeStream(of: (PurchaseAvailability?).self)
        var refreshes: [Task<Void, Never>] = []
        for count in 1...3 {
            refreshes.append(
                Task {
                    await model.refresh()
                    state.yield(model.availability)
                }
            )
            await slow.asked(count)
        }
        // The older reads end first; nothing may be told of them, nor may their callers read what is not there yet.
        await slow.decide(1, .closed(reason: "older"))
        await slow.decide(0, .closed(reason: "oldest"))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(model.availability == nil)
        await slow.decide(2, .open)
        for refresh in refreshes { await refresh.value }
        state.finish()
        for await state in states {
            #expect(state?.offers == [.customLink(ProgrammeTerms.Flow.allCases), .link, .noticeSheet])
        }
        #expect(fixture.issuer.issued.count == 2, "the launch's tokens, once")
    }

    @Test("The storefront that changes while a gate decides is the one that is read (EK-11)")
    func storefront() async throws {
        let fixture = try fixture()
        let model = fixture.model
        let read = Task { await model.refresh() }
        await slow.asked(1)
        fixture.session.storefront = "JPN"
        await slow.decide(0, .open)
        await read.value
        #expect(model.availability?.storefront == "JPN")
        #expect(fixture.issuer.issued.isEmpty, "Japan has no tokens of the launch")
    }
}
