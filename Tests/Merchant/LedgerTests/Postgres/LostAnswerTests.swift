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
                server.close()
            }
            Thread.detachNewThread {
                // The answer to a commit comes after it is on disk.
                while let bytes = server.receive(), !isLost.value.withLock({ $0 }) { client.send(bytes) }
                client.close()
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
                server.close()
            }
            Thread.detachNewThread {
                while let bytes = server.receive() { client.send(bytes) }
                client.close()
                server.close()
            }
        }
    }

    var port: Int { listener.port }

    func stalls(_ value: Bool) { isStalled.store(value, ordering: .relaxed) }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock(\.self) }

    func increment() { value.withLock { $0 += 1 } }
}

@Suite("Answers of PostgreSQL that do not arrive", .enabled(if: PostgresUnderTest.isThere))
struct LostAnswerTests {
    private static func port(of settings: PostgresSettings) throws -> Int {
        let text = try #require(settings.connection.firstMatch(of: #/port=(\d+)/#))
        return try #require(Int(text.output.1))
    }

    private static func connection(of settings: PostgresSettings, through port: Int) -> String {
        settings.connection.replacing(#/port=\d+/#, with: "port=\(port)") + " sslmode=disable gssencmode=disable"
    }

    @Test("A commit whose answer is lost fails the write once and is there; the request's repetition finds it")
    func lostAcknowledgement() async throws {
        let direct = try PostgresUnderTest.settings()
        let proxy = try LossyProxy(to: try Self.port(of: direct))
        let settings = PostgresSettings(connection: Self.connection(of: direct, through: proxy.port), readers: 2)
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let runs = Mutex(0)
        let insert: @Sendable (LedgerTransaction) throws -> Void = { ledger in
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
        let proxy = try StallingProxy(to: try Self.port(of: direct))
        var settings = PostgresSettings(connection: Self.connection(of: direct, through: proxy.port), readers: 1)
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

    @Test("A commit with a warning, as one that did not wait for its synchronous standby, is not acknowledged")
    func warningOfCommit() async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        // A deferred trigger runs within COMMIT, as the wait for the standby does.
        try PostgresConnection(settings).execute(
            """
            CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON tokens DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION warn()
            """
        )
        let refusal = await store.refusal { ledger in _ = try ledger.insert(LedgerRows.token("SANDBOX_1")) }
        guard case .inaccessible(let reason) = refusal, reason.contains("synchronous standby") else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(try await store.contents().tokens.count == 1)
        // The next write begins without the warning.
        try await store.write { ledger throws(LedgerError) in _ = try ledger.lastAuditEntry() }
    }

    @Test("Behind a table that another session has locked the closures of a group fail together and do not run")
    func lockedTable() async throws {
        var settings = try PostgresUnderTest.settings()
        settings.lockTimeout = 300
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let administrator = try PostgresConnection(settings)
        try administrator.execute("BEGIN; LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE")
        let runs = Counter()
        let errors = await withTaskGroup(of: LedgerError?.self) { group in
            for number in 0..<20 {
                let token = LedgerRows.token(ExternalPurchaseId("SANDBOX_\(number)"))
                let rows = ExpectedRows(
                    bundleId: token.token.bundleId,
                    tokens: [token.token.externalPurchaseId],
                    checkouts: []
                )
                group.addTask {
                    await ledgerError {
                        try await store.write(expecting: rows) { ledger throws(LedgerError) in
                            runs.increment()
                            _ = try ledger.insert(token)
                        }
                    }
                }
            }
            return await group.reduce(into: [LedgerError?]()) { $0.append($1) }
        }
        #expect(errors == Array(repeating: .busy, count: 20))
        // The first write is a group of its own, which reads nothing ahead.
        #expect(runs.count <= 2)
        try administrator.execute("ROLLBACK")
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("SANDBOX_20")) }
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
