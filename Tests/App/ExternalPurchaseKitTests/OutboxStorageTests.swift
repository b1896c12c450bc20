import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseKit

@Suite("The outbox and its disk")
struct OutboxStorageTests: OutboxSuite {
    let files = MemoryFileSystem()
    let server = ShopServer()
    let clock = ManualClock()
    let events = Recorder<KitEvent>()

    @Test(
        "At a limit tokens are kept nevertheless, and the outbox says that it is full (EK-26)",
        arguments: [true, false]
    )
    func limits(_ byCount: Bool) async {
        server.answer { _ in .retry(reason: "status 503", after: nil) }
        var settings = TokenOutbox.Settings()
        if byCount { settings.largestCount = 3 } else { settings.largestSize = 3_000 }
        let outbox = outbox(settings)
        for number in 0..<5 {
            #expect(await outbox.currentStatus.isFull == (number >= 3))
            #expect(await outbox.keep(token(number, size: 1_000)) == .stored)
        }
        server.answer { _ in nil }
        clock.advance(.seconds(86_400))
        await outbox.deliverDue()
        #expect(server.arrivals.count == 5)
        #expect(await !outbox.currentStatus.isFull)
    }

    @Test(
        "With a full disk a token goes to the server at once, or stays in memory until disk or server take it (EK-27)"
    )
    func fullDisk() async {
        let outbox = outbox()
        _ = await outbox.deliverDue()
        files.isFull = true
        #expect(await outbox.keep(token(1)) == .delivered)
        #expect(server.arrivals == [token(1)])
        server.answer { _ in .retry(reason: "network error", after: nil) }
        guard case .inMemory(let failure) = await outbox.keep(token(2)) else {
            Issue.record("token 2 is not in memory")
            return
        }
        #expect(failure.code == ENOSPC && failure.operation == .write)
        #expect(await outbox.currentStatus.unstored == 1)
        #expect(await outbox.currentStatus.storageFailure == failure)
        files.isFull = false
        await outbox.deliverDue()
        #expect(await outbox.currentStatus.unstored == 0)
        files.losePower()
        server.answer { _ in nil }
        clock.advance(.seconds(86_400))
        await self.outbox().deliverDue()
        #expect(server.arrivals == [token(1), token(2)])
    }

    @Test("Torn, foreign and newer files are set aside and never deleted; what can be read later returns (EK-21)")
    func unreadable() async {
        let good = OutboxEntry(token: token(1), storedAt: 5, refusal: nil)
        let newer = String(decoding: good.bytes, as: UTF8.self).replacing("\"version\":1", with: "\"version\":2")
        files.files = [
            "pending/a.json": Array("{\"version\":1,\"tok".utf8), "pending/b.json": Array(newer.utf8),
            "pending/c.json.tmp": Array("{".utf8), "pending/d.json.tmp": [],
            "pending/\(token(2).name).json.tmp": OutboxEntry(token: token(2), storedAt: 6, refusal: nil).bytes,
            "memory.json": [1, 2, 3],
        ]
        let outbox = outbox()
        await outbox.deliverDue()
        #expect(server.arrivals == [token(2)])
        #expect(await outbox.currentStatus.unreadable == 3)
        #expect(
            files.files.keys.filter { $0.hasPrefix("unreadable/") }.sorted() == [
                "unreadable/pending-0-a.json", "unreadable/pending-0-b.json", "unreadable/pending-0-c.json.tmp",
            ]
        )
        // The newer version of the app comes back, which is this one with a file of this one.
        files.files["unreadable/pending-0-b.json"] = good.bytes
        let later = self.outbox()
        await later.deliverDue()
        #expect(server.arrivals == [token(2), token(1)])
        #expect(await later.currentStatus.unreadable == 2)
    }

    @Test("A file under another name than its token's is sent once and leaves the disk (EK-25)")
    func renamed() async {
        let copies = [OutboxEntry(token: token(1), storedAt: 5, refusal: nil)].flatMap { [$0.bytes, $0.bytes] }
        files.files = [
            "pending/copy.json": copies[0], "pending/\(token(1).name).json": copies[1], "pending/b": copies[0],
        ]
        await outbox().deliverDue()
        files.losePower()
        await outbox().deliverDue()
        #expect(server.arrivals == [token(1)])
        files.files = ["pending/copy.json": copies[0]]
        await outbox().deliverDue()
        await outbox().deliverDue()
        #expect(server.arrivals == [token(1), token(1)])
        #expect(files.files.keys.filter { $0.hasPrefix("pending/") }.isEmpty)
    }

    @Test("The record of what the server has is bounded, and is read after a restart (EK-24)")
    func deliveries() async {
        let first = outbox()
        for number in 0..<(OutboxMemory.largestCount + 50) {
            clock.advance(.seconds(1))
            _ = await first.keep(token(number))
            await first.deliverDue()
        }
        let later = TokenOutbox(files: files, transport: server, clock: clock.clock)
        #expect(await later.keep(token(OutboxMemory.largestCount + 49)) == .delivered)
        #expect(await later.keep(token(60)) == .delivered)
        #expect(await later.keep(token(49)) == .stored)
        #expect((files.files["memory.json"]?.count ?? .max) < OutboxFolder.largestFile)
    }

    @Test("Files that the locked device hides stay in place, and are sent when they can be read (EK-21)")
    func locked() async {
        _ = await outbox().keep(token(1))
        let path = "pending/\(token(1).name).json"
        files.lockedPaths = [path]
        let outbox = outbox()
        #expect(await outbox.deliverDue() != nil)
        #expect(await outbox.currentStatus.unreachable == 1)
        #expect(files.files[path] != nil)
        files.lockedPaths = []
        await outbox.deliverDue()
        #expect(server.arrivals == [token(1)])
        #expect(await outbox.currentStatus.unreachable == 0)
    }

    @Test("Any single operation that fails loses no token, and at most sends it twice (EK-22)", arguments: 0..<60)
    func failures(_ operation: Int) async {
        files.failOnce(afterOperations: operation)
        let outbox = outbox()
        for number in 0..<2 { _ = await outbox.keep(token(number)) }
        await outbox.deliverDue()
        clock.advance(.seconds(86_400))
        await outbox.deliverDue()
        clock.restart()
        let later = self.outbox()
        await later.deliverDue()
        clock.advance(.seconds(86_400))
        await later.deliverDue()
        #expect(server.texts == [token(0).text, token(1).text])
        #expect(server.arrivals.count <= 3)
        #expect(await later.currentStatus.pending == 0)
    }
}
