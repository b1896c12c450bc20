import BenchmarkSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

/// Plan and line items of an app's sales against the least that anybody would have to do for them.
enum PlannerBenchmark {
    /// As many as a customer of a shop has.
    private static let salesPerToken = 10

    static func run() throws {
        print("plan and line items per sale, against a look-up of the token and one division for the tax")
        for count in [1, 100, 10_000] {
            let calls = max(1, 20_000 / count)
            let (universe, planned) = app(of: count)
            let now = Timestamp(milliseconds: 1_795_176_000_000)
            let tokens = Dictionary(uniqueKeysWithValues: universe.tokens.map { ($0.id, $0) })
            var (plans, items, loops): ([Double], [Double], [Double]) = ([], [], [])
            var sink = 0
            for round in 0..<8 {
                let clock = ContinuousClock()
                var last = AttributionPlan()
                let plan = clock.measure {
                    for _ in 0..<calls { last = AttributionPlanner().plan(universe, now: now) }
                }
                var wanted: [SaleId] = []
                for token in universe.tokens {
                    if case .lineItems(let ready, _) = last.tokens[token.id]?.report { wanted += ready }
                }
                guard wanted.count == planned else { throw Failure(description: "\(wanted.count) sales are planned") }
                var made = 0
                let item = clock.measure {
                    for _ in 0..<calls {
                        made = LineItemPlanner().items(of: wanted, among: universe.sales, accepted: [:]).items.count
                    }
                }
                guard made == planned else { throw Failure(description: "\(made) line items are made") }
                let loop = clock.measure {
                    for _ in 0..<calls { sink += least(universe.sales, tokens) }
                }
                guard round > 0 else { continue }
                plans.append(plan / .seconds(1) / Double(calls * count))
                items.append(item / .seconds(1) / Double(calls * count))
                loops.append(loop / .seconds(1) / Double(calls * count))
            }
            guard sink > 0 else { throw Failure(description: "the loop did nothing") }
            let (plan, item, loop) = (median(plans), median(items), median(loops))
            print(
                String(
                    format: "  %6d sales: plan %6.2f µs  line item %6.2f µs  loop %6.3f µs  %.1f of the loop",
                    count,
                    plan * 1e6,
                    item * 1e6,
                    loop * 1e6,
                    (plan + item) / loop
                )
            )
            try BenchmarkResult(
                "planner",
                "plan and line item of a sale, \(count) sales of one app",
                value: (plan + item) * 1e6,
                limit: loop * 1e6,
                unit: "µs",
                of: "looking up its token and one division for the tax",
                goal: .atMost(10)
            ).print()
        }
    }

    private static func app(of count: Int) -> (PlanningInput, planned: Int) {
        let made = Timestamp(milliseconds: 1_795_000_000_000)
        var (tokens, sales): ([TokenRecord], [SaleRecord]) = ([], [])
        for first in stride(from: 0, to: count, by: salesPerToken) {
            let customer = CustomerId("customer-\(first)")
            var token = Rows.token(made: made)
            token.customerId = customer
            tokens.append(TokenRecord(token))
            for number in first..<min(first + salesPerToken, count) {
                var sale = Rows.sale(number, on: token, customer: customer)
                sale.sequence = Int64(number + 1)
                sales.append(SaleRecord(sale))
            }
        }
        return (PlanningInput(tokens: tokens, sales: sales), count)
    }

    private static func least(_ sales: [SaleRecord], _ tokens: [ExternalPurchaseId: TokenRecord]) -> Int {
        var count = 0
        for record in sales {
            guard let purchase = record.sale.purchase, let id = record.sale.externalPurchaseId,
                let token = tokens[id], token.takesBuy(at: record.sale.occurredAt)
            else { continue }
            let exclusive = purchase.inclusive * 100 / 121
            if exclusive < purchase.inclusive { count += 1 }
        }
        return count
    }
}
