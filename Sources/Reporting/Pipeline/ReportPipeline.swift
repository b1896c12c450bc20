import AppStoreAPI
import ExternalPurchaseCore
import Ledger
import Logging
import Obligations
import ReportPlanning
import ReportRules

/// The main path of the merchant's side, from sales in the ledger to Apple's answer in the ledger.
///
/// ```
/// held sales ─attribute▶ planned sales ─plan▶ token ─write▶ report ─send / ask▶ answer ─record▶ accepted, or a reason
/// ```
///
/// At a token's due date, or when Apple asks, `write` also answers a token without sales.
///
/// Stages hand over through the ledger, so that whatever stops in between goes on where it was committed:
///
/// - ``attribute()``: sales that waited for a token get it (RR-66).
/// - ``plan(_:limit:)``: the tokens whose sales no report holds (SA-74).
/// - ``write(_:in:isAsked:)``: line items, pre-flight and outbox entry in one transaction.
/// - ``deliver(_:)``: a report that surely is not at Apple is sent; one of unknown fate is asked for first (SA-71).
struct ReportPipeline: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let surroundings: Surroundings
    let dueRules: DueRules
    let logger: Logger

    /// What has to happen after a delivery.
    enum Delivery: Hashable, Sendable {
        /// Accepted, or waiting for a person.
        case settled
        /// This report waits; others go on.
        case waits(mostSeconds: Int64)
        /// All reports of the app and environment wait, until a moment if Apple named one (SA-82).
        case queueWaits(until: Timestamp?)
        /// The key is refused: nothing of the app is sent any more (SA-73).
        case unauthorized
    }

    private var planner: MerchantPlanner { MerchantPlanner(settings: settings) }

    // MARK: Attribute

    /// Plans held sales anew by what the ledger knows now, each with all that belongs to it.
    func attribute() async throws(LedgerError) {
        let (planner, now) = (planner, surroundings.now())
        let page = 100
        var last: Int64? = 0
        while let after = last {
            last = try await store.write { ledger throws(LedgerError) in
                let held = try ledger.heldSales(LedgerPage(after: after, limit: page))
                var planned: Set<SaleId> = []
                for sale in held where !planned.contains(sale.sale.saleId) {
                    let keys = [.sale(sale.sale.saleId)] + sale.sale.keys
                    let plan = try planner.replan(touching: keys, of: sale.sale.bundleId, in: ledger, now: now).plan
                    planned.formUnion(plan.sales.keys)
                }
                return held.count == page ? held.last?.sequence : nil
            }
        }
    }

    // MARK: Plan and write

    /// The tokens whose sales have waited longest, after `send.delay` (RR-72); suspicious ones not before their time
    /// (TK-75).
    func plan(_ scope: ReportingScope, limit: Int) async throws(LedgerError) -> [ExternalPurchaseId] {
        let now = surroundings.now()
        let madeUntil = now.advanced(byMilliseconds: settings.rules.clockSkew)
        // Without a delay nothing rests, also not what arrived while the clock was ahead.
        let soldUntil =
            settings.sendDelay > 0
            ? now.advanced(byMilliseconds: -settings.sendDelay) : Timestamp(milliseconds: .max)
        return try await store.read { ledger throws(LedgerError) in
            try ledger.tokensToReport(in: scope, madeUntil: madeUntil, soldUntil: soldUntil, limit: limit)
        }
    }

    /// Writes the next report that a token calls for; plan, pre-flight and outbox entry are one transaction, so that no
    /// verdict is older than the history that it judged.
    ///
    /// - Parameter isAsked: true at the token's due date or when Apple asks; without it a report has line items.
    /// - Returns: the report, held for a person when the pre-flight refused it; nil when nothing is left to report.
    func write(
        _ token: ExternalPurchaseId,
        in scope: ReportingScope,
        isAsked: Bool = false
    ) async throws(LedgerError) -> StoredReport? {
        let (planner, now) = (planner, surroundings.now())
        let requestIdentifier = RequestIdentifier(surroundings.uuid())
        return try await store.write { ledger throws(LedgerError) in
            // One report of a token at a time (SA-74); whatever became of the open one comes first.
            let reports = try ledger.reports(on: token, of: scope.bundleId)
            guard reports.allSatisfy({ $0.state == .accepted }) else { return nil }
            let keys: [PlanningKey] = [.token(token)]
            let planned = try planner.replan(touching: keys, of: scope.bundleId, in: ledger, now: now)
            guard let tokenPlan = planned.plan.tokens[token], (tokenPlan.notBefore ?? now) <= now else { return nil }
            switch tokenPlan.answer {
            case .lineItems(let ready, _):
                let id = requestIdentifier
                if let report = try write(ready, on: token, as: id, by: planned, in: scope, now: now, ledger: ledger) {
                    return report
                }
                return nil
            case .status(let status) where isAsked:
                guard status != .lineItem else { return nil }
                let report = Report(
                    requestIdentifier: requestIdentifier,
                    externalPurchaseId: token,
                    content: .status(status)
                )
                return try keep(report, status: status, holding: [], in: scope, now: now, ledger: ledger)
            case .status, .nothing:
                return nil
            }
        }
    }

    /// A report of as many of the sales as fit.
    private func write(
        _ ready: [SaleId],
        on token: ExternalPurchaseId,
        as requestIdentifier: RequestIdentifier,
        by planned: MerchantPlanner.Planned,
        in scope: ReportingScope,
        now: Timestamp,
        ledger: any LedgerTransaction
    ) throws(LedgerError) -> StoredReport? {
        let lineItems = LineItemPlanner(foreignCurrency: settings.foreignCurrency)
        let moments = planned.plan.sales.compactMapValues(\.moment)
        let accepted = planned.part.accepted[scope.environment] ?? [:]
        var wanted: [SaleId] = []
        for id in ready {
            // What was planned may have been refused a line item before.
            guard let sale = try ledger.sale(id, of: scope.bundleId), sale.standing == .planned else { continue }
            wanted.append(id)
        }
        wanted = Array(wanted.prefix(settings.limits.lineItems))
        while !wanted.isEmpty {
            let outcome = lineItems.items(
                of: wanted,
                among: planned.part.universe.sales,
                accepted: accepted,
                moments: moments
            )
            if !outcome.unbuildable.isEmpty {
                for id in wanted where outcome.unbuildable[id] != nil {
                    guard let sale = try ledger.sale(id, of: scope.bundleId) else { continue }
                    var attribution = sale.attribution
                    attribution.state = .held
                    attribution.flags.insert(outcome.unbuildable[id] == .moneyUnknown ? .notConvertible : .buyHeld)
                    try ledger.update(attribution, of: id, app: scope.bundleId)
                }
                wanted.removeAll { outcome.unbuildable[$0] != nil }
                continue
            }
            let report = Report(
                requestIdentifier: requestIdentifier,
                externalPurchaseId: token,
                content: .lineItems(outcome.items)
            )
            if report.body.count > settings.limits.bodyBytes, wanted.count > 1 {
                wanted.removeLast(wanted.count / 2)
                continue
            }
            return try keep(report, status: .lineItem, holding: wanted, in: scope, now: now, ledger: ledger)
        }
        return nil
    }

    /// Pre-flight and outbox entry.
    private func keep(
        _ report: Report,
        status: ReportStatus,
        holding sales: [SaleId],
        in scope: ReportingScope,
        now: Timestamp,
        ledger: any LedgerTransaction
    ) throws(LedgerError) -> StoredReport {
        var stored = StoredReport(
            scope: scope,
            requestIdentifier: report.requestIdentifier,
            externalPurchaseId: report.externalPurchaseId,
            status: status,
            body: report.body,
            writtenAt: now
        )
        var held: [StoredSale] = []
        for id in sales {
            if let sale = try ledger.sale(id, of: scope.bundleId) { held.append(sale) }
        }
        stored.errors = try preflight(stored, sales: held, in: ledger)
        if !stored.errors.isEmpty { stored.state = .needsAttention }
        let kept = try ledger.insert(stored, holding: sales)
        if !kept.errors.isEmpty { try openAttention(kept, in: ledger) }
        return kept
    }

    private func openAttention(
        _ report: StoredReport,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) {
        let errors = report.errors.map { "\($0.error.errorCode) \($0.error.fieldName ?? "")" }
        let who = report.errors.contains(where: \.isLocal) ? "the pre-flight" : "Apple"
        _ = try ledger.open(
            AttentionItem(
                bundleId: report.scope.bundleId,
                kind: .reportRefused,
                subject: .report(report.requestIdentifier),
                detail: "\(who) refused the report of token \(report.externalPurchaseId): "
                    + (errors.isEmpty
                        ? report.answer?.conclusion ?? "no reason given" : errors.joined(separator: ", ")),
                openedAt: surroundings.now()
            )
        )
    }

    /// Judges the very bytes that would be sent by the merchant's own copy of the accepted history (SA-75).
    private func preflight(
        _ report: StoredReport,
        sales: [StoredSale],
        in ledger: any LedgerReading
    ) throws(LedgerError) -> [AttributedReportError] {
        guard settings.isPreflightOn else { return [] }
        let received: ReceivedReport
        do {
            received = try ReceivedReport.read(report.body, limits: settings.limits)
        } catch {
            throw .failed("a report of our own is malformed: \(error)")
        }
        let history = try ledger.history(for: received, in: report.scope)
        return ReportJudge(settings: settings.rules).judge(received, history: history, now: surroundings.now())
            .map { $0.attributed(to: sales, isLocal: true) }
    }

    // MARK: Deliver

    /// Brings an open report one step further: PUT what is surely not at Apple, else GET first (SA-71).
    func deliver(_ report: StoredReport) async throws(LedgerError) -> Delivery {
        switch report.state {
        case .written:
            return try await send(report)
        case .sending, .unknown:
            return try await ask(report)
        case .needsAttention:
            let errors = report.errors.map { error in
                let sale = error.saleId.map { " of sale \($0)" } ?? ""
                return "\(error.error.errorCode) \(error.error.fieldName ?? "")\(sale)"
            }
            logger.error(
                "the pre-flight holds a report; later sales of its token wait behind it",
                metadata: report.metadata.merging(["errors": "\(errors.joined(separator: ", "))"]) { $1 }
            )
            return .settled
        case .accepted:
            return .settled
        }
    }

    private func send(_ report: StoredReport) async throws(LedgerError) -> Delivery {
        guard let client = apps[report.scope.bundleId]?.client else { return .waits(mostSeconds: 300) }
        var report = report
        report.state = .sending
        report.attempts += 1
        report = try await record(report)
        var answered = await client.send(report.body, environment: report.scope.environment)
        if answered.answer == .unauthorized {
            // The client makes a new JWT for every request; one that was just refused may have been too old.
            answered = await client.send(report.body, environment: report.scope.environment)
        }
        let (status, body) = (answered.status, answered.body)
        func conclude(_ state: ReportState, _ conclusion: String) -> StoredReport {
            report.concluding(state, status: status, body: body, at: surroundings.now(), conclusion)
        }
        switch answered.answer {
        case .accepted:
            return try await accept(conclude(.accepted, "accepted"))
        case .rejected(let errors) where errors.contains { $0.errorCode == .simultaneousSubmission }:
            try await record(conclude(.written, "another report of the same data is in process"))
            return .waits(mostSeconds: 60)
        case .rejected(let errors) where errors.contains { $0.isUsedRequestIdentifier }:
            let unknown = try await record(conclude(.unknown, "the request identifier is used: asking for the report"))
            return try await ask(unknown, ifMissing: .hold(errors))
        case .rejected(let errors):
            let isUnknownToken = errors.contains { $0.isUnknownToken }
            let conclusion =
                isUnknownToken ? "Apple does not know the token: check app and environment" : "refused by Apple"
            return try await hold(conclude(.needsAttention, conclusion), errors, tokenIsUnknown: isUnknownToken)
        case .refusedWithoutErrors:
            let unknown = try await record(conclude(.unknown, "refused without errors: asking for the report"))
            return try await ask(unknown, ifMissing: .hold([]))
        case .unauthorized:
            try await record(conclude(.written, "the key was refused twice"))
            return .unauthorized
        case .rateLimited(let until):
            try await record(conclude(.written, "too many requests"))
            return .queueWaits(until: until)
        case .serverError(let status):
            try await record(conclude(.unknown, "Apple answered \(status)"))
            return .queueWaits(until: nil)
        case .noAnswer(let reason):
            try await record(conclude(.unknown, "no answer: \(reason)"))
            return .queueWaits(until: nil)
        }
    }

    /// What a report that Apple does not have means.
    private enum Missing {
        /// It never arrived.
        case sendAgain
        /// It arrived and was refused: sending the same bytes again would be blind.
        case hold([ReportError])
    }

    private func ask(_ report: StoredReport, ifMissing: Missing = .sendAgain) async throws(LedgerError) -> Delivery {
        guard let client = apps[report.scope.bundleId]?.client else { return .waits(mostSeconds: 300) }
        let answered = await client.retrieve(report.requestIdentifier, environment: report.scope.environment)
        let (status, body) = (answered.status, answered.body)
        func conclude(_ state: ReportState, _ conclusion: String) -> StoredReport {
            report.concluding(state, status: status, body: body, at: surroundings.now(), conclusion)
        }
        switch answered.answer {
        case .found(let found):
            if let sent = try? ReceivedReport.read(report.body, limits: settings.limits), found.isEqual(to: sent) {
                return try await accept(conclude(.accepted, "accepted earlier, as Apple's copy shows"))
            }
            let conclusion = "Apple has another report under this request identifier"
            return try await hold(conclude(.needsAttention, conclusion), [], tokenIsUnknown: false)
        case .notFound:
            switch ifMissing {
            case .sendAgain:
                return try await send(conclude(.written, "Apple does not have it: sending it again"))
            case .hold(let errors):
                // The answer to the PUT is the evidence, not that to the question.
                var held = report
                held.state = .needsAttention
                held.changedAt = surroundings.now()
                return try await hold(held, errors, tokenIsUnknown: false)
            }
        case .refused:
            try await record(conclude(.unknown, "the question for the report was refused"))
            return .waits(mostSeconds: 300)
        case .unauthorized:
            let again = await client.retrieve(report.requestIdentifier, environment: report.scope.environment)
            guard again.answer == .unauthorized else { return .waits(mostSeconds: 1) }
            try await record(conclude(.unknown, "the key was refused twice"))
            return .unauthorized
        case .rateLimited(let until):
            try await record(conclude(.unknown, "too many requests"))
            return .queueWaits(until: until)
        case .serverError(let status):
            try await record(conclude(.unknown, "Apple answered \(status) to the question for the report"))
            return .queueWaits(until: nil)
        case .noAnswer(let reason):
            try await record(conclude(.unknown, "no answer to the question for the report: \(reason)"))
            return .queueWaits(until: nil)
        }
    }

    // MARK: Record

    @discardableResult
    private func record(_ report: StoredReport) async throws(LedgerError) -> StoredReport {
        try await store.write { ledger throws(LedgerError) in
            try ledger.update(report, accepting: [])
            return report
        }
    }

    /// Answer, accepted items and the token's confirmation in one transaction (SA-73).
    private func accept(_ report: StoredReport) async throws(LedgerError) -> Delivery {
        let items: [ReceivedLineItem]
        do {
            items = try ReceivedReport.read(report.body, limits: settings.limits).lineItems ?? []
        } catch {
            throw .corrupt("the bytes of report \(report.requestIdentifier) cannot be read: \(error)")
        }
        try await store.write { ledger throws(LedgerError) in
            var report = report
            report.errors = []
            try ledger.update(report, accepting: items)
            try mark(report, .confirmed, in: ledger)
            // Events of a subscription on other tokens may have waited for its start.
            let keys: [PlanningKey] = [.token(report.externalPurchaseId)]
            try planner.replan(touching: keys, of: report.scope.bundleId, in: ledger, now: surroundings.now())
            try closeCorrection(of: report, by: planner, in: ledger)
        }
        logger.info("report accepted", metadata: report.metadata)
        return .settled
    }

    private func hold(
        _ report: StoredReport,
        _ errors: [ReportError],
        tokenIsUnknown: Bool
    ) async throws(LedgerError) -> Delivery {
        try await store.write { ledger throws(LedgerError) in
            var report = report
            let sales = try ledger.sales(in: report.requestIdentifier, of: report.scope)
            report.errors = errors.map { $0.attributed(to: sales, isLocal: false) }
            try ledger.update(report, accepting: [])
            try openAttention(report, in: ledger)
            if tokenIsUnknown { try mark(report, .unknownToApple, in: ledger) }
        }
        logger.error("report needs attention", metadata: report.metadata)
        return .settled
    }

    private func mark(
        _ report: StoredReport,
        _ state: TokenState,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) {
        guard var token = try ledger.token(report.externalPurchaseId, of: report.scope.bundleId) else { return }
        guard token.state != state else { return }
        token.state = state
        try ledger.update(token)
    }
}

extension StoredReport {
    fileprivate func concluding(
        _ state: ReportState,
        status: Int?,
        body: [UInt8],
        at time: Timestamp,
        _ conclusion: String
    ) -> StoredReport {
        var report = self
        report.state = state
        report.changedAt = time
        report.answer = ReportAnswer(status: status, body: body, receivedAt: time, conclusion: conclusion)
        return report
    }

    /// No token, customer or sale: those are personal data (TK-77).
    fileprivate var metadata: Logger.Metadata {
        [
            "report": "\(requestIdentifier)", "app": "\(scope.bundleId)",
            "environment": "\(scope.environment.rawValue)", "answer": "\(answer?.conclusion ?? "")",
        ]
    }
}
