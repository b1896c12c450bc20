import AsyncHTTPClient
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import NIOCore
import NIOHTTP1
import Reporting
import ReportingServer
import ServiceLifecycle
import Synchronization
import Testing

@Suite("A long read ends with its client")
struct ClientPresenceTests {
    /// From a moment on every read for a client repeats a query until it is cancelled, like one of a very large ledger.
    private final class Endless: LedgerFaultPlan {
        private let isOn = Mutex(false)

        func begin() { isOn.withLock { $0 = true } }
        func nextRead() -> LedgerReadFault? { ClientPresence.current != nil && isOn.withLock { $0 } ? .endless : nil }
        func nextWrite() -> LedgerFault? { nil }
        func nextAnswer() -> LedgerError? { nil }
    }

    /// Counts the reads for clients that have begun and those that have ended.
    private final class WatchedStore: LedgerStore {
        private let base: any LedgerStore
        private let counts = Mutex((begun: 0, ended: 0))

        init(_ base: any LedgerStore) { self.base = base }

        var reads: (begun: Int, ended: Int) { counts.withLock { $0 } }

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
        ) async throws(LedgerError) -> Value {
            guard ClientPresence.current != nil else { return try await base.read(body) }
            counts.withLock { $0.begun += 1 }
            defer { counts.withLock { $0.ended += 1 } }
            return try await base.read(body)
        }

        func write<Value: Sendable>(
            _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
        ) async throws(LedgerError) -> Value {
            try await base.write(body)
        }
    }

    @Test(
        "The computation for a client that has gone ends",
        .timeLimit(.minutes(10)),
        arguments: [
            "/v1/exports/2026-11.csv", "/v1/exports/2026-11.json", "/v1/invoices?month=2026-11&programme=eu-2026-10",
            "/v1/due",
        ]
    )
    func departure(_ path: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "presence-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let plan = Endless()
        let file = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        let store = WatchedStore(FaultyLedgerStore(file, plan))
        let fixture = try ServerFixture(store: store)
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        let (bound, source) = AsyncStream.makeStream(of: Int.self)
        let services = ReportingServer(system: fixture.merchant, links: [:])
            .services(host: "127.0.0.1", port: 0, logger: logger) { source.yield($0.main) }
        let group = ServiceGroup(services: services, logger: logger)
        async let run: Void = group.run()
        var ports = bound.makeAsyncIterator()
        let port = try #require(await ports.next())
        func get(timeout: TimeAmount) async throws -> HTTPClientResponse {
            try await HTTPClient.shared.execute(
                HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)"),
                timeout: timeout
            )
        }
        // The keys are known from this request on.
        #expect(try await get(timeout: .seconds(60)).status.code == 200)
        let before = store.reads
        plan.begin()
        await #expect(throws: (any Error).self) { try await get(timeout: .milliseconds(700)) }
        #expect(store.reads.begun > before.begun)
        while store.reads.ended < store.reads.begun { try await Task.sleep(for: .milliseconds(20)) }
        await group.triggerGracefulShutdown()
        try await run
        try file.close()
    }
}
