#if PostgreSQL
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerTesting
import RawSockets
import Synchronization
import Testing

@testable import LedgerPostgres

/// Passes bytes on between a client and the test server, and can lose the server's answer to a commit.
private final class LossyProxy: Sendable {
    private let listener: RawListener
    private let losesCommits = Flag()

    init(to port: Int) throws {
        listener = try RawListener()
        listener.start { [losesCommits] client in
            guard let server = try? RawListener.Connection(to: port) else { return client.close() }
            let isLost = Flag()
            Thread.detachNewThread {
                while let bytes = client.receive() {
                    let isCommit = String(decoding: bytes, as: UTF8.self).contains("COMMIT\0")
                    if isCommit, losesCommits.value.withLock({ $0 }) { isLost.value.withLock { $0 = true } }
                    server.send(bytes)
                }
                server.end()
            }
            Thread.detachNewThread {
                // The answer to a commit comes after it is on disk.
                while let bytes = server.receive(), !isLost.value.withLock({ $0 }) { client.send(bytes) }
                client.end()
                server.close()
            }
        }
    }

    var port: Int { listener.port }

    func loseCommits(_ value: Bool) { losesCommits.value.withLock { $0 = value } }

    private final class Flag: Sendable {
        let value = Mutex(false)
    }
}

/// Passes bytes on, or accepts and keeps them.
private final class StallingProxy: Sendable {
    private let listener: RawListener
    private let isStalled = Atomic<Bool>(false)

    init(to port: Int) throws {
        listener = try RawListener()
        listener.start { [self] client in
            guard let server = try? RawListener.Connection(to: port) else { return client.close() }
            Thread.detachNewThread { [self] in
                while let bytes = client.receive() {
                    if !isStalled.load(ordering: .relaxed) { server.send(bytes) }
                }
                server.end()
            }
            Thread.detachNewThread {
                while let bytes = server.receive() { client.send(bytes) }
                client.end()
                server.close()
            }
        }
    }

    var port: Int { listener.port }

    func stalls(_ value: Bool) { isStalled.store(value, ordering: .relaxed) }
}

@Suite("Answers of PostgreSQL that do not arrive")
struct LostAnswerTests {
    @Test("A commit whose answer is lost fails the write once and is there; the request's repetition finds it")
    func lostAcknowledgement() async throws {
        let direct = try PostgresUnderTest.settings()
        let text = try #require(direct.connection.firstMatch(of: #/port=(\d+)/#))
        let proxy = try LossyProxy(to: try #require(Int(text.output.1)))
        let address = direct.connection.replacing(text.output.0, with: "port=\(proxy.port)")
        let settings = PostgresSettings(connection: "\(address) sslmode=disable gssencmode=disable", readers: 2)
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let runs = Mutex(0)
        let insert: @Sendable (any LedgerTransaction) throws -> Void = { ledger in
            runs.withLock { $0 += 1 }
            let token = LedgerRows.token().token
            guard try ledger.token(token.externalPurchaseId, of: token.bundleId) == nil else { return }
            _ = try ledger.insert(LedgerRows.token())
        }
        proxy.loseCommits(true)
        guard case .inaccessible = await store.refusal(insert) else {
            Issue.record("the write did not fail")
            return
        }
        proxy.loseCommits(false)
        #expect(runs.withLock { $0 } == 1)
        #expect(try await PostgresLedgerStore(direct, dependencies: .fixed).contents().tokens.count == 1)
        #expect(await store.refusal(insert) == nil)
        #expect(runs.withLock { $0 } == 2)
        #expect(try await store.contents().tokens.count == 1)
        try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
    }

    @Test("A server that neither answers nor closes the connection counts as lost after the time of a statement")
    func stalled() async throws {
        let direct = try PostgresUnderTest.settings()
        let text = try #require(direct.connection.firstMatch(of: #/port=(\d+)/#))
        let proxy = try StallingProxy(to: try #require(Int(text.output.1)))
        let address = direct.connection.replacing(text.output.0, with: "port=\(proxy.port)")
        var settings = PostgresSettings(connection: "\(address) sslmode=disable gssencmode=disable", readers: 1)
        // The client waits five seconds more than the server may take.
        (settings.connectTimeout, settings.statementTimeout) = (2, 1_000)
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("SANDBOX_1")) }
        _ = try await store.contents()
        proxy.stalls(true)
        let (write, read) = (
            await store.refusal { ledger in _ = try ledger.insert(LedgerRows.token("SANDBOX_2")) },
            await ledgerError { _ = try await store.contents() }
        )
        for error in [write, read] {
            guard case .inaccessible = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        proxy.stalls(false)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("SANDBOX_3")) }
        #expect(try await store.contents().tokens.count == 2)
    }

    @Test("A read that finds every connection in use for its time is refused as busy, and the next one succeeds")
    func readers() async throws {
        var settings = try PostgresUnderTest.settings()
        (settings.readers, settings.readerTimeout) = (1, 200)
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        async let slow: Void = store.read { _ throws(LedgerError) in
            enter.yield()
            gate.wait()
        }
        for await _ in entered { break }
        let error = await ledgerError { try await store.read { _ throws(LedgerError) in } }
        #expect(error == .busy)
        gate.signal()
        _ = try await slow
        try await store.read { _ throws(LedgerError) in }
    }
}
#endif
