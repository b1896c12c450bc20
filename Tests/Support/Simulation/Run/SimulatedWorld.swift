import AppStoreEmulator
import AppStoreNotifications
import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import Reporting

/// Runs one scenario: simulates customers, shop, operator and time, and checks the system against the reference model.
final class SimulatedWorld {
    let scenario: Scenario
    let kinds: Set<ScenarioKind>
    let seededDefect: SeededDefect?
    let clock: SimulatedClock
    let referenceModel: Shared<ReferenceModel>
    /// The ledger, which persists across processes.
    let ledger: any LedgerStore
    let emulators: [AppStoreEmulator]
    let transports: [Transport]
    /// Nil where the merchant receives no notifications.
    let inbox: Inbox?
    let verifier: (any NotificationVerifying)?
    private var historyReader: NotificationHistoryReader?
    private let folder: URL?
    private let trouble = StoreTrouble()
    private let numbers: Shared<SeededNumbers>
    private var life = ProcessLife()
    /// Nil while no process is running.
    private(set) var merchant: ReportingSystem? {
        didSet { inbox?.merchant.with { $0 = merchant } }
    }
    /// A server that shares the ledger and never stops; nil where the merchant has one server.
    var other: ReportingSystem?
    var otherHistoryReader: NotificationHistoryReader?
    private var comesBack: Timestamp?
    private var downFor: Int64 = 0
    private(set) var restarts = 0
    /// A consumer of the feed of changes, which reads it after each step.
    var follower = FeedFollower()
    /// Unacknowledged requests, which are repeated.
    var owedSales: [Int] = []
    var owedTokens: [Action.Delivery] = []
    /// Checkouts of visits in the spool file.
    var spooled: [Int: Action.Delivery] = [:]
    private var ownTrouble: Timestamp?
    /// The time of the operator's next review.
    private var nextReview = SimulatedWorld.start
    /// The time since which a refused key has stopped an app's reports.
    private var stoppedSince: Timestamp?

    static let start = Timestamp(milliseconds: 1_795_176_000_000)
    private static let day: Int64 = 86_400_000

    static func bundleId(_ app: Int) -> BundleId { BundleId("com.example.app\(app)") }
    static func appAppleId(_ app: Int) -> Int64 { 1_000_000_001 + Int64(app) }

    init(_ scenario: Scenario, kinds: Set<ScenarioKind>, seededDefect: SeededDefect?) async throws {
        self.scenario = scenario
        self.kinds = kinds
        self.seededDefect = seededDefect
        let clock = SimulatedClock(Self.start)
        let referenceModel = Shared(ReferenceModel(scenario.world))
        self.clock = clock
        self.referenceModel = referenceModel
        numbers = Shared(SeededNumbers(seed: scenario.seed ^ 0x5EED))
        // The ledger's clock decides on leases.
        var times = LedgerDependencies.live
        if kinds.contains(.servers) { times.now = { clock.now } }
        switch scenario.world.store {
        case .memory:
            folder = nil
            ledger = MemoryLedgerStore.empty(times)
        case .sqlite:
            let folder = FileManager.default.temporaryDirectory.appending(path: "year-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            self.folder = folder
            ledger = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path, dependencies: times)
        }
        inbox =
            scenario.world.notices == nil
            ? nil : Inbox(ledger: ledger, clock: clock, referenceModel: referenceModel, seededDefect: seededDefect)
        var emulators: [AppStoreEmulator] = []
        var transports: [Transport] = []
        var roots: [TrustedRoot] = []
        for app in 0..<scenario.world.appCount {
            let emulator = try Self.emulator(of: app, in: scenario, clock: clock, inbox: inbox)
            if inbox != nil, scenario.world.signsRequests {
                roots.append(try TrustedRoot(der: await emulator.rootCertificate))
            }
            var mint: BearerTokenSigner?
            if scenario.world.signsRequests, let known = await emulator.apps.first {
                mint = BearerTokenSigner(
                    credentials: APICredentials(
                        privateKey: try PrivateKey(p8: known.privateKey),
                        keyId: known.keyId,
                        issuerId: known.issuerId,
                        bundleId: known.bundleId
                    )
                )
            }
            emulators.append(emulator)
            transports.append(
                Transport(
                    to: emulator,
                    of: Self.bundleId(app),
                    app: app,
                    clock: clock,
                    referenceModel: referenceModel,
                    mint: mint
                )
            )
        }
        self.emulators = emulators
        self.transports = transports
        if inbox == nil {
            verifier = nil
        } else if scenario.world.signsRequests {
            let apps = emulators.indices.map {
                NotificationRecipient.App(bundleId: Self.bundleId($0), appAppleId: Self.appAppleId($0))
            }
            verifier = NotificationVerifier(
                roots: roots,
                recipient: NotificationRecipient(apps: apps),
                now: { clock.merchantNow }
            )
        } else {
            verifier = TrustingVerifier()
        }
    }

    private static func emulator(
        of app: Int,
        in scenario: Scenario,
        clock: SimulatedClock,
        inbox: Inbox?
    ) throws -> AppStoreEmulator {
        var settings = EmulatorSettings()
        if let notices = scenario.world.notices {
            if notices.isAboutAll {
                try settings.set("notify.createdFor", to: "plain,perTransaction,customLink")
            }
            if let again = notices.repeatsEvery {
                try settings.set("notify.unreportedRepeat", to: "\(again / 3_600_000)h")
            }
        }
        if !scenario.world.signsRequests { try settings.set("auth.off", to: "on") }
        try settings.set("servicesLifetime", to: "\(scenario.world.servicesDays)d")
        try settings.set("acquisitionLifetime", to: "\(scenario.world.acquisitionDays)d")
        try settings.set("refreshPolicy", to: scenario.world.isRefreshing ? "refreshed" : "identical")
        var dependencies = EmulatorDependencies.seeded(scenario.seed &* 31 &+ UInt64(app))
        dependencies.now = { clock.now }
        dependencies.wait = { duration in
            clock.jump(duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000)
            await Task.yield()
        }
        if !scenario.world.signsRequests { dependencies.seal = TrustingVerifier.sealed }
        if let inbox { dependencies.deliver = { body, _ in await inbox.deliver(body, app: app) } }
        let address = inbox.map { _ in "http://merchant.example/notifications" }
        return try AppStoreEmulator(
            EmulatorConfiguration(
                apps: [
                    AppRegistration(
                        bundleId: bundleId(app),
                        appAppleId: appAppleId(app),
                        notificationURLs: NotificationURLs(production: address, sandbox: address)
                    )
                ],
                settings: settings
            ),
            dependencies: dependencies,
            logger: Logger(label: "year") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Runs the scenario to its end, or to the step that violates an invariant.
    func play() async -> [Violation] {
        defer {
            if let folder { try? FileManager.default.removeItem(at: folder) }
            // Breaks the reference cycle of process, transports, emulators and inbox.
            merchant = nil
            other = nil
        }
        await openAccounts()
        startProcess()
        if kinds.contains(.servers) { startOther() }
        for step in scenario.steps {
            await passTime(until: Self.start + .milliseconds(step.at))
            await repeatWhatIsOwed()
            await perform(step.action)
            await settle()
            await lookAround()
            if hasBroken { return violations }
        }
        await finish()
        return violations
    }

    var violations: [Violation] { referenceModel.with { $0.violations } }
    var hasBroken: Bool { referenceModel.with { !$0.violations.isEmpty } }

    func report(_ invariant: Invariant, _ detail: String) {
        let now = clock.now
        referenceModel.with { $0.report(invariant, now, detail) }
    }

    private func openAccounts() async {
        for emulator in emulators {
            for (number, customer) in scenario.world.customers.enumerated() {
                _ = await emulator.answer("POST", "/emulator/v1/accounts")
                for _ in 0..<customer.deviceCount {
                    let body = JSONValue.object(["account": .integer(Int64(number + 1))])
                    _ = await emulator.answer("POST", "/emulator/v1/devices", body: body.encoded())
                }
            }
        }
    }

    /// The number of a customer's device in every emulator.
    func device(_ device: Int, of customer: Int) -> Int {
        scenario.world.customers.prefix(customer).reduce(0) { $0 + $1.deviceCount } + device + 1
    }

    // MARK: Processes

    private func startProcess() {
        life = ProcessLife()
        let (dependencies, settings, numbers) = (processDependencies, processSettings, numbers)
        let apps = transports.enumerated().map { app, transport in
            var client: any ReportEndpointClient = transport
            if let seededDefect { client = MutantClient(transport, seededDefect, numbers: numbers) }
            return Reporting.RegisteredApp(
                bundleId: Self.bundleId(app),
                appAppleId: Self.appAppleId(app),
                environments: [.sandbox, .production],
                client: CrashingClient(client, life: life),
                history: inbox.map { _ in CrashingHistory(transport, life: life) }
            )
        }
        merchant = ReportingSystem(
            store: FaultyLedgerStore(ledger, ProcessFaults(life: life, trouble: trouble)),
            apps: apps,
            settings: settings,
            verifier: verifier,
            spool: folder.map { LandingSpool(path: $0.appending(path: "spool").path) },
            isShared: kinds.contains(.servers),
            dependencies: dependencies,
            logger: Logger(label: "year") { _ in SwiftLogNoOpLogHandler() }
        )
        readHistoryAgain(dependencies)
    }

    /// Time and randomness of each process, which all show the merchant's clock.
    var processDependencies: ReportingDependencies {
        var dependencies = importReportingDependencies
        let clock = clock
        dependencies.executor = executor
        dependencies.uptime = { Self.start.duration(to: clock.now) }
        return dependencies
    }

    var processSettings: ReportingSettings {
        var settings = ReportingSettings()
        if let due = try? DeadlineSettings(sendDelay: .milliseconds(scenario.world.sendDelay)) { settings.due = due }
        let isAutomatic = scenario.world.correctsFigures && seededDefect != .ignoresLateEvents
        settings.subscriptionFigures = isAutomatic ? .automatic : .review
        if let notices = scenario.world.notices { settings.historyEvery = .milliseconds(notices.historyEvery) }
        if seededDefect != nil { settings.isPreflightOn = false }
        if seededDefect == .waitsTooLong { settings.unrecognizedWait = .days(60) }
        return settings
    }

    private func readHistoryAgain(_ dependencies: ReportingDependencies) {
        guard let merchant, inbox != nil, seededDefect != .neverAsksHistory else { return }
        historyReader = NotificationHistoryReader(
            system: merchant,
            dependencies: dependencies,
            logger: Logger(label: "year") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Delivers Apple's pending notifications, and queries the history for lost ones.
    private func exchangeNotifications() async {
        guard let inbox else { return }
        for emulator in emulators { await emulator.settle() }
        noticeDeath()
        await otherHistoryReader?.readDue()
        guard merchant != nil else { return }
        await historyReader?.readDue()
        await inbox.lookForHeard()
        noticeDeath()
    }

    /// The executor of this world's tasks.
    var executor: (any TaskExecutor)?

    private func noticeDeath() {
        guard merchant != nil, life.isDead else { return }
        noteTrouble()
        merchant = nil
        historyReader = nil
        comesBack = clock.now + .milliseconds(downFor)
    }

    private func bringBack() {
        guard merchant == nil, let moment = comesBack, moment <= clock.now else { return }
        comesBack = nil
        restarts += 1
        startProcess()
    }

    /// Returns a new unique identifier.
    func freshIdentifier() -> RequestIdentifier { RequestIdentifier(numbers.with { $0.uuid() }) }

    /// The dependencies of the merchant's import command.
    var importReportingDependencies: ReportingDependencies {
        let (clock, numbers) = (clock, numbers)
        return ReportingDependencies(
            now: { clock.merchantNow },
            uuid: { numbers.with { $0.uuid() } },
            random: { numbers.with { $0.fraction() } },
            sleep: { _ in }
        )
    }

    /// Stops the process on behalf of the operator.
    func stop() {
        life.end()
        merchant = nil
    }

    func restart() {
        life.end()
        merchant = nil
        comesBack = clock.now
        bringBack()
    }

    func crash(after moments: Int, downFor: Int64) {
        self.downFor = downFor
        life.end(after: moments)
    }

    func storeFails(_ fault: Action.StoreFault) { trouble.begin(fault) }

    func noteTrouble() { ownTrouble = clock.now }

    /// The largest positive offset of the merchant's clock in the scenario, in ms.
    private var farthestAhead: Int64 {
        scenario.steps.reduce(0) { if case .merchantClock(let error) = $1.action { max($0, error) } else { $0 } }
    }

    /// The time of the last failure, for checks that do not apply shortly after one.
    var lastTrouble: Timestamp? {
        (transports.map(\.lastTrouble) + [ownTrouble, merchant == nil || clock.merchantError != 0 ? clock.now : nil])
            .compactMap { $0 }.max()
    }

    /// Simulates the operator once a day: confirms proposed corrections and repairs refused keys.
    private func operate() async {
        guard let merchant else { return }
        if nextReview <= clock.now {
            nextReview = clock.now + .milliseconds(Self.day)
            await confirmFigures(by: merchant)
        }
        let stopped = await merchant.sender.stoppedApps
        guard !stopped.isEmpty else {
            stoppedSince = nil
            return
        }
        let since = stoppedSince ?? clock.now
        stoppedSince = since
        noteTrouble()
        guard clock.now >= since + .milliseconds(Self.day) else { return }
        stoppedSince = nil
        for bundleId in stopped.sorted() {
            await merchant.sender.resume(bundleId)
            await other?.sender.resume(bundleId)
        }
    }

    // MARK: Time

    /// Advances time; the merchant's sender runs when it requested it, and at least daily.
    func passTime(until target: Timestamp) async {
        var standstill = 0
        while clock.now < target, !hasBroken {
            let now = clock.now
            var next = min(target, now + .milliseconds(Self.day))
            let othersWish = await runOther()
            if let othersWish { next = min(next, max(othersWish - .milliseconds(clock.merchantError), clock.now)) }
            if let merchant {
                await merchant.sender.tick()
                let wish = await merchant.sender.runUntilIdle()
                noticeDeath()
                if let wish, merchantIsUp {
                    let moment = wish - .milliseconds(clock.merchantError)
                    if moment <= clock.now { standstill += 1 } else { standstill = 0 }
                    if standstill > 100 {
                        report(.noSpinning, "the sender asks for the same moment again and again")
                        return
                    }
                    next = min(next, max(moment, clock.now))
                }
            }
            if let comesBack { next = min(next, max(comesBack, clock.now)) }
            if inbox != nil {
                for emulator in emulators {
                    if let event = await emulator.nextEvent { next = min(next, max(event, clock.now)) }
                }
            }
            clock.go(to: next)
            bringBack()
            await exchangeNotifications()
            await operate()
            await checkDueDates()
        }
    }

    private var merchantIsUp: Bool { merchant != nil }

    func settle() async {
        await exchangeNotifications()
        await runOther()
        guard let merchant else { return }
        await merchant.sender.tick()
        await merchant.sender.runUntilIdle()
        noticeDeath()
        bringBack()
    }

    // MARK: End of the scenario

    /// Ends all faults, repeats unacknowledged requests and advances time; nothing may then be left unreported.
    private func finish() async {
        trouble.end()
        for emulator in emulators { _ = await emulator.answer("DELETE", "/emulator/v1/faults") }
        clock.setMerchantError(0)
        let silent = referenceModel.with { referenceModel in
            referenceModel.saleOrder.compactMap { referenceModel.sales[$0] }.filter {
                !$0.isAcknowledged && $0.partOf == nil
            }.map(
                \.number
            )
        }
        owedSales += silent.filter { !owedSales.contains($0) }
        if merchant == nil {
            comesBack = clock.now
            bringBack()
        } else {
            life.end(after: .max)
        }
        inbox?.unheardUntil.with { $0 = [:] }
        // A new process queries the history at once and plans all open sales again.
        restart()
        // A stopped app must be resumed by the operator.
        for app in transports.indices { await merchant?.sender.resume(Self.bundleId(app)) }
        for app in transports.indices { await other?.sender.resume(Self.bundleId(app)) }
        for _ in 0..<3 {
            await settle()
            await repeatWhatIsOwed()
            if let merchant { await confirmFigures(by: merchant) }
        }
        // With a send delay, a sale waits by the clock at its arrival.
        let ahead = scenario.world.sendDelay > 0 ? farthestAhead : 0
        await passTime(until: clock.now.advanced(by: .milliseconds(3 * Self.day + ahead)))
        await repeatWhatIsOwed()
        await settle()
        // One correction may allow the next one.
        for _ in 0..<4 {
            if let merchant { await confirmFigures(by: merchant) }
            await settle()
        }
        await lookAround()
        if !hasBroken { await checkTheEnd() }
    }
}
