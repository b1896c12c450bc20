import ExternalPurchaseCore
import ReportRules

/// Everything the emulator remembers, changed by one request at a time.
actor EmulatorState {
    private let configuration: EmulatorConfiguration
    private let sources: EmulatorSources
    private(set) var settings: EmulatorSettings
    private var clock: EmulatorClock
    private var apps: AppRegistry
    private var tokens = TokenRegistry()
    private var books: [World: ReportBook] = [:]
    private var journal = RequestJournal()
    private var faults = FaultQueue()
    private var inProcess: [UInt64: SubmissionClaim] = [:]
    private var submissions: UInt64 = 0

    init(configuration: EmulatorConfiguration, sources: EmulatorSources) throws(EmulatorInputError) {
        self.configuration = configuration
        self.sources = sources
        settings = configuration.settings
        clock = EmulatorClock(startingAt: configuration.now)
        var apps = AppRegistry()
        for app in configuration.apps { _ = try apps.register(app, sources: sources) }
        self.apps = apps
    }

    // MARK: Apple's side

    /// The app that a request speaks for; with setting `auth.off` nil until its body is read (SA-16).
    func authorise(_ authorization: String?) throws(AuthorizationFault) -> BundleId? {
        if settings.isAuthorizationOff { return nil }
        let check = AuthorizationCheck(
            apps: apps,
            settings: settings,
            now: settings.authorizationClock == .machine ? sources.now() : now,
            environment: configuration.environment
        )
        return try check.caller(authorization: authorization)
    }

    /// The app of a request without authorisation: the owner of the token it names, else the first (SA-16).
    func owner(of token: ExternalPurchaseId?) -> BundleId? {
        token.flatMap { tokens[$0]?.token.bundleId } ?? apps.apps.first?.bundleId
    }

    /// Judges a report and, when nothing is wrong, accepts it in the same step (SA-60, SA-65).
    ///
    /// - Returns: all errors in their order; empty when the report was accepted.
    func receive(_ report: ReceivedReport, from bundleId: BundleId) async -> [ReportError] {
        let environment = configuration.environment ?? report.externalPurchaseId?.environment ?? .production
        let world = World(bundleId: bundleId, environment: environment)
        let claim = SubmissionClaim(of: report, in: world)
        guard !inProcess.values.contains(where: { $0.meets(claim) }) else {
            return [ReportError(.simultaneousSubmission)]
        }
        submissions += 1
        let submission = submissions
        inProcess[submission] = claim
        defer { inProcess[submission] = nil }
        // Other requests run while this one waits, and meet its claim; without a hold nothing comes between.
        if settings.simultaneousHold > 0 {
            try? await Task.sleep(for: .milliseconds(settings.simultaneousHold))
        }
        return judge(report, in: world)
    }

    private func judge(_ report: ReceivedReport, in world: World) -> [ReportError] {
        var book = books[world] ?? ReportBook()
        let token = report.externalPurchaseId
            .flatMap { tokens.token($0, of: world.bundleId, in: world.environment) }
            .map {
                KnownToken(
                    creationDate: $0.token.tokenCreationDate,
                    tokenType: $0.token.tokenType,
                    expirationDate: $0.token.tokenExpirationDate
                )
            }
        let history = book.history.slice(for: HistoryNeeds(of: report), token: token)
        let errors = ReportJudge(settings: settings.rules).judge(report, history: history, now: now)
        guard errors.isEmpty else { return errors }
        book.accept(report)
        books[world] = book
        clock.recordEvent(machine: sources.now())
        return []
    }

    /// An accepted report of the app; an emulator that is not pinned looks in both worlds, production first (SA-91).
    func report(_ requestIdentifier: RequestIdentifier, of bundleId: BundleId) -> ReceivedReport? {
        let environments = configuration.environment.map { [$0] } ?? [.production, .sandbox]
        for environment in environments {
            let world = World(bundleId: bundleId, environment: environment)
            if let report = books[world]?[requestIdentifier] { return report }
        }
        return nil
    }

    /// The misbehaviour that waits for such a request, if any.
    func fault(method: String, path: String) -> Fault.Behaviour? { faults.take(method: method, path: path) }

    func record(_ entry: JournalEntry) { journal.append(entry) }

    // MARK: Control

    var now: Timestamp { clock.now(machine: sources.now()) }

    /// The time and whether it is virtual, read in one step.
    var clockReading: (now: Timestamp, isVirtual: Bool) { (now, clock.isVirtual) }

    var registeredApps: [RegisteredApp] { apps.registered }

    var requests: [JournalEntry] { journal.entries }

    func clearRequests() { journal.clear() }

    func inject(_ fault: Fault) { faults.append(fault) }

    func clearFaults() { faults = FaultQueue() }

    func setClock(to moment: Timestamp) throws(EmulatorInputError) { try clock.set(to: moment) }

    /// Stops a running clock where it is.
    func holdClock() throws(EmulatorInputError) { try clock.set(to: now) }

    func followMachine() throws(EmulatorInputError) { try clock.followMachine(machine: sources.now()) }

    func advanceClock(seconds: Int64) throws(EmulatorInputError) {
        try clock.advance(seconds: seconds, machine: sources.now())
    }

    func register(_ app: AppRegistration) throws(EmulatorInputError) -> RegisteredApp {
        try apps.register(app, sources: sources)
    }

    func fulfil(_ order: TokenOrder) throws(EmulatorInputError) -> TokenRegistry.Entry {
        let entry = try tokens.fulfil(
            order,
            apps: apps,
            pinned: configuration.environment,
            now: now,
            sources: sources
        )
        if entry.isNew { clock.recordEvent(machine: sources.now()) }
        return entry
    }

    /// The tokens of one app or of all, each with what was last reported of it.
    func tokens(of bundleId: BundleId?) throws(EmulatorInputError) -> [(token: DecodedToken, status: ReportStatus?)] {
        if let bundleId, apps[bundleId] == nil { throw TokenRegistry.unknownApp(bundleId) }
        return tokens.tokens
            .filter { bundleId == nil || $0.token.bundleId == bundleId }
            .map { decoded in
                let world = World(bundleId: decoded.token.bundleId, environment: decoded.token.environment)
                return (decoded, books[world]?.status(of: decoded.token.externalPurchaseId))
            }
    }

    /// Sets several settings, all or none of them.
    func change(_ changes: [(name: String, value: String)]) throws(EmulatorInputError) -> EmulatorSettings {
        var changed = settings
        for change in changes { try changed.set(change.name, to: change.value) }
        settings = changed
        return changed
    }

    /// Forgets tokens, reports, journal and faults; clock and settings return to their start, apps and keys stay, so that a server
    /// under test needs no new set-up.
    func reset() {
        settings = configuration.settings
        clock = EmulatorClock(startingAt: configuration.now)
        tokens = TokenRegistry()
        books = [:]
        journal.clear()
        faults = FaultQueue()
    }
}
