// swift-format-ignore-file: NeverForceUnwrap

import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import ReportValidation
import Testing

@testable import Reporting

@Suite("A backlog of reports")
struct BacklogTests {
    /// So many that the sender comes up to its full pace.
    static let count = 150
    private static let old = Merchant.noon - .days(20)

    private func token(_ number: Int, made: Timestamp = old) -> ExternalPurchaseToken {
        var token = Merchant.token(made: made)
        let digits = String(1_000_000_000_000 + number).suffix(12)
        token.externalPurchaseId = ExternalPurchaseId("4d3f0000-0000-4000-8000-\(digits)")
        return token
    }

    private func merchant(_ store: any LedgerStore, sales: Bool) async throws -> Merchant {
        let merchant = Merchant(store: store)
        for number in 0..<Self.count {
            try await merchant.take(token(number))
            if sales { try await merchant.sell(Merchant.purchase("s\(number)", on: token(number))) }
        }
        return merchant
    }

    private func states(_ merchant: Merchant) async throws -> [ReportState] {
        try await merchant.system.lists.reports(LedgerPage(limit: 1_000)).map(\.state)
    }

    @Test("Every token is reported once, with far fewer commits than reports", arguments: [true, false])
    func commits(_ isSold: Bool) async throws {
        let counting = FaultyLedgerStore(MemoryLedgerStore.empty(), LedgerFaultScript())
        let merchant = try await merchant(counting, sales: isSold)
        let before = counting.writes
        await merchant.system.sender.runUntilIdle()
        #expect(try await states(merchant) == Array(repeating: .accepted, count: Self.count))
        #expect(merchant.apple.puts.count == Self.count)
        #expect(Set(merchant.apple.puts).count == Self.count)
        #expect(merchant.apple.gets.isEmpty)
        #expect(counting.writes - before < Self.count / 3)
    }

    @Test(
        "Whichever commit of a backlog fails, and however, nothing is sent as a second report",
        arguments: Array(0..<14),
        [LedgerFault.Point.start, .answer]
    )
    func failingCommits(_ write: Int, _ point: LedgerFault.Point) async throws {
        let faults = LedgerFaultScript()
        let failing = FaultyLedgerStore(MemoryLedgerStore.empty(), faults)
        let merchant = try await merchant(failing, sales: false)
        faults.failWrite(1 + write, at: point)
        await merchant.system.sender.runUntilIdle()
        let restarted = Merchant(store: failing, apple: merchant.apple, clock: merchant.clock)
        await restarted.system.sender.runUntilIdle()
        #expect(try await states(restarted) == Array(repeating: .accepted, count: Self.count))
        #expect(merchant.apple.acceptedReports == Self.count)
        // What was sent twice are the same bytes, after a question.
        #expect(Set(merchant.apple.puts).count == Self.count)
    }

    @Test("While nothing can be stored, the sender waits between its attempts (OB-50)")
    func fullDisk() async throws {
        let clock = Merchant.Clock()
        let full = FaultyLedgerStore(MemoryLedgerStore.empty(), LedgerFaultScript(everyWrite: .full))
        let merchant = Merchant(store: full, clock: clock)
        let next = try #require(await merchant.system.sender.runUntilIdle())
        #expect(next.milliseconds - clock.now.milliseconds >= 1_000)
    }

    @Test("Too many requests in the middle: what was not sent is written, and goes out without a question (SA-82)")
    func rateLimitedInBetween() async throws {
        let merchant = try await merchant(MemoryLedgerStore.empty(), sales: false)
        let until = Merchant.noon + .seconds(90)
        merchant.apple.failPut(40, .answer(.rateLimited(until: until)))
        #expect(await merchant.system.sender.runUntilIdle() == until)
        let states = try await states(merchant)
        #expect(states.count { $0 == .accepted } == 40)
        #expect(Set(states) == [.accepted, .written])
        #expect(merchant.apple.puts.count == 41)
        merchant.clock.advance(seconds: 90)
        await merchant.system.sender.runUntilIdle()
        #expect(try await self.states(merchant) == Array(repeating: .accepted, count: Self.count))
        #expect(merchant.apple.gets.isEmpty)
        #expect(Set(merchant.apple.puts).count == Self.count)
    }

    @Test("A refusal in the middle holds its own report, and every other token is answered (SA-73)")
    func refusedInBetween() async throws {
        let merchant = try await merchant(MemoryLedgerStore.empty(), sales: false)
        merchant.apple.failPut(50, .answer(.rejected([ReportError(.notFound, field: "externalPurchaseId")])))
        await merchant.system.sender.runUntilIdle()
        let states = try await states(merchant)
        #expect(states.count { $0 == .accepted } == Self.count - 1)
        #expect(states.count { $0 == .needsAttention } == 1)
    }

    @Test("A token that cannot be answered keeps no other from it, and is tried again")
    func stuck() async throws {
        let merchant = Merchant()
        try await merchant.take(token(0))
        try await merchant.sell(Merchant.purchase("s", on: token(0)))
        // A refused report of it keeps the token open.
        merchant.apple.fail(.answer(.rejected([ReportError(.simultaneousSubmission)])))
        await merchant.system.sender.runUntilIdle()
        for number in 1...5 { try await merchant.take(token(number)) }
        await merchant.system.sender.runUntilIdle()
        #expect(try await states(merchant).count { $0 == .accepted } == 5)
        merchant.clock.advance(seconds: 60)
        await merchant.system.sender.runUntilIdle()
        #expect(try await states(merchant) == Array(repeating: .accepted, count: 6))
    }

    @Test("The queue has tokens in the order of their moments, page by page (RR-72)", arguments: [1, 7, 500])
    func queue(_ limit: Int) async throws {
        let merchant = Merchant()
        var expected: [(Timestamp, ExternalPurchaseId)] = []
        for number in 0..<60 {
            let made = Merchant.noon.advanced(
                by: .milliseconds(-Int64(number * 37 % 60) * Timestamp.millisecondsPerDay / 4)
            )
            let token = token(number, made: made)
            try await merchant.take(token)
            // Ten days after its creation, less a tenth of them and at most a day (RR-70, RR-72).
            expected.append((made + .days(9), token.externalPurchaseId))
        }
        expected.sort { ($0.0, $0.1) < ($1.0, $1.1) }
        let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
        let end = Merchant.noon + .days(365)
        var found: [(position: SendPosition, token: ExternalPurchaseId)] = []
        while true {
            let position = found.last?.position
            let (page, next) = try await merchant.store.read { ledger throws(LedgerError) in
                (
                    try ledger.tokensToAnswer(in: scope, until: end, after: position, limit: limit),
                    try ledger.nextTokenToAnswer(in: scope, after: position)
                )
            }
            #expect(page.count <= limit)
            #expect(next == page.first?.position.sendAt)
            if page.isEmpty { break }
            for entry in page {
                // As if its report were accepted.
                let stored = try await merchant.store.read { ledger throws(LedgerError) in
                    try ledger.token(entry.token, of: Merchant.shop)
                }
                try await accept(stored!, in: merchant.store)
            }
            found += page
        }
        let moments = Dictionary(uniqueKeysWithValues: expected.map { ($0.1, $0.0) })
        #expect(found.map { moments[$0.token] } == expected.map(\.0))
        #expect(found.map(\.position.sendAt) == expected.map(\.0))
        #expect(Set(found.map(\.token)) == Set(expected.map(\.1)))
    }

    @Test("The queue begins again after a while, also when a clock that was ahead said when")
    func restarts() {
        var queue = DeadlineQueue()
        #expect(queue.next(nil) == nil)
        let position = SendPosition(sendAt: Merchant.noon, sequence: 7)
        queue.advance(to: position, at: Merchant.noon)
        queue.restart(at: Merchant.noon.advanced(by: DeadlineQueue.rest - .milliseconds(1)))
        #expect(queue.position == position)
        #expect(queue.next(nil) == Merchant.noon + DeadlineQueue.rest)
        queue.restart(at: Merchant.noon - .milliseconds(1))
        #expect(queue.position == nil)
        queue.advance(to: position, at: Merchant.noon)
        queue.restart(at: Merchant.noon + DeadlineQueue.rest)
        #expect(queue.position == nil && queue.next(nil) == nil)
    }

    private func accept(_ token: StoredToken, in store: any LedgerStore) async throws {
        let id = RequestIdentifier(UUID())
        let report = Report(
            requestIdentifier: id,
            externalPurchaseId: token.token.externalPurchaseId,
            content: .status(.noLineItem)
        )
        let stored = StoredReport(
            scope: token.scope,
            requestIdentifier: id,
            externalPurchaseId: token.token.externalPurchaseId,
            status: .noLineItem,
            body: report.body,
            writtenAt: Merchant.noon
        )
        try await store.write { ledger throws(LedgerError) in
            var kept = try ledger.insert(stored, holding: [])
            kept.state = .accepted
            try ledger.update(kept, accepting: [])
        }
    }
}
