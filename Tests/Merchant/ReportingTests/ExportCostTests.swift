import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import ReportingServer
import Testing

@testable import Reporting

/// The work is counted in queries and rows read.
///
/// Everything else that is computed of a month is computed of a page of its rows at a time, so it grows with their number.
@Suite("What a month costs is in proportion to its rows")
struct ExportCostTests {
    /// How the sales of a month hang together.
    enum Shape: String, CaseIterable, Sendable {
        /// A customer and a token for each.
        case tokenEach
        /// One customer with a token for each.
        case customer
        /// One SERVICES token, each sale in a report of its own.
        case token
        /// One SERVICES token, several sales in a report.
        case report
        /// A start and a renewal of a subscription each.
        case subscription
    }

    /// What reads a month, or everything.
    enum Work: String, CaseIterable, Sendable {
        case export, exportOfProgramme, emptyExport, overview, invoice, archive, programmes, plan

        func run(of merchant: Merchant, in ledger: LedgerQueries) throws(LedgerError) {
            let (rules, settings) = (merchant.system.due.rules, merchant.system.settings)
            let exporter = LedgerExport(rules: rules, settings: settings)
            let (app, now) = (Merchant.shop, merchant.clock.now)
            switch self {
            case .export:
                let made = try exporter.month("2026-11", .all(inForce: []), of: app, now: now, in: ledger)
                guard case .success(let exports) = made, exports.counts.sales > 0 else { throw .failed("no rows") }
            case .exportOfProgramme:
                _ = try exporter.month("2026-11", programme: "eu-2026-10", of: app, now: now, in: ledger)
            case .emptyExport:
                _ = try exporter.month("2026-11", programme: "kr", of: app, now: now, in: ledger)
            case .overview:
                for month in ["2026-10", "2026-11", "2026-12"] {
                    _ = try exporter.exports(ofMonth: month, of: app, now: now, in: ledger)
                }
            case .invoice:
                _ = try InvoiceBook(rules: rules, settings: settings)
                    .account(month: "2026-11", programme: "eu-2026-10", of: app, now: now, in: ledger)
            case .archive:
                let archive = AuditArchive(
                    of: app,
                    from: "2026-11",
                    through: "2026-11",
                    rules: rules,
                    settings: settings
                )
                _ = try archive?.write(ledger) { _, _ in }
            case .programmes:
                let day = CalendarDate(year: 2026, month: 11, day: 1)
                _ = try ProgrammeDryRun(from: rules, to: rules, settings: settings)
                    .changes(of: [app], since: day, now: now, in: ledger)
            case .plan:
                _ = try PlanLine.lines(of: app, settings: settings, now: now, in: ledger)
            }
        }
    }

    private func token(_ number: Int, _ type: TokenType?) -> ExternalPurchaseToken {
        var token = Merchant.token(type: type, expires: type == .services ? Merchant.noon + .days(300) : nil)
        token.externalPurchaseId = ExternalPurchaseId(
            "4d3f0000-0000-4000-8000-\(String(1_000_000_000_000 + number).suffix(12))"
        )
        return token
    }

    /// A ledger whose queries use indexes.
    private func file() throws -> SQLiteLedgerStore {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
        return try SQLiteLedgerStore(path: path)
    }

    /// A merchant with the given number of reported sales, a tenth of them refunded.
    private func merchant(_ shape: Shape, _ count: Int, _ store: any LedgerStore) async throws -> Merchant {
        let merchant = Merchant(store: store, programmes: ["eu-custom-link"])
        merchant.apple.allowEarlySales()
        var items: [BatchIntake.Item] = []
        func sell(_ body: String) throws {
            let command = try SaleCommand(body: JSONReader().read(body), apps: merchant.system.apps, caller: .anybody)
            items.append(.sale(command))
        }
        for number in 0..<count {
            let isShared = shape == .token || shape == .report
            let token = token(isShared ? 0 : number, isShared || shape == .subscription ? .services : nil)
            if number == 0 || !isShared {
                merchant.apple.know(token)
                let customer = CustomerId(shape == .customer || isShared ? "c" : "c\(number)")
                items.append(.token(TokenArrival(text: token.encoded(), source: .app, customerId: customer)))
            }
            if shape == .subscription {
                for (charge, moment) in ["2026-11-19T13:00:00Z", "2026-11-20T11:00:00Z"].enumerated() {
                    try sell(
                        """
                        {"saleId":"s\(number)-\(charge)","bundleId":"com.example.shop","type":"subscription",
                        "occurredAt":"\(moment)","externalPurchaseId":"\(token.externalPurchaseId)","productId":"plus","quantity":1,
                        "subscriptionId":"sub\(number)","period":{"start":"\(moment)",
                        "end":"\(charge == 0 ? "2026-11-20T11:00:00Z" : "2026-12-20T11:00:00Z")"},
                        "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
                        """
                    )
                }
            } else {
                try sell(Merchant.purchase("s\(number)", on: token))
                if number % 10 == 0 { try sell(Merchant.refund("r\(number)", of: "s\(number)", "1.00")) }
            }
            if shape == .token {
                _ = try await merchant.system.batches.receive(items)
                items = []
                await merchant.system.sender.runUntilIdle()
            }
        }
        for result in try await merchant.system.batches.receive(items) {
            if case .refused(let error) = result { throw error }
        }
        await merchant.system.sender.runUntilIdle()
        return merchant
    }

    @Test("Ten times the sales are ten times the work, not a hundred times", arguments: Shape.allCases)
    func proportional(_ shape: Shape) async throws {
        var costs: [Work: [Int]] = [:]
        for count in [20, 200] {
            let counting = FaultyLedgerStore(try file(), LedgerFaultScript())
            let merchant = try await merchant(shape, count, counting)
            #expect(merchant.apple.acceptedReports > 0)
            for work in Work.allCases {
                let before = counting.work
                try await counting.write { ledger throws(LedgerError) in try work.run(of: merchant, in: ledger) }
                costs[work, default: []].append(counting.work - before)
            }
        }
        // What two pages share, such as the subscription of a start and a renewal, is read for both: twice ten times at most.
        for (work, cost) in costs { #expect(cost[1] <= cost[0] * 25, "\(work) of \(shape): \(cost)") }
    }

    @Test(
        "A month costs the same whatever the other months of its customers hold",
        arguments: [Shape.customer, .token]
    )
    func otherMonths(_ shape: Shape) async throws {
        var costs: [Int] = []
        for count in [10, 60] {
            let counting = FaultyLedgerStore(try file(), LedgerFaultScript())
            let merchant = try await merchant(shape, count, counting)
            merchant.clock.advance(by: .days(30))
            let new = token(shape == .token ? 0 : 10_000, shape == .token ? .services : nil)
            if shape == .customer { try await merchant.take(new, customer: "c") }
            let later = Merchant.purchase("later", on: new)
                .replacing("2026-11-20T11:00:00Z", with: "2026-12-10T11:00:00Z")
            try await merchant.sell(later)
            await merchant.system.sender.runUntilIdle()
            let before = counting.work
            let export = try await counting.write { ledger throws(LedgerError) in
                try LedgerExport(rules: merchant.system.due.rules, settings: merchant.system.settings)
                    .exports(ofMonth: "2026-12", of: Merchant.shop, now: merchant.clock.now, in: ledger)
            }
            #expect(export.map(\.rowCount) == [1])
            costs.append(counting.work - before)
        }
        // Of a customer the tokens are read, which open commission windows.
        #expect(costs[1] <= costs[0] + (shape == .customer ? 50 : 0), "\(costs)")
    }

    @Test("A month is planned a page at a time, so what is in memory does not grow with its sales")
    func pages() async throws {
        // A part of the planner has what the sales of a page depend on; a page has 200.
        let merchant = try await merchant(.tokenEach, 250, try file())
        let largest = try await merchant.store.read { ledger throws(LedgerError) in
            var page = TimePage(limit: 200)
            var largest = 0
            while true {
                let sales = try ledger.sales(
                    of: Merchant.shop,
                    occurredFrom: Merchant.noon - .days(30),
                    until: Merchant.noon,
                    page
                )
                let part = try ConnectedRecords.part(
                    touching: sales.map { .sale($0.sale.saleId) },
                    of: Merchant.shop,
                    extent: .content,
                    in: ledger
                )
                largest = max(largest, part.sales.count + part.tokens.count)
                guard sales.count == page.limit, let last = sales.last else { return largest }
                page.after = TimePage.Position(time: last.sale.occurredAt, sequence: last.sequence)
            }
        }
        #expect(largest <= 2 * 200 + 40)
    }
}
