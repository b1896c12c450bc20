package import ExternalPurchaseCore
package import ReportValidation

/// Plans corrections of reports that Apple accepted: a pure function of the requests, the accepted history, the
/// settings and the time.
///
/// ```
/// requests ─read▶ one change per item ─dependants▶ ─refunds▶ operations ─schedule▶ reports ─nets▶ ─judge▶ plan
/// ```
package struct CorrectionPlanner: Sendable {
    /// The settings of the rules that the plan is judged by.
    package var settings: RuleSettings
    /// How large a report may be.
    package var limits: ReportLimits

    /// A planner.
    ///
    /// - Parameters:
    ///   - settings: the settings of the rules that the plan is judged by.
    ///   - limits: how large a report may be.
    package init(settings: RuleSettings = .init(), limits: ReportLimits = .init()) {
        self.settings = settings
        self.limits = limits
    }

    /// The dry run of one correction (RR-84).
    ///
    /// - Parameters:
    ///   - requests: what is asked for, planned together.
    ///   - history: what bears on it; ``CorrectionHistory/needs(for:)`` is empty.
    ///   - now: the time of the judgement.
    package func plan(
        _ requests: [CorrectionRequest],
        history: CorrectionHistory,
        now: Timestamp
    ) -> CorrectionPlan {
        var draft = CorrectionDraft(history)
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
    /// An error that the rules predict and nothing else in the plan explains.
    fileprivate init(predicted error: ReportError) {
        self.init(
            .refusedByRules,
            error.lineItemId,
            rule: error.errorCode,
            "Apple would refuse the report: \(error.plainText)"
        )
    }
}
