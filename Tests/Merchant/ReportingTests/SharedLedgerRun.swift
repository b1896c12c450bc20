import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Synchronization
import Testing

@testable import Reporting

/// One seeded run: two or three servers take what arrives, stop at any step, wake up, and are replaced.
struct SharedLedgerRun {
    let seed: UInt64
    /// Whether the ledger is in a file and not in memory.
    let isInFile: Bool

    func check() async throws {
        var random = SplitMix64(seed: seed)
        let world = try SharedLedger(isInFile: isInFile)
        var names = 0
        func start() -> SharedServer {
            names += 1
            return world.server("s\(names)")
        }
        var servers = (0..<Int.random(in: 2...3, using: &random)).map { _ in start() }
        var gone: [SharedServer] = []
        var tokens: [ExternalPurchaseToken] = []
        var sales: [SaleId] = []
        for step in 0..<60 {
            let running = servers.filter { $0.process.isRunning && $0.process.isIdle }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                guard tokens.count < 9, let server = running.randomElement(using: &random) else { break }
                let isSandbox = Bool.random(using: &random)
                let token = Merchant.token(
                    Character(String(tokens.count)),
                    environment: isSandbox ? .sandbox : .production,
                    made: Merchant.noon - .days(Bool.random(using: &random) ? 1 : 60)
                )
                guard server.isOpen else { break }
                try await world.take(token, at: server)
                tokens.append(token)
            case 3..<6:
                guard let token = tokens.randomElement(using: &random),
                    let server = running.randomElement(using: &random), server.isOpen
                else { break }
                let id = "sale\(step)"
                try await world.sell(id, on: token, at: server)
                sales.append(SaleId(id))
            case 6:
                guard let server = running.randomElement(using: &random),
                    let point = StopPoint.allCases
                        .randomElement(using: &random)
                else { break }
                let skipping = Int.random(in: 0..<4, using: &random)
                server.process.plan(PlannedStop(point: point, skipping: skipping, kills: Bool.random(using: &random)))
            case 7:
                for server in servers where server.process.isFrozen { await server.process.wake() }
            case 8:
                guard let server = servers.randomElement(using: &random) else { break }
                let setting = Bool.random(using: &random) ? server.isReachable : server.getsAnswers
                setting.set(!setting.now)
            default:
                guard let server = servers.randomElement(using: &random) else { break }
                server.setWallClock(by: .seconds(Int64.random(in: -300...300, using: &random)))
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                world.apple.fail(Bool.random(using: &random) ? .dropAfterAccept : .answer(.serverError(status: 500)))
            }
            await world.pass(Int.random(in: 1...25, using: &random), servers)
            for server in servers where server.process.isDead {
                gone.append(server)
                servers.removeAll { $0 === server }
                servers.append(start())
            }
        }
        for server in servers {
            server.process.plan(nil)
            server.isReachable.set(true)
            server.getsAnswers.set(true)
            server.setWallClock(by: .zero)
            while server.process.isFrozen { await server.process.wake() }
        }
        await world.pass(500, servers)
        try await expectNothingLost(world, tokens, sales)
    }

    private func expectNothingLost(
        _ world: SharedLedger,
        _ tokens: [ExternalPurchaseToken],
        _ sales: [SaleId]
    ) async throws {
        let comment = Comment(rawValue: "seed \(seed)")
        let reports = try await world.reports()
        #expect(reports.allSatisfy { $0.state == .accepted }, comment)
        #expect(reports.count == world.apple.acceptedReports, comment)
        #expect(world.traffic.collisions.withLock { $0 } == 0, comment)
        let (stored, known) = try await world.store.read { ledger throws(LedgerError) in
            (
                try sales.map { id throws(LedgerError) in try ledger.sale(id, of: Merchant.shop) },
                try tokens.map { token throws(LedgerError) in
                    try ledger.token(token.externalPurchaseId, of: Merchant.shop)
                }
            )
        }
        #expect(!known.contains(nil), comment)
        // Each sale is at Apple once; an old token without a sale has one answer.
        let items = reports.flatMap { ((try? ReceivedReport.read($0.body))?.lineItems ?? []).compactMap(\.lineItemId) }
        #expect(items.count == sales.count, comment)
        #expect(Set(items) == Set(stored.compactMap { $0?.lineItemId }), comment)
        for token in tokens where token.tokenCreationDate < Merchant.noon - .days(30) {
            #expect(reports.contains { $0.externalPurchaseId == token.externalPurchaseId }, comment)
        }
        for token in tokens {
            let answers = reports.filter {
                $0.externalPurchaseId == token.externalPurchaseId && $0.status == .noLineItem
            }
            #expect(answers.count <= 1, comment)
        }
    }
}

extension SharedServer {
    /// Whether the server can store what arrives, and say so.
    var isOpen: Bool { isReachable.now && getsAnswers.now && process.isRunning }
}
