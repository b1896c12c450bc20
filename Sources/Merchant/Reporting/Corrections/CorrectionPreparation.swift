import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Plans corrections and writes the reports of confirmed ones within the caller's transaction (RR-80 to RR-84).
struct CorrectionPreparation: Sendable {
    let settings: ReportingSettings
    let uuid: @Sendable () -> UUID

    /// A plan with its inputs.
    struct Prepared {
        let scope: ReportingScope
        let corrected: CorrectedSale
        let plan: CorrectionPlan

        /// The value that is compared before confirmation: the plan as shown, and all members of all line items.
        var record: JSONValue {
            let items = plan.steps.map { step in JSONValue.array(step.items.map(\.item.asReceived.json)) }
            return ["plan": plan.json, "lineItems": .array(items)]
        }

        func warning(_ warnings: [CorrectionWarning]) -> Prepared {
            Prepared(scope: scope, corrected: corrected, plan: plan.warning(warnings))
        }

        func shown(of id: CorrectionId) -> CorrectionDryRun {
            CorrectionDryRun(correctionId: id, isAllowed: plan.isAllowed, plan: plan.json)
        }
    }

    // MARK: Dry run

    /// Plans a correction without storing it.
    func plan(
        _ wish: CorrectionCommand,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> Result<Prepared, RequestError> {
        func refused(_ message: String) -> Result<Prepared, RequestError> {
            .failure(.invalid([FieldError("/saleId", message)]))
        }
        guard let sale = try ledger.sale(wish.saleId, of: wish.bundleId) else {
            return refused("is not a sale known here: \(wish.saleId.rawValue.quoted)")
        }
        let notYet = "is not accepted by Apple yet; only what was reported is corrected"
        func isReported(_ sale: StoredSale) -> Bool { [.reported, .retracted].contains(sale.standing) }
        let lines = try sale.receipt(isNew: false, in: ledger).lines
        if !lines.isEmpty {
            let reported = lines.filter(isReported).map(\.sale.saleId.rawValue.quoted).joined(separator: ", ")
            return refused(
                reported.isEmpty
                    ? notYet : "is reported by its lines, and each is corrected by itself: name one of \(reported)"
            )
        }
        guard isReported(sale), let token = sale.attribution.externalPurchaseId else { return refused(notYet) }
        if let obstacle = try ledger.obstacleAtApple(toCorrecting: sale) { return .failure(.impossible(obstacle)) }
        let scope = ReportingScope(bundleId: wish.bundleId, environment: token.environment)
        let corrected: CorrectedSale
        if wish.action == .recount {
            let keys = [.sale(wish.saleId)] + sale.sale.keys
            let planned = try MerchantPlanner.plan(settings, touching: keys, of: wish.bundleId, in: ledger, now: now)
            let finding = SubscriptionFigureFinding.all(in: planned).first { $0.holds(sale) }
            guard let requests = finding?.requests, !requests.isEmpty else {
                return refused(
                    "is no charge of a subscription whose accepted figures differ from those that the events known now give"
                )
            }
            corrected = CorrectedSale(recounting: requests, of: sale.sale)
        } else {
            var buy: Sale?
            if let refund = sale.sale.refund { buy = try ledger.sale(refund.refundOf, of: wish.bundleId)?.sale }
            do throws(RequestError) {
                corrected = try CorrectedSale(wish, of: sale, buy: buy, foreign: settings.foreignCurrency)
            } catch {
                return .failure(error)
            }
        }
        let prepared = try plan(corrected, in: scope, now: now, ledger: ledger)
        guard wish.action != .recount, prepared.plan.isAllowed else { return .success(prepared) }
        let effects = CorrectionEffects(
            of: prepared.plan,
            corrected: corrected.sale,
            on: try MerchantPlanner.plan(
                settings,
                touching: [.sale(wish.saleId)] + sale.sale.keys,
                of: wish.bundleId,
                in: ledger,
                now: now
            ),
            settings: settings,
            now: now
        )
        if let refusal = effects.refusal { return refused(refusal) }
        return .success(prepared.warning(effects.warnings))
    }

    /// Plans given requests.
    func plan(
        _ corrected: CorrectedSale,
        in scope: ReportingScope,
        now: Timestamp,
        ledger: LedgerQueries
    ) throws(LedgerError) -> Prepared {
        let history = try ledger.correctionHistory(for: corrected.requests, in: scope)
        let planner = CorrectionPlanner(settings: settings.rules, limits: settings.limits)
        let refunds = try CorrectedRefunds(
            of: corrected,
            history: history,
            foreign: settings.foreignCurrency,
            in: ledger
        )
        var plan = planner.plan(corrected.requests, history: history, refundAmounts: refunds.amounts, now: now)
        if let refusal = refunds.refusal, plan.isAllowed { plan = plan.refused(refusal) }
        return Prepared(scope: scope, corrected: corrected, plan: plan)
    }

    /// Stores a planned correction, which a person can then confirm.
    @discardableResult
    func keep(
        _ prepared: Prepared,
        of wish: CorrectionCommand,
        as id: CorrectionId,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> StoredCorrection {
        try ledger.insert(
            StoredCorrection(
                correctionId: id,
                bundleId: wish.bundleId,
                requestedBy: wish.requestedBy,
                reason: wish.reason,
                requestedAt: now,
                request: wish.request,
                dryRun: prepared.record
            )
        )
    }

    // MARK: Confirm

    /// Returns the reason why the plan cannot be sent as it was shown, or nil.
    ///
    /// If the plan changed, the newer dry run is stored.
    func obstacle(
        to prepared: Prepared,
        shownAs correction: StoredCorrection,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> String? {
        let record = prepared.record
        if record.encoded() != correction.dryRun?.encoded() {
            var newer = correction
            newer.dryRun = record
            try ledger.update(newer)
            return "what Apple accepted or the time changed since the dry run; look at the new one and confirm it"
        }
        return try obstacle(to: prepared, in: ledger, now: now)
    }

    /// Returns the reason why the plan cannot be sent now, or nil.
    func obstacle(
        to prepared: Prepared,
        in ledger: LedgerQueries,
        now: Timestamp
    ) throws(LedgerError) -> String? {
        guard prepared.plan.isAllowed else {
            return "it cannot be sent: " + prepared.plan.refusals.map(\.reason).joined(separator: "; ")
        }
        if let open = try ledger.openReport(touching: prepared.plan.steps, in: prepared.scope) {
            return "report \(open.requestIdentifier) is \(open.state.rawValue) and touches the same; confirm after it"
        }
        // The plan has validated the later reports against the history that will then exist.
        if let first = prepared.plan.reports.first {
            let errors = try preflight(first, in: prepared.scope, ledger: ledger, now: now)
            if !errors.isEmpty {
                return "the pre-flight refuses it: \(errors.map(\.errorMessage).joined(separator: "; "))"
            }
        }
        return nil
    }

    private func preflight(
        _ step: PlannedReport,
        in scope: ReportingScope,
        ledger: LedgerQueries,
        now: Timestamp
    ) throws(LedgerError) -> [ReportError] {
        let body = step.report(RequestIdentifier(uuid())).body
        let received: ReceivedReport
        do {
            received = try ReceivedReport.read(body, limits: settings.limits)
        } catch {
            throw .failed("a report of our own is malformed: \(error)")
        }
        let history = try ledger.history(for: received, in: scope)
        return ReportValidator(settings: settings.rules).validate(received, history: history, now: now)
    }

    /// Stores the confirmation, the exact bytes of the reports, and the resulting versions of the sales.
    ///
    /// - Returns: the reports in the order of sending.
    func confirm(
        _ prepared: Prepared,
        _ correction: StoredCorrection,
        by person: String,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> [RequestIdentifier] {
        var confirmed = correction
        confirmed.confirmation = CorrectionStep(at: now, by: person)
        try ledger.update(confirmed)
        let keys = [.sale(prepared.corrected.sale.saleId)] + prepared.corrected.sale.keys
        let part = try ConnectedRecords.part(
            touching: keys,
            of: prepared.scope.bundleId,
            extent: .touched,
            in: ledger
        )
        var identifiers: [RequestIdentifier] = []
        for step in prepared.plan.reports {
            let report = step.report(RequestIdentifier(uuid()))
            let stored = StoredReport(
                scope: prepared.scope,
                requestIdentifier: report.requestIdentifier,
                externalPurchaseId: report.externalPurchaseId,
                status: .lineItem,
                body: report.body,
                writtenAt: now
            )
            _ = try ledger.insert(stored, holding: [])
            try ledger.attach(
                CorrectionReport(
                    environment: prepared.scope.environment,
                    requestIdentifier: report.requestIdentifier
                ),
                to: correction.correctionId,
                of: correction.bundleId
            )
            identifiers.append(report.requestIdentifier)
        }
        let versions = CorrectionVersions.versions(
            after: prepared.plan.reports,
            of: part.sales,
            corrected: prepared.corrected.sale,
            saidAt: now,
            correction: correction.correctionId
        )
        for version in versions { try ledger.insert(version) }
        let corrected = prepared.corrected.sale
        let isSettled = try isRequestedChangeMade(of: corrected, in: ledger)
        try ledger.closeChangeItems(
            of: corrected.saleId,
            corrected.bundleId,
            by: person,
            "correction \(correction.correctionId) was confirmed",
            at: now
        ) { isSettled || $0.detail.contains(correction.correctionId.rawValue) }
        return identifiers
    }

    /// Whether a sale now is as the latest requested change wants it.
    private func isRequestedChangeMade(of sale: Sale, in ledger: LedgerQueries) throws(LedgerError) -> Bool {
        guard let change = try ledger.changes(of: sale.saleId, app: sale.bundleId).last,
            let current = try ledger.sale(sale.saleId, of: sale.bundleId)
        else { return false }
        guard let content = change.content else { return current.isRetracted }
        if current.isRetracted { return false }
        return try current.sale.isSame(as: content, in: ledger)
    }
}
