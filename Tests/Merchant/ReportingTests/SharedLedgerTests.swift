import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Synchronization
import TestSupport
import Testing

@testable import Reporting

@Suite("SA-76 to SA-79: several servers share a ledger")
struct SharedLedgerTests {
    /// What must be true in the end: Apple and the ledger agree, and nothing was lost, sent twice or left to a person.
    private func expectAgreement(
        _ world: SharedLedger,
        tokens: [ExternalPurchaseToken],
        sales: [SaleId] = [],
        _ comment: Comment? = nil
    ) async throws {
        let reports = try await world.reports()
        #expect(reports.allSatisfy { $0.state == .accepted }, comment)
        #expect(reports.count == world.apple.acceptedReports, comment)
        for token in tokens {
            let own = reports.filter { $0.externalPurchaseId == token.externalPurchaseId }
            #expect(!own.isEmpty, comment)
            #expect(own.filter { $0.status != .lineItem }.count <= 1, comment)
        }
        let (stored, items) = try await world.store.read { ledger throws(LedgerError) in
            (
                try sales.map { id throws(LedgerError) in try ledger.sale(id, of: Merchant.shop) },
                try ledger.openReviewItems(LedgerPage())
            )
        }
        #expect(items.isEmpty, comment)
        for sale in stored {
            let id = try #require(sale?.lineItemId)
            #expect(world.apple.item(id) != nil, comment)
        }
        let lineItems = reports.filter { $0.status == .lineItem }.flatMap { report in
            ((try? ReceivedReport.read(report.body))?.lineItems ?? []).compactMap(\.lineItemId)
        }
        #expect(Set(lineItems).count == lineItems.count, comment)
        #expect(Set(lineItems) == Set(stored.compactMap { $0?.lineItemId }), comment)
        #expect(world.traffic.collisions.withLock { $0 } == 0, comment)
    }

    // MARK: Death and freezing

    @Test("SA-78: a server that dies or freezes at any step of sending is replaced, and nothing is sent twice")
    func stopsAnywhere() async throws {
        let stops = StopPoint.allCases.flatMap { point in
            (0..<4).flatMap { skipping in
                [true, false].map { PlannedStop(point: point, skipping: skipping, kills: $0) }
            }
        }
        for stop in sample(stops, stops.count / 6) { try await stopsAt(stop) }
    }

    private func stopsAt(_ stop: PlannedStop) async throws {
        let world = try SharedLedger()
        let (first, second) = (world.server("a"), world.server("b"))
        await world.pass(1, [first, second])
        let tokens = ["a", "b"].map { Merchant.token($0) }
        for token in tokens { try await world.take(token, at: first) }
        try await world.sell("s", on: tokens[0], at: first)
        try await world.sell("t", on: tokens[1], at: first)
        // The answer of the first report is lost, so that the server asks for it too.
        world.apple.failPut(0, .dropAfterAccept)
        first.process.plan(stop)
        await world.pass(5, [first, second])
        await world.pass(90, [first, second])
        let comment = Comment(rawValue: "\(stop)")
        if first.process.isFrozen {
            await first.process.wake()
            await world.pass(90, [first, second])
        }
        try await expectAgreement(world, tokens: tokens, sales: ["s", "t"], comment)
    }

    @Test("SA-76: an answer that a server records late changes nothing after another one took over")
    func lateAnswer() async throws {
        let world = try SharedLedger()
        let (first, second, third) = (world.server("a"), world.server("b"), world.server("c"))
        await world.pass(1, [first])
        await world.pass(1, [second, third])
        let token = Merchant.token()
        try await world.take(token, at: first)
        try await world.sell("s", on: token, at: first)
        // Apple refuses the report for now, and the server freezes before it records that.
        world.apple.fail(.answer(.rateLimited(until: nil)))
        first.process.plan(PlannedStop(point: .afterPut, skipping: 0, kills: false))
        await world.pass(1, [first])
        #expect(first.process.isFrozen)
        // The next holder sends it again; Apple accepts it, and the answer is on its way.
        second.process.plan(PlannedStop(point: .afterPut, skipping: 0, kills: false))
        await world.pass(70, [second])
        #expect(second.process.isFrozen)
        #expect(world.apple.acceptedReports == 1)
        _ = try await third.system.voidSale("s", body: JSONReader().read(#"{"by":"kim","reason":"a test"}"#))
        // Recorded, the first answer would say that Apple does not have the report, and the sale would be taken out of it.
        await first.process.wake()
        await world.pass(70, [third])
        await second.process.wake()
        await world.pass(150, [first, second, third])
        let report = try #require(try await world.reports().first)
        #expect(report.state == .accepted)
        let changes = try await world.store.read { ledger throws(LedgerError) in
            try ledger.changes(of: "s", app: Merchant.shop)
        }
        // What Apple accepted is corrected and not forgotten.
        #expect(changes.map(\.closing?.outcome) == [.needsCorrection])
    }

    @Test("SA-77: without the time for a request nothing is sent, and nothing waits for it longer than a lease")
    func unreachableLedger() async throws {
        let world = try SharedLedger()
        let (first, second) = (world.server("a"), world.server("b"))
        await world.pass(1, [first, second])
        let token = Merchant.token()
        try await world.take(token, at: first)
        try await world.sell("s", on: token, at: first)
        first.isReachable.set(false)
        await world.pass(55, [first, second])
        #expect(world.apple.puts.isEmpty)
        #expect(await first.system.health.readiness().problems.map(\.check).contains(.leases))
        await world.pass(20, [first, second])
        #expect(first.system.leases.held.isEmpty)
        try await expectAgreement(world, tokens: [token], sales: ["s"])
        first.isReachable.set(true)
        await world.pass(20, [first, second])
        #expect(!first.system.leases.isFailing)
        #expect(first.system.leases.servers == ["a", "b"])
    }

    @Test("SA-76: a server that does not learn of its renewals stops at the end it knows, and goes on when it does")
    func lostRenewals() async throws {
        let world = try SharedLedger()
        let (first, second) = (world.server("a"), world.server("b"))
        // The second server has none of the leases of reports until the first one gives it some.
        await world.pass(1, [first])
        let held = first.system.leases.held
        #expect(held.contains(.maintenance))
        first.getsAnswers.set(false)
        await world.pass(59, [first, second])
        #expect(first.system.leases.held == held)
        await world.pass(30, [first, second])
        // The ledger has renewed them each time, so that nobody else takes them; this server does not know.
        #expect(first.system.leases.held.isEmpty && first.system.leases.isFailing)
        #expect(!second.system.leases.isElected)
        let token = Merchant.token()
        try await world.take(token, at: second)
        try await world.sell("s", on: token, at: second)
        await world.pass(30, [first, second])
        #expect(world.apple.puts.isEmpty)
        #expect(await first.system.health.readiness().problems.map(\.check).contains(.leases))

        first.getsAnswers.set(true)
        await world.pass(90, [first, second])
        #expect(first.system.leases.isElected && !first.system.leases.isFailing)
        try await expectAgreement(world, tokens: [token], sales: ["s"])
    }

    @Test("SA-76: a server that ends hands its work over at once")
    func handsOver() async throws {
        let world = try SharedLedger()
        let (first, second) = (world.server("a"), world.server("b"))
        await world.pass(1, [first, second])
        #expect(first.system.leases.isElected)
        await first.system.leases.releaseAll()
        let token = Merchant.token()
        try await world.take(token, at: second)
        try await world.sell("s", on: token, at: second)
        await world.pass(10, [second])
        #expect(second.system.leases.isElected)
        try await expectAgreement(world, tokens: [token], sales: ["s"])
    }

    @Test("SA-76: a wrong wall clock of one server neither takes nor loses a lease")
    func wrongClock() async throws {
        let world = try SharedLedger()
        let (first, second) = (world.server("a"), world.server("b"))
        second.setWallClock(by: .days(2))
        await world.pass(30, [first, second])
        let held = first.system.leases.held
        #expect(held.contains(.maintenance))
        first.setWallClock(by: .days(-3))
        await world.pass(120, [first, second])
        #expect(first.system.leases.held == held)
        #expect(!second.system.leases.isElected)
    }

    // MARK: What crosses servers

    @Test("SA-79: a commit at one server is sent by the holder within a second, and each server sends a share")
    func wakes() async throws {
        let world = try SharedLedger()
        let (first, second) = (world.server("a"), world.server("b"))
        await world.pass(40, [first, second])
        let scopes = [first, second].map { server in
            server.system.leases.held.filter { if case .reports = $0 { true } else { false } }
        }
        #expect(scopes.map(\.count) == [1, 1])
        let tokens = [Merchant.token("a"), Merchant.token("b", environment: .sandbox)]
        // The sales arrive before their tokens, at the server that does not maintain the ledger.
        let other = first.system.leases.isElected ? second : first
        for (index, token) in tokens.enumerated() { try await world.sell("s\(index)", on: token, at: other) }
        await world.pass(1, [first, second])
        for token in tokens { try await world.take(token, at: other) }
        await world.pass(2, [first, second])
        try await expectAgreement(world, tokens: tokens, sales: ["s0", "s1"])
    }

    @Test("SA-79: a requested report is sent although the server of the request dies before it sends anything")
    func requestOutlivesServer() async throws {
        let world = try SharedLedger()
        let (first, second) = (world.server("a"), world.server("b"))
        await world.pass(1, [first])
        let token = Merchant.token(made: Merchant.noon - .days(60))
        try await world.take(token, at: first)
        world.apple.forget(token)
        // Apple refuses the overdue answer, and a person releases it at a server that then dies.
        await world.pass(5, [first])
        let item = try #require(
            try await world.store.read { ledger throws(LedgerError) in
                try ledger.openReviewItems(LedgerPage()).first
            }
        )
        world.apple.know(token)
        _ = try await second.system.review.decide(
            ReviewDecision(.retry, by: "kim", note: ""),
            on: item.sequence
        )
        let restarted = world.server("c")
        await world.pass(70, [restarted])
        try await expectAgreement(
            world,
            withdrawn: 1,
            token: token
        )
        let left = try await world.store.read { ledger throws(LedgerError) in
            try ledger.requestedReports(in: ReportingScope(bundleId: Merchant.shop, environment: .production), limit: 9)
        }
        #expect(left.isEmpty)
    }

    private func expectAgreement(_ world: SharedLedger, withdrawn: Int, token: ExternalPurchaseToken) async throws {
        let states = try await world.reports().map(\.state)
        #expect(states.filter { $0 == .withdrawn }.count == withdrawn)
        #expect(states.filter { $0 == .accepted }.count == 1)
        #expect(world.apple.acceptedReports == 1)
    }

    @Test("SA-79: an outage is shown by every server, with the name of the server that met it")
    func outages() async throws {
        let world = try SharedLedger()
        let servers = [world.server("a"), world.server("b")]
        await world.pass(40, servers)
        let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
        let holder = try #require(servers.first { $0.system.leases.held.contains(.reports(scope)) })
        let observer = try #require(servers.first { $0 !== holder })
        let token = Merchant.token()
        try await world.take(token, at: observer)
        try await world.sell("s", on: token, at: observer)
        world.apple.fail(.answer(.unauthorized), .answer(.unauthorized))
        await world.pass(2, servers)
        #expect(await holder.system.sender.stoppedApps == [Merchant.shop])
        await world.pass(23, servers)
        #expect(await observer.system.sender.stoppedApps == [Merchant.shop])
        let told = try #require(await observer.system.sender.outages.first)
        #expect(told.isRefusedKey)
        #expect(told.reason.contains("server \(holder.system.leases.server)"))
        #expect(await observer.system.health.readiness().problems.map(\.check) == [.key])
        #expect(world.apple.puts.count == 2)
        // A person says at the other server that the key is right.
        let item = try #require(
            try await world.store.read { ledger throws(LedgerError) in
                try ledger.openReviewItems(LedgerPage()).first
            }
        )
        _ = try await observer.system.review.decide(ReviewDecision(.retry, by: "kim", note: ""), on: item.sequence)
        await world.pass(40, servers)
        try await expectAgreement(world, tokens: [token], sales: ["s"])
        #expect(await observer.system.sender.stoppedApps.isEmpty)
    }

    @Test("SA-79: servers with different rules do not compute each other's deadlines")
    func rules() async throws {
        let world = try SharedLedger()
        var others = ReportingSettings()
        others.unrecognizedWait = .days(2)
        let (first, second) = (world.server("a"), world.server("b", settings: others))
        await world.pass(3, [first, second])
        let rules = try await world.store.read { ledger throws(LedgerError) in try ledger.deadlineRules() }
        for index in 0..<3 {
            let token = Merchant.token(Character("\(index)"))
            try await world.take(token, at: index % 2 == 0 ? second : first)
            await world.pass(3, [first, second])
        }
        let (now, changed) = try await world.store.read { ledger throws(LedgerError) in
            (try ledger.deadlineRules(), try ledger.changedDeadlines(limit: 10).count)
        }
        #expect(now == rules)
        #expect(changed == 0)
    }

    // MARK: Seeded runs

    @Test("SA-76 to SA-79: seeded runs of servers that die, freeze, wake, and lose the ledger or its answers")
    func seededRuns() async throws {
        let seeds = ProcessInfo.processInfo.environment["SHARED_LEDGER_SEEDS"].flatMap { UInt64($0) } ?? 20
        for seed in 1...seeds {
            // A ledger in memory takes its closures one at a time too, and makes more runs possible.
            try await SharedLedgerRun(seed: seed, isInFile: seed % 10 == 1).check()
        }
    }
}
