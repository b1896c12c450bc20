import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("Paid days are the whole days of the union of paid intervals (RR-31)")
struct PaidDaysTests {
    /// A period that was refunded, with add-ons inside, and the days at its end.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The price of the period, and what was refunded of it a day after its start.
        var price: Decimal = 6
        var refunded: Decimal = 0
        /// Start and end of the charges inside, in days.
        var addOns: [(Double, Double)] = []
        let days: Int32
    }

    static let cases: [Case] = [
        Case(testDescription: "nothing refunded, no charge inside", days: 28),
        Case(testDescription: "wholly refunded, no charge inside", refunded: 6, days: 0),
        Case(
            testDescription: "wholly refunded, a charge for its last 22 days",
            refunded: 6,
            addOns: [(6, 28)],
            days: 22
        ),
        Case(testDescription: "a charge for a fraction of a day inside", addOns: [(5.3, 5.7)], days: 28),
        Case(testDescription: "charges for fractions side by side", addOns: [(5.3, 5.7), (5.7, 6.1)], days: 28),
        Case(
            testDescription: "wholly refunded, two charges that adjoin, each with half a day",
            refunded: 6,
            addOns: [(2, 4.5), (4.5, 7)],
            days: 5
        ),
        Case(
            testDescription: "wholly refunded, two charges apart, each with half a day",
            refunded: 6,
            addOns: [(2, 4.5), (5, 7.5)],
            days: 4
        ),
        Case(
            testDescription: "wholly refunded, charges that overlap",
            refunded: 6,
            addOns: [(2, 10), (4, 12), (3, 5)],
            days: 10
        ),
        Case(testDescription: "free, a charge for its last 22 days (RR-30)", price: 0, addOns: [(6, 28)], days: 22),
    ]

    @Test("A charge inside a period is paid time of its own (RR-31)", arguments: cases)
    func chargesInside(_ story: Case) {
        var sales = [SubscriptionHistoryTests.sale("start", 0, Samples.charge(from: 0, to: 28, story.price))]
        if story.refunded > 0 {
            sales.append(SubscriptionHistoryTests.sale("back", 1, Samples.refund(of: "start", story.refunded)))
        }
        for (number, addOn) in story.addOns.enumerated() {
            let kind = Samples.charge(from: addOn.0, to: addOn.1, 2, event: .payment)
            sales.append(SubscriptionHistoryTests.sale(SaleId("a\(number)"), addOn.0, kind))
        }
        sales.append(SubscriptionHistoryTests.sale("renewal", 28, Samples.charge(from: 28, to: 58)))
        for sales in [sales, sales.reversed()] {
            let moment = SubscriptionHistory(Samples.records(sales)).moments["renewal"]
            #expect(moment?.event == .renewal)
            #expect(moment?.daysOfPaidService == story.days)
        }
    }

    @Test(
        "A return after the end goes on counting within subscriptions.resumeWithin, else it starts anew (RR-33)",
        arguments: [(0, 45, false), (15, 45, true), (14, 45, false), (60, 90, true), (60, 91, false)]
    )
    func returns(_ resumeWithin: Int64, _ day: Double, _ goesOn: Bool) {
        let sales = [
            SubscriptionHistoryTests.monthly[0], SubscriptionHistoryTests.cancelled("bye", 10, effect: 30),
            SubscriptionHistoryTests.sale("again", day, Samples.charge(from: day, to: day + 30)),
            SubscriptionHistoryTests.sale("next", day + 30, Samples.charge(from: day + 30, to: day + 60)),
        ]
        let moments = SubscriptionHistory(Samples.records(sales), resumeWithin: .days(resumeWithin)).moments
        #expect(moments["again"]?.event == (goesOn ? .renewal : .start))
        #expect(moments["again"]?.start == (goesOn ? "start" : nil))
        #expect(moments["again"]?.daysOfPaidService == (goesOn ? 30 : 0))
        #expect(moments["next"]?.start == (goesOn ? "start" : "again"))
        #expect(moments["next"]?.daysOfPaidService == (goesOn ? 60 : 30))
    }

    // MARK: A grid of minutes

    /// A subscription whose moments lie on a grid, counted cell by cell.
    private struct Grid {
        /// Minutes of a cell, so that days have a whole number of cells.
        static let cell = 90
        static let cellsOfDay = 24 * 60 / cell

        private struct Charge {
            let id: SaleId
            let from: Int
            let to: Int
            let price: Int
            let isAddOn: Bool
            /// The number of the step that made it.
            let step: Int
        }

        private(set) var sales: [Sale] = []
        private(set) var expected: [SaleId: Int32] = [:]
        private var charges: [Charge] = []
        private var refunds: [(at: Int, of: SaleId, amount: Int)] = []
        /// The cells at which paid time ends, with the step that says so.
        private var stops: [(at: Int, step: Int)] = []

        private static func day(_ cells: Int) -> Double { Double(cells) / Double(cellsOfDay) }

        /// The paid time before a cell, without anything of the code under test.
        private func days(before cell: Int) -> Int32 {
            var isPaid = [Bool](repeating: false, count: cell)
            for charge in charges where charge.price > 0 {
                let back = refunds.filter { $0.of == charge.id && $0.at <= cell }.reduce(0) { $0 + $1.amount }
                if back >= charge.price { continue }
                for place in charge.from..<max(charge.from, min(charge.to, cell)) {
                    let isOver = stops.contains { stop in
                        // A period ends by what comes after it; a charge inside one also by what came before.
                        stop.at > charge.from && place >= stop.at && (charge.isAddOn || stop.step > charge.step)
                            || stop.at <= charge.from && stop.step > charge.step
                    }
                    if !isOver { isPaid[place] = true }
                }
            }
            var (days, run) = (0, 0)
            for place in isPaid + [false] {
                if place {
                    run += 1
                } else {
                    days += run / Self.cellsOfDay
                    run = 0
                }
            }
            return Int32(days)
        }

        init(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            var (now, end, plan) = (0, 0, "plan-0")
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
            for step in 0..<number(3...16) {
                let id = SaleId("s\(step)")
                let isFirst = step == 0
                switch isFirst ? 0 : number(0...9) {
                case 0, 1, 2, 3:
                    // A period that follows, free ones included, or another plan inside the running one.
                    let isChange = !isFirst && now < end && number(0...1) == 0
                    if isChange { plan = "plan-\(step)" } else { now = max(now, end) }
                    let (from, length, price) = (now, number(1...400), number(0...3))
                    if !isFirst { expected[id] = days(before: now) }
                    if price > 0, !isFirst { stops.append((from, step)) }
                    sales.append(
                        SubscriptionHistoryTests.sale(
                            id,
                            Self.day(now),
                            Samples.charge(
                                from: Self.day(from),
                                to: Self.day(from + length),
                                Decimal(price),
                                product: plan,
                                event: isFirst ? nil : isChange ? .change : .renewal
                            )
                        )
                    )
                    charges.append(
                        Charge(id: id, from: from, to: from + length, price: price, isAddOn: false, step: step)
                    )
                    end = from + length
                case 4, 5, 6:
                    let from = max(0, now - number(0...40))
                    let length = number(1...200)
                    expected[id] = days(before: now)
                    sales.append(
                        SubscriptionHistoryTests.sale(
                            id,
                            Self.day(now),
                            Samples.charge(
                                from: Self.day(from),
                                to: Self.day(from + length),
                                2,
                                product: plan,
                                event: .payment
                            )
                        )
                    )
                    charges.append(Charge(id: id, from: from, to: from + length, price: 2, isAddOn: true, step: step))
                case 7, 8:
                    guard let charge = charges.filter({ $0.price > 0 }).randomElement(using: &random) else { break }
                    let amount = number(1...charge.price)
                    let given = refunds.filter { $0.of == charge.id }.reduce(0) { $0 + $1.amount }
                    guard given + amount <= charge.price else { break }
                    refunds.append((now, charge.id, amount))
                    sales.append(
                        SubscriptionHistoryTests.sale(id, Self.day(now), Samples.refund(of: charge.id, Decimal(amount)))
                    )
                default:
                    stops.append((now, step))
                    sales.append(SubscriptionHistoryTests.sale(id, Self.day(now), .lapse("sub")))
                }
                now += number(1...120)
            }
        }
    }

    @Test("Days agree with a count of cells of 90 minutes, in any order of arrival (RR-31)", arguments: 0..<20)
    func grid(_ block: Int) {
        for seed in 0..<100 {
            let seed = UInt64(block * 100 + seed)
            var random = SplitMix64(seed: seed)
            let grid = Grid(seed: seed)
            let moments = SubscriptionHistory(Samples.records(grid.sales.shuffled(using: &random))).moments
            for (id, days) in grid.expected {
                #expect(moments[id]?.daysOfPaidService == days, "seed \(seed), \(id)")
            }
        }
    }
}
