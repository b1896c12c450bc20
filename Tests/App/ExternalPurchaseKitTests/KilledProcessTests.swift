import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKit

@Suite("An app that is killed between any two steps")
@MainActor
struct KilledProcessTests {
    nonisolated static let scenarios = ["DEU launch and purchase", "JPN purchases", "KOR notice sheet", "refusal"]

    private func fixture(_ scenario: String) throws -> KitFixture {
        switch scenario {
        case "JPN purchases": try KitFixture([.A], in: "JPN")
        case "KOR notice sheet": try KitFixture([.P], in: "KOR")
        case "refusal":
            try {
                let fixture = try KitFixture([.C], in: "DEU")
                fixture.server.answer { $0.type == .services ? .refused(reason: "status 422") : nil }
                return fixture
            }()
        default: try KitFixture([.C], in: "DEU")
        }
    }

    /// What one process of the app does.
    private func play(_ scenario: String, _ fixture: KitFixture) async {
        let destination = ExternalPurchaseDestination.outOfApp(destinationURL: KitFixture.shop)
        await fixture.model.refresh()
        await fixture.outbox.deliverDue()
        switch scenario {
        case "KOR notice sheet":
            for _ in 0..<2 { _ = await fixture.tap { await fixture.model.presentNoticeSheet() } }
        default:
            for _ in 0..<2 { _ = await fixture.tap { await fixture.model.purchaseWithCustomLink(destination) } }
        }
        await fixture.outbox.deliverDue()
    }

    /// The steps of a process that nobody kills, and the requests that it sends.
    private func whole(_ scenario: String) async throws -> (steps: Int, requests: Int) {
        let life = ProcessLife()
        let fixture = try fixture(scenario)
        fixture.relaunch(life)
        await play(scenario, fixture)
        return (life.steps, fixture.server.requests)
    }

    @Test(
        "loses no token and sends none twice beyond what the server merges, also in a power failure (EK-22, EK-23)",
        arguments: scenarios,
        [false, true]
    )
    func killed(_ scenario: String, _ losesPower: Bool) async throws {
        let (count, requests) = try await whole(scenario)
        #expect(count > 20)
        var repeated = 0
        for step in 0..<count {
            let fixture = try fixture(scenario)
            fixture.relaunch(ProcessLife(killedAt: step))
            await play(scenario, fixture)
            if losesPower { fixture.files.losePower() }
            let before = fixture.server.arrivals.count

            // The next launch, without a purchase.
            fixture.relaunch()
            await fixture.model.refresh()
            await fixture.drain()
            let status = await fixture.outbox.currentStatus
            let refused = Set(await fixture.outbox.refusedTokens.map(\.text))
            #expect(status.pending == 0 && status.unstored == 0, "step \(step)")
            #expect(status.unreadable <= 1, "step \(step): only the file that was being written")

            // Every token is at the server, refused by it, or named by a request that did not end.
            let lost = fixture.issuer.texts.filter { !fixture.server.texts.contains($0) && !refused.contains($0) }
            #expect(lost.count <= status.interruptedRequests, "step \(step)")
            if ["DEU launch and purchase", "refusal"].contains(scenario) { #expect(lost.isEmpty, "step \(step)") }
            // Only the send whose answer was lost is repeated; a record that a power failure took back, too.
            let arrivals = fixture.server.arrivals.count
            #expect(arrivals <= fixture.server.texts.count + 1, "step \(step)")
            #expect(arrivals >= before)
            if arrivals > fixture.server.texts.count { repeated += 1 }
            // Nothing opens before the tokens are safe: a killed process opened at most what it had tokens for.
            if scenario != "KOR notice sheet" { #expect(fixture.opened.all.count <= 2) }
        }
        // From the server's commit to the name of the record: the answer, writing, synchronizing and renaming.
        if !losesPower { #expect(repeated <= 4 * requests) }
    }

    @Test("A token that was lost between StoreKit and the disk is named by a request that did not end (EK-23)")
    func interrupted() async throws {
        // The step after the one at which StoreKit has made the token.
        var isFound = false
        for step in 0..<(try await whole("KOR notice sheet").steps) {
            let fixture = try fixture("KOR notice sheet")
            fixture.relaunch(ProcessLife(killedAt: step))
            await play("KOR notice sheet", fixture)
            fixture.relaunch()
            await fixture.drain()
            let lost = fixture.issuer.texts.filter { !fixture.server.texts.contains($0) }
            guard !lost.isEmpty else { continue }
            isFound = true
            #expect(await fixture.outbox.currentStatus.interruptedRequests == 1)
            try await fixture.outbox.dismissInterruptedRequests()
            fixture.relaunch()
            await fixture.drain()
            #expect(await fixture.outbox.currentStatus.interruptedRequests == 0)
        }
        #expect(isFound)
    }
}
