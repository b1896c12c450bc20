import ExternalPurchaseCore
import Ledger
import Logging
import ReportValidation

/// The main path of the reporting system, from stored sales to Apple's stored response.
///
/// ```
/// held sales ─attribute▶ planned sales ─write▶ reports ─send▶ answers ─record▶ accepted, or a reason
/// ```
///
/// Each stage is a type with one verb, which ``ReportSender`` calls; `write` plans the token again. Every stage commits its
/// result before the next one starts, so that interrupted work continues from the last commit.
struct ReportPipeline: Sendable {
    let store: DeadlineMaintainingStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let dependencies: ReportingDependencies
    let dueRules: DeadlineRules
    let logger: Logger

    // The stages in their order.
    let attribution: SaleAttribution
    let writer: ReportWriter
    let delivery: ReportDelivery
    let recorder: AnswerRecorder

    /// Settles changes of sales that wait for the response to a report.
    let saleChanges: SaleChanges
    let review: ReviewMaintenance

    init(
        store: DeadlineMaintainingStore,
        apps: [BundleId: RegisteredApp],
        settings: ReportingSettings,
        dependencies: ReportingDependencies,
        dueRules: DeadlineRules,
        permit: LeasePermit = .alone,
        payments: PaymentSignals = PaymentSignals(),
        logger: Logger
    ) {
        let store = store.under(permit.claim)
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
            payments: payments,
            dependencies: dependencies,
            logger: logger
        )
        delivery = ReportDelivery(
            store: store,
            apps: apps,
            limits: settings.limits,
            recorder: recorder,
            dependencies: dependencies,
            permit: permit
        )
        saleChanges = SaleChanges(
            store: store,
            apps: apps,
            settings: settings,
            dependencies: dependencies,
            payments: payments
        )
        review = ReviewMaintenance(store: store, review: planner.review, dependencies: dependencies)
    }

    /// Returns the pipeline for work under a lease, which every write proves (SA-76).
    func under(_ permit: LeasePermit) -> ReportPipeline {
        if permit.claim == nil { return self }
        return ReportPipeline(
            store: store,
            apps: apps,
            settings: settings,
            dependencies: dependencies,
            dueRules: dueRules,
            permit: permit,
            payments: saleChanges.payments,
            logger: logger
        )
    }

    /// The setting `send.delay` (RR-72).
    var sendDelay: Duration { dueRules.settings.sendDelay }

    /// Returns the tokens whose sales have waited for the complete `send.delay`, longest first (RR-72, SA-74).
    ///
    /// Suspicious tokens follow when their creation date is reached (TK-75). ``tokensWithSalesToSend(_:limit:)``
    /// returns the tokens with sales that a due date releases earlier.
    func tokensReadyToReport(in scope: ReportingScope, limit: Int) async throws(LedgerError) -> [ExternalPurchaseId] {
        let now = dependencies.now()
        let madeUntil = now + settings.rules.clockSkew
        let (delay, last) = (sendDelay, Timestamp(milliseconds: .max))
        return try await store.read { ledger throws(LedgerError) in
            // Without a delay every sale is ready, even one that arrived while the clock was ahead.
            let soldUntil = delay > .zero ? now - delay : last
            let rested = try ledger.tokensToReport(
                in: scope,
                madeUntil: madeUntil,
                soldUntil: soldUntil,
                limit: limit
            )
            if delay == .zero { return rested }
            // With one, those that arrived while the clock was ahead do not rest until then.
            let ahead = try ledger.tokensToReport(
                in: scope,
                madeUntil: madeUntil,
                sold: now.firstAhead...last,
                limit: limit
            )
            return rested + ahead.filter { !rested.contains($0) }
        }
    }

    /// A token that a notification of Apple named while the clock was ahead, and its report's moment without that.
    struct TokenSeenAhead: Hashable, Sendable {
        let token: ExternalPurchaseId
        let scope: ReportingScope
        let moment: Timestamp
    }

    /// The tokens whose stored moment of report follows from a clock that was ahead (NT-65).
    func tokensSeenAhead() async throws(LedgerError) -> [TokenSeenAhead] {
        let (calculator, clock) = (store.calculator, dependencies.now)
        return try await store.read { ledger throws(LedgerError) in
            var found: [TokenSeenAhead] = []
            try ledger.eachOpenToken(of: nil) { open in
                guard open.isKnownFromNotificationsOnly, open.firstSeen.time.isAhead(of: clock()) else { return }
                let scope = ReportingScope(bundleId: open.bundleId, environment: open.externalPurchaseId.environment)
                found.append(
                    TokenSeenAhead(
                        token: open.externalPurchaseId,
                        scope: scope,
                        moment: calculator.answerMomentOfDelivered(open)
                    )
                )
            }
            return found
        }
    }

    /// Stores that reports are requested of tokens that nobody has delivered since.
    func request(_ tokens: [TokenSeenAhead]) async throws(LedgerError) {
        guard !tokens.isEmpty else { return }
        try await store.write { ledger throws(LedgerError) in
            for seen in tokens {
                guard let token = try ledger.token(seen.token, of: seen.scope.bundleId), token.reportedAt == nil,
                    token.isKnownFromNotificationsOnly
                else { continue }
                try ledger.requestReport(of: seen.token, in: seen.scope)
            }
        }
    }

    /// Returns tokens with a sale that is sent before its delay ends because of its due date (RR-72, OB-52).
    ///
    /// Without a delay there are none.
    func tokensWithSalesToSend(_ scope: ReportingScope, limit: Int) async throws(LedgerError) -> [ExternalPurchaseId] {
        guard sendDelay > .zero else { return [] }
        let now = dependencies.now()
        return try await store.read { ledger throws(LedgerError) in
            try ledger.tokensWithSalesToSend(in: scope, until: now, limit: limit)
        }
    }
}
