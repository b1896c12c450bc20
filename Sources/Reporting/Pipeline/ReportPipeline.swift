import AppStoreAPI
import ExternalPurchaseCore
import Ledger
import Logging
import ReportRules

/// The main path of the merchant's side, from sales in the ledger to Apple's answer in the ledger.
///
/// ```
/// held sales ─attribute▶ planned sales ─plan▶ token ─write▶ report ─send / ask▶ answer ─record▶ accepted, or a reason
/// ```
///
/// Stages hand over through the ledger, so that whatever stops in between goes on where it was committed:
///
/// - ``attribute()``: sales that waited for a token get it (RR-66).
/// - ``plan(_:)``: the next token whose sales no report holds (SA-74).
/// - ``write(_:in:)``: line items, pre-flight and outbox entry in one transaction.
/// - ``deliver(_:)``: a report that surely is not at Apple is sent; one of unknown fate is asked for first (SA-71).
struct ReportPipeline: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let surroundings: Surroundings
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

    // MARK: Attribute

    /// Attributes held sales by what the ledger knows now.
    func attribute() async throws(LedgerError) {
        let page = 100
        var last: Int64? = 0
        while let after = last {
            last = try await store.write { ledger throws(LedgerError) in
                let held = try ledger.heldSales(LedgerPage(after: after, limit: page))
                for sale in held {
                    let attribution = try SaleAttribution().attribute(sale.sale, in: ledger)
                    if attribution == sale.attribution || sale.attribution.flags.contains(.notConvertible) { continue }
                    try ledger.update(attribution, of: sale.sale.saleId, app: sale.sale.bundleId)
                }
                return held.count == page ? held.last?.sequence : nil
            }
        }
    }

    // MARK: Plan and write

    /// The token whose sales have waited longest, after `send.delay` (RR-72); a suspicious one not before its time (TK-75).
    func plan(_ scope: ReportingScope) async throws(LedgerError) -> ExternalPurchaseId? {
        let now = surroundings.now()
        let madeUntil = now.advanced(byMilliseconds: settings.rules.clockSkew)
        let soldUntil = now.advanced(byMilliseconds: -settings.sendDelay)
        return try await store.read { ledger throws(LedgerError) in
            try ledger.tokensToReport(in: scope, madeUntil: madeUntil, soldUntil: soldUntil, limit: 1).first
        }
    }

    /// Writes the next report of a token; pre-flight and outbox entry are one transaction, so that no verdict is older
    /// than the history that it judged.
    ///
    /// - Returns: the report, held for a person when the pre-flight refused it; nil when nothing is left to report.
    func write(
        _ token: ExternalPurchaseId,
        in scope: ReportingScope
    ) async throws(LedgerError) -> StoredReport? {
        let now = surroundings.now()
        let requestIdentifier = RequestIdentifier(surroundings.uuid())
        return try await store.write { ledger throws(LedgerError) in
            var sales = try ledger.plannedSales(on: token, of: scope.bundleId, limit: settings.limits.lineItems)
            let builder = LineItemBuilder(foreignCurrency: settings.foreignCurrency)
            while !sales.isEmpty {
                let (items, unbuildable) = try builder.items(of: sales, in: ledger, scope: scope)
                if !unbuildable.isEmpty {
                    for sale in sales where unbuildable.contains(sale.sale.saleId) {
                        var attribution = sale.attribution
                        attribution.state = .held
                        attribution.flags.insert(.notConvertible)
                        try ledger.update(attribution, of: sale.sale.saleId, app: scope.bundleId)
                    }
                    sales.removeAll { unbuildable.contains($0.sale.saleId) }
                    continue
                }
                let report = Report(
                    requestIdentifier: requestIdentifier,
                    externalPurchaseId: token,
                    content: .lineItems(items)
                )
                let body = report.body
                if body.count > settings.limits.bodyBytes, sales.count > 1 {
                    sales.removeLast(sales.count / 2)
                    continue
                }
                var stored = StoredReport(
                    scope: scope,
                    requestIdentifier: requestIdentifier,
                    externalPurchaseId: token,
                    status: .lineItem,
                    body: body,
                    writtenAt: now
                )
                stored.errors = try preflight(stored, sales: sales, in: ledger)
                if !stored.errors.isEmpty { stored.state = .needsAttention }
                return try ledger.insert(stored, holding: sales.map(\.sale.saleId))
            }
            return nil
        }
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
