import ExternalPurchaseCore
import Ledger
import Logging

/// The stage `write`: plans a token, builds its line items, validates the report and puts it into the outbox.
///
/// All of it is one transaction, so that the validation uses the current history.
struct ReportWriter: Sendable {
    let store: any LedgerStore
    let planner: MerchantPlanner
    let preflight: ReportPreflight
    let refusals: RefusedReports
    let dependencies: ReportingDependencies
    let logger: Logger

    /// The result of writing reports for several tokens.
    struct Written: Sendable {
        /// The reports, committed as `sending`; no other task handles them before they are sent.
        var reports: [StoredReport] = []
        /// The tokens without such a report.
        var idle: [ExternalPurchaseId] = []
        /// The tokens in `idle` for which Apple has no report yet.
        var unanswered: [ExternalPurchaseId] = []
        /// Reports that the pre-flight refused.
        fileprivate var refused: [StoredReport] = []
    }

    /// The values that all reports of one transaction share.
    private struct Turn {
        let scope: ReportingScope
        let isRequested: Bool
        let isDue: Bool
        let now: Timestamp
        let ledger: LedgerTransaction
    }

    /// A report that is being written.
    private struct Draft {
        let token: ExternalPurchaseId
        let requestIdentifier: RequestIdentifier
        let planned: MerchantPlanner.Planned

        var tokenCreationDate: Timestamp? { planned.part.tokens[token]?.token.tokenCreationDate }

        func report(_ content: Report.Content) -> Report {
            Report(requestIdentifier: requestIdentifier, externalPurchaseId: token, content: content)
        }
    }

    private var settings: ReportingSettings { planner.settings }

    /// Writes the next required report of each token.
    ///
    /// The reports are committed as `sending`, which saves a second commit per report. After a crash in between, the
    /// sender retrieves them from Apple without result and sends them (SA-71).
    ///
    /// - Parameters:
    ///   - tokens: the tokens.
    ///   - scope: their app and environment.
    ///   - isRequested: true at the tokens' due date or after a notification; if false, only reports with line items are
    ///     written.
    ///   - isDue: true if the due date is the only cause; tokens that a person closed are then skipped.
    func write(
        _ tokens: [ExternalPurchaseId],
        in scope: ReportingScope,
        isRequested: Bool = false,
        isDue: Bool = false
    ) async throws(LedgerError) -> Written {
        let now = dependencies.now()
        // The clock is checked with the very time that decides on the reports, because a sent report cannot be undone.
        if let doubt = dependencies.clockDoubt() { throw .failed("\(doubt)") }
        let written = try await store.write { ledger throws(LedgerError) in
            let turn = Turn(scope: scope, isRequested: isRequested, isDue: isDue, now: now, ledger: ledger)
            var written = Written()
            for token in tokens {
                try writeReport(of: token, turn, &written)
                if isRequested, !isDue { try ledger.removeReportRequest(of: token, in: scope) }
            }
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
        let reporting = try ledger.token(token, of: bundleId)?.reporting
        let isClosed = turn.isDue && reporting == .onRequest
        var report: StoredReport?
        repeat {
            // The sales that the pre-flight removed are held; a report of the other sales follows at once.
            if let report { written.refused.append(report) }
            report = try nextReport(of: token, isRequested: turn.isRequested && !isClosed, turn)
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

    /// Plans a token and writes its next required report.
    ///
    /// - Returns: the report, which is held if the pre-flight refused it; nil if nothing is left to report.
    private func nextReport(
        of token: ExternalPurchaseId,
        isRequested: Bool,
        _ turn: Turn
    ) throws(LedgerError) -> StoredReport? {
        let (ledger, now, bundleId) = (turn.ledger, turn.now, turn.scope.bundleId)
        let requestIdentifier = RequestIdentifier(dependencies.uuid())
        // A token has one open report at a time (SA-74), which has to be concluded first. Planning may withdraw a
        // report and may write reports of a correction.
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
        switch tokenPlan.report {
        case .lineItems(let ready, _):
            return try lineItemReport(of: ready, draft, turn)
        case .status(let status) where isRequested:
            guard status != .lineItem else { return nil }
            return try putIntoOutbox(draft.report(.status(status)), status: status, holding: [], turn)
        case .status, .nothing:
            return nil
        }
    }

    // MARK: Line items

    /// Writes a report of as many sales as fit; sales that were refused before go into a report of their own.
    private func lineItemReport(
        of ready: [SaleId],
        _ draft: Draft,
        _ turn: Turn
    ) throws(LedgerError) -> StoredReport? {
        var sales: [StoredSale] = []
        for id in ready {
            // A planned sale may be held by now, because its line item could not be built for an earlier report.
            guard let sale = try turn.ledger.sale(id, of: turn.scope.bundleId), sale.standing == .planned else {
                continue
            }
            sales.append(sale)
        }
        let apart = sales.filter { $0.attribution.dispatch == .apart }
        // The lines of an order are sent together, even if only some of them were refused.
        let orders = Set(apart.compactMap(\.partOf))
        let isRetried = { (sale: StoredSale) in
            sale.attribution.dispatch == .apart || sale.partOf.map(orders.contains) == true
        }
        let retried = sales.filter(isRetried).map(\.sale.saleId)
        let others = sales.filter { !isRetried($0) }.map(\.sale.saleId)
        for group in [retried, others] {
            if let report = try fittingReport(of: group, draft, turn) { return report }
        }
        return nil
    }

    /// Writes a report of the first sales of a group that can be built and that fit into one report.
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
                moments: moments,
                tokenCreationDate: draft.tokenCreationDate
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
            try planned.part.storeAmounts(of: wanted, at: turn.now, in: turn.ledger)
            return try putIntoOutbox(report, status: .lineItem, holding: wanted, turn)
        }
        return nil
    }

    /// Holds sales for which no line item can be built, each with the other lines of its order.
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
            case .moneyUnknown?: attribution.holdCauses.insert(.notConvertible)
            case nil: attribution.holdCauses.insert(.orderHeld)
            default: attribution.holdCauses.insert(.buyHeld)
            }
            let why = obstacle?.description ?? "another line of its order cannot be reported"
            try planner.review.update(attribution, of: sale, why: why, now: turn.now, in: turn.ledger)
        }
        return Set(held)
    }

    // MARK: Outbox

    /// Validates a report and stores it as `sending` or as refused.
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
