import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import ReportingServer
import Testing

@testable import Reporting

/// What is held is counted by reflection: each leaf of a value with the bytes that it takes.
@Suite("What a month export holds in memory does not grow with its rows")
struct ExportMemoryTests {
    /// The values of some types inside a value, and the bytes of all its leaves.
    private struct Held {
        var rows = 0
        var bytes = 0

        init(_ value: Any) { add(value) }

        private mutating func add(_ value: Any) {
            switch value {
            case is ExportRow, is ExportSale, is ExportToken: rows += 1
            case let text as String: bytes += 16 + text.utf8.count
            case is UInt8, is Bool: bytes += 1
            case is UUID: bytes += 16
            case is Int, is Int64: bytes += 8
            default: break
            }
            if value is String || value is UUID || value is JSONValue { return }
            for child in Mirror(reflecting: value).children { add(child.value) }
        }
    }

    private static let start = Merchant.noon - .days(10)

    private static func sale(_ number: Int, at moment: Timestamp) -> ExportSale {
        let name = "order-\(String(10_000_000 + number * 7_919 % 100_003))"
        return ExportSale(
            saleId: name,
            lineItemId: LineItemId(name),
            createdAt: moment,
            event: "ONE_TIME_BUY",
            product: "a product with a name of some length",
            quantity: 1,
            amounts: nil,
            taxCountry: "NLD",
            token: "4d3f0000-0000-4000-8000-000000000001",
            tokenKind: .type(.services),
            tokenCreatedAt: start,
            given: ExportSale.GivenMoney(currency: "EUR", inclusive: 9, tax: 1)
        )
    }

    private static func builder() -> MonthExportBuilder {
        MonthExportBuilder(
            month: "2026-11",
            of: Merchant.shop,
            rules: DeadlineRules(appProgrammes: [Merchant.shop: ["eu-2026-10"]]),
            developerProgrammes: []
        )
    }

    @Test("At most one row is held, and of the file nothing but a block, at 1,000 and at 10,000 sales (OB-61)")
    func rows() throws {
        var held: [(rows: Int, bytes: Int)] = []
        for count in [1_000, 10_000] {
            var (builder, spool, rows, bytes) = try Self.sampled(count)
            held.append((rows, bytes))
            let exports = builder.exports()
            try #require(exports.map(\.rowCount) == [count])
            // What counts the accepted reports: a key of 16 bytes and a number of each sale.
            #expect(Held(builder).bytes - Held(Self.builder()).bytes < 32 * count + 4_096)
            let file = try spool.file(of: MonthExports(bundleId: Merchant.shop, month: "2026-11", exports: exports))
            var blocks = file.blocks
            var size = 0
            while let block = try blocks.next() {
                #expect(block.count < 2 * 64 * 1024)
                size += block.count
            }
            #expect(size == file.size && size > 500 * count)
        }
        #expect(held.allSatisfy { $0.rows <= 3 && $0.bytes < 100 * 1024 }, "\(held)")
    }

    /// Adds sales and looks 8 times at what is held.
    private static func sampled(_ count: Int) throws -> (MonthExportBuilder, ExportSpool, rows: Int, bytes: Int) {
        var builder = builder()
        var spool = ExportSpool(.json, layout: .standard)
        var (rows, bytes) = (0, 0)
        for number in 0..<count {
            builder.add(sale(number, at: start + .minutes(number)))
            let isLooking = number % (count / 8) == count / 8 - 1
            if isLooking { rows = max(rows, Held(builder).rows) }
            for row in builder.takeRows() { try spool.append(row) }
            if isLooking {
                rows = max(rows, Held(builder).rows)
                let held = Held(spool)
                rows = max(rows, held.rows)
                bytes = max(bytes, held.bytes)
            }
        }
        return (builder, spool, rows, bytes)
    }

    @Test("Rows of one moment are sorted by the bytes of their names, whatever order they arrive in", arguments: 1...20)
    func order(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var builder = Self.builder()
        var spool = ExportSpool(.csv, layout: try ExportLayout(named: [("saleId", "s"), ("date", "d")]))
        var expected: [(moment: Timestamp, name: [UInt8])] = []
        var moment = Self.start
        for number in 0..<Int.random(in: 1...300, using: &random) {
            if Int.random(in: 0..<4, using: &random) == 0 { moment = moment + .minutes(1) }
            let sale = Self.sale(number, at: moment)
            expected.append((moment, Array(sale.saleId.utf8)))
            builder.add(sale)
            for row in builder.takeRows() { try spool.append(row) }
        }
        expected.sort { $0.moment == $1.moment ? $0.name.lexicographicallyPrecedes($1.name) : $0.moment < $1.moment }
        let exports = MonthExports(bundleId: Merchant.shop, month: "2026-11", exports: builder.exports())
        let bytes = try spool.file(of: exports).bytes()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(
            lines.dropFirst().map { $0.prefix { $0 != "," } }
                == expected.map { String(decoding: $0.name, as: UTF8.self)[...] }
        )
    }

    @Test("The temporary file has no name and no mode for others, and a folder that is missing is named")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "spool-\(UUID().uuidString)")
        #expect {
            try TemporaryFile(in: folder.path)
        } throws: { error in
            "\(error)".contains(folder.path)
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try TemporaryFile(in: folder.path)
        try file.append(Array("some rows".utf8))
        #expect(try file.read(5..<9) == Array("rows".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
}

@Suite("A month export is handed on while it is read")
struct ExportReadingTests {
    @Test("Rows come out page by page, tokens between sales, however many follow (OB-61)")
    func pages() async throws {
        var first: [Int] = []
        for count in [450, 900] {
            let counting = FaultyLedgerStore(MemoryLedgerStore.empty(), LedgerFaultScript())
            let merchant = Merchant(store: counting, programmes: ["eu-2026-10"])
            var items: [BatchIntake.Item] = []
            for number in 0..<count {
                let body = Merchant.purchase("s\(number)", on: nil).replacing(
                    "2026-11-20T11:00:00Z",
                    with: (Merchant.noon - .days(5) + .minutes(number)).description
                )
                let command = try SaleCommand(
                    body: JSONReader().read(body),
                    apps: merchant.system.apps,
                    caller: .anybody
                )
                items.append(.sale(command))
            }
            _ = try await merchant.system.batches.receive(items)
            let (rules, settings) = (merchant.system.due.rules, merchant.system.settings)
            let now = merchant.clock.now
            let read = try await counting.write { ledger throws(LedgerError) in
                let begin = counting.work
                var (firstRow, rows) = (0, 0)
                var last: Timestamp?
                _ = try LedgerExport(rules: rules, settings: settings)
                    .exports(ofMonth: "2026-11", of: Merchant.shop, now: now, in: ledger) { row in
                        if rows == 0 { firstRow = counting.work - begin }
                        rows += 1
                        #expect(last.map { $0 <= row.createdAt } ?? true)
                        last = row.createdAt
                    }
                return (first: firstRow, rows: rows)
            }
            #expect(read.rows == count)
            first.append(read.first)
        }
        // What is read before the first row is a page.
        #expect(first[0] == first[1], "\(first)")
    }

    @Test("Customers beyond the limit are read again, and the rows are the same (OB-32)")
    func visits() async throws {
        let merchant = Merchant(programmes: ["eu-custom-link"])
        for (number, digit) in "0123456789ab".enumerated() {
            let token = Merchant.token(digit)
            try await merchant.take(token, customer: "c\(number % 6)")
            try await merchant.sell(Merchant.purchase("s\(number)", on: token))
        }
        let (rules, settings, now) = (merchant.system.due.rules, merchant.system.settings, merchant.clock.now)
        let span = try #require(rules.span(ofMonth: "2026-11", programme: nil))
        func rows(_ most: Int) async throws -> [ExportRow] {
            try await merchant.store.read { ledger throws(LedgerError) in
                var reader = MonthReader(
                    scope: ReportingScope(bundleId: Merchant.shop, environment: .production),
                    span: span,
                    settings: settings,
                    now: now,
                    ledger: ledger,
                    builder: MonthExportBuilder(
                        month: "2026-11",
                        of: Merchant.shop,
                        rules: rules,
                        developerProgrammes: []
                    ),
                    mostMoments: most
                )
                var rows: [ExportRow] = []
                try reader.read { rows.append($0) }
                return rows
            }
        }
        let all = try await rows(1 << 19)
        #expect(all.count == 12)
        for most in [0, 64, 200] { #expect(try await rows(most) == all) }
    }
}
