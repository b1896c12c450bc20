import ExternalPurchaseCore
import Ledger
import ReportCorrections
import ReportPlanning
import ReportRules

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes corrections from the wish over the dry run to the reports in the outbox (RR-80 to RR-84).
struct CorrectionIntake: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let surroundings: Surroundings

    enum Outcome<Value: Sendable>: Sendable {
        case taken(Value)
        case refused(RequestRefusal)
    }

    /// A plan with what it was made from.
    struct Planned {
        let scope: ReportingScope
        let corrected: CorrectedSale
        let plan: CorrectionPlan

        /// What is compared before anything is sent: the plan as it is shown, and all members of all items.
        var record: JSONValue {
            let items = plan.steps.map { step in JSONValue.array(step.items.map(\.item.asReceived.json)) }
            return .object(JSONObject([.init("plan", plan.json), .init("lineItems", .array(items))]))
        }

        func shown(of id: CorrectionId) -> CorrectionDryRun {
            CorrectionDryRun(correctionId: id, isAllowed: plan.isAllowed, plan: plan.json)
        }
    }

    // MARK: Dry run

    /// Plans a correction and keeps it with what it would change; nothing is sent.
    ///
    /// - Throws: ``RequestRefusal``.
    func plan(_ body: JSONValue) async throws(RequestRefusal) -> CorrectionDryRun {
        let wish = try CorrectionWish.read(body, apps: apps)
        let now = surroundings.now()
        let id = CorrectionId(surroundings.uuid().uuidString.lowercased())
        return try await write { ledger throws(LedgerError) in
            let planned: Planned
            switch try plan(wish, now: now, in: ledger) {
            case .taken(let value): planned = value
            case .refused(let refusal): return .refused(refusal)
            }
            _ = try ledger.insert(
                StoredCorrection(
                    correctionId: id,
                    bundleId: wish.bundleId,
                    requestedBy: wish.requestedBy,
                    reason: wish.reason,
                    requestedAt: now,
                    request: wish.request,
                    dryRun: planned.record
                )
            )
            return .taken(planned.shown(of: id))
        }
    }

    func plan(
        _ wish: CorrectionWish,
        now: Timestamp,
        in ledger: any LedgerReading
    ) throws(LedgerError) -> Outcome<Planned> {
        guard let sale = try ledger.sale(wish.saleId, of: wish.bundleId) else {
            let message = "is not a sale known here: \(wish.saleId.rawValue.quoted)"
            return .refused(.invalid([FieldFault("/saleId", message)]))
        }
        guard [.reported, .retracted].contains(sale.standing), let token = sale.attribution.externalPurchaseId else {
            let message = "is not accepted by Apple yet; only what was reported is corrected"
            return .refused(.invalid([FieldFault("/saleId", message)]))
        }
        var buy: Sale?
        if let refund = sale.sale.refund { buy = try ledger.sale(refund.refundOf, of: wish.bundleId)?.sale }
        let corrected: CorrectedSale
        do throws(RequestRefusal) {
            corrected = try CorrectedSale(wish, of: sale, buy: buy)
        } catch {
            return .refused(error)
        }
        let scope = ReportingScope(bundleId: wish.bundleId, environment: token.environment)
        let history = try ledger.correctionHistory(for: [corrected.request], in: scope)
        let planner = CorrectionPlanner(settings: settings.rules, limits: settings.limits)
        let plan = planner.plan([corrected.request], history: history, now: now)
        return .taken(Planned(scope: scope, corrected: corrected, plan: plan))
    }

    // MARK: Confirm

    /// Puts the reports of a correction into the outbox, provided that they are still those of its dry run.
    ///
    /// Plan, comparison, pre-flight and outbox entries are one transaction, so that no verdict is older than the history
    /// that it judged.
    ///
    /// - Throws: ``RequestRefusal``.
    func confirm(_ body: JSONValue) async throws(RequestRefusal) -> CorrectionConfirmation {
        let order = try Order(body)
        let now = surroundings.now()
        return try await write { ledger throws(LedgerError) in
            guard let correction = try find(order, in: ledger) else {
                return .refused(.invalid([FieldFault("/correctionId", "is not a correction known here")]))
            }
            let id = correction.correctionId
            if correction.confirmation != nil {
                return .taken(.confirmed(id, reports: correction.reports.map(\.requestIdentifier), isNew: false))
            }
            if let closing = correction.closing {
                return .refused(.invalid([FieldFault("/correctionId", "was closed: \(closing.note)")]))
            }
            let wish: CorrectionWish
            do throws(RequestRefusal) {
                wish = try CorrectionWish.read(correction, apps: apps)
            } catch {
                return .refused(error)
            }
            let planned: Planned
            switch try plan(wish, now: now, in: ledger) {
            case .taken(let value): planned = value
            case .refused(let refusal): return .refused(refusal)
            }
            if let reason = try obstacle(to: planned, correction, in: ledger, now: now) {
                return .taken(.stale(reason, planned.shown(of: id)))
            }
            let reports = try keep(planned, of: correction, by: order.confirmedBy, in: ledger, now: now)
            return .taken(.confirmed(id, reports: reports, isNew: true))
        }
    }

    /// The body of a confirmation.
    private struct Order {
        let correctionId: CorrectionId
        let bundleId: BundleId?
        let confirmedBy: String

        init(_ body: JSONValue) throws(RequestRefusal) {
            var members = try RequestFields(body, known: ["correctionId", "bundleId", "confirm", "confirmedBy"])
            let id = members.string("correctionId", maximum: 128)
            let bundleId = members.optionalString("bundleId", maximum: .max)
            let confirmedBy = members.string("confirmedBy", maximum: 256)
            if !members.isTrue("confirm") { members.fault("confirm", "is not true") }
            try members.throwFaults()
            guard let id, let confirmedBy else { throw members.refusal }
            correctionId = CorrectionId(id)
            self.bundleId = bundleId.map { BundleId($0) }
            self.confirmedBy = confirmedBy
        }
    }

    private func find(_ order: Order, in ledger: any LedgerReading) throws(LedgerError) -> StoredCorrection? {
        for bundleId in order.bundleId.map({ [$0] }) ?? apps.keys.sorted() {
            if let correction = try ledger.correction(order.correctionId, of: bundleId) { return correction }
        }
        return nil
    }

    /// Why the plan is not to be sent as it is; a newer dry run is kept.
    private func obstacle(
        to planned: Planned,
        _ correction: StoredCorrection,
        in ledger: any LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> String? {
        let record = planned.record
        if record.encoded() != correction.dryRun?.encoded() {
            var newer = correction
            newer.dryRun = record
            try ledger.update(newer)
            return "what Apple accepted or the time changed since the dry run; look at the new one and confirm it"
        }
        guard planned.plan.isAllowed else {
            return "it cannot be sent: " + planned.plan.refusals.map(\.reason).joined(separator: "; ")
        }
        if let open = try ledger.openReport(touching: planned.plan.steps, in: planned.scope) {
            return "report \(open.requestIdentifier) is \(open.state.rawValue) and touches the same; confirm after it"
        }
        // The later reports are judged by the plan, against the history as it then will be.
        if let first = planned.plan.reports.first {
            let errors = try preflight(first, in: planned.scope, ledger: ledger, now: now)
            if !errors.isEmpty {
                return "the pre-flight refuses it: \(errors.map(\.errorMessage).joined(separator: "; "))"
            }
        }
        return nil
    }

    private func preflight(
        _ step: PlannedReport,
        in scope: ReportingScope,
        ledger: any LedgerReading,
        now: Timestamp
    ) throws(LedgerError) -> [ReportError] {
        let body = step.report(RequestIdentifier(surroundings.uuid())).body
        let received: ReceivedReport
        do {
            received = try ReceivedReport.read(body, limits: settings.limits)
        } catch {
            throw .failed("a report of our own is malformed: \(error)")
        }
        let history = try ledger.history(for: received, in: scope)
        return ReportJudge(settings: settings.rules).judge(received, history: history, now: now)
    }

    /// The confirmation, the reports with their exact bytes, and what they say of the sales.
    private func keep(
        _ planned: Planned,
        of correction: StoredCorrection,
        by person: String,
        in ledger: any LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> [RequestIdentifier] {
        var confirmed = correction
        confirmed.confirmation = CorrectionStep(at: now, by: person)
        try ledger.update(confirmed)
        let keys = [.sale(planned.corrected.sale.saleId)] + planned.corrected.sale.keys
        let part = try LedgerUniverse.part(touching: keys, of: planned.scope.bundleId, in: ledger)
        var identifiers: [RequestIdentifier] = []
        for step in planned.plan.reports {
            let report = step.report(RequestIdentifier(surroundings.uuid()))
            let stored = StoredReport(
                scope: planned.scope,
                requestIdentifier: report.requestIdentifier,
                externalPurchaseId: report.externalPurchaseId,
                status: .lineItem,
                body: report.body,
                writtenAt: now
            )
            _ = try ledger.insert(stored, holding: [])
            try ledger.attach(
                CorrectionReport(
                    environment: planned.scope.environment,
                    requestIdentifier: report.requestIdentifier
                ),
                to: correction.correctionId,
                of: correction.bundleId
            )
            identifiers.append(report.requestIdentifier)
        }
        let versions = CorrectionVersions.versions(
            after: planned.plan.reports,
            of: part.sales,
            corrected: planned.corrected.sale,
            saidAt: now,
            correction: correction.correctionId
        )
        for version in versions { try ledger.insert(version) }
        let corrected = planned.corrected.sale
        try ledger.closeChangeItems(
            of: corrected.saleId,
            corrected.bundleId,
            by: person,
            "correction \(correction.correctionId) was confirmed",
            at: now
        )
        // Sales that refer to a corrected item wait for it.
        try MerchantPlanner(settings: settings).replan(touching: keys, of: correction.bundleId, in: ledger, now: now)
        return identifiers
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Outcome<Value>
    ) async throws(RequestRefusal) -> Value {
        let outcome: Outcome<Value>
        do {
            outcome = try await store.write(body)
        } catch {
            throw .notStored(error)
        }
        switch outcome {
        case .taken(let value): return value
        case .refused(let refusal): throw refusal
        }
    }
}
