// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import Ledger
import ReportValidation
import Testing

@testable import Reporting

/// Tokens and sales arrive, reports are planned, and the report rules, which share no code with the planners, validate
/// each one.
struct ValidatedStory {
    var generator: UniverseGenerator
    var universe = PlanningInput()
    /// Apple's memory, by environment (SA-90).
    var histories: [AppStoreEnvironment: AcceptedHistory] = [.production: .init(), .sandbox: .init()]
    var accepted: [LineItemId: AcceptedVersion] = [:]
    var reports = 0
    var items = 0
    var corrections = 0

    init(seed: UInt64) {
        generator = UniverseGenerator(seed: seed, isWild: seed % 2 == 0)
    }

    mutating func arrive(_ sequence: Int) {
        if Int.random(in: 0..<3, using: &generator.random) == 0 {
            universe.tokens.append(generator.token(answered: false))
        } else {
            let sale = generator.sale(tokens: universe.tokens, earlier: universe.sales.map(\.sale))
            universe.sales.append(SaleRecord(sequence: Int64(sequence), sale: sale))
        }
    }

    /// Sends what one in `oneIn` tokens calls for, and returns what Apple's rules find wrong.
    mutating func send(oneIn: Int) -> [String] {
        let plan = AttributionPlanner().plan(universe, now: Samples.now)
        var faults: [String] = []
        for index in universe.tokens.indices {
            let token = universe.tokens[index]
            guard let answer = plan.tokens[token.id], Int.random(in: 0..<oneIn, using: &generator.random) == 0 else {
                continue
            }
            var content: Report.Content?
            var sent: [SaleId] = []
            switch answer.report {
            case .nothing: continue
            case .status(let status): content = .status(status)
            case .lineItems(let ready, _):
                let outcome = LineItemPlanner().items(
                    of: ready,
                    among: universe.sales,
                    accepted: accepted,
                    moments: plan.sales.compactMapValues(\.moment)
                )
                faults += outcome.unbuildable.map { "\($0.key) is ready and has no item: \($0.value)" }
                sent = ready
                content = outcome.items.isEmpty ? nil : .lineItems(outcome.items)
            }
            guard let content else { continue }
            reports += 1
            let report = Report(
                requestIdentifier: identifier,
                externalPurchaseId: token.id,
                content: content
            ).asReceived
            faults += validate(report, of: token)
            accept(report, of: index, sales: sent, plan: plan)
        }
        return faults
    }

    /// Restates the accepted charges of one subscription after another whose figures are others by what is known now.
    ///
    /// - Returns: what stands against it.
    mutating func correct() -> [String] {
        var faults: [String] = []
        for environment in [AppStoreEnvironment.production, .sandbox] {
            for subscription in ["sub1", "sub2"] as [SubscriptionId] {
                faults += correct(subscription, in: environment)
            }
        }
        return faults
    }

    private mutating func correct(_ subscription: SubscriptionId, in environment: AppStoreEnvironment) -> [String] {
        let plan = AttributionPlanner().plan(universe, now: Samples.now)
        var requests: [CorrectionRequest] = []
        var starts: Set<SaleId> = []
        var becomeStarts: Set<SaleId> = []
        for record in universe.sales {
            guard record.sale.subscriptionId == subscription, let report = record.report, report.state == .accepted,
                report.externalPurchaseId.environment == environment,
                let revision = plan.sales[record.sale.saleId]?.revision
            else { continue }
            if let start = revision.start { starts.insert(start) } else { becomeStarts.insert(record.sale.saleId) }
            requests.append(
                .restate(
                    record.lineItemId,
                    CorrectedFields { fields in
                        fields.subscriptionEvent = revision.right.event
                        fields.reference = revision.right.start
                        fields.daysOfPaidService = revision.right.daysOfPaidService
                    }
                )
            )
        }
        guard !requests.isEmpty else { return [] }
        for start in starts.subtracting(becomeStarts) {
            let report = universe.sales.first { $0.sale.saleId == start }?.report
            if report?.event != .start { return [] }
        }
        let tokens = universe.tokens.filter { $0.token.environment == environment }.map { ($0.id, known($0)) }
        let items = accepted.filter { $0.value.externalPurchaseId.environment == environment }
            .mapValues { AcceptedLineItem(item: $0.item, externalPurchaseId: $0.externalPurchaseId) }
        let correction = CorrectionPlanner().plan(
            requests,
            history: CorrectionHistory(items: items, tokens: Dictionary(uniqueKeysWithValues: tokens)),
            now: Samples.now
        )
        var faults = correction.refusals.map(\.reason)
        for step in correction.reports {
            reports += 1
            corrections += 1
            let index = universe.tokens.firstIndex { $0.id == step.externalPurchaseId }!
            let report = step.report(identifier).asReceived
            faults += validate(report, of: universe.tokens[index])
            accept(report, of: index, sales: [], plan: plan)
        }
        return faults
    }

    private var identifier: RequestIdentifier {
        let number = String(reports)
        return RequestIdentifier(
            "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.count) + number
        )!
    }

    private func validate(_ report: ReceivedReport, of token: TokenRecord) -> [String] {
        let slice = histories[token.token.environment]!.slice(for: HistoryNeeds(of: report), token: known(token))
        return ReportValidator().validate(report, history: slice, now: Samples.now).map { "\($0) on \(token.id)" }
    }

    private func known(_ token: TokenRecord) -> KnownToken {
        KnownToken(
            creationDate: token.token.tokenCreationDate,
            tokenType: token.token.tokenType,
            expirationDate: token.token.tokenExpirationDate
        )
    }

    private mutating func accept(
        _ report: ReceivedReport,
        of token: Int,
        sales sent: [SaleId],
        plan: AttributionPlan
    ) {
        let id = universe.tokens[token].id
        histories[universe.tokens[token].token.environment]!.accept(report)
        universe.tokens[token].reported.insert(report.status!)
        for item in report.lineItems ?? [] {
            accepted[item.lineItemId!] = AcceptedVersion(item: item, externalPurchaseId: id)
            items += 1
        }
        for index in universe.sales.indices {
            let sale = universe.sales[index]
            if let version = accepted[sale.lineItemId] {
                universe.sales[index].report = ItemReport(
                    externalPurchaseId: version.externalPurchaseId,
                    state: version.item.erroneouslySubmitted == true ? .retracted : .accepted,
                    figures: SubscriptionFigures(version.item)
                )
            } else if sent.contains(sale.sale.saleId) {
                universe.sales[index].report = ItemReport(externalPurchaseId: id, state: .written)
            }
        }
    }
}

@Suite("Planned reports pass validation")
struct ValidatedStoryTests {
    @Test(
        "Whatever arrives in whatever order, no report breaks a rule, and corrections bring every charge's figures right",
        arguments: UInt64(0)..<20
    )
    func stories(_ block: UInt64) {
        var items = 0
        var corrections = 0
        for seed in block * 20..<(block + 1) * 20 {
            var story = ValidatedStory(seed: seed)
            for step in 1...24 {
                story.arrive(step)
                let faults = story.send(oneIn: 4)
                #expect(faults.isEmpty, "seed \(seed), step \(step): \(faults)")
                guard step % 3 == 0 else { continue }
                let refused = story.correct()
                #expect(refused.isEmpty, "seed \(seed), step \(step), correction: \(refused)")
            }
            // Nothing ready is left behind: what waited for a start or a correction goes in the round after it.
            for _ in 0..<6 {
                let faults = story.send(oneIn: 1) + story.correct()
                #expect(faults.isEmpty, "seed \(seed), at the end: \(faults)")
            }
            let plan = AttributionPlanner().plan(story.universe, now: Samples.now)
            #expect(plan.tokens.values.allSatisfy { $0.report == .nothing }, "seed \(seed)")
            #expect(plan.sales.values.allSatisfy { $0.revision == nil }, "seed \(seed)")
            items += story.items
            corrections += story.corrections
        }
        #expect(items > 50)
        if block == 0 { #expect(corrections > 0) }
    }
}
