import ExternalPurchaseCore
import Ledger
import Logging
import ReportPlanning

/// The stage `write`: plans a token, builds its line items, validates the report and puts it into the outbox, all in one
/// transaction, so that no verdict is older than the history that it rests on.
struct ReportWriter: Sendable {
    let store: any LedgerStore
    let planner: MerchantPlanner
    let preflight: ReportPreflight
    let refusals: RefusedReports
    let dependencies: ReportingDependencies
    let logger: Logger

    /// What came of writing reports of several tokens.
    struct Written: Sendable {
        /// Committed as being sent: before they are, nobody else touches them.
        var reports: [StoredReport] = []
        /// Tokens without such a report.
        var idle: [ExternalPurchaseId] = []
        /// Those among them that Apple still has no report of.
        var unanswered: [ExternalPurchaseId] = []
        /// Reports that the pre-flight refused.
        fileprivate var refused: [StoredReport] = []
    }

    /// What the reports of one transaction have in common.
    private struct Turn {
        let scope: ReportingScope
        let isAsked: Bool
        let isDue: Bool
        let now: Timestamp
        let ledger: any LedgerTransaction
    }

    /// A report while it is written.
    private struct Draft {
        let token: ExternalPurchaseId
        let requestIdentifier: RequestIdentifier
        let planned: MerchantPlanner.Planned

        func report(_ content: Report.Content) -> Report {
            Report(requestIdentifier: requestIdentifier, externalPurchaseId: token, content: content)
        }
    }

    private var settings: ReportingSettings { planner.settings }

    /// Writes the next report that each of some tokens calls for.
    ///
    /// The reports are committed as being sent, which saves a commit each: after a stop in between Apple is asked for
    /// them, in vain (SA-71).
    ///
    /// - Parameters:
    ///   - isAsked: true at the tokens' due date or when Apple asks; without it a report has line items.
    ///   - isDue: true when nobody asks but the due date: what a person closed stays unanswered then.
    func write(
        _ tokens: [ExternalPurchaseId],
        in scope: ReportingScope,
        isAsked: Bool,
        isDue: Bool
    ) async throws(LedgerError) -> Written {
        let now = dependencies.now()
        // The very time by which a token is answered; an answer cannot be taken back.
        if let doubt = dependencies.clockDoubt() { throw .failed("\(doubt)") }
        let written = try await store.write { ledger throws(LedgerError) in
            let turn = Turn(scope: scope, isAsked: isAsked, isDue: isDue, now: now, ledger: ledger)
            var written = Written()
            for token in tokens { try writeReport(of: token, turn, &written) }
            return written
        }
        for report in written.refused { warn(of: report) }
        return written
    }

    /// Writes reports of a token until one can be sent or nothing is left to report.
    private func writeReport(
        of token: ExternalPurchaseId,
        _ turn: Turn,
        _ written: inout Written
    ) throws(LedgerError) {
        let (ledger, bundleId) = (turn.ledger, turn.scope.bundleId)
        let flags = try ledger.token(token, of: bundleId)?.flags ?? []
        let isClosed = turn.isDue && flags.contains(.reportRefused)
        var report: StoredReport?
        repeat {
            // What the pre-flight took out of a report is held; the others go at once.
            if let report { written.refused.append(report) }
            report = try nextReport(of: token, isAsked: turn.isAsked && !isClosed, turn)
        } while report?.state == .withdrawn
        if let report, report.state == .sending {
            written.reports.append(report)
            return
        }
        if let report { written.refused.append(report) }
        written.idle.append(token)
        let stored = try ledger.token(token, of: bundleId)
        if let stored, stored.reportedAt == nil, stored.state != .unknownToApple, !isClosed {
            written.unanswered.append(token)
        }
    }

    /// Plans a token and writes the next report that it calls for.
    ///
    /// - Returns: the report, held for a person when the pre-flight refused it; nil when nothing is left to report.
    private func nextReport(
        of token: ExternalPurchaseId,
        isAsked: Bool,
        _ turn: Turn
    ) throws(LedgerError) -> StoredReport? {
        let (ledger, now, bundleId) = (turn.ledger, turn.now, turn.scope.bundleId)
        let requestIdentifier = RequestIdentifier(dependencies.uuid())
        // One report of a token at a time (SA-74); whatever became of the open one comes first. Planning may withdraw one,
        // and may write that of a correction.
        func hasOpenReport() throws(LedgerError) -> Bool {
            try ledger.reportSummary(of: token, app: bundleId).hasOpenReport
        }
        if try hasOpenReport() { return nil }
        let planned = try planner.replan(
            touching: [.token(token)],
            of: bundleId,
            extent: .pending,
            in: ledger,
            now: now
        )
        guard let tokenPlan = planned.plan.tokens[token], (tokenPlan.notBefore ?? now) <= now,
            try !hasOpenReport()
        else { return nil }
        let draft = Draft(token: token, requestIdentifier: requestIdentifier, planned: planned)
        switch tokenPlan.answer {
        case .lineItems(let ready, _):
            return try lineItemReport(of: ready, draft, turn)
        case .status(let status) where isAsked:
            guard status != .lineItem else { return nil }
            return try putIntoOutbox(draft.report(.status(status)), status: status, holding: [], turn)
        case .status, .nothing:
            return nil
        }
    }

    // MARK: Line items

    /// A report of as many of the sales as fit; what was refused once must not hold back what was not.
    private func lineItemReport(
        of ready: [SaleId],
        _ draft: Draft,
        _ turn: Turn
    ) throws(LedgerError) -> StoredReport? {
        var sales: [StoredSale] = []
        for id in ready {
            // What was planned may have been refused a line item before.
            guard let sale = try turn.ledger.sale(id, of: turn.scope.bundleId), sale.standing == .planned else {
                continue
            }
            sales.append(sale)
        }
        let apart = sales.filter { $0.attribution.flags.contains(.sentApart) }
        // The lines of an order go out together, whichever of them was refused.
        let orders = Set(apart.compactMap(\.partOf))
        let isRetried = { (sale: StoredSale) in
            sale.attribution.flags.contains(.sentApart) || sale.partOf.map(orders.contains) == true
        }
        let retried = sales.filter(isRetried).map(\.sale.saleId)
        let others = sales.filter { !isRetried($0) }.map(\.sale.saleId)
        for group in [retried, others] {
            if let report = try fittingReport(of: group, draft, turn) { return report }
        }
        return nil
    }

    /// A report of the first sales of a group that can be built and that fit into one report.
    private func fittingReport(
        of group: [SaleId],
        _ draft: Draft,
        _ turn: Turn
    ) throws(LedgerError) -> StoredReport? {
        let (planned, limits) = (draft.planned, settings.limits)
        let lineItems = LineItemPlanner(foreignCurrency: settings.foreignCurrency)
        let moments = planned.plan.sales.compactMapValues(\.moment)
        let accepted = planned.part.accepted[turn.scope.environment] ?? [:]
        let wholes = planned.part.sales.compactMapValues(\.partOf)
        var wanted = group.prefix(limits.lineItems, keepingTogether: wholes)
        while !wanted.isEmpty {
            let built = lineItems.items(
                of: wanted,
                among: planned.part.universe.sales,
                accepted: accepted,
                moments: moments
            )
            if !built.unbuildable.isEmpty {
                let held = try holdUnbuildable(built.unbuildable, of: wanted, wholes, turn)
                wanted.removeAll(where: held.contains)
                continue
            }
            let report = draft.report(.lineItems(built.items))
            if report.body.count > limits.bodyBytes, wanted.count > 1 {
                wanted = wanted.prefix(wanted.count - wanted.count / 2, keepingTogether: wholes)
                continue
            }
            try planned.part.settleAmounts(of: wanted, at: turn.now, in: turn.ledger)
            return try putIntoOutbox(report, status: .lineItem, holding: wanted, turn)
        }
        return nil
    }

    /// Holds sales that have no line item, each with the other lines of its order.
    ///
    /// - Returns: the sales that are held now.
    private func holdUnbuildable(
        _ unbuildable: [SaleId: LineItemPlanner.Obstacle],
        of wanted: [SaleId],
        _ wholes: [SaleId: SaleId],
        _ turn: Turn
    ) throws(LedgerError) -> Set<SaleId> {
        let broken = Set(unbuildable.keys.compactMap { wholes[$0] })
        let held = wanted.filter { unbuildable[$0] != nil || wholes[$0].map(broken.contains) ?? false }
        for id in held {
            guard let sale = try turn.ledger.sale(id, of: turn.scope.bundleId) else { continue }
            let obstacle = unbuildable[id]
            var attribution = sale.attribution
            attribution.state = .held
            switch obstacle {
            case .moneyUnknown?: attribution.flags.insert(.notConvertible)
            case nil: attribution.flags.insert(.orderHeld)
            default: attribution.flags.insert(.buyHeld)
            }
            let why = obstacle?.description ?? "another line of its order cannot be reported"
            try planner.review.update(attribution, of: sale, why: why, now: turn.now, in: turn.ledger)
        }
        return Set(held)
    }

    // MARK: Outbox

    /// Validates a report and stores it: as being sent, or as refused.
    private func putIntoOutbox(
        _ report: Report,
        status: ReportStatus,
        holding sales: [SaleId],
        _ turn: Turn
    ) throws(LedgerError) -> StoredReport {
        let (ledger, scope, now) = (turn.ledger, turn.scope, turn.now)
        var entry = StoredReport(
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
        entry.errors = try preflight.validate(entry, of: held, in: ledger)
        if entry.errors.isEmpty {
            entry.state = .sending
            entry.attempts = 1
        } else {
            entry.state = .needsAttention
        }
        var stored = try ledger.insert(entry, holding: sales)
        if !stored.errors.isEmpty, try refusals.hold(stored, now: now, in: ledger) { stored.state = .withdrawn }
        return stored
    }

    private func warn(of report: StoredReport) {
        let errors = report.errors.map { error in
            let sale = error.saleId.map { " of sale \($0)" } ?? ""
            return "\(error.error.errorCode) \(error.error.fieldName ?? "")\(sale)"
        }
        logger.error(
            "the pre-flight holds a report; later sales of its token wait behind it",
            metadata: report.metadata.merging(["errors": "\(errors.joined(separator: ", "))"]) { $1 }
        )
    }
}
