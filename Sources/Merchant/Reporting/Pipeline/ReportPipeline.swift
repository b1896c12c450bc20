import ExternalPurchaseCore
import Ledger
import Logging
import ReportPlanning
import ReportValidation

/// The main path of the merchant's side, from sales in the ledger to Apple's answer in the ledger.
///
/// ```
/// held sales ─attribute▶ planned sales ─plan▶ tokens ─write▶ reports ─send▶ answers ─record▶ accepted, or a reason
/// ```
///
/// Each stage is a type with one verb, and stages hand over through the ledger: work that stops at any point continues
/// from its last commit. ``ReportSender`` decides when a stage runs and for which tokens.
struct ReportPipeline: Sendable {
    let store: DeadlineMaintainingStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let dependencies: ReportingDependencies
    let dueRules: DeadlineRules
    let logger: Logger

    // The stages, in their order.
    let attribution: SaleAttribution
    let writer: ReportWriter
    let delivery: ReportDelivery
    let recorder: AnswerRecorder

    /// Changes of sales that wait for the answer to a report.
    let saleChanges: SaleChanges
    let review: ReviewMaintenance

    init(
        store: DeadlineMaintainingStore,
        apps: [BundleId: RegisteredApp],
        settings: ReportingSettings,
        dependencies: ReportingDependencies,
        dueRules: DeadlineRules,
        logger: Logger
    ) {
        self.store = store
        self.apps = apps
        self.settings = settings
        self.dependencies = dependencies
        self.dueRules = dueRules
        self.logger = logger
        let planner = MerchantPlanner(settings: settings, uuid: dependencies.uuid)
        let refusals = RefusedReports(planner: planner, dependencies: dependencies)
        attribution = SaleAttribution(store: store, apps: apps, planner: planner, dependencies: dependencies)
        writer = ReportWriter(
            store: store,
            planner: planner,
            preflight: ReportPreflight(settings: settings, dependencies: dependencies),
            refusals: refusals,
            dependencies: dependencies,
            logger: logger
        )
        recorder = AnswerRecorder(
            store: store,
            planner: planner,
            refusals: refusals,
            dependencies: dependencies,
            logger: logger
        )
        delivery = ReportDelivery(
            store: store,
            apps: apps,
            limits: settings.limits,
            recorder: recorder,
            dependencies: dependencies
        )
        saleChanges = SaleChanges(store: store, apps: apps, settings: settings, dependencies: dependencies)
        review = ReviewMaintenance(store: store, review: planner.review, dependencies: dependencies)
    }

    /// Setting `send.delay` in ms (RR-72).
    var sendDelay: Int64 { dueRules.settings.sendDelay }

    /// Attribute: plans sales that waited for a token by what the ledger knows now (RR-66).
    ///
    /// - Returns: how many sales were held.
    func attribute() async throws(LedgerError) -> Int {
        try await attribution.attribute()
    }

    /// Plan: the tokens whose sales have waited longest, for all of `send.delay` (RR-72, SA-74); suspicious ones not
    /// before their time (TK-75).
    ///
    /// ``tokensWithSalesToSend(_:limit:)`` has those that a due date lets go earlier.
    func plan(_ scope: ReportingScope, limit: Int) async throws(LedgerError) -> [ExternalPurchaseId] {
        let now = dependencies.now()
        let madeUntil = now.advanced(byMilliseconds: settings.rules.clockSkew)
        let delay = sendDelay
        // Without a delay nothing rests, also not what arrived while the clock was ahead.
        let soldUntil =
            delay > 0 ? now.advanced(byMilliseconds: -delay) : Timestamp(milliseconds: .max)
        return try await store.read { ledger throws(LedgerError) in
            try ledger.tokensToReport(in: scope, madeUntil: madeUntil, soldUntil: soldUntil, limit: limit)
        }
    }

    /// Tokens with a sale whose moment has come although its delay is not over (RR-72, OB-52); none without a delay.
    func tokensWithSalesToSend(_ scope: ReportingScope, limit: Int) async throws(LedgerError) -> [ExternalPurchaseId] {
        guard sendDelay > 0 else { return [] }
        let now = dependencies.now()
        return try await store.read { ledger throws(LedgerError) in
            try ledger.tokensWithSalesToSend(in: scope, until: now, limit: limit)
        }
    }

    /// Write: commits the next report that each of some tokens calls for, as being sent.
    ///
    /// - Parameters:
    ///   - isAsked: true at the tokens' due date or when Apple asks; without it a report has line items.
    ///   - isDue: true when nobody asks but the due date: what a person closed stays unanswered then.
    func write(
        _ tokens: [ExternalPurchaseId],
        in scope: ReportingScope,
        isAsked: Bool = false,
        isDue: Bool = false
    ) async throws(LedgerError) -> ReportWriter.Written {
        try await writer.write(tokens, in: scope, isAsked: isAsked, isDue: isDue)
    }

    /// Send and record: sends reports that surely are not at Apple, one after another, and records the answers.
    ///
    /// - Parameter goesOn: asked before each report.
    func send(
        _ reports: [StoredReport],
        while goesOn: @Sendable () -> Bool
    ) async throws(LedgerError) -> [(report: StoredReport, outcome: ReportDelivery.Outcome)] {
        try await delivery.send(reports, while: goesOn)
    }

    /// Send and record, for a report of unknown fate: asks Apple for it, and sends it when Apple does not have it (SA-71).
    func recover(_ report: StoredReport) async throws(LedgerError) -> ReportDelivery.Outcome {
        try await delivery.recover(report)
    }

    /// The reports that may be sent or asked for now.
    func openReports(in scope: ReportingScope) async throws(LedgerError) -> [StoredReport] {
        try await store.read { ledger throws(LedgerError) in try ledger.openReports(in: scope) }
    }
}
