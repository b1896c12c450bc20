import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("What each refund of a purchase gives back (RR-23, RR-46)")
struct RefundAllocationTests {
    /// A refund as it was told, in cents.
    struct Told: Sendable {
        let at: Double
        var single: Int?
        var total: Int?
        var chargeback = false
    }

    static func record(_ number: Int, _ told: Told, of buy: SaleId = "buy", partOf: SaleId? = nil) -> SaleRecord {
        let refund = Refund(
            refundOf: buy,
            inclusive: partOf == nil ? told.single.map { Decimal($0) / 100 } ?? 0 : 0,
            isChargeback: told.chargeback,
            refundedTotal: told.total.map { Decimal($0) / 100 },
            stated: partOf == nil ? nil : told.single.map { Decimal($0) / 100 },
            isShare: partOf != nil
        )
        let id = SaleId(partOf.map { "\($0)/\(buy)" } ?? "r\(number)")
        return SaleRecord(
            sequence: Int64(10 + number),
            sale: Samples.sale(id, at: Samples.day(told.at), .refund(refund)),
            partOf: partOf
        )
    }

    static func buy(_ cents: Int, id: SaleId = "buy", partOf: SaleId? = nil) -> SaleRecord {
        SaleRecord(
            sequence: 1,
            sale: Samples.sale(id, at: Samples.day(0), .purchase(Samples.euros(Decimal(cents) / 100))),
            partOf: partOf
        )
    }

    static func cents(_ share: RefundAllocation.Share?) -> Int? {
        switch share {
        case .amount(let amount): NSDecimalNumber(decimal: amount * 100).intValue
        case .contained: 0
        case .aboveBuy: -1
        case nil: nil
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let told: [Told]
        /// Cents of each; 0 is contained, -1 above the buy.
        let right: [Int]
    }

    @Test(
        "Stated amounts and totals of a purchase of 10.00",
        arguments: [
            Case(testDescription: "one", told: [Told(at: 1, single: 300)], right: [300]),
            Case(testDescription: "a total", told: [Told(at: 1, total: 300)], right: [300]),
            Case(
                testDescription: "totals, shuffled",
                told: [Told(at: 3, total: 700), Told(at: 1, total: 200), Told(at: 2, total: 300)],
                right: [400, 200, 100]
            ),
            Case(
                testDescription: "a total contains the stated one before it",
                told: [Told(at: 2, total: 500), Told(at: 1, single: 200)],
                right: [300, 200]
            ),
            Case(
                testDescription: "a stated one after a total adds to it",
                told: [Told(at: 2, single: 200), Told(at: 1, total: 500)],
                right: [200, 500]
            ),
            Case(
                testDescription: "one refund told in both ways at one moment counts once",
                told: [Told(at: 1, total: 300), Told(at: 1, single: 300)],
                right: [0, 300]
            ),
            Case(
                testDescription: "a later smaller total gives nothing back",
                told: [Told(at: 1, total: 500), Told(at: 2, total: 400)],
                right: [500, 0]
            ),
            Case(
                testDescription: "chargebacks are no part of totals",
                told: [Told(at: 1, single: 300, chargeback: true), Told(at: 2, total: 300)],
                right: [300, 300]
            ),
            Case(
                testDescription: "more than is left, in the order of moments",
                told: [Told(at: 2, single: 800), Told(at: 1, single: 300)],
                right: [-1, 300]
            ),
            Case(
                testDescription: "what is too much does not count against others",
                told: [Told(at: 1, single: 1_100), Told(at: 2, total: 400)],
                right: [-1, 400]
            ),
        ]
    )
    func table(_ example: Case) {
        let refunds = example.told.enumerated().map { Self.record($0.offset, $0.element) }
        let shares = RefundAllocation([Self.buy(1_000)] + refunds.shuffled()).shares
        #expect(refunds.map { Self.cents(shares[$0.sale.saleId]) } == example.right)
    }

    @Test("What was reported stays, and takes what it contains off refunds that arrive later")
    func reportedFirst() {
        var total = Self.record(0, Told(at: 3, total: 600))
        total = Self.settle(total, cents: 600)
        let late = [Told(at: 1, total: 200), Told(at: 2, single: 500), Told(at: 4, total: 900)]
        let refunds = late.enumerated().map { Self.record($0.offset + 1, $0.element) }
        let shares = RefundAllocation([Self.buy(1_000), total] + refunds).shares
        // By the rule 2.00, then 5.00, the total of 6.00 nothing, then 2.00: 9.00 in all, of which 6.00 are reported.
        #expect(refunds.map { Self.cents(shares[$0.sale.saleId]) } == [0, 100, 200])
    }

    static func settle(_ record: SaleRecord, cents: Int) -> SaleRecord {
        var record = record
        guard let refund = record.sale.refund else { return record }
        record.sale = record.sale.with(.refund(refund.amounting(to: Decimal(cents) / 100)))
        record.report = ItemReport(externalPurchaseId: "t", state: .accepted)
        return record
    }

    /// Real refunds of one purchase, against the money that was given back.
    ///
    /// Each is told once or twice, by its amount or by the total up to it, in any order, while reports hold what is known.
    @Test("The sum that is sent is the money that was given back, whatever arrived when", arguments: UInt64(0)..<40)
    func sums(_ block: UInt64) {
        for seed in block * 25..<(block + 1) * 25 {
            var random = SplitMix64(seed: seed)
            let real = (1...Int.random(in: 1...6, using: &random)).map { _ in Int.random(in: 1...300, using: &random) }
            var told: [Told] = []
            for (place, amount) in real.enumerated() {
                let total = real[...place].reduce(0, +)
                let kind = Int.random(in: 0..<5, using: &random)
                if kind != 1 { told.append(Told(at: Double(place + 1), single: amount)) }
                if kind == 1 || kind == 0 { told.append(Told(at: Double(place + 1), total: total)) }
            }
            let chargeback = Bool.random(using: &random) ? Int.random(in: 1...100, using: &random) : nil
            if let chargeback {
                let moment = Double.random(in: 1...6, using: &random)
                told.append(Told(at: moment, single: chargeback, chargeback: true))
            }
            var records = [Self.buy(real.reduce(0, +) + (chargeback ?? 0))]
            for (number, one) in told.shuffled(using: &random).enumerated() {
                records.append(Self.record(number, one))
                if Int.random(in: 0..<3, using: &random) == 0 { Self.report(&records, random: &random) }
            }
            for _ in 0..<8 { Self.report(&records, most: .max, random: &random) }
            let sent = records.compactMap { $0.report == nil ? nil : $0.sale.refund?.inclusive }.reduce(0, +)
            #expect(sent * 100 == Decimal(real.reduce(0, +) + (chargeback ?? 0)), "seed \(seed)")
        }
    }

    /// Reports some of what is known and not reported.
    static func report(_ records: inout [SaleRecord], most: Int? = nil, random: inout SplitMix64) {
        let shares = RefundAllocation(records).shares
        var left = most ?? Int.random(in: 1...3, using: &random)
        for place in records.indices where records[place].report == nil && left > 0 {
            guard let cents = cents(shares[records[place].sale.saleId]), cents > 0 else { continue }
            records[place] = settle(records[place], cents: cents)
            left -= 1
        }
    }

    @Test("A total that was reported when an earlier refund stood is made up by the next total, once that is retracted")
    func retractedBeforeTotal() {
        var records = [
            Self.buy(1_000), Self.record(1, Told(at: 1, single: 300)), Self.record(2, Told(at: 2, total: 1_000)),
        ]
        records[1] = Self.settle(records[1], cents: 300)
        records[2] = Self.settle(records[2], cents: 700)
        let stated = Self.record(3, Told(at: 3, single: 100))
        let total = Self.record(4, Told(at: 4, total: 1_000))
        #expect(RefundAllocation(records + [total]).shares["r4"] == .contained)
        records[1].report?.state = .retracted
        #expect(RefundAllocation(records + [total]).shares["r4"] == .amount(3))
        #expect(RefundAllocation(records + [total]).left["buy"] == 0)
        // A stated amount makes nothing up, and no total more than is left.
        #expect(RefundAllocation(records + [stated]).shares["r3"] == .amount(1))
        #expect(RefundAllocation(records + [stated, total]).shares["r4"] == .amount(2))
    }

    // MARK: Orders

    @Test("Nothing of a retracted line is refunded; the others take the refund of the order")
    func retractedLine() {
        var lines = Self.order([999, 401, 1])
        let retracted = ItemReport(externalPurchaseId: "t", state: .retracted)
        lines[1].report = retracted
        let refund = Self.refund("f", Told(at: 1, single: 1_000), of: lines)
        let shares = RefundAllocation(lines + refund).shares
        #expect(["o/1", "o/2", "o/3"].map { Self.cents(shares[SaleId("f/\($0)")]) } == [999, 0, 1])
        let more = RefundAllocation(lines + Self.refund("f", Told(at: 1, single: 1_001), of: lines)).shares
        #expect(Self.cents(more["f/o/1"]) == -1)
        for place in lines.indices { lines[place].report = retracted }
        #expect(RefundAllocation(lines + refund).shares.isEmpty)
    }

    static func order(_ prices: [Int]) -> [SaleRecord] {
        prices.enumerated().map { number, price in
            var line = buy(price, id: SaleId("o/\(number + 1)"), partOf: "o")
            line.sequence = Int64(number + 1)
            return line
        }
    }

    static func refund(_ id: SaleId, _ told: Told, of lines: [SaleRecord]) -> [SaleRecord] {
        lines.map { record(50, told, of: $0.sale.saleId, partOf: id) }
    }

    struct Split: Sendable {
        let prices: [Int]
        let refunds: [Int]
        let right: [[Int]]
    }

    @Test(
        "A refund of an order is shared by what is left of each line, exact to the cent",
        arguments: [
            Split(prices: [500, 500], refunds: [500], right: [[250, 250]]),
            Split(prices: [999, 1], refunds: [999], right: [[998, 1]]),
            // 100 by 333 : 333 : 334 is 33.3 : 33.3 : 33.4; the cent that is left goes to the largest remainder.
            Split(prices: [333, 333, 334], refunds: [100], right: [[33, 33, 34]]),
            Split(prices: [100, 100, 100], refunds: [100], right: [[34, 33, 33]]),
            Split(prices: [100, 200], refunds: [150, 150], right: [[50, 100], [50, 100]]),
            Split(prices: [0, 300], refunds: [100], right: [[0, 100]]),
        ]
    )
    func shares(_ split: Split) {
        let lines = Self.order(split.prices)
        var records = lines
        for (number, cents) in split.refunds.enumerated() {
            records += Self.refund(SaleId("f\(number)"), Told(at: Double(number + 1), single: cents), of: lines)
        }
        let shares = RefundAllocation(records.shuffled()).shares
        for (number, right) in split.right.enumerated() {
            let parts = lines.map { Self.cents(shares[SaleId("f\(number)/\($0.sale.saleId)")]) }
            if split.prices == [999, 1] {
                // 998.001 : 0.999, of which the larger remainder is the second line's.
                #expect(parts == [998, 1])
            } else {
                #expect(parts == right)
            }
        }
    }

    @Test("What is left of each line counts, line by line", arguments: [true, false])
    func mixed(_ isTotal: Bool) {
        let lines = Self.order([600, 400])
        let ofLine = Self.record(1, Told(at: 1, single: 600), of: "o/1")
        let rest = isTotal ? Told(at: 2, total: 800) : Told(at: 2, single: 200)
        let records = lines + [ofLine] + Self.refund("f", rest, of: lines)
        let shares = RefundAllocation(records.shuffled()).shares
        #expect(lines.map { Self.cents(shares[SaleId("f/\($0.sale.saleId)")]) } == [0, 200])
        let tooMuch = RefundAllocation(records + Self.refund("g", Told(at: 3, single: 201), of: lines)).shares
        #expect(lines.map { Self.cents(tooMuch[SaleId("g/\($0.sale.saleId)")]) } == [-1, -1])
    }

    @Test(
        "Refunds of an order, told in any order and reported in between, add up and exceed no line",
        arguments: UInt64(0)..<20
    )
    func orders(_ block: UInt64) {
        for seed in block * 20..<(block + 1) * 20 {
            var random = SplitMix64(seed: seed)
            let prices = (0..<Int.random(in: 2...4, using: &random)).map { _ in Int.random(in: 1...500, using: &random)
            }
            let lines = Self.order(prices)
            var left = prices.reduce(0, +)
            var real: [Int] = []
            while left > 0, real.count < 5 {
                let amount = Int.random(in: 1...left, using: &random)
                real.append(amount)
                left -= amount
            }
            var told: [(SaleId, Told)] = []
            for (place, amount) in real.enumerated() {
                let isTotal = Bool.random(using: &random)
                let one =
                    isTotal
                    ? Told(at: Double(place + 1), total: real[...place].reduce(0, +))
                    : Told(at: Double(place + 1), single: amount)
                told.append((SaleId("f\(place)"), one))
            }
            var records = lines
            for (id, one) in told.shuffled(using: &random) {
                records += Self.refund(id, one, of: lines)
                if Bool.random(using: &random) { Self.reportWhole(&records) }
            }
            Self.reportWhole(&records)
            let sent = records.filter { $0.report != nil }
            let sum = sent.compactMap { $0.sale.refund?.inclusive }.reduce(0, +)
            #expect(sum * 100 == Decimal(real.reduce(0, +)), "seed \(seed)")
            for (number, price) in prices.enumerated() {
                let ofLine = sent.compactMap(\.sale.refund).filter { $0.refundOf == SaleId("o/\(number + 1)") }
                #expect(ofLine.map(\.inclusive).reduce(0, +) * 100 <= Decimal(price), "seed \(seed)")
            }
        }
    }

    @Test("A last total of a line is what the line gave back, whatever was reported before", arguments: UInt64(0)..<20)
    func lastTotalOfLine(_ block: UInt64) {
        for seed in block * 20..<(block + 1) * 20 {
            var random = SplitMix64(seed: seed)
            let prices = (0..<3).map { _ in Int.random(in: 200...500, using: &random) }
            let lines = Self.order(prices)
            var told: [[SaleRecord]] = (1...3).map { number in
                let one = Told(at: Double(number), single: Int.random(in: 1...60, using: &random))
                return Bool.random(using: &random)
                    ? [Self.record(number, one, of: "o/1")] : Self.refund(SaleId("f\(number)"), one, of: lines)
            }
            told.shuffle(using: &random)
            told.append([Self.record(9, Told(at: 9, total: prices[0]), of: "o/1")])
            var records = lines
            for one in told {
                records += one
                if Bool.random(using: &random) { Self.reportWhole(&records) }
            }
            Self.reportWhole(&records)
            let ofLine = records.filter { $0.report != nil && $0.sale.refund?.refundOf == "o/1" }
            let sum = ofLine.compactMap { $0.sale.refund?.inclusive }.reduce(0, +)
            #expect(sum * 100 == Decimal(prices[0]), "seed \(seed)")
        }
    }

    /// Reports all that is known: the parts of an order's refund go together.
    static func reportWhole(_ records: inout [SaleRecord]) {
        let shares = RefundAllocation(records).shares
        for place in records.indices where records[place].report == nil {
            guard let cents = cents(shares[records[place].sale.saleId]), cents > 0 else { continue }
            records[place] = settle(records[place], cents: cents)
        }
    }
}
