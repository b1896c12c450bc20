import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

extension ExportCompletenessTests {
    /// Sells, gives back and corrects at random; each step is settled before the next.
    private struct Year {
        let merchant: Merchant
        let tokens = ["a", "b", "c"].map { Merchant.token($0, made: Merchant.noon - .days(50)) }
        var random: SplitMix64
        /// The ids of purchases, orders' lines and money back.
        private(set) var buys: [String] = []
        private(set) var backs: [String] = []
        private(set) var moved = 0

        init(_ seed: Int) throws {
            random = SplitMix64(seed: UInt64(seed))
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
            let store: any LedgerStore = seed % 2 == 0 ? MemoryLedgerStore.empty() : try SQLiteLedgerStore(path: path)
            merchant = Merchant(store: store, programmes: ["eu-custom-link"])
        }

        private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

        private mutating func moment(after earliest: Timestamp = Merchant.noon - .days(49)) -> Timestamp {
            let seconds = Int(earliest.duration(to: Merchant.noon - .hours(1)).components.seconds)
            return earliest + .seconds(number(0...max(0, seconds)))
        }

        private func tell(_ body: String) async throws {
            _ = try await merchant.sell(body)
            await merchant.system.sender.runUntilIdle()
        }

        mutating func sell(_ count: Int) async throws {
            merchant.apple.allowEarlySales()
            for token in tokens { try await merchant.take(token) }
            for buy in 0..<count {
                let token = tokens[number(0...2)].externalPurchaseId
                let (id, at) = ("s\(buy)", moment())
                func amount(_ cents: Int) -> String {
                    #""amount":{"currency":"EUR","inclusive":"\#(cents / 100).\#(cents % 90 + 10)","taxRate":"21","taxCountry":"NLD"}"#
                }
                let head = #"{"saleId":"\#(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"\#(at)","#
                let place = #""externalPurchaseId":"\#(token)","#
                if buy % 4 == 0 {
                    let lines = [number(500...2_000), number(500...2_000)].map {
                        #"{"productId":"gems","quantity":1,\#(amount($0))}"#
                    }
                    try await tell(head + place + #""lines":[\#(lines.joined(separator: ","))]}"#)
                    buys += ["\(id)/1", "\(id)/2"]
                } else {
                    try await tell(
                        head + place + #""productId":"gems","quantity":1,\#(amount(number(1_000...9_000)))}"#
                    )
                    buys.append(id)
                }
                for back in 0..<number(0...2) { try await giveBack("r\(buy)-\(back)", id, after: at) }
            }
        }

        private mutating func giveBack(_ id: String, _ buy: String, after soldAt: Timestamp) async throws {
            let at = moment(after: soldAt)
            let isChargeback = number(0...1) == 0
            try await tell(
                """
                {"saleId":"\(id)","bundleId":"com.example.shop","type":"\(isChargeback ? "chargeback" : "refund")",
                "refundOf":"\(buy)","occurredAt":"\(at)","amount":{"inclusive":"\(number(1...9)).\(number(10...99))"}}
                """
            )
            backs.append(id)
            guard isChargeback, number(0...2) > 0 else { return }
            let isEarly = number(0...1) == 0
            try await tell(
                """
                {"saleId":"v\(id)","bundleId":"com.example.shop","type":"chargebackReversal","reversalOf":"\(id)",
                "occurredAt":"\(isEarly ? at - .minutes(number(1...60)) : moment(after: at))"}
                """
            )
        }

        mutating func correct(_ count: Int) async throws {
            for _ in 0..<count {
                let isBack = number(0...3) == 0
                guard !backs.isEmpty || !isBack else { continue }
                let sale = isBack ? backs[number(0...backs.count - 1)] : buys[number(0...buys.count - 1)]
                var action = "restate"
                var fields: String?
                switch number(0...9) {
                case 0...4: (action, fields) = ("move", #"{"occurredAt":"\#(moment())"}"#)
                case 5: action = "retract"
                case 6: action = "undo"
                case _ where isBack:
                    fields = #"{"inclusive":"\#(number(1...4)).00","tax":"0.\#(number(10...80))"}"#
                default:
                    fields = #"{"inclusive":"\#(number(4...90)).00","taxRate":"\#(number(0...25))"}"#
                }
                let isDone = try await merchant.attempt(sale, action, fields)
                if isDone, action == "move" { moved += 1 }
            }
        }
    }

    @Test(
        "After corrections too, each item that Apple has is in one export, and the sums agree (OB-61, RR-81, RR-83)",
        arguments: 1...16
    )
    func corrected(_ seed: Int) async throws {
        var year = try Year(seed)
        try await year.sell(8)
        try await year.correct(24)
        let merchant = year.merchant
        let books = try await merchant.appleBooks()
        #expect(year.moved > 0)
        for id in books.liveBuys.keys { #expect(books.net(of: id) >= 0, "\(id)") }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        func month(_ item: AppleBooks.Item) -> Int { calendar.component(.month, from: item.createdAt) }
        var lines: [String] = []
        for (number, name) in [(9, "2026-09"), (10, "2026-10"), (11, "2026-11"), (12, "2026-12")] {
            let exports = try await merchant.system.exports.make(MonthChoice(name)).exports
            let inMonth = books.liveBuys.filter { month($0.value) == number }
            let expected = inMonth.keys.reduce(0) { $0 + books.net(of: $1) }
            let found = exports.flatMap(\.reconciliation.sales.money).reduce(Decimal(0)) { $0 + $1.reportedNet }
            #expect(found * 1_000 == Decimal(expected), "\(name)")
            #expect(exports.flatMap(\.reconciliation.differences) == [])
            lines += try await merchant.system.exports.rows(MonthChoice(name)).compactMap { row in
                guard case .sale(let sale) = row.subject, row.state == .reported else { return nil }
                return sale.lineItemId.rawValue
            }
            // Lists find each sale by the moment that Apple has of it.
            guard let from = Timestamp(rfc3339: "\(name)-01T00:00:00Z") else { return }
            let until = Timestamp(rfc3339: number == 12 ? "2027-01-01T00:00:00Z" : "2026-\(number + 1)-01T00:00:00Z")
            let listed = try await merchant.system.lists.sales(
                matching: ListFilter(from: from, until: until),
                LedgerPage(limit: 1_000)
            ).map(\.receipt.sale.lineItemId.rawValue)
            for (id, item) in books.live where !id.contains("/") {
                #expect(listed.contains(id) == (month(item) == number), "\(id) in \(name)")
            }
        }
        #expect(lines.sorted() == books.live.keys.sorted())
    }

    @Test("A reversal that is held takes no chargeback out of the export (OB-61)", arguments: [false, true])
    func heldReversal(_ isOrder: Bool) async throws {
        let merchant = Merchant(programmes: ["eu-custom-link"])
        try await merchant.take(Merchant.token())
        let buy = isOrder ? OrderTests.two : Merchant.purchase("s", on: Merchant.token())
        try await merchant.sell(buy)
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(
            Merchant.refund("c", of: isOrder ? "o" : "s", "9.99").replacing(#""refund","#, with: #""chargeback","#)
        )
        await merchant.system.sender.runUntilIdle()
        let lines = isOrder ? ["c/1", "c/2", "o/1", "o/2"] : ["c", "s"]
        func expectListed(_ expected: [String], net: Decimal) async throws {
            let exports = try await merchant.system.exports.make(MonthChoice("2026-11")).exports
            let rows = try await merchant.system.exports.rows(MonthChoice("2026-11"))
            #expect(rows.compactMap(\.lineItem).sorted() == expected)
            #expect(exports.flatMap(\.reconciliation.differences) == [])
            #expect(exports.flatMap(\.reconciliation.sales.money).map(\.reportedNet) == [net])
        }
        try await expectListed(lines, net: 0)
        try await merchant.sell(
            """
            {"saleId":"v","bundleId":"com.example.shop","type":"chargebackReversal","reversalOf":"c",
            "occurredAt":"2026-11-20T11:20:00Z"}
            """
        )
        await merchant.system.sender.runUntilIdle()
        try await expectListed(lines, net: 0)
        let reason = #"{"by":"kim","reason":"it was a typing error"}"#
        _ = try await merchant.system.voidSale("v", body: try JSONReader().read(reason))
        try await expectListed(lines, net: 0)
        try await merchant.sell(
            """
            {"saleId":"w","bundleId":"com.example.shop","type":"chargebackReversal","reversalOf":"c",
            "occurredAt":"2026-11-20T11:40:00Z"}
            """
        )
        await merchant.system.sender.runUntilIdle()
        let left = try await merchant.appleBooks()
        #expect(left.live.keys.sorted() == lines.filter { !$0.hasPrefix("c") })
        try await expectListed(
            left.live.keys.sorted(),
            net: Decimal(left.live.values.reduce(0) { $0 + $1.exclusive }) / 1_000
        )
    }
}

extension ExportRow {
    fileprivate var lineItem: String? {
        if case .sale(let sale) = subject { sale.lineItemId.rawValue } else { nil }
    }
}

extension Merchant {
    /// Corrects a sale if that can be done; false if the plan refuses it.
    fileprivate func attempt(_ sale: String, _ action: String, _ fields: String?) async throws -> Bool {
        do {
            return try await correct(sale, action, fields).isEmpty
        } catch let error as RequestError {
            // What cannot be corrected so is refused, and changes nothing.
            guard case .invalid = error else { throw error }
            return false
        }
    }
}
