import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseKit

@Suite("Two outboxes in one folder")
struct SharedFolderTests: OutboxSuite {
    let files = MemoryFileSystem()
    let server = ShopServer()
    let clock = ManualClock()
    let events = Recorder<KitEvent>()

    @Test("lose no token, and send at most what both have twice (EK-32)")
    func tokens() async {
        let (first, second) = (outbox(), outbox())
        for number in 0..<6 where number != 5 { _ = await first.keep(token(number)) }
        for number in 3..<9 { _ = await second.keep(token(number)) }
        await first.deliverDue()
        await second.deliverDue()
        #expect(server.texts == Set((0..<9).map { token($0).text }))
        #expect(server.arrivals.count <= 9 + 5)
        for outbox in [first, second] {
            let status = await outbox.currentStatus
            #expect(status.pending == 0 && status.unstored == 0 && status.storageFailure == nil)
        }
        let third = outbox()
        await third.deliverDue()
        #expect(await third.currentStatus.pending == 0)
    }

    @Test("A record of a request stays until its own outbox ends it (EK-32, EK-23)")
    func requests() async throws {
        let (first, second) = (outbox(), outbox())
        let ended = try await first.beginRequest(type: "IN_APP", storefront: "JPN")
        let killed = try await second.beginRequest(type: "IN_APP", storefront: "JPN")
        #expect(ended != killed)
        await first.endRequest(ended)
        let next = outbox()
        await next.deliverDue()
        #expect(await next.currentStatus.interruptedRequests == 1)
    }

    @Test("A token that one refused and the other delivered is in no state that stays wrong (EK-32)")
    func refusal() async throws {
        let (first, second) = (outbox(), outbox())
        _ = await first.keep(token(1))
        _ = await second.keep(token(1))
        server.answer { _ in .refused(reason: "status 422") }
        await first.deliverDue()
        server.answer { _ in nil }
        await second.deliverDue()
        try await first.retryRefused()
        await first.deliverDue()
        #expect(await first.currentStatus.refused.isEmpty)
        #expect(server.texts == [token(1).text])
        let third = outbox()
        await third.deliverDue()
        #expect(await third.currentStatus.pending == 0)
    }

    @Test("At the same time on the device's file system, too (EK-32)", .timeLimit(.minutes(10)))
    func atOnce() async {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (server, tokens) = (server, (0..<60).map { token($0) })
        await withTaskGroup { group in
            for share in [tokens.prefix(40), tokens.suffix(40)] {
                group.addTask {
                    let outbox = TokenOutbox(folder: folder, transport: server)
                    for token in share {
                        _ = await outbox.keep(token)
                        await outbox.deliverDue()
                    }
                }
            }
        }
        let last = TokenOutbox(folder: folder, transport: server)
        await last.deliverDue()
        #expect(await last.currentStatus.pending == 0)
        #expect(server.texts == Set(tokens.map(\.text)))
        #expect(server.arrivals.count <= 80 + 20)
    }
}
