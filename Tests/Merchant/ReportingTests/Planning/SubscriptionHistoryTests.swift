import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("Events and paid days of a subscription (RR-30 to RR-34)")
struct SubscriptionHistoryTests {
    typealias Event = SubscriptionEvent

    /// One row of the table of RR-34, or a case of its rules.
    struct Row: Sendable, CustomTestStringConvertible {
        let plan: String
        let sales: [Sale]
        /// By charge: event and days.
        let expected: [(SaleId, Event, Int32)]
        var testDescription: String { plan }
    }

    static func sale(_ id: SaleId, _ day: Double, _ kind: Sale.Kind) -> Sale {
        Samples.sale(id, at: Samples.day(day), kind)
    }

    static func cancelled(_ id: SaleId, _ day: Double, effect: Double? = nil) -> Sale {
        sale(
            id,
            day,
            .cancellation(SubscriptionCancellation(subscriptionId: "sub", effectiveAt: effect.map(Samples.day)))
        )
    }

    static let monthly: [Sale] = [
        sale("start", 0, Samples.charge(from: 0, to: 30)), sale("r1", 30, Samples.charge(from: 30, to: 60)),
        sale("r2", 60, Samples.charge(from: 60, to: 90)),
    ]
    static let yearly = sale("up", 72, Samples.charge(from: 72, to: 437, 54, product: "club.365d"))

    static let table: [Row] = [
        Row(
            plan: "bought on 1 January, renewed on 31 January, 2 March",
            sales: monthly,
            expected: [("start", .start, 0), ("r1", .renewal, 30), ("r2", .renewal, 60)]
        ),
        Row(
            plan: "day 12 of the third period: to a yearly plan; 5 days later a seat is added",
            sales: monthly + [
                yearly, sale("seat", 77, Samples.charge(from: 72, to: 437, 3, product: "club.365d")),
            ],
            expected: [("r2", .renewal, 60), ("up", .change, 72), ("seat", .payment, 77)]
        ),
        Row(
            plan: "7-day trial, then paid, then renewed",
            sales: [
                sale("start", 0, Samples.charge(from: 0, to: 7, 0)), sale("r1", 7, Samples.charge(from: 7, to: 37)),
                sale("r2", 37, Samples.charge(from: 37, to: 67)),
            ],
            expected: [("start", .start, 0), ("r1", .renewal, 0), ("r2", .renewal, 30)]
        ),
        Row(
            plan: "a free month between two paid ones, at its start and end",
            sales: [
                sale("start", 0, Samples.charge(from: 0, to: 30)),
                sale("free", 30, Samples.charge(from: 30, to: 60, 0)),
                sale("r2", 60, Samples.charge(from: 60, to: 90)),
            ],
            expected: [("free", .renewal, 30), ("r2", .renewal, 30)]
        ),
        Row(
            plan: "first period wholly refunded, then renewed twice",
            sales: monthly + [sale("back", 12, Samples.refund(of: "start", 6))],
            expected: [("r1", .renewal, 0), ("r2", .renewal, 30)]
        ),
    ]

    static let rules: [Row] = [
        Row(
            plan: "RR-30: a partial refund leaves the period paid",
            sales: monthly + [sale("back", 12, Samples.refund(of: "start", 5))],
            expected: [("r1", .renewal, 30), ("r2", .renewal, 60)]
        ),
        Row(
            plan: "RR-31: several refunds that use the charge up leave it unpaid",
            sales: monthly + [
                sale("b1", 12, Samples.refund(of: "start", 2)), sale("b2", 33, Samples.refund(of: "start", 4)),
            ],
            expected: [("r1", .renewal, 30), ("r2", .renewal, 30)]
        ),
        Row(
            plan: "RR-34: a refund after an event does not change what the event says, the next one does",
            sales: monthly + [sale("back", 45, Samples.refund(of: "start", 6))],
            expected: [("r1", .renewal, 30), ("r2", .renewal, 30)]
        ),
        Row(
            plan: "RR-31: wholly refunded at the moment of the renewal, the first period is not paid",
            sales: monthly + [sale("back", 30, Samples.refund(of: "start", 6))],
            expected: [("r1", .renewal, 0), ("r2", .renewal, 30)]
        ),
        Row(
            plan: "RR-34: wholly refunded a millisecond later, though before anything was reported, it was paid then",
            sales: monthly + [
                Samples.sale(
                    "back",
                    at: Samples.day(30).advanced(by: .milliseconds(1)),
                    Samples.refund(of: "start", 6)
                )
            ],
            expected: [("r1", .renewal, 30), ("r2", .renewal, 30)]
        ),
        Row(
            plan: "RR-80: a chargeback won back pays the period again",
            sales: monthly + [
                sale("cb", 12, Samples.refund(of: "start", 6, chargeback: true)),
                sale("won", 40, .chargebackReversal(of: "cb")),
            ],
            expected: [("r1", .renewal, 0), ("r2", .renewal, 60)]
        ),
        Row(
            plan: "RR-31: a reversal dated before its chargeback makes no room for a refund, which is held",
            sales: monthly + [
                sale("cb", 12, Samples.refund(of: "start", 4, chargeback: true)),
                sale("won", 10, .chargebackReversal(of: "cb")), sale("back", 20, Samples.refund(of: "start", 4)),
            ],
            expected: [("r1", .renewal, 30), ("r2", .renewal, 60)]
        ),
        Row(
            plan: "RR-31: whole days, rounded down once per contiguous run",
            sales: [
                sale("start", 0, Samples.charge(from: 0, to: 30.9)),
                sale("r1", 30.9, Samples.charge(from: 30.9, to: 61.8)),
                sale("r2", 61.8, Samples.charge(from: 61.8, to: 92)),
            ],
            expected: [("r1", .renewal, 30), ("r2", .renewal, 61)]
        ),
        Row(
            plan: "RR-31: a millisecond short of a day is no day",
            sales: [
                sale("start", 0, Samples.charge(from: 0, to: 30)),
                Samples.sale(
                    "pay",
                    at: Samples.day(5).advanced(by: .milliseconds(-1)),
                    Samples.charge(from: 0, to: 30, 1)
                ), sale("pay2", 5, Samples.charge(from: 0, to: 30, 1)),
            ],
            expected: [("pay", .payment, 4), ("pay2", .payment, 5)]
        ),
        Row(
            plan: "RR-33: recovered after a lapse, the count frozen at the lapse",
            sales: [
                monthly[0], sale("lapse", 30, .lapse("sub")), sale("back", 47, Samples.charge(from: 47, to: 77)),
                sale("r2", 77, Samples.charge(from: 77, to: 107)),
            ],
            expected: [("back", .renewal, 30), ("r2", .renewal, 60)]
        ),
        Row(
            plan: "RR-33: a late payment for a period that began counts nothing of its own before it",
            sales: [monthly[0], sale("late", 37, Samples.charge(from: 30, to: 60)), monthly[2]],
            expected: [("late", .renewal, 30), ("r2", .renewal, 60)]
        ),
        Row(
            plan: "RR-33: a checkout after the end is a new subscription",
            sales: [
                monthly[0], cancelled("bye", 10, effect: 30), sale("again", 45, Samples.charge(from: 45, to: 75)),
                sale("r1", 75, Samples.charge(from: 75, to: 105)),
            ],
            expected: [("start", .start, 0), ("again", .start, 0), ("r1", .renewal, 30)]
        ),
        Row(
            plan: "RR-31: cancelled at once, counting stops there",
            sales: [
                monthly[0], cancelled("bye", 10), sale("late", 20, Samples.charge(from: 0, to: 30, 1, event: .payment)),
            ],
            expected: [("late", .payment, 10)]
        ),
        Row(
            plan: "RR-33: a renewal that adjoins withdraws the cancellation",
            sales: [monthly[0], cancelled("bye", 10, effect: 30), monthly[1], monthly[2]],
            expected: [("r1", .renewal, 30), ("r2", .renewal, 60)]
        ),
        Row(
            plan: "RR-32: a change of plan that costs nothing is a change, and the paid time goes on counting (RR-30)",
            sales: [
                monthly[0], sale("down", 12, Samples.charge(from: 12, to: 30, 0, product: "club.basic")),
                sale("r1", 30, Samples.charge(from: 30, to: 60, 3, product: "club.basic")),
            ],
            expected: [("down", .change, 12), ("r1", .renewal, 30)]
        ),
        Row(
            plan: "RR-32: another plan at the end of a period is a change",
            sales: [monthly[0], sale("up", 30, Samples.charge(from: 30, to: 395, 54, product: "club.365d"))],
            expected: [("up", .change, 30)]
        ),
        Row(
            plan: "RR-32: the first paid period after a trial is a renewal, also under another product id",
            sales: [
                sale("start", 0, Samples.charge(from: 0, to: 7, 0, product: "club.trial")),
                sale("r1", 7, Samples.charge(from: 7, to: 37)),
            ],
            expected: [("r1", .renewal, 0)]
        ),
        Row(
            plan: "RR-32: what the caller says of a charge counts",
            sales: [
                monthly[0], sale("a", 5, Samples.charge(from: 0, to: 30, 2, event: .change)),
                sale("b", 7, Samples.charge(from: 8, to: 90, 2, event: .payment)),
                sale("c", 30, Samples.charge(from: 30, to: 60, product: "club.30d.v2", event: .renewal)),
            ],
            expected: [("a", .change, 5), ("b", .payment, 7), ("c", .renewal, 30)]
        ),
        Row(
            plan: "RR-32: nothing charged inside a period is no payment (E35)",
            sales: [monthly[0], sale("nil", 5, Samples.charge(from: 0, to: 30, 0, event: .payment))],
            expected: [("nil", .change, 5)]
        ),
        Row(
            plan: "RR-31: renewed early, no day counts before it begins",
            sales: [
                monthly[0], sale("r1", 25, Samples.charge(from: 30, to: 60)),
                sale("pay", 28, Samples.charge(from: 0, to: 30, 1)), monthly[2],
            ],
            expected: [("r1", .renewal, 25), ("pay", .payment, 28), ("r2", .renewal, 60)]
        ),
        Row(
            plan: "a charged period that begins inside another one ends it there",
            sales: [
                monthly[0], sale("r1", 20, Samples.charge(from: 20, to: 50)),
                sale("r2", 50, Samples.charge(from: 50, to: 80)),
            ],
            expected: [("r1", .renewal, 20), ("r2", .renewal, 50)]
        ),
    ]

    static func check(_ row: Row, _ sales: [Sale], sourceLocation: SourceLocation = #_sourceLocation) {
        let moments = SubscriptionHistory(Samples.records(sales)).moments
        for (id, event, days) in row.expected {
            #expect(moments[id]?.event == event, "\(id)", sourceLocation: sourceLocation)
            #expect(moments[id]?.daysOfPaidService == days, "\(id)", sourceLocation: sourceLocation)
        }
    }

    @Test("The table of section 6, in every order of arrival (RR-30 to RR-34)", arguments: table + rules)
    func rows(_ row: Row) {
        var random = SplitMix64(seed: 1)
        Self.check(row, row.sales)
        Self.check(row, row.sales.reversed())
        for _ in 0..<20 { Self.check(row, row.sales.shuffled(using: &random)) }
    }

    @Test("The samples of the endpoint: start, renewal, change, payment say 0, 30, 40, 45 (EX-2, EX-5 to EX-7)")
    func samples() throws {
        func charge(_ id: SaleId, _ at: Int64, _ start: Int64, _ end: Int64, _ product: String) -> Sale {
            let period = SubscriptionPeriod(
                start: Timestamp(milliseconds: start),
                end: Timestamp(milliseconds: end)
            )
            let charge = SubscriptionCharge(
                subscriptionId: "sub",
                period: period,
                purchase: Samples.euros(6, product: product)
            )
            return Samples.sale(id, at: Timestamp(milliseconds: at), .subscription(charge))
        }
        let moments = SubscriptionHistory(
            Samples.records([
                charge("sub-1", 1_791_014_400_000, 1_791_014_400_000, 1_793_606_400_000, "club.30d"),
                charge("sub-1-r1", 1_793_606_400_000, 1_793_606_400_000, 1_796_198_400_000, "club.30d"),
                charge("sub-1-up", 1_794_470_400_000, 1_794_470_400_000, 1_826_006_400_000, "club.365d"),
                charge("sub-1-seat", 1_794_902_400_000, 1_794_470_400_000, 1_826_006_400_000, "club.365d"),
            ])
        ).moments
        #expect(moments["sub-1"] == SubscriptionMoment(event: .start, start: nil, daysOfPaidService: 0))
        #expect(moments["sub-1-r1"] == SubscriptionMoment(event: .renewal, start: "sub-1", daysOfPaidService: 30))
        #expect(moments["sub-1-up"] == SubscriptionMoment(event: .change, start: "sub-1", daysOfPaidService: 40))
        #expect(moments["sub-1-seat"] == SubscriptionMoment(event: .payment, start: "sub-1", daysOfPaidService: 45))
    }

    @Test(
        "An imported charge whose price is computed back is wholly refunded by what was really billed (RR-31)",
        arguments: [("242.83", 30), ("242.81", 60)]
    )
    func computedPrice(_ refunded: String, _ days: Int32) throws {
        let rate = QuotedRate(
            rate: try #require(ExchangeRate("0.02047")),
            source: QuotedRate.importedReport,
            asOf: Samples.newYear
        )
        func charge(_ id: SaleId, _ start: Double) throws -> Sale {
            let purchase = Purchase(
                productId: "club.30d",
                quantity: 1,
                currency: "UAH",
                inclusive: try #require(Decimal(string: "242.84")),
                tax: .rate(21),
                taxCountry: "NLD",
                exchangeRate: rate
            )
            let period = SubscriptionPeriod(start: Samples.day(start), end: Samples.day(start + 30))
            let charge = SubscriptionCharge(subscriptionId: "sub", period: period, purchase: purchase)
            return Samples.sale(id, at: Samples.day(start), .subscription(charge))
        }
        let refund = try #require(Decimal(string: refunded))
        let moments = SubscriptionHistory(
            Samples.records([
                try charge("start", 0), try charge("r1", 30),
                Samples.sale("refund", at: Samples.day(40), Samples.refund(of: "start", refund)), try charge("r2", 60),
            ])
        ).moments
        #expect(moments["r2"]?.daysOfPaidService == days)
    }

    @Test("A retracted charge never happened (RR-31)")
    func retracted() {
        var records = Samples.records(Self.monthly)
        records[1].report = Samples.report(.renewal, .retracted)
        let moments = SubscriptionHistory(records).moments
        #expect(moments["r1"] == nil)
        #expect(moments["r2"]?.daysOfPaidService == 30)
    }

    @Test("A charge before a start that keeps its figures is told from others")
    func beforeReportedStart() {
        var records = Samples.records(Self.monthly)
        records[1].report = Samples.report(.start, keepsFigures: true)
        let moments = SubscriptionHistory(records).moments
        #expect(moments["start"]?.isBeforeReportedStart == true)
        #expect(moments["r1"] == SubscriptionMoment(event: .start, start: nil, daysOfPaidService: 0))
        #expect(moments["r2"] == SubscriptionMoment(event: .renewal, start: "r1", daysOfPaidService: 30))
    }

    @Test("An accepted item changes nothing of what is right, unless it keeps its figures", arguments: [false, true])
    func reportedEvent(_ keepsFigures: Bool) {
        var records = Samples.records(Self.monthly)
        records[0].report = Samples.report(.start)
        records[1].report = Samples.report(.change, of: "start", after: 12, keepsFigures: keepsFigures)
        let moment = SubscriptionHistory(records).moments["r1"]
        #expect(moment?.event == (keepsFigures ? .change : .renewal))
        #expect(moment?.daysOfPaidService == 30)
    }

    @Test("A chargeback that was won back counts until then, also once its refund is retracted (RR-34, RR-80)")
    func wonBack() {
        var records = Samples.records(
            Self.monthly + [
                Self.sale("cb", 12, Samples.refund(of: "start", 6, chargeback: true)),
                Self.sale("won", 40, .chargebackReversal(of: "cb")),
            ]
        )
        records[3].report = ItemReport(externalPurchaseId: "t", state: .retracted)
        let moments = SubscriptionHistory(records).moments
        #expect(moments["r1"]?.daysOfPaidService == 0)
        #expect(moments["r2"]?.daysOfPaidService == 60)
    }

    // MARK: Properties

    /// A life in whole days: adjoining periods, trials, free months, refunds, changes, payments, lapses.
    struct Life: Sendable {
        var sales: [Sale] = []
        /// Paid days counted one by one: a day is paid when it lies in a paid period, by charge.
        var expected: [SaleId: (SubscriptionEvent, Int32)] = [:]

        init(seed: UInt64, withRefunds: Bool) {
            var random = SplitMix64(seed: seed)
            /// Per period: first day, length, the charges with what is left of them by day of refund.
            struct Period {
                var from: Int
                var length: Int
                var charges: [(id: SaleId, price: Int)] = []
            }
            var periods: [Period] = []
            var refunds: [(day: Int, of: SaleId, amount: Int)] = []
            var day = 0
            var product = "club.30d"
            var lastProduct = ""
            func paidDays(before day: Int) -> Int32 {
                // A day that two charges pay for is one day (RR-31).
                var paid: Set<Int> = []
                for (index, period) in periods.enumerated() {
                    let isPaid = period.charges.contains { charge in
                        let back = refunds.filter { $0.of == charge.id && $0.day <= day }.reduce(0) { $0 + $1.amount }
                        return charge.price > 0 && back < charge.price
                    }
                    guard isPaid else { continue }
                    for number in period.from..<(period.from + period.length) where number < day {
                        // Where a later charged period began, the day is that period's.
                        let taken = periods[(index + 1)...].contains { later in
                            later.charges.first.map { $0.price > 0 } == true && number >= later.from
                        }
                        if !taken { paid.insert(number) }
                    }
                }
                return Int32(paid.count)
            }
            for number in 0..<Int.random(in: 2...8, using: &random) {
                let id = SaleId("c\(number)")
                let isFirst = number == 0
                let length = Int.random(in: 5...40, using: &random)
                let price = Int.random(in: 0...3, using: &random) * 4
                if !isFirst, Int.random(in: 0...3, using: &random) == 0 { product = "plan-\(number)" }
                let neverPaid = periods.allSatisfy { $0.charges.allSatisfy { $0.price == 0 } }
                let allEnded = periods.allSatisfy { $0.from + $0.length <= day }
                let event: SubscriptionEvent =
                    if isFirst {
                        .start
                    } else if product == lastProduct || neverPaid && price > 0 && allEnded {
                        // The first price after free ones is a renewal whatever its product.
                        .renewal
                    } else {
                        .change
                    }
                lastProduct = product
                expected[id] = (event, isFirst ? 0 : paidDays(before: day))
                sales.append(
                    SubscriptionHistoryTests.sale(
                        id,
                        Double(day),
                        Samples.charge(from: Double(day), to: Double(day + length), Decimal(price), product: product)
                    )
                )
                periods.append(Period(from: day, length: length, charges: [(id, price)]))
                if Int.random(in: 0...2, using: &random) == 0, length > 5 {
                    day += Int.random(in: 1...4, using: &random)
                    let payment = SaleId("p\(number)")
                    expected[payment] = (.payment, paidDays(before: day))
                    let from = periods[periods.count - 1].from
                    sales.append(
                        SubscriptionHistoryTests.sale(
                            payment,
                            Double(day),
                            Samples.charge(from: Double(from), to: Double(from + length), 2, product: product)
                        )
                    )
                    periods[periods.count - 1].charges.append((payment, 2))
                }
                if withRefunds, price > 0, Int.random(in: 0...2, using: &random) == 0 {
                    let amount = Int.random(in: 1...price, using: &random)
                    let back = SaleId("b\(number)")
                    let when = day + Int.random(in: 1...30, using: &random)
                    refunds.append((when, id, amount))
                    sales.append(
                        SubscriptionHistoryTests.sale(back, Double(when), Samples.refund(of: id, Decimal(amount)))
                    )
                }
                let end = periods[periods.count - 1].from + length
                switch Int.random(in: 0...5, using: &random) {
                case 0: day = max(day, end) + Int.random(in: 1...20, using: &random)
                case 1 where day + 1 < end: day += 1
                default: day = max(day, end)
                }
                if day > end, periods.allSatisfy({ $0.from + $0.length <= end }), Bool.random(using: &random) {
                    sales.append(SubscriptionHistoryTests.sale(SaleId("l\(number)"), Double(end), .lapse("sub")))
                }
                // Inside a period only another plan begins a new one.
                if day < end {
                    product = "inside-\(number)"
                }
            }
        }
    }

    @Test("Days agree with a count of single days, in any order of arrival", arguments: 0..<20)
    func countedDayByDay(_ block: Int) {
        for seed in 0..<50 {
            var random = SplitMix64(seed: UInt64(block * 50 + seed))
            let life = Life(seed: UInt64(block * 50 + seed), withRefunds: true)
            let moments = SubscriptionHistory(Samples.records(life.sales.shuffled(using: &random))).moments
            for (id, (event, days)) in life.expected {
                #expect(moments[id]?.event == event, "seed \(block * 50 + seed), \(id)")
                #expect(moments[id]?.daysOfPaidService == days, "seed \(block * 50 + seed), \(id)")
            }
            #expect(moments == SubscriptionHistory(Samples.records(life.sales)).moments)
        }
    }

    @Test("Never days on a start, and without refunds days never fall (RR-30)", arguments: 0..<20)
    func monotony(_ block: Int) {
        for seed in 0..<50 {
            let life = Life(seed: UInt64(block * 50 + seed), withRefunds: false)
            let moments = SubscriptionHistory(Samples.records(life.sales)).moments
            #expect(moments.values.count { $0.event == .start } == 1)
            #expect(moments.values.allSatisfy { $0.event != .start || $0.daysOfPaidService == 0 && $0.start == nil })
            let days = life.sales.compactMap { moments[$0.saleId]?.daysOfPaidService }
            #expect(days == days.sorted(), "seed \(block * 50 + seed)")
        }
    }

    @Test("Nonsense is counted in bounded time, and no day is negative", arguments: 0..<20)
    func nonsense(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var sales: [Sale] = []
        for number in 0..<300 {
            let at = Double.random(in: -50...400, using: &random)
            let start = Double.random(in: -50...400, using: &random)
            let kinds: [Sale.Kind] = [
                Samples.charge(from: start, to: start + Double.random(in: -20...60, using: &random), 1),
                Samples.charge(from: start, to: start, 0, product: "x", event: .change), .lapse("sub"),
                .cancellation(SubscriptionCancellation(subscriptionId: "sub", effectiveAt: Samples.day(start))),
                Samples.refund(of: SaleId("\(Int.random(in: 0..<300, using: &random))"), 1, chargeback: true),
                .chargebackReversal(of: SaleId("\(Int.random(in: 0..<300, using: &random))")),
            ]
            guard let kind = kinds.randomElement(using: &random) else { continue }
            sales.append(Self.sale(SaleId("\(number)"), at, kind))
        }
        let moments = SubscriptionHistory(Samples.records(sales)).moments
        #expect(moments.values.allSatisfy { $0.daysOfPaidService >= 0 })
        #expect(moments.values.allSatisfy { ($0.start == nil) == ($0.event == .start || $0.isWithoutStart) })
        #expect(moments == SubscriptionHistory(Samples.records(sales)).moments)
    }

    @Test("The count grows with the charges, not with their square")
    func longLife() {
        let sales = (0..<20_000).map { number in
            Self.sale(
                SaleId("\(number)"),
                Double(number),
                Samples.charge(from: Double(number), to: Double(number + 1))
            )
        }
        let moments = SubscriptionHistory(Samples.records(sales)).moments
        #expect(moments["19999"]?.daysOfPaidService == 19_999)
    }
}
