import ExternalPurchaseCore
import Ledger

/// Computes the metrics of `GET /metrics`; they identify no token, customer or sale (TK-77).
///
/// The time to count grows with the ledger. The counts are therefore reused for at least 5 seconds, and for up to 20
/// times as long as counting took. Their age is one of the metrics.
struct ReportingMetrics: Sendable {
    private let apps: [BundleId: RegisteredApp]
    private let sender: ReportSender
    private let spool: LandingSpool?
    private let alerts: AlertCounts
    private let dependencies: ReportingDependencies
    private let counted: ReusedFigures<Rows>

    /// The shortest time for which counts are reused.
    private static let keep = Duration.seconds(5)
    /// How long a page waits for new counts of a large ledger.
    private static let patience = Duration.milliseconds(100)

    /// The counts from the ledger.
    private struct Rows: Sendable {
        var counts = LedgerCounts()
        var due: [DeadlineSeries: Int] = [:]
        var refusals: [NotificationRefusals] = []
        var newest: [(app: BundleId, type: NotificationType, at: Timestamp)] = []
        var positions: [(scope: ReportingScope, at: Timestamp)] = []
    }

    init(
        store: any LedgerStore,
        apps: [BundleId: RegisteredApp],
        calculator: DeadlineCalculator,
        sender: ReportSender,
        spool: LandingSpool?,
        alerts: AlertCounts,
        dependencies: ReportingDependencies
    ) {
        self.apps = apps
        self.sender = sender
        self.spool = spool
        self.alerts = alerts
        self.dependencies = dependencies
        let (bundleIds, scopes) = (apps.keys.sorted(), Self.scopes(of: apps))
        counted = ReusedFigures(lifetime: { _, took in max(Self.keep, took * 20) }) { () throws(LedgerError) in
            try await Self.count(bundleIds, scopes, calculator, at: dependencies.now(), in: store)
        }
    }

    /// Returns the counts of the ledger's rows.
    ///
    /// While those of a large ledger are counted anew, they are the former ones.
    func counts() async throws(LedgerError) -> LedgerCounts {
        try await counted.computed(patience: Self.patience).value.counts
    }

    /// Returns the complete response.
    func text() async throws(LedgerError) -> String {
        let counted = try await counted.computed()
        let (stopped, outages) = (await sender.stoppedApps, await sender.outages)
        var text = PrometheusText()
        addDue(counted.value.due, to: &text)
        addSales(counted.value.counts, to: &text)
        addReports(counted.value.counts, stopped: stopped, outages: outages, to: &text)
        addNotifications(counted.value, to: &text)
        addPayments(counted.value.counts.payments, to: &text)
        text.add(
            "external_purchase_attention_items",
            .gauge,
            "What waits for a person.",
            counted.value.counts.review.map { key, count in
                .init([("app", key.bundleId.rawValue), ("kind", key.kind.rawValue)], count)
            }
        )
        text.add(
            "external_purchase_alerts_total",
            .counter,
            "Alerts since the start, by step.",
            alerts.byStep.map { .init([("step", $0.key)], $0.value) }
        )
        text.add(
            "external_purchase_alert_messages_waiting",
            .gauge,
            "Alert messages that the webhook has not accepted.",
            [.init([], counted.value.counts.undeliveredAlerts)]
        )
        addLeases(to: &text)
        text.add(
            "external_purchase_clock_implausible",
            .gauge,
            "1 while nothing is sent because the machine's clock cannot be right.",
            [.init([], dependencies.clockDoubt() == nil ? 0 : 1)]
        )
        if let spool {
            text.add(
                "external_purchase_spool_visits",
                .gauge,
                "Visits in the spool file that are not stored in the ledger.",
                [.init([], await spool.waiting().visits.count)]
            )
        }
        text.add(
            "external_purchase_metrics_age_seconds",
            .gauge,
            "How old these figures are.",
            [.init([], counted.at.duration(to: .now) / .seconds(1))]
        )
        text.add(
            "external_purchase_due_age_seconds",
            .gauge,
            "How old external_purchase_due is.",
            [.init([], counted.at.duration(to: .now) / .seconds(1))]
        )
        return text.text
    }

    private static func count(
        _ bundleIds: [BundleId],
        _ scopes: [ReportingScope],
        _ calculator: DeadlineCalculator,
        at now: Timestamp,
        in store: any LedgerStore
    ) async throws(LedgerError) -> Rows {
        try await store.read { ledger throws(LedgerError) in
            var rows = Rows(counts: try ledger.counts(), refusals: try ledger.notificationRefusals())
            let (groups, states) = try calculator.counts(at: now, in: ledger)
            for (group, count) in groups {
                rows.due[DeadlineSeries(group, states.state(of: group)), default: 0] += count
            }
            rows.counts.payments = try ledger.paymentFigures(after: now - UnreferencedPayments.before, through: now)
            for app in bundleIds {
                for type in [NotificationType.externalPurchaseToken, .test] {
                    guard let newest = try ledger.newestNotification(ofType: type, app: app) else { continue }
                    rows.newest.append((app, type, newest.signedDate))
                }
            }
            for scope in scopes {
                try ledger.completeCounts(&rows.counts, of: scope)
                if let position = try ledger.notificationHistoryPosition(of: scope) {
                    rows.positions.append((scope, position))
                }
            }
            return rows
        }
    }

    private var scopes: [ReportingScope] { Self.scopes(of: apps) }

    private static func scopes(of apps: [BundleId: RegisteredApp]) -> [ReportingScope] {
        apps.values.sorted { $0.bundleId < $1.bundleId }.flatMap(\.scopes)
    }

    // MARK: Families

    private func addDue(_ due: [DeadlineSeries: Int], to text: inout PrometheusText) {
        var places = due
        // An alert rule on a series that does not exist never fires, so overdue series exist with the value 0.
        for scope in scopes {
            for (isLineItem, needsReview) in [(false, true), (false, false), (true, true), (true, false)] {
                let group = DeadlineSeries(
                    bundleId: scope.bundleId,
                    environment: scope.environment,
                    isLineItem: isLineItem,
                    needsReview: needsReview,
                    state: .overdue
                )
                places[group, default: 0] += 0
            }
        }
        text.add(
            "external_purchase_due",
            .gauge,
            "Tokens and line items that are not reported yet, by the warning that is reached.",
            places.map { place, count in
                .init(
                    [
                        ("app", place.bundleId.rawValue), ("environment", place.environment.rawValue),
                        ("kind", place.isLineItem ? "line_item" : "token"),
                        ("state", place.state?.metricName ?? "no_deadline"), ("warning_days", place.state?.days ?? ""),
                        ("held", place.needsReview ? "true" : "false"),
                    ],
                    count
                )
            }
        )
    }

    private func addPayments(_ figures: [PaymentFigure], to text: inout PrometheusText) {
        func labels(_ figure: PaymentFigure) -> [(name: String, value: String)] {
            [
                ("app", figure.bundleId.rawValue), ("environment", figure.isLive ? "production" : "sandbox"),
                ("reference", figure.reference.rawValue), ("currency", figure.currency),
            ]
        }
        text.add(
            "external_purchase_payments",
            .gauge,
            "Payments of the last 30 days, by whether they belong to an external purchase.",
            figures.map { .init(labels($0), $0.count) }
        )
        text.add(
            "external_purchase_payments_amount",
            .gauge,
            "What customers paid in them, in units of the currency.",
            figures.map { .init(labels($0), Double($0.amount.value) / 1_000) }
        )
    }

    private func addSales(_ counts: LedgerCounts, to text: inout PrometheusText) {
        text.add(
            "external_purchase_held_sales",
            .gauge,
            "Sales that wait; one counts once for each of its flags.",
            counts.heldSales.map { key, count in
                .init(
                    [
                        ("app", key.bundleId.rawValue), ("environment", key.environment.rawValue),
                        ("flag", key.flag?.rawValue ?? "none"),
                    ],
                    count
                )
            }
        )
        text.add(
            "external_purchase_planned_sales",
            .gauge,
            "Sales that no report holds yet.",
            scopes.map { .init(labels($0), counts.plannedSales[$0] ?? 0) }
        )
        let now = dependencies.now()
        text.add(
            "external_purchase_oldest_unsent_age_seconds",
            .gauge,
            "Age of the oldest sale or answer that waits to be sent or answered, 0 without any; a retry does not restart it.",
            scopes.map { scope in
                let since = counts.oldestUnsent[scope]
                return .init(
                    labels(scope),
                    since.map { max(.zero, $0.duration(to: now)).inSeconds } ?? 0
                )
            }
        )
    }

    private func addReports(
        _ counts: LedgerCounts,
        stopped: Set<BundleId>,
        outages: [SendingOutage],
        to text: inout PrometheusText
    ) {
        text.add(
            "external_purchase_reports",
            .gauge,
            "Reports by state.",
            counts.reports.map { key, count in
                .init(labels(key.scope) + [("state", key.state.metricName)], count)
            }
        )
        text.add(
            "external_purchase_queue_stopped",
            .gauge,
            "1 while nothing of the app is sent because its key is refused.",
            apps.keys.map { .init([("app", $0.rawValue)], stopped.contains($0) ? 1 : 0) }
        )
        let since = Dictionary(outages.map { ($0.scope, $0.since) }) { first, _ in first }
        let now = dependencies.now()
        text.add(
            "external_purchase_apple_unanswered_seconds",
            .gauge,
            "How long Apple's API has not answered, 0 while it answers or nothing is sent.",
            scopes.map { .init(labels($0), since[$0].map { max(.zero, $0.duration(to: now)).inSeconds } ?? 0) }
        )
    }

    /// Adds which work this server does, if others may share the ledger.
    private func addLeases(to text: inout PrometheusText) {
        let leases = sender.leases
        guard leases.isShared else { return }
        let held = Set(leases.held)
        text.add(
            "external_purchase_lease_held",
            .gauge,
            "1 while this server does the work: maintenance of the ledger, or the reports of an app and environment.",
            ([.maintenance] + scopes.map(LeaseName.reports)).map {
                .init([("lease", $0.rawValue)], held.contains($0) ? 1 : 0)
            }
        )
        text.add(
            "external_purchase_servers",
            .gauge,
            "Servers that were present when this one last renewed its leases.",
            [.init([], leases.servers.count)]
        )
    }

    private func addNotifications(_ rows: Rows, to text: inout PrometheusText) {
        text.add(
            "external_purchase_notifications_refused_total",
            .counter,
            "Notifications that were not taken, by the name of the failure.",
            rows.refusals.map { .init([("failure", $0.failure)], Int($0.count)) }
        )
        text.add(
            "external_purchase_last_notification_timestamp_seconds",
            .gauge,
            "When the newest genuine notification was signed.",
            rows.newest.map { app, type, at in
                .init([("app", app.rawValue), ("type", type.rawValue)], Double(at.milliseconds) / 1_000)
            }
        )
        text.add(
            "external_purchase_history_position_timestamp_seconds",
            .gauge,
            "Up to when the notification history was read.",
            rows.positions.map { .init(labels($0.scope), Double($0.at.milliseconds) / 1_000) }
        )
    }

    private func labels(_ scope: ReportingScope) -> [(name: String, value: String)] {
        [("app", scope.bundleId.rawValue), ("environment", scope.environment.rawValue)]
    }
}

/// The labels by which `external_purchase_due` is counted.
private struct DeadlineSeries: Hashable, Sendable {
    let bundleId: BundleId
    let environment: AppStoreEnvironment
    let isLineItem: Bool
    let needsReview: Bool
    /// The state of the deadline; nil without a deadline.
    let state: DeadlineState?

    init(
        bundleId: BundleId,
        environment: AppStoreEnvironment,
        isLineItem: Bool,
        needsReview: Bool,
        state: DeadlineState?
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.isLineItem = isLineItem
        self.needsReview = needsReview
        self.state = state
    }

    init(_ group: DeadlineGroup, _ state: DeadlineState?) {
        self.init(
            bundleId: group.bundleId,
            environment: group.environment,
            isLineItem: group.isLineItem,
            needsReview: group.needsReview,
            state: state
        )
    }
}

extension DeadlineState {
    fileprivate var metricName: String {
        switch self {
        case .unconfirmed: "unconfirmed"
        case .open: "open"
        case .warned: "warned"
        case .overdue: "overdue"
        }
    }

    fileprivate var days: String? {
        guard case .warned(let days) = self else { return nil }
        return String(days)
    }
}

extension ReportState {
    fileprivate var metricName: String { self == .needsAttention ? "needs_attention" : rawValue }
}
