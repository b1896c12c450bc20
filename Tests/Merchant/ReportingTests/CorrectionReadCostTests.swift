import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import ReportingServer
import Testing

@testable import Reporting

/// The work is counted in queries and rows read.
@Suite("What is read for corrections does not grow with what is settled or was never confirmed")
struct CorrectionReadCostTests {
    private func file() throws -> FaultyLedgerStore {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path
        return FaultyLedgerStore(try SQLiteLedgerStore(path: path), LedgerFaultScript())
    }

    /// Stores dry runs that nobody confirmed, and as many corrections that are closed.
    private func store(_ count: Int, in ledger: LedgerTransaction) throws(LedgerError) {
        for number in 0..<count * 2 {
            let correction = StoredCorrection(
                correctionId: CorrectionId("k\(number)"),
                bundleId: Merchant.shop,
                requestedBy: "kim",
                reason: "a try",
                requestedAt: Merchant.noon,
                request: ["saleId": .string("s\(number)")]
            )
            var stored = try ledger.insert(correction)
            guard number % 2 == 1 else { continue }
            stored.confirmation = CorrectionStep(at: Merchant.noon, by: "kim")
            stored.closing = CorrectionStep(at: Merchant.noon, by: "sender")
            try ledger.update(stored)
        }
    }

    @Test("Sender, plans and acceptances pass over dry runs and closed corrections (RR-83)")
    func dryRuns() async throws {
        var costs: [[Int]] = []
        for count in [2, 200] {
            let counting = try file()
            let merchant = Merchant(store: counting, programmes: ["eu-custom-link"])
            let token = Merchant.token()
            try await merchant.take(token)
            try await merchant.sell(Merchant.purchase("one", on: token))
            try await counting.write { ledger throws(LedgerError) in try store(count, in: ledger) }
            let cost = try await counting.write { ledger throws(LedgerError) in
                let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
                var cost: [Int] = []
                var before = counting.work
                func note() {
                    cost.append(counting.work - before)
                    before = counting.work
                }
                _ = try ledger.pendingCorrections(of: Merchant.shop)
                note()
                _ = try ledger.reportsWaitingForCorrections(in: scope)
                note()
                _ = try ledger.itemsUnderCorrection(of: Merchant.shop)
                note()
                return cost
            }
            let before = counting.work
            await merchant.system.sender.runUntilIdle()
            try await merchant.sell(Merchant.refund("back", of: "one", "1.00"))
            await merchant.system.sender.runUntilIdle()
            #expect(merchant.apple.acceptedReports == 2)
            costs.append(cost + [counting.work - before])
        }
        #expect(costs[0] == costs[1])
    }

    @Test("The search for an open report reads no settled one of its token, and finds an open one (SA-74)")
    func openReport() async throws {
        var costs: [Int] = []
        for count in [2, 40] {
            let counting = try file()
            let merchant = Merchant(store: counting, programmes: ["eu-custom-link"])
            merchant.apple.allowEarlySales()
            let token = Merchant.token(type: .services, expires: Merchant.noon + .days(300))
            try await merchant.take(token)
            for number in 0..<count {
                try await merchant.sell(Merchant.purchase("s\(number)", on: token))
                await merchant.system.sender.runUntilIdle()
            }
            #expect(merchant.apple.acceptedReports == count)
            let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
            let step = PlannedReport(externalPurchaseId: token.externalPurchaseId, items: [])
            let before = counting.work
            let none = try await counting.write { ledger throws(LedgerError) in
                try ledger.openReport(touching: [step], in: scope)
            }
            #expect(none == nil)
            costs.append(counting.work - before)
            // A confirmed correction that is not sent yet is an open report.
            let wish = #"""
                {"bundleId":"com.example.shop","saleId":"s0","action":"restate","fields":{"productId":"other"},
                "requestedBy":"maria","reason":"the till was wrong"}
                """#
            let run = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
            let order = #"{"correctionId":"\#(run.correctionId)","confirm":true,"confirmedBy":"otto"}"#
            _ = try await merchant.system.confirmCorrection(body: try JSONReader().read(order))
            let open = try await counting.read { ledger throws(LedgerError) in
                try ledger.openReport(touching: [step], in: scope)
            }
            #expect(open?.externalPurchaseId == token.externalPurchaseId)
        }
        #expect(costs[0] == costs[1], "\(costs)")
    }

    @Test(
        "All sales on a claimed token are planned again that another token may take over, and no others (TK-78, RR-60)"
    )
    func claimedSales() async throws {
        let merchant = Merchant(programmes: ["eu-custom-link"])
        merchant.apple.allowEarlySales()
        let claimed = Merchant.token(
            "a",
            type: .services,
            made: Merchant.noon - .days(20),
            expires: Merchant.noon + .days(1)
        )
        merchant.apple.know(claimed)
        _ = try await merchant.system.tokens.receive(
            TokenArrival(text: claimed.encoded(), source: .website, customerId: "c")
        )
        func sell(_ name: String, _ count: Int, at moment: Timestamp) async throws {
            var items: [BatchIntake.Item] = []
            for number in 0..<count {
                let body = Merchant.purchase("\(name)\(number)", on: claimed)
                    .replacing("2026-11-20T11:00:00Z", with: moment.description)
                let command = try SaleCommand(
                    body: JSONReader().read(body),
                    apps: merchant.system.apps,
                    caller: .anybody
                )
                items.append(.sale(command))
            }
            _ = try await merchant.system.batches.receive(items)
        }
        try await sell("old", 30, at: Merchant.noon - .days(10))
        await merchant.system.sender.runUntilIdle()
        try await sell("new", 520, at: Merchant.noon - .hours(1))
        let keys = try await merchant.store.read { ledger throws(LedgerError) in
            var keys: [Int] = []
            let spans: [(Timestamp, Timestamp?)] = [
                (Merchant.noon - .days(5), Merchant.noon + .days(200)), (Merchant.noon - .minutes(30), Merchant.noon),
                (Merchant.noon - .days(15), Merchant.noon - .days(5)), (Merchant.noon - .days(15), nil),
            ]
            for (made, end) in spans {
                let token = StoredToken(
                    token: Merchant.token("b", type: .services, made: made, expires: end),
                    text: nil,
                    firstSeen: FirstSeen(source: .app, time: Merchant.noon),
                    checkoutId: "b"
                )
                keys.append(try ledger.salesKeys(claimedFrom: "c", by: token).count)
            }
            return keys
        }
        #expect(keys == [520, 0, 30, 0])
    }
}
