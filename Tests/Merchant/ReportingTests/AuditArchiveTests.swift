import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import ReportingServer
import Synchronization
import Testing

@testable import Reporting

/// What is held is seen by the blocks that are written: a file that is complete in memory goes out as one.
@Suite("An archive is written as it is read (OB-93)")
struct AuditArchiveTests {
    /// A merchant with a token and a reported sale for each number; the later a sale arrives, the earlier it occurred.
    private func merchant(_ count: Int, _ store: any LedgerStore) async throws -> Merchant {
        let merchant = Merchant(store: store, programmes: ["eu-custom-link"])
        merchant.apple.allowEarlySales()
        var items: [BatchIntake.Item] = []
        for number in 0..<count {
            var token = Merchant.token()
            token.externalPurchaseId = ExternalPurchaseId(
                "4d3f0000-0000-4000-8000-\(String(1_000_000_000_000 + number).suffix(12))"
            )
            merchant.apple.know(token)
            items.append(
                .token(TokenArrival(text: token.encoded(), source: .app, customerId: CustomerId("c\(number)")))
            )
            let moment = Merchant.noon - .hours(1) - .seconds(number)
            let body = Merchant.purchase("s\(number)", on: token).replacing(
                "2026-11-20T11:00:00Z",
                with: moment.description
            )
            let command = try SaleCommand(body: JSONReader().read(body), apps: merchant.system.apps, caller: .anybody)
            items.append(.sale(command))
        }
        for result in try await merchant.system.batches.receive(items) {
            if case .refused(let error) = result { throw error }
        }
        await merchant.system.sender.runUntilIdle()
        return merchant
    }

    private func archive(of merchant: Merchant, in ledger: LedgerQueries) throws(LedgerError) -> ArchivedFiles {
        try ArchivedFiles(
            of: Merchant.shop,
            rules: merchant.system.due.rules,
            settings: merchant.system.settings,
            in: ledger
        )
    }

    @Test("A block is some 64 KB, and 500 sales more take no query each")
    func blocks() async throws {
        var statements: [Int] = []
        for count in [60, 560] {
            let counting = FaultyLedgerStore(MemoryLedgerStore.empty(), LedgerFaultScript())
            let merchant = try await merchant(count, counting)
            #expect(merchant.apple.acceptedReports == count)
            let before = counting.statements
            let files = try await counting.write { ledger throws(LedgerError) in
                try archive(of: merchant, in: ledger)
            }
            statements.append(counting.statements - before)
            #expect(files.summary.sales == count && files.summary.reports == count)
            #expect(files.text("audit-log.jsonl").utf8.count > 128 * 1_024 || count == 60)
            #expect((files.blocks.max() ?? 0) < 128 * 1_024)
        }
        #expect(statements[1] - statements[0] < 500, "\(statements)")
    }

    @Test("Files, rows and bytes are those of the ledger in its order, over the bounds of pages")
    func content() async throws {
        let merchant = try await merchant(510, MemoryLedgerStore.empty())
        let files = try await merchant.store.read { ledger throws(LedgerError) in
            try archive(of: merchant, in: ledger)
        }
        let (tokens, sales, reports, entries) = try await merchant.store.read { ledger throws(LedgerError) in
            (
                try ledger.tokens(LedgerPage(limit: 1_000)), try ledger.sales(LedgerPage(limit: 1_000)),
                try ledger.reports(LedgerPage(limit: 1_000)), try ledger.auditEntries(LedgerPage(limit: 10_000))
            )
        }
        try #require(reports.count == 510)
        var bodies: [String] = []
        for report in reports {
            let name = "reports/production/\(report.requestIdentifier.key)"
            #expect(files.bytes("\(name).json") == report.body)
            #expect(files.bytes("\(name).answer") == report.answer?.body)
            bodies += ["\(name).json", "\(name).answer"]
        }
        #expect(
            files.names == [
                "README.txt", "tokens.csv", "customers.csv", "taps.csv", "sales.csv", "sale-versions.csv",
                "line-items.csv", "reports.csv", "notifications.csv", "corrections.csv", "manual-exports.csv",
                "invoices.csv", "payment-events.csv",
            ] + bodies + files.names.filter { $0.hasPrefix("exports/") } + ["audit-log.jsonl"]
        )
        #expect(files.names.contains { $0.hasPrefix("exports/") })
        #expect(files.firstCells("tokens.csv") == tokens.map(\.token.externalPurchaseId.rawValue))
        #expect(files.firstCells("sales.csv") == sales.map(\.sale.saleId.rawValue))
        #expect(files.firstCells("sale-versions.csv") == sales.map(\.sale.saleId.rawValue))
        #expect(files.firstCells("reports.csv") == reports.map(\.requestIdentifier.text))
        #expect(files.firstCells("line-items.csv").count == 510)
        let pseudonyms = Set(files.firstCells("customers.csv"))
        #expect(pseudonyms.count == 510)
        let named = files.text("sales.csv").split(separator: "\r\n").dropFirst().map { line in
            String(line.split(separator: ",", omittingEmptySubsequences: false)[6])
        }
        #expect(Set(named).subtracting([""]).isSubset(of: pseudonyms))
        let log = files.text("audit-log.jsonl").split(separator: "\n").map { try? JSONReader().read(String($0)) }
        #expect(log.compactMap { $0?.objectValue?["content"]?.stringValue } == entries.map(\.content))
        #expect(log.compactMap { $0?.objectValue?["hash"]?.stringValue } == entries.map(\.hash.hexadecimal))
        #expect(files.summary.auditEntries == entries.count && files.summary.head == entries.last?.head)
    }

    @Test("A full disk ends the archive with the first block that it does not take")
    func full() async throws {
        let counting = FaultyLedgerStore(MemoryLedgerStore.empty(), LedgerFaultScript())
        let merchant = try await merchant(60, counting)
        let (rules, settings) = (merchant.system.due.rules, merchant.system.settings)
        var work: [Int] = []
        for limit in [Int.max, 3] {
            let before = counting.work
            let made = try await counting.write { ledger throws(LedgerError) in
                let archive = AuditArchive(
                    of: Merchant.shop,
                    from: "2026-11",
                    through: "2026-11",
                    rules: rules,
                    settings: settings
                )
                var blocks = 0
                return try archive?.write(ledger) { _, _ throws(ArchiveFailure) in
                    blocks += 1
                    if blocks > limit { throw ArchiveFailure(message: "the disk is full") }
                }
            }
            work.append(counting.work - before)
            if limit == 3 { #expect(made == .failure(ArchiveFailure(message: "the disk is full"))) }
        }
        // The selection of the rows, and the rows of the first table.
        #expect(work[1] * 2 < work[0], "\(work)")
    }

    @Test("Progress counts the rows of each part up to their number")
    func progress() async throws {
        let merchant = try await merchant(60, MemoryLedgerStore.empty())
        let (rules, settings) = (merchant.system.due.rules, merchant.system.settings)
        let seen = try await merchant.store.read { ledger throws(LedgerError) in
            let archive = AuditArchive(
                of: Merchant.shop,
                from: "2026-11",
                through: "2026-11",
                rules: rules,
                settings: settings
            )
            var seen: [String: [[Int?]]] = [:]
            _ = try archive?.write(ledger) { _, _ in
            } progress: { part, done, total in
                seen[part, default: []].append([done, total])
            }
            return seen
        }
        #expect(seen["sales.csv"] == [[60, 60]])
        #expect(seen["reports.csv"] == [[50, 60], [60, 60]])
        #expect(seen["reports/"] == [[50, 60], [60, 60]])
        let entries = try #require(seen["audit-log.jsonl"]?.last)
        #expect(entries[0] == entries[1] && seen["line-items.csv"]?.last == [60, nil])
    }
}
