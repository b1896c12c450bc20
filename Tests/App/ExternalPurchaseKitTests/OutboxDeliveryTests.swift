import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseKit

@Suite("When the outbox sends")
struct OutboxDeliveryTests: OutboxSuite {
    let files = MemoryFileSystem()
    let server = ShopServer()
    let clock = ManualClock()
    let events = Recorder<KitEvent>()

    @Test("Attempts have a growing distance, also over restarts, and keep to Retry-After (EK-28)")
    func backoff() async throws {
        server.answer { _ in .retry(reason: "status 503", after: nil) }
        _ = await outbox().keep(token(1))
        var waits: [Int64] = []
        for _ in 0..<13 {
            // A new process each time.
            let wait = try #require(await outbox().deliverDue())
            #expect(try #require(await outbox().deliverDue()) == wait)
            waits.append(wait.components.seconds)
            clock.restart()
            clock.advance(wait)
            clock.restart()
        }
        #expect(waits == [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600, 3_600])
        #expect(server.requests == 13)
        server.answer { _ in .retry(reason: "status 429", after: .seconds(7_200)) }
        #expect(await outbox().deliverDue() == .seconds(7_200))
        clock.advance(.seconds(7_200))
        server.answer { _ in .retry(reason: "status 503", after: .seconds(1_000_000_000)) }
        #expect(await outbox().deliverDue() == .seconds(86_400))
    }

    @Test(
        "Jitter takes up to half of a wait (EK-28)",
        arguments: [(0.0, 5_000), (0.5, 3_750), (1.0, 2_500), (7.0, 2_500)]
    )
    func jitter(_ random: Double, _ milliseconds: Int64) {
        let wait = TokenOutbox.Settings().wait(afterFailures: 1, atLeast: nil, jitter: random)
        #expect(wait == .milliseconds(milliseconds))
    }

    @Test(
        "A clock that is set neither stops sending nor leads to more than one attempt a launch (EK-28)",
        arguments: [-1, 1]
    )
    func wrongClock(_ direction: Double) async throws {
        server.answer { _ in .retry(reason: "status 503", after: nil) }
        _ = await outbox().keep(token(1))
        for _ in 0..<8 {
            clock.restart()
            clock.set(clock.now + direction * 10 * 365 * 86_400)
            // One attempt at most for each launch; then the wait holds.
            let outbox = outbox()
            let before = server.requests
            let wait = try #require(await outbox.deliverDue())
            #expect(server.requests == before + 1)
            #expect(wait <= .seconds(3_600))
            // Within a process, the clock of the device does not count.
            clock.set(clock.now - direction * 5 * 365 * 86_400)
            #expect(await outbox.deliverDue() == wait)
            clock.advance(wait)
            #expect(try #require(await outbox.deliverDue()) > .zero)
            #expect(server.requests == before + 2)
        }
    }

    @Test("After a week without network every token arrives once (EK-28)")
    func offline() async {
        server.answer { _ in .retry(reason: "network error -1009", after: nil) }
        let outbox = outbox()
        for number in 0..<50 { _ = await outbox.keep(token(number)) }
        let week = Duration.seconds(7 * 86_400)
        while clock.uptime < week {
            guard let wait = await outbox.deliverDue() else { break }
            clock.advance(wait)
        }
        // An attempt an hour, and those of the first hours.
        #expect(server.requests < 7 * 24 + 15)
        #expect(server.requests > 7 * 24 - 5)
        #expect(server.arrivals.isEmpty)
        #expect(await outbox.currentStatus.pending == 50)
        server.answer { _ in nil }
        await outbox.deliverDue()
        #expect(server.arrivals.count == 50)
        #expect(server.texts == Set((0..<50).map { token($0).text }))
    }

    @Test("A token that the server cannot take holds up no other (EK-29)")
    func poison() async {
        server.answer { $0.text.hasPrefix("token-0-") ? .retry(reason: "status 500", after: nil) : nil }
        let outbox = outbox()
        for number in 0..<5 { _ = await outbox.keep(token(number)) }
        for _ in 0..<3 { if let wait = await outbox.deliverDue() { clock.advance(wait) } }
        #expect(server.texts == Set((1..<5).map { token($0).text }))
        #expect(await outbox.currentStatus.pending == 1)
    }

    @Test("The running outbox sends as tokens come, and again when the server is back (EK-28)")
    func running() async throws {
        let outbox = outbox()
        let failures = Recorder<Int>()
        server.answer { _ in
            failures.record(1)
            return failures.all.count < 6 ? .retry(reason: "status 503", after: nil) : nil
        }
        let run = Task { await outbox.run() }
        for number in 0..<3 { _ = await outbox.keep(token(number)) }
        for await status in await outbox.statusUpdates() where status.pending == 0 { break }
        #expect(server.texts.count == 3)
        run.cancel()
        await run.value
    }

    @Test(
        "A closure that never answers holds up neither the app nor the other tokens (EK-29)",
        .timeLimit(.minutes(10))
    )
    func hanging() async throws {
        let server = server
        let transport = ClosureTokenTransport(timeout: .seconds(20)) { token in
            if token.text.hasPrefix("token-0-") {
                // It ignores its cancellation, too.
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
            return await server.send(token)
        }
        let outbox = TokenOutbox(files: files, transport: transport, clock: clock.clock)
        for number in 0..<3 { _ = await outbox.keep(token(number)) }
        clock.advance(try #require(await outbox.deliverDue()))
        await outbox.deliverDue()
        #expect(server.texts == [token(1).text, token(2).text])
        #expect(await outbox.currentStatus.pending == 1)
        #expect(await outbox.currentStatus.lastFailure == "no answer in 20 s")
    }
}
