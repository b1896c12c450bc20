package import AppStoreNotifications
package import ExternalPurchaseCore
package import Ledger
package import Logging
package import Payments

/// The reporting system without HTTP: use cases on one ledger, called by a server, a command or a test.
///
/// A use case that stores data returns after its commit. ``sender`` sends reports afterwards.
package struct ReportingSystem: Sendable {
    package private(set) var apps: [BundleId: RegisteredApp]
    package let settings: ReportingSettings

    // Intake of data.
    package let tokens: TokenIntake
    package let visits: VisitIntake
    package let sales: SaleIntake
    package let batches: BatchIntake
    package let notifications: NotificationIntake
    /// Receives payment events; nil without a configured provider.
    package let payments: PaymentIntake?

    // Requests and decisions of people.
    package let corrections: CorrectionRequests
    package let review: ReviewDecisions
    package let submissions: ManualSubmissions
    package let invoices: Invoices
    package let erasures: CustomerErasure

    // Queries.
    package private(set) var lists: RecordLists
    package let changes: ChangeFeed
    package let exports: MonthlyExports
    package let health: ReadinessCheck
    /// API keys and users.
    package let access: AccessRecords

    /// Applies payment events again, and fetches what they leave out; run it as a service next to the server.
    package let paymentWorker: PaymentWorker?

    /// Sends due reports; run it as a service next to the server.
    package let sender: ReportSender

    /// Which work this server does of those that share the ledger.
    package let leases: LeaseKeeper

    let store: DeadlineMaintainingStore
    let dependencies: ReportingDependencies
    package let logger: Logger

    /// Computes deadlines for the programmes of the apps.
    package let due: DeadlineCalculator
    let scanner: DeadlineScanner
    let alertCounts = AlertCounts()
    let webhookReceivers = WebhookReceivers()
    let figures: ReportingMetrics
    let openDeadlines: ReusedFigures<OpenDeadlines>

    /// Creates a reporting system on a store.
    ///
    /// - Parameters:
    ///   - store: the ledger.
    ///   - apps: the merchant's apps; each bundle id may occur once.
    ///   - settings: the settings.
    ///   - verifier: verifies notifications; nil refuses all of them.
    ///   - spool: stores visits that the ledger cannot store; nil forwards their parameters in the redirect.
    ///   - sources: the payment providers whose events are received.
    ///   - isShared: whether other servers may use the ledger, so that this one needs leases; nil asks the store.
    ///   - dependencies: time, randomness and waiting.
    ///   - logger: receives messages for the operator.
    package init(
        store: any LedgerStore,
        apps list: [RegisteredApp],
        settings: ReportingSettings = ReportingSettings(),
        verifier: (any NotificationVerifying)? = nil,
        spool: LandingSpool? = nil,
        payments sources: [any PaymentSource] = [],
        isShared: Bool? = nil,
        dependencies: ReportingDependencies = .live,
        logger: Logger
    ) {
        let apps = Dictionary(list.map { ($0.bundleId, $0) }) { first, _ in first }
        self.apps = apps
        self.settings = settings
        self.dependencies = dependencies
        self.logger = logger
        let planner = MerchantPlanner(settings: settings, uuid: dependencies.uuid)
        let rules = DeadlineRules(
            catalog: settings.programmes,
            settings: settings.due,
            appProgrammes: apps.mapValues(\.programmes)
        )
        let classifier = HoldClassifier(tokenWait: settings.tokenWait, apps: Set(apps.keys))
        due = DeadlineCalculator(
            rules: rules,
            unrecognizedWait: settings.unrecognizedWait,
            classifier: classifier
        )
        let leases = LeaseKeeper(
            store: store,
            scopes: apps.values.flatMap(\.scopes),
            settings: settings.leases,
            isShared: isShared ?? store.isShared,
            dependencies: dependencies,
            logger: logger
        )
        self.leases = leases
        let store = DeadlineMaintainingStore(
            store,
            calculator: due,
            dependencies: dependencies,
            decidesOnRules: { leases.isElected }
        )
        self.store = store

        // The parts of the path from a token to Apple's response.
        let recorder = TokenRecorder(
            store: store,
            apps: apps,
            planner: planner,
            dependencies: dependencies,
            visitQuota: VisitQuota(settings.landing)
        )
        let paymentSignals = PaymentSignals()
        let pipeline = ReportPipeline(
            store: store,
            apps: apps,
            settings: settings,
            dependencies: dependencies,
            dueRules: rules,
            payments: paymentSignals,
            logger: logger
        )
        sender = ReportSender(
            pipeline: pipeline,
            tokens: recorder,
            spool: spool,
            leases: leases,
            dependencies: dependencies,
            logger: logger
        )
        let signals = SenderSignals(sender: sender, payments: paymentSignals)

        tokens = TokenIntake(
            store: store,
            recorder: recorder,
            planner: planner,
            dependencies: dependencies,
            signals: signals
        )
        visits = VisitIntake(
            apps: apps,
            recorder: recorder,
            spool: spool,
            dependencies: dependencies,
            signals: signals
        )
        sales = SaleIntake(
            store: store,
            apps: apps,
            settings: settings,
            dependencies: dependencies,
            signals: signals
        )
        batches = BatchIntake(
            store: store,
            recorder: recorder,
            sales: sales,
            dependencies: dependencies,
            signals: signals
        )
        notifications = NotificationIntake(
            store: store,
            apps: apps,
            verifier: verifier,
            planner: planner,
            dependencies: dependencies,
            logger: logger,
            signals: signals
        )
        corrections = CorrectionRequests(
            store: store,
            apps: apps,
            planner: planner,
            dependencies: dependencies,
            signals: signals
        )
        let paymentSources = PaymentSources(sources)
        if paymentSources.isEmpty {
            (payments, paymentWorker) = (nil, nil)
        } else {
            let application = PaymentApplication(
                sources: paymentSources,
                sales: sales,
                corrections: settings.paymentCorrections == .automatic ? corrections : nil,
                tokenWait: settings.tokenWait,
                logger: logger,
                signals: signals
            )
            let worker = PaymentWorker(
                application: application,
                store: store,
                sources: paymentSources,
                leases: leases,
                signals: paymentSignals,
                dependencies: dependencies,
                logger: logger
            )
            sender.whenElected { [requests = worker.requests] in requests.look(at: [.received, .waiting, .held]) }
            paymentWorker = worker
            payments = PaymentIntake(
                application: application,
                store: store,
                sources: paymentSources,
                dependencies: dependencies,
                logger: logger,
                signals: signals,
                worker: worker
            )
        }
        review = ReviewDecisions(
            store: store,
            apps: apps,
            planner: planner,
            preflight: ReportPreflight(settings: settings, dependencies: dependencies),
            recorder: pipeline.recorder,
            corrections: corrections,
            dependencies: dependencies,
            logger: logger,
            signals: signals
        )
        let choice = ExportChoice(rules: rules, apps: Array(apps.keys))
        submissions = ManualSubmissions(
            store: store,
            recorder: ManualSubmissionRecorder(rules: rules, settings: settings, uuid: dependencies.uuid),
            choice: choice,
            dependencies: dependencies,
            signals: signals
        )
        invoices = Invoices(
            store: store,
            book: InvoiceBook(rules: rules, settings: settings),
            choice: choice,
            dependencies: dependencies
        )
        erasures = CustomerErasure(store: store)
        access = AccessRecords(store: store)
        lists = RecordLists(
            store: store,
            apps: apps.keys.sorted(),
            settings: settings,
            classifier: classifier,
            dependencies: dependencies
        )
        changes = ChangeFeed(store: store)
        exports = MonthlyExports(
            store: store,
            rules: rules,
            settings: settings,
            choice: choice,
            dependencies: dependencies
        )
        openDeadlines = OpenDeadlines.reused(due, in: store, at: dependencies.now)
        health = ReadinessCheck(
            store: store,
            sender: sender,
            due: due,
            openDeadlines: openDeadlines,
            dependencies: dependencies,
            freeSpace: settings.readyFreeSpace,
            logger: logger
        )

        scanner = DeadlineScanner(store: store, calculator: due, dependencies: dependencies)
        figures = ReportingMetrics(
            store: store,
            apps: apps,
            calculator: due,
            sender: sender,
            spool: spool,
            alerts: alertCounts,
            dependencies: dependencies
        )
    }

    /// The current time of the system's clock.
    package var now: Timestamp { dependencies.now() }
}

extension ReportingSystem {
    /// Returns the readiness; problems of apps that are left out are left out too.
    package func readiness() async -> Readiness {
        let readiness = await health.readiness()
        return lists.isLimited ? readiness.limited(to: Set(apps.keys)) : readiness
    }

    /// Returns the system as somebody sees it who has some of the apps: apps, lists, counts and deadlines of the others are
    /// left out.
    package func limited(to apps: Set<BundleId>) -> ReportingSystem {
        var limited = self
        limited.apps = self.apps.filter { apps.contains($0.key) }
        limited.lists = lists.limited(to: apps)
        return limited
    }

    /// Returns the system as somebody sees it who is no administrator.
    package func withoutAccess() -> ReportingSystem {
        var system = self
        system.lists = lists.withoutAccess()
        return system
    }
}
