import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("The planner on generated universes (RR-60 to RR-67)")
struct PlannerPropertyTests {
    static let perBlock: UInt64 = 60

    static func plan(_ universe: PlanningInput) -> AttributionPlan {
        AttributionPlanner().plan(universe, now: Samples.now)
    }

    @Test("Every sale and every token goes where a naive reading of the rules puts it", arguments: UInt64(0)..<20)
    func naiveReading(_ block: UInt64) {
        for seed in block * Self.perBlock..<(block + 1) * Self.perBlock {
            var generator = UniverseGenerator(seed: seed)
            let universe = generator.universe()
            let plan = Self.plan(universe)
            let naive = NaivePlan(universe)
            for record in universe.sales {
                let id = record.sale.saleId
                let place: NaivePlan.Place? = plan.sales[id].map { made in
                    switch made.outcome {
                    case .planned(let token), .reported(let token): .on(token)
                    case .held: .held
                    case .noLineItem: .none
                    }
                }
                #expect(place == naive.places[id], "seed \(seed), sale \(id)")
            }
            for token in universe.tokens {
                #expect(plan.tokens[token.id]?.status == naive.answers[token.id], "seed \(seed), token \(token.id)")
            }
        }
    }

    @Test(
        "The order of the input does not matter, and a part is planned as the whole plans it",
        arguments: UInt64(0)..<10
    )
    func orderAndParts(_ block: UInt64) {
        for seed in block * Self.perBlock..<(block + 1) * Self.perBlock {
            var generator = UniverseGenerator(seed: seed)
            let universe = generator.universe()
            let whole = Self.plan(universe)
            let shuffled = PlanningInput(
                tokens: universe.tokens.shuffled(using: &generator.random),
                sales: universe.sales.shuffled(using: &generator.random)
            )
            #expect(Self.plan(shuffled) == whole, "seed \(seed)")
            let index = PlanningIndex(universe)
            for record in universe.sales {
                let id = record.sale.saleId
                let part = AttributionPlanner().plan(touching: [.sale(id)], in: index, now: Samples.now)
                #expect(part.sales[id] == whole.sales[id], "seed \(seed), sale \(id)")
                #expect(part.sales.allSatisfy { whole.sales[$0.key] == $0.value }, "seed \(seed)")
                #expect(part.tokens.allSatisfy { whole.tokens[$0.key] == $0.value }, "seed \(seed)")
            }
            for token in universe.tokens {
                let part = AttributionPlanner().plan(touching: [.token(token.id)], in: index, now: Samples.now)
                #expect(part.tokens[token.id] == whole.tokens[token.id], "seed \(seed), token \(token.id)")
            }
        }
    }

    /// What must hold of every plan.
    static func checkInvariants(_ plan: AttributionPlan, of universe: PlanningInput, seed: UInt64) {
        // Every sale is planned once, every token answered once.
        #expect(Set(plan.sales.keys) == Set(universe.sales.map(\.sale.saleId)), "seed \(seed)")
        #expect(Set(plan.tokens.keys) == Set(universe.tokens.map(\.id)), "seed \(seed)")
        var seen: [SaleId: ExternalPurchaseId] = [:]
        for (id, token) in plan.tokens {
            #expect(!token.reason.description.isEmpty)
            guard case .lineItems(let ready, let waiting) = token.report else { continue }
            #expect(!(ready + waiting).isEmpty, "seed \(seed)")
            for sale in ready + waiting {
                #expect(seen.updateValue(id, forKey: sale) == nil, "seed \(seed): \(sale) is on two tokens")
                #expect(plan.sales[sale]?.outcome == .planned(on: id), "seed \(seed)")
            }
        }
        for (id, sale) in plan.sales {
            #expect(!sale.reason.description.isEmpty)
            switch sale.outcome {
            case .planned(let token): #expect(seen[id] == token, "seed \(seed): \(id) is in no report")
            case .held: #expect(!sale.flags.isEmpty, "seed \(seed): \(id) is held without a flag")
            case .reported, .noLineItem: #expect(seen[id] == nil, "seed \(seed)")
            }
        }
        // One of the tokens of a customer's period takes the sales.
        let periods = Dictionary(grouping: universe.tokens.filter { $0.token.family == .customLink }) {
            let token = $0.token
            return [
                plan.tokens[$0.id]?.customerId?.rawValue ?? "-\($0.id)", token.tokenType?.rawValue ?? "",
                "\(token.tokenCreationDate)", "\(String(describing: token.tokenExpirationDate))",
                token.environment.rawValue,
            ]
        }
        for period in periods.values {
            #expect(period.count { plan.tokens[$0.id]?.isChosen == true } <= 1, "seed \(seed)")
        }
        // What is referred to is accepted, in the same report, or waited for.
        for record in universe.sales {
            guard case .planned(let token) = plan.sales[record.sale.saleId]?.outcome,
                let start = plan.sales[record.sale.saleId]?.moment?.start
            else { continue }
            let isAccepted = universe.sales.contains { $0.sale.saleId == start && $0.report?.state == .accepted }
            let isWaitedFor = plan.sales[record.sale.saleId]?.waitsFor == start
            #expect(isAccepted || isWaitedFor || plan.sales[start]?.externalPurchaseId == token, "seed \(seed)")
        }
    }

    @Test("A story of arrivals and reports: what is reported never moves, choices stay", arguments: UInt64(0)..<20)
    func stories(_ block: UInt64) {
        for seed in block * 20..<(block + 1) * 20 {
            var generator = UniverseGenerator(seed: seed, isWild: seed % 2 == 0)
            var universe = PlanningInput()
            var chosen: Set<ExternalPurchaseId> = []
            for step in 0..<14 {
                if Bool.random(using: &generator.random) {
                    universe.tokens.append(generator.token(answered: false))
                } else {
                    let sale = generator.sale(tokens: universe.tokens, earlier: universe.sales.map(\.sale))
                    universe.sales.append(SaleRecord(sequence: Int64(step + 1), sale: sale))
                }
                let plan = Self.plan(universe)
                Self.checkInvariants(plan, of: universe, seed: seed)
                for record in universe.sales {
                    guard let report = record.report else { continue }
                    #expect(plan.sales[record.sale.saleId]?.outcome == .reported(on: report.externalPurchaseId))
                }
                for id in chosen {
                    guard universe.tokens.contains(where: { $0.id == id && $0.state != .unknownToApple }) else {
                        continue
                    }
                    #expect(plan.tokens[id]?.isChosen == true, "seed \(seed): \(id) was chosen")
                }
                Self.report(plan, &universe, chosen: &chosen, random: &generator.random)
            }
        }
    }

    /// Accepts what some of the tokens call for, as the server would, and keeps the choices.
    static func report(
        _ plan: AttributionPlan,
        _ universe: inout PlanningInput,
        chosen: inout Set<ExternalPurchaseId>,
        random: inout SplitMix64
    ) {
        for index in universe.tokens.indices {
            let id = universe.tokens[index].id
            guard let answer = plan.tokens[id] else { continue }
            if answer.isChosen {
                universe.tokens[index].wasChosen = true
                universe.tokens[index].customerId = answer.customerId
                chosen.insert(id)
            }
            guard Int.random(in: 0..<3, using: &random) == 0, let status = answer.status else { continue }
            // E8: no token-only report follows a report with items.
            #expect(status == .lineItem || !universe.tokens[index].reported.contains(.lineItem))
            // E37.
            #expect(status != .duplicateToken || universe.tokens[index].token.family == .customLink)
            guard case .lineItems(let ready, _) = answer.report else {
                universe.tokens[index].reported.insert(status)
                continue
            }
            if !ready.isEmpty { universe.tokens[index].reported.insert(status) }
            for sale in universe.sales.indices where ready.contains(universe.sales[sale].sale.saleId) {
                let saleId = universe.sales[sale].sale.saleId
                if let chargeback = universe.sales[sale].sale.reversedChargeback {
                    for other in universe.sales.indices where universe.sales[other].sale.saleId == chargeback {
                        universe.sales[other].report?.state = .retracted
                    }
                }
                universe.sales[sale].report = ItemReport(
                    externalPurchaseId: id,
                    state: .accepted,
                    figures: plan.sales[saleId]?.moment.map { moment in
                        SubscriptionFigures(
                            event: moment.event,
                            start: moment.start.map { LineItemId($0.rawValue) },
                            daysOfPaidService: moment.daysOfPaidService
                        )
                    }
                )
            }
        }
    }

    @Test("A plan of many customers takes processor time in proportion")
    func manyCustomers() {
        func universe(_ customers: Int) -> PlanningInput {
            var universe = PlanningInput()
            for number in 0..<customers {
                let customer = CustomerId("c\(number)")
                universe.tokens.append(
                    Samples.token(ExternalPurchaseId("a\(number)"), .acquisition, from: 0, to: 180, customer: customer)
                )
                universe.tokens.append(
                    Samples.token(ExternalPurchaseId("s\(number)"), .services, from: 20, to: 385, customer: customer)
                )
                universe.sales.append(
                    SaleRecord(
                        sequence: Int64(number + 1),
                        sale: Samples.sale(
                            SaleId("x\(number)"),
                            at: Samples.day(30),
                            customer: customer,
                            .purchase(Samples.euros(12))
                        )
                    )
                )
            }
            return universe
        }
        func seconds(_ customers: Int) -> Double {
            let universe = universe(customers)
            // The time of this thread, since other work shares the machine.
            func processorTime() -> Double {
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }
            let start = processorTime()
            #expect(Self.plan(universe).sales.count == customers)
            return processorTime() - start
        }
        let small = (0..<3).map { _ in seconds(500) }.min() ?? 0
        let large = (0..<3).map { _ in seconds(4_000) }.min() ?? 0
        // Eight times the customers; a quadratic plan would take 64 times as long.
        #expect(large < small * 32, "\(small) s and \(large) s")
    }
}
