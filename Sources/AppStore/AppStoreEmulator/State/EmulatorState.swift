import ExternalPurchaseCore
import GRDB
import HTTPSupport
import ReportValidation

/// The state of the emulator.
///
/// Requests change it one at a time.
actor EmulatorState {
    let configuration: EmulatorConfiguration
    let dependencies: EmulatorDependencies
    let sender: NotificationSender
    private let connections: ConnectionGuard
    var settings: EmulatorSettings {
        didSet { if settings.http != oldValue.http { connections.update(settings.http) } }
    }
    var clock: EmulatorClock
    var apps: AppRegistry
    var tokens = TokenRegistry()
    var books: [ReportingScope: ReportBook] = [:]
    var customers = CustomerRegistry()
    var pages = PageSessions()
    var chain: SigningChain
    var notifications = NotificationBook()
    var eventQueue = EventQueue()
    var budgets = RequestBudgets()
    /// Signs the page tokens of the history, so that foreign tokens are recognised.
    let pageSecret: [UInt8]
    private var journal = RequestJournal()
    private var faults = FaultQueue()
    private var verifiedTokens = VerifiedTokens()
    private var inProcess: [UInt64: SubmissionClaim] = [:]
    private var submissions: UInt64 = 0
    let stateFile: StateFile?
    /// The events that are not committed yet.
    var pending: [StateEvent] = []
    /// Why no further event can be committed.
    var storageFailure: String?
    /// The number of resets.
    ///
    /// Work that began before a reset must not change the state after it.
    var generation: UInt64 = 0
    /// The task that processes due events, one after another.
    var turn: Task<Void, Never>?
    /// Signals that an event may be due earlier than expected.
    nonisolated let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    nonisolated let events = EventStream()

    init(
        configuration: EmulatorConfiguration,
        dependencies: EmulatorDependencies,
        connections: ConnectionGuard
    ) throws(EmulatorInputError) {
        self.configuration = configuration
        self.connections = connections
        self.dependencies = dependencies
        settings = configuration.settings
        clock = EmulatorClock(
            startingAt: configuration.now,
            machine: dependencies.now(),
            rate: configuration.settings.clockRate
        )
        sender = NotificationSender(inProcess: dependencies.deliver)
        pageSecret = dependencies.randomBytes(32)
        stateFile = try configuration.stateFile.map { path throws(EmulatorInputError) in try StateFile(path: path) }
        apps = AppRegistry()
        do {
            chain = try SigningChain(at: configuration.now ?? dependencies.now(), dependencies: dependencies)
        } catch {
            throw EmulatorInputError(
                "no-signing-chain",
                "the certificates of notifications cannot be created: \(error)"
            )
        }
        let isRestored = try Self.restored(stateFile, dependencies: dependencies, chain: chain)
        if let isRestored {
            settings = try isRestored.settings.overridden(by: configuration.settings)
            apps = isRestored.apps
            chain = isRestored.chain
            tokens = isRestored.tokens
            books = isRestored.books
            customers = isRestored.customers
            notifications = isRestored.notifications
            eventQueue = isRestored.eventQueue
            clock = EmulatorClock(startingAt: isRestored.virtual, machine: dependencies.now(), rate: settings.clockRate)
            clock.restore(newestEvent: isRestored.newestEvent)
            if let now = configuration.now {
                // The same command line restarts a state that has advanced since.
                let reached = [now, isRestored.virtual, isRestored.newestEvent].compactMap(\.self).max() ?? now
                try clock.set(to: reached, machine: dependencies.now())
            }
        }
        for app in configuration.apps { _ = try apps.register(app, dependencies: dependencies) }
        connections.update(settings.http)
    }

    private static func restored(
        _ file: StateFile?,
        dependencies: EmulatorDependencies,
        chain: SigningChain
    ) throws(EmulatorInputError) -> RestoredState? {
        guard let file else { return nil }
        do {
            let events = try file.events()
            guard !events.isEmpty else { return nil }
            var state = RestoredState(dependencies: dependencies, chain: chain)
            for event in events { try state.apply(event) }
            return state
        } catch {
            let stored = (error as? StoredStateError)?.message ?? (error as? DatabaseError)?.message
            let reason = stored ?? "it contains an event that this version of the emulator does not know"
            throw EmulatorInputError("state-unreadable", "--state \(file.path): cannot be read: \(reason)")
        }
    }

    // MARK: Apple's side

    /// Returns the app of a request.
    ///
    /// With setting `auth.off` it is nil until the body is read (SA-16).
    func authorise(_ authorization: String?) throws(AuthorizationFault) -> BundleId? {
        if settings.isAuthorizationOff { return nil }
        let check = AuthorizationCheck(
            apps: apps,
            settings: settings,
            now: settings.authorizationClock == .machine ? dependencies.now() : now,
            environment: configuration.environment
        )
        return try check.caller(authorization: authorization, verified: &verifiedTokens)
    }

    /// Returns the app of a request without authorisation: the owner of the token in its body, or the first app
    /// (SA-16).
    func owner(of token: ExternalPurchaseId?) -> BundleId? {
        token.flatMap { tokens[$0]?.token.bundleId } ?? apps.apps.first?.bundleId
    }

    /// Validates a report and, if it has no errors, accepts it in the same step (SA-60, SA-65).
    ///
    /// - Returns: all errors in their order; empty when the report was accepted.
    func receive(_ report: ReceivedReport, from bundleId: BundleId) async -> [ReportError] {
        let environment = configuration.environment ?? report.externalPurchaseId?.environment ?? .production
        let scope = ReportingScope(bundleId: bundleId, environment: environment)
        let claim = SubmissionClaim(of: report, in: scope)
        guard !inProcess.values.contains(where: { $0.meets(claim) }) else {
            return [ReportError(.simultaneousSubmission)]
        }
        submissions += 1
        let submission = submissions
        inProcess[submission] = claim
        defer { inProcess[submission] = nil }
        // During a hold other requests run and encounter this claim. Without a hold no other request runs in between.
        if settings.simultaneousHold > .zero {
            _ = await dependencies.waited(settings.simultaneousHold)
        }
        return validate(report, in: scope)
    }

    private func validate(_ report: ReceivedReport, in scope: ReportingScope) -> [ReportError] {
        let token = report.externalPurchaseId
            .flatMap { tokens.token($0, of: scope.bundleId, in: scope.environment) }
            .map {
                KnownToken(
                    creationDate: $0.token.tokenCreationDate,
                    tokenType: $0.token.tokenType,
                    expirationDate: $0.token.tokenExpirationDate
                )
            }
        let history = (books[scope]?.history ?? AcceptedHistory())
            .slice(for: HistoryNeeds(of: report), token: token)
        let errors = ReportValidator(settings: settings.rules).validate(report, history: history, now: now)
        guard errors.isEmpty else { return errors }
        // Mutated in place: a second reference would make every acceptance copy the complete history.
        books[scope, default: ReportBook()].accept(report)
        clock.recordEvent(machine: dependencies.now())
        store(.report(StoredReport(report, in: scope)))
        events.send(.report(report, of: scope.bundleId, at: now))
        return []
    }

    /// Returns an accepted report of the app.
    ///
    /// An emulator that serves both environments searches production first (SA-91).
    func report(_ requestIdentifier: RequestIdentifier, of bundleId: BundleId) -> ReceivedReport? {
        let environments = configuration.environment.map { [$0] } ?? [.production, .sandbox]
        for environment in environments {
            let scope = ReportingScope(bundleId: bundleId, environment: environment)
            if let report = books[scope]?[requestIdentifier] { return report }
        }
        return nil
    }

    /// Returns the accepted reports of one scope in their order, without the first `count`.
    func acceptedReports(after count: Int, in scope: ReportingScope) -> [ReceivedReport] {
        guard let reports = books[scope]?.reports, reports.count > count else { return [] }
        return Array(reports[count...])
    }

    /// Returns the injected fault for such a request, if there is one.
    func fault(method: String, path: String) -> Fault.Behaviour? { faults.next(method: method, path: path) }

    func record(_ entry: JournalEntry) {
        journal.append(entry)
        events.send(.request(entry))
    }

    // MARK: Control

    var now: Timestamp { clock.now(machine: dependencies.now()) }

    /// The time and whether it is virtual, read in one step.
    var clockReading: (now: Timestamp, isVirtual: Bool) { (now, clock.isVirtual) }

    var registeredApps: [RegisteredApp] { apps.registered }

    var requests: [JournalEntry] { journal.entries }

    func clearRequests() { journal.clear() }

    func inject(_ fault: Fault) { faults.append(fault) }

    func clearFaults() { faults = FaultQueue() }

    func register(_ app: AppRegistration) throws(EmulatorInputError) -> RegisteredApp {
        let registered = try apps.register(app, dependencies: dependencies)
        if let issuer = apps.ownIssuerId { store(.ownIssuer(issuer)) }
        if let known = apps[app.bundleId] {
            store(.key(StoredKey(known.key)))
            store(.app(StoredApp(known)))
        }
        return registered
    }

    func fulfil(_ order: TokenOrder) throws(EmulatorInputError) -> TokenRegistry.Entry {
        // The clock is read once: at a second reading a running clock would be past the creation.
        let moment = now
        let entry = try tokens.fulfil(
            order,
            apps: apps,
            pinned: configuration.environment,
            now: moment,
            lifecycle: settings.lifecycle,
            dependencies: dependencies
        )
        if entry.isNew { recorded(entry.token.token, at: moment) }
        return entry
    }

    /// Returns the tokens of one app or of all apps, each with the status of its last report.
    func tokens(of bundleId: BundleId?) throws(EmulatorInputError) -> [(token: DecodedToken, status: ReportStatus?)] {
        if let bundleId, apps[bundleId] == nil { throw TokenRegistry.unknownApp(bundleId) }
        return tokens.tokens
            .filter { bundleId == nil || $0.token.bundleId == bundleId }
            .map { decoded in
                let scope = ReportingScope(bundleId: decoded.token.bundleId, environment: decoded.token.environment)
                return (decoded, books[scope]?.status(of: decoded.token.externalPurchaseId))
            }
    }

    /// Changes several settings, all or none of them.
    func change(_ changes: [(name: String, value: String)]) throws(EmulatorInputError) -> EmulatorSettings {
        var changed = settings
        for change in changes { try changed.set(change.name, to: change.value) }
        settings = changed
        store(.settings(changed.texts))
        clock.setRate(changed.clockRate, machine: dependencies.now())
        wake()
        return changed
    }

    /// Removes tokens, reports, customers, notifications, journal and faults.
    ///
    /// Clock and settings return to their initial values. Root certificate, apps and keys remain, so a server under
    /// test needs no new set-up.
    func reset() {
        generation += 1
        settings = configuration.settings
        clock = EmulatorClock(startingAt: configuration.now, machine: dependencies.now(), rate: settings.clockRate)
        tokens = TokenRegistry()
        books = [:]
        customers = CustomerRegistry()
        pages.lowerSheets()
        notifications = NotificationBook()
        eventQueue = EventQueue()
        budgets = RequestBudgets()
        journal.clear()
        faults = FaultQueue()
        rewrite()
        events.send(.reset)
    }
}
