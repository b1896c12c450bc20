import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import Synchronization
import Testing

@testable import LedgerSQLite

@Suite("Writes that wait are committed in groups")
struct GroupCommitTests {
    /// Counts the commits of a connection that changed the database.
    private final class CommitCounter: TransactionObserver, Sendable {
        let count = Mutex(0)

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { count.withLock { $0 += 1 } }
        func databaseDidRollback(_ db: Database) {}
    }

    /// Runs the writes while the writer is held, so that all of them wait, and returns the number
    /// of their commits.
    private func commits(
        of count: Int,
        on store: SQLiteLedgerStore,
        _ write: @escaping @Sendable (Int) async -> Void
    ) async throws -> Int {
        let counter = CommitCounter()
        store.pool.add(transactionObserver: counter, extent: .databaseLifetime)
        let gate = DispatchSemaphore(value: 0)
        store.pool.asyncWriteWithoutTransaction { _ in gate.wait() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { await write(number) } }
            while store.commits.waitingCount < count { await Task.yield() }
            gate.signal()
        }
        return counter.count.withLock { $0 }
    }

    /// A writer that notes what is read ahead, and refuses every closure.
    private final class RefusingWriter: WriterConnection, Sendable {
        let portions = Mutex<[Int]>([])

        func transaction(_ mode: ClosureMode, _ body: () throws(LedgerError) -> Void) throws(LedgerError) { try body() }

        func readAhead(_ rows: [ExpectedRows], _ mode: ClosureMode) throws(LedgerError) {
            portions.withLock { $0.append(rows.count) }
        }

        func run(
            _ mode: ClosureMode,
            _ body: (LedgerTransaction) throws(LedgerError) -> Void
        ) throws(LedgerError) -> LedgerError? { .stopped }
    }

    @Test(
        "What a group has no time for is not read ahead, however much waits",
        arguments: [(rows: 600, most: 4), (rows: 3_000, most: 1), (rows: 10, most: 205)]
    )
    func portions(rows: Int, most: Int) async throws {
        let (writer, gate, count) = (RefusingWriter(), DispatchSemaphore(value: 0), 40)
        let lane = DispatchQueue(label: "writer")
        lane.async { gate.wait() }
        let queue = WriteQueue(limits: .init(duration: .zero)) { commit in lane.async { commit(writer) } }
        let sales = Set((0..<rows).map { SaleId("s\($0)") })
        let expected = ExpectedRows(bundleId: LedgerRows.shop, tokens: [], checkouts: [], sales: sales)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { try? await queue.write(expecting: expected) { _ throws(LedgerError) in } }
            }
            while queue.waitingCount < count { await Task.yield() }
            gate.signal()
        }
        // Each of the groups runs one closure and leaves the others to the next one.
        let portions = writer.portions.withLock(\.self)
        #expect(portions == (0..<count).map { min(count - $0, most) })
    }

    @Test("A thousand writes need a few commits, and each is answered with its own value")
    func groups() async throws {
        let limits = WriteQueue.Limits(group: 300, duration: .seconds(600))
        let store = try SQLiteLedgerStore(path: temporaryFile(), limits: limits, dependencies: .fixed)
        let answers = Mutex<[Int: Int64]>([:])
        let commits = try await commits(of: 1_000, on: store) { number in
            let sequence = try? await store.write { ledger throws(LedgerError) in
                _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("token-\(number)")))
                return try ledger.token(ExternalPurchaseId("token-\(number)"), of: LedgerRows.shop)?.sequence
            }
            answers.withLock { $0[number] = sequence ?? nil }
        }
        #expect(commits == 4)
        let found = answers.withLock { $0 }
        #expect(found.count == 1_000)
        #expect(Set(found.values) == Set(1...1_000))
        try await store.step { ledger throws in
            for (number, sequence) in found {
                #expect(
                    try ledger.token(ExternalPurchaseId("token-\(number)"), of: LedgerRows.shop)?.sequence == sequence
                )
            }
            #expect(try ledger.verifyAudit().broken == nil)
        }
    }

    @Test("A group that takes too long leaves the rest to the next one")
    func slowGroup() async throws {
        let limits = WriteQueue.Limits(duration: .zero)
        let store = try SQLiteLedgerStore(path: temporaryFile(), limits: limits, dependencies: .fixed)
        let commits = try await commits(of: 20, on: store) { number in
            await #expect(throws: Never.self) {
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("token-\(number)")))
                }
            }
        }
        #expect(commits == 20)
        try await store.step { ledger throws in #expect(try ledger.tokens(LedgerPage()).count == 20) }
    }

    @Test("A closure that fails after it has written loses its own changes only")
    func failingAlone() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile(), dependencies: .fixed)
        let failures = Mutex<Set<Int>>([])
        _ = try await commits(of: 200, on: store) { number in
            do throws(LedgerError) {
                try await store.write { ledger throws(LedgerError) in
                    _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("token-\(number)")))
                    if number.isMultiple(of: 7) { throw .conflict("no \(number)") }
                }
            } catch {
                #expect(error == .conflict("no \(number)"))
                failures.withLock { _ = $0.insert(number) }
            }
        }
        #expect(failures.withLock { $0 } == Set((0..<200).filter { $0.isMultiple(of: 7) }))
        try await store.step { ledger throws in
            for number in 0..<200 {
                let token = try ledger.token(ExternalPurchaseId("token-\(number)"), of: LedgerRows.shop)
                #expect((token == nil) == number.isMultiple(of: 7), "\(number)")
            }
            // Only committed changes have an entry.
            #expect(try ledger.verifyAudit().intact == 171)
            #expect(try ledger.verifyAudit().broken == nil)
        }
    }

    @Test("A closure reads nothing that a rolled back closure of its group wrote")
    func failingBefore() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile(), dependencies: .fixed)
        let refusals = Mutex(0)
        // Either closure of a token can be the first; in 50 pairs both orders occur.
        _ = try await commits(of: 100, on: store) { number in
            let id = ExternalPurchaseId("token-\(number / 2)")
            let error = await ledgerError {
                try await store.step { ledger throws in
                    let known = try ledger.token(id, of: LedgerRows.shop)
                    if try ledger.deadlineRules() == nil {
                        _ = try ledger.adoptDeadlineRules("1", at: LedgerRows.now)
                    }
                    guard number.isMultiple(of: 2) else {
                        if known == nil { _ = try ledger.insert(LedgerRows.token(id)) }
                        throw LedgerError.conflict("refused")
                    }
                    #expect(known == nil)
                    let token = try ledger.insert(LedgerRows.token(id))
                    #expect(try ledger.openRows(of: [.init(isLineItem: false, sequence: token.sequence)]).count == 1)
                }
            }
            if error == .conflict("refused") { refusals.withLock { $0 += 1 } }
        }
        #expect(refusals.withLock { $0 } == 50)
        try await store.step { ledger throws in
            #expect(try ledger.tokens(LedgerPage()).count == 50)
            #expect(try ledger.verifyAudit().intact == 50)
            #expect(try ledger.verifyAudit().broken == nil)
            #expect(try ledger.deadlineRules()?.version == "1")
        }
    }

    @Test("If the disk is full, what was acknowledged is what is stored")
    func full() async throws {
        let path = try temporaryFile()
        let store = try SQLiteLedgerStore(path: path, dependencies: .fixed)
        try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 260") }
        let acknowledged = Mutex<Set<String>>([])
        let refused = Mutex<Set<LedgerError>>([])
        for round in 0..<8 {
            _ = try await commits(of: 100, on: store) { number in
                let id = "token-\(round)-\(number)"
                do throws(LedgerError) {
                    try await store.write { ledger throws(LedgerError) in
                        _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId(id)))
                    }
                    acknowledged.withLock { _ = $0.insert(id) }
                } catch {
                    refused.withLock { _ = $0.insert(error) }
                }
            }
        }
        #expect(refused.withLock { $0 } == [.full])
        let stored = try await store.pool.read {
            try String.fetchSet($0, sql: "SELECT external_purchase_id FROM tokens")
        }
        #expect(stored == acknowledged.withLock { $0 })
        #expect(!stored.isEmpty)
        try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
        try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
    }

    @Test("More writes than may wait are refused as busy, without running")
    func limit() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile(), limits: .init(waiting: 10), dependencies: .fixed)
        let gate = DispatchSemaphore(value: 0)
        store.pool.asyncWriteWithoutTransaction { _ in gate.wait() }
        let outcomes = await withTaskGroup(of: LedgerError?.self) { group in
            for number in 0..<25 {
                group.addTask {
                    await ledgerError {
                        try await store.step { ledger throws in
                            _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("token-\(number)")))
                        }
                    }
                }
            }
            var outcomes: [LedgerError?] = []
            // The refused ones answer while the writer is still held.
            for _ in 0..<15 { outcomes.append(await group.next() ?? nil) }
            #expect(outcomes.allSatisfy { $0 == .busy })
            gate.signal()
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.filter { $0 == nil }.count == 10)
        try await store.step { ledger throws in #expect(try ledger.tokens(LedgerPage()).count == 10) }
    }
}
