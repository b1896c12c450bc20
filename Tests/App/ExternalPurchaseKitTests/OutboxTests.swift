import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseKit

@Suite("The outbox of tokens")
struct OutboxTests: OutboxSuite {
    let files = MemoryFileSystem()
    let server = ShopServer()
    let clock = ManualClock()
    let events = Recorder<KitEvent>()

    @Test("A token is on disk before it is sent, once, and leaves the disk with the server's answer (EK-20, EK-25)")
    func stored() async {
        let outbox = outbox()
        #expect(await outbox.keep(token(1)) == .stored)
        #expect(await outbox.keep(token(1)) == .stored)
        #expect(files.files.keys.filter { $0.hasPrefix("pending/") } == ["pending/\(token(1).name).json"])
        #expect(await outbox.currentStatus.pending == 1)
        #expect(server.requests == 0)
        #expect(await outbox.deliverDue() == nil)
        #expect(server.arrivals == [token(1)])
        #expect(files.files.keys.sorted() == ["memory.json"])
        #expect(await outbox.currentStatus == TokenOutboxStatus())
    }

    @Test("Whatever waits survives a restart with type, storefront and customer (EK-20)")
    func restart() async {
        _ = await outbox().keep(token(1, customer: "c-1"))
        let plain = PurchaseToken(text: "plain", type: nil)
        _ = await outbox().keep(plain)
        files.losePower()
        let outbox = outbox()
        await outbox.deliverDue()
        #expect(Set(server.arrivals) == [token(1, customer: "c-1"), plain])
    }

    @Test("A token that the server has is sent again after a week, so that a restored server learns it (EK-24)")
    func confirmation() async {
        _ = await outbox().keep(token(1))
        await outbox().deliverDue()
        for day in 1...6 {
            clock.advance(.seconds(86_400))
            #expect(await outbox().keep(token(1)) == .delivered, "day \(day)")
        }
        #expect(await outbox().keep(token(2)) == .stored)
        await outbox().deliverDue()
        #expect(server.requests == 2)
        clock.advance(.seconds(86_400))
        #expect(await outbox().keep(token(1)) == .stored)
        await outbox().deliverDue()
        #expect(server.arrivals == [token(1), token(2), token(1)])
        // A clock that was set back by years neither hides the token for years nor sends it at every launch.
        clock.set(Date(timeIntervalSince1970: 1_000_000_000))
        #expect(await outbox().keep(token(1)) == .stored)
        await outbox().deliverDue()
        #expect(await outbox().keep(token(1)) == .delivered)
    }

    @Test("Another customer is news for the server; a token without one needs no sending beside it (EK-24)")
    func customers() async {
        let outbox = outbox()
        _ = await outbox.keep(token(1))
        _ = await outbox.keep(token(1, customer: "c-1"))
        await outbox.deliverDue()
        #expect(server.arrivals == [token(1, customer: "c-1")])
        _ = await outbox.keep(token(1, customer: "c-2"))
        #expect(await outbox.keep(token(1, customer: "c-1")) == .delivered)
        await outbox.deliverDue()
        #expect(server.arrivals.map(\.customerId) == ["c-1", "c-2"])
    }

    @Test("A refused token is kept aside with its reason, is not sent again, and can be retried (EK-21, EK-40)")
    func refusal() async throws {
        server.answer { $0.text.hasPrefix("token-1") ? .refused(reason: "status 422: no token") : nil }
        _ = await outbox().keep(token(1))
        _ = await outbox().keep(token(2))
        await outbox().deliverDue()
        #expect(server.requests == 2)
        files.losePower()
        let later = outbox()
        await later.deliverDue()
        #expect(server.requests == 2)
        #expect(await later.currentStatus.refused == [token(1).name: "status 422: no token"])
        #expect(await later.refusedTokens == [token(1)])
        // StoreKit returns it again: it is still the refused one.
        #expect(await later.keep(token(1)) == .stored)
        await later.deliverDue()
        #expect(server.requests == 2)
        server.answer { _ in nil }
        try await later.retryRefused()
        files.losePower()
        let last = outbox()
        await last.deliverDue()
        #expect(server.texts == [token(1).text, token(2).text])
        #expect(await last.currentStatus.refused.isEmpty)
    }
}
