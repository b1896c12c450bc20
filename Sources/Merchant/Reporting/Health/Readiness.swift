package import ExternalPurchaseCore
import Ledger
import Logging

/// The readiness of the server, which `GET /health/ready` shows.
package struct Readiness: Hashable, Sendable {
    /// The checks.
    package enum Check: String, Hashable, Sendable, CaseIterable {
        /// The store can commit.
        case store
        /// The ledger's disk has enough free space.
        case space
        /// The machine's clock is plausible.
        case clock
        /// The leases of the server can be renewed.
        case leases
        /// The file of exchange rates can be read.
        case rates
        /// Apple accepts the app's key.
        case key
        /// Apple's API answers.
        case apple
        /// The configuration has every app of which something is to be reported.
        case apps
    }

    /// A failed check.
    package struct Problem: Hashable, Sendable {
        package let check: Check
        /// The app, if the check is about one.
        package let app: BundleId?
        /// One sentence for the operator, without details that belong only in the log.
        package let detail: String

        init(_ check: Check, app: BundleId? = nil, _ detail: String) {
            self.check = check
            self.app = app
            self.detail = detail
        }
    }

    package var problems: [Problem] = []

    /// False while requests cannot be stored, or soon will not be; a load balancer then has to send them elsewhere.
    ///
    /// A refused key, a silent API and an implausible clock stop only the sending, and unreadable rates hold sales;
    /// incoming data is still stored.
    package var isReady: Bool { !problems.contains { $0.check == .store || $0.check == .space } }

    /// Returns the readiness without the problems of other apps than some.
    package func limited(to apps: Set<BundleId>) -> Readiness {
        Readiness(problems: problems.filter { $0.app.map(apps.contains) ?? true })
    }

    /// Returns the readiness as somebody may read it who knows some apps: each check that fails for others stands once, and
    /// names neither app nor key.
    package func naming(only apps: Set<BundleId>) -> Readiness {
        var told = limited(to: apps)
        for problem in problems where problem.app.map({ !apps.contains($0) }) ?? false {
            let cause =
                switch problem.check {
                case .key: "Apple refused the key of an app"
                case .apps: "the configuration lacks an app of which something is not reported"
                default: "Apple does not answer for an app"
                }
            let nameless = Problem(
                problem.check,
                "\(cause); with a key of scope read, the answer says of which one and why"
            )
            if !told.problems.contains(nameless) { told.problems.append(nameless) }
        }
        return told
    }
}

/// Checks the readiness with a real commit; the result is shared by all callers for a second.
package actor ReadinessCheck {
    private let store: any LedgerStore
    private let sender: ReportSender
    private let due: DeadlineCalculator
    private let openDeadlines: ReusedFigures<OpenDeadlines>
    private let dependencies: ReportingDependencies
    /// The setting `ready.freeSpace` in bytes.
    private let freeSpace: Int64
    private let logger: Logger
    private var last: (readiness: Readiness, at: ContinuousClock.Instant)?
    private var running: Task<Readiness, Never>?
    private var isFailing = false

    private static let keep = Duration.seconds(1)

    init(
        store: any LedgerStore,
        sender: ReportSender,
        due: DeadlineCalculator,
        openDeadlines: ReusedFigures<OpenDeadlines>,
        dependencies: ReportingDependencies,
        freeSpace: Int64,
        logger: Logger
    ) {
        self.store = store
        self.sender = sender
        self.due = due
        self.openDeadlines = openDeadlines
        self.dependencies = dependencies
        self.freeSpace = freeSpace
        self.logger = logger
    }

    /// Returns the readiness; makes a commit that changes nothing.
    package func readiness() async -> Readiness {
        if let last, last.at.duration(to: .now) < Self.keep { return last.readiness }
        if let running { return await running.value }
        let task = Task { await check() }
        running = task
        let readiness = await task.value
        running = nil
        last = (readiness, .now)
        return readiness
    }

    private func check() async -> Readiness {
        var readiness = Readiness()
        do {
            _ = try await store.read { ledger throws(LedgerError) in try ledger.tokens(LedgerPage(limit: 1)).count }
            try await store.checkWritable()
            if isFailing { logger.notice("the ledger stores again") }
            isFailing = false
        } catch {
            if !isFailing { logger.critical("the ledger stores nothing", metadata: ["error": "\(error)"]) }
            isFailing = true
            readiness.problems.append(.init(.store, "the ledger stores nothing; the log says why"))
        }
        if let free = store.freeBytes, free < freeSpace {
            readiness.problems.append(
                .init(.space, "\(free) bytes are free where the ledger is, ready.freeSpace asks for \(freeSpace)")
            )
        }
        if let doubt = dependencies.clockDoubt() {
            readiness.problems.append(.init(.clock, "nothing is sent: \(doubt)"))
        }
        if sender.leases.isFailing {
            readiness.problems.append(
                .init(.leases, "leases cannot be renewed, so that reports wait or another server sends them")
            )
        }
        if dependencies.rates?.isStale == true {
            readiness.problems.append(
                .init(.rates, "exchange rates stay as they were, because their file is wrong; the log says why")
            )
        }
        let outages = await sender.outages
        for app in await sender.stoppedApps.sorted() {
            let refusal = outages.first { $0.scope.bundleId == app && $0.isRefusedKey }
            let detail = refusal?.sentence ?? "Apple refused the key of \(app): nothing of the app is sent"
            readiness.problems.append(.init(.key, app: app, detail))
        }
        for outage in outages where !outage.isRefusedKey {
            readiness.problems.append(.init(.apple, app: outage.scope.bundleId, outage.sentence))
        }
        for (app, detail) in await unknownApps() { readiness.problems.append(.init(.apps, app: app, detail)) }
        return readiness
    }

    /// The apps that the configuration lacks; rows are counted only where there is one.
    private func unknownApps() async -> [(app: BundleId, detail: String)] {
        let classifier = due.classifier
        let unknown = try? await store.read { ledger throws(LedgerError) in try classifier.unknownApps(in: ledger) }
        guard let unknown, !unknown.isEmpty,
            let open = try? await openDeadlines.computed(patience: .milliseconds(100)).value
        else { return [] }
        return classifier.unknownApps(in: open.groups)
    }
}
