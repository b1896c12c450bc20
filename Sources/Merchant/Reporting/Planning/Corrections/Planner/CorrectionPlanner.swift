import ExternalPurchaseCore
import ReportValidation

/// Plans corrections of accepted reports.
///
/// Planning is a pure function of the requests, the accepted history, the settings and the time.
///
/// ```
/// requests ─read▶ one change per item ─dependants▶ ─refunds▶ operations ─schedule▶ reports ─nets▶ ─judge▶ plan
/// ```
struct CorrectionPlanner: Sendable {
    /// The settings of the validation rules.
    var settings: RuleSettings = .init()
    /// The maximum size of a report.
    var limits: ReportLimits = .init()

    /// Plans one correction as a dry run (RR-84).
    ///
    /// - Parameters:
    ///   - requests: the requested changes, which are planned together.
    ///   - history: the accepted history; ``CorrectionHistory/needs(for:)`` must be empty.
    ///   - refundAmounts: the amounts that refunds have after the correction, as far as the sales tell them; the
    ///     others keep theirs, or their share of a buy whose currencies, rate or country change.
    ///   - now: the time of the validation.
    func plan(
        _ requests: [CorrectionRequest],
        history: CorrectionHistory,
        refundAmounts: [LineItemId: LineMoney] = [:],
        now: Timestamp
    ) -> CorrectionPlan {
        var draft = CorrectionDraft(history)
        draft.refundAmounts = refundAmounts
        draft.read(requests)
        draft.addDependants()
        draft.addReplacements()
        guard draft.refusals.isEmpty else { return CorrectionPlan(refusals: draft.refusals) }
        draft.alignRefunds()

        var run = DryRun(draft.standing, history: history, settings: settings, limits: limits, now: now)
        for operations in CorrectionSchedule(draft.operations(), limits: limits).reports() { run.play(operations) }

        var refusals = draft.refusals + draft.referencesRetracted() + run.refusals
        if refusals.isEmpty { refusals = draft.nothingChanged(in: run.steps) }
        if refusals.isEmpty { refusals = run.steps.flatMap(\.predictedErrors).map(CorrectionRefusal.init(predicted:)) }
        return CorrectionPlan(
            steps: run.steps,
            refusals: refusals,
            warnings: draft.warnings + run.warnings(about: draft),
            inverse: draft.inverse()
        )
    }
}

extension CorrectionRefusal {
    /// Creates a refusal for an error that the rules predict and no other refusal explains.
    fileprivate init(predicted error: ReportError) {
        self.init(
            .refusedByRules,
            error.lineItemId,
            rule: error.errorCode,
            "Apple would refuse the report: \(error.plainText)"
        )
    }
}
