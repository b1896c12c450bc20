import ExternalPurchaseCore
import Ledger
import Logging
import Payments
import ServiceLifecycle
import Synchronization

/// Fetches what events leave out, and applies events again that could not be applied.
///
/// It looks at all waiting and held events at the start, since the configuration may have changed, and at waiting ones
/// every hour; in between at each event that waits for an object, and at the newest waiting ones when an event of an
/// invoice arrives, which may belong to them by a fetched object only.
package struct PaymentWorker: Service {
    let application: PaymentApplication
    let store: any LedgerStore
    let sources: PaymentSources
    let leases: LeaseKeeper
    let dependencies: ReportingDependencies
    let logger: Logger
    /// What the sender calls, which the application of events has: it must not have the worker too.
    let requests: Requests
    private let signals: PaymentSignals

    /// An event among those of all providers.
    struct Key: Hashable, Comparable {
        let provider: PaymentProvider
        let id: PaymentEventId

        init(_ event: StoredPaymentEvent) { (provider, id) = (event.provider, event.eventId) }

        static func < (left: Key, right: Key) -> Bool {
            (left.provider.rawValue, left.id) < (right.provider.rawValue, right.id)
        }
    }

    /// What the next run looks at.
    fileprivate struct Wanted {
        var events: Set<Key> = []
        var states: Set<PaymentEventResult.State> = [.received, .waiting, .held]
        /// True if an event arrived that the newest waiting events may be connected with.
        var looksAtNewest = false
        /// The number of runs without a usable answer since the last one with answers.
        var failures = 0

        static let nothing = Wanted(states: [])

        /// Adds what another run has to look at; the number of failures stays.
        mutating func add(_ other: Wanted) {
            events.formUnion(other.events)
            states.formUnion(other.states)
            looksAtNewest = looksAtNewest || other.looksAtNewest
        }
    }

    /// What was requested of the worker.
    final class Requests: Sendable {
        fileprivate let wanted = Mutex(Wanted())
        private let signals: PaymentSignals

        fileprivate init(_ signals: PaymentSignals) { self.signals = signals }

        /// Requests a run for all events in the given states, which only the elected server does.
        func look(at states: [PaymentEventResult.State]) {
            wanted.withLock { $0.states.formUnion(states) }
            signals.wake()
        }
    }

    /// The longest time to wait after a run without a usable answer; the first wait is one second.
    private static let longestWait = Duration.seconds(300)
    /// The number of waiting events that the arrival of an invoice's event looks at.
    private static let newest = 100
    /// The time after which waiting events are looked at again.
    private static let interval = Duration.hours(1)

    init(
        application: PaymentApplication,
        store: any LedgerStore,
        sources: PaymentSources,
        leases: LeaseKeeper,
        signals: PaymentSignals,
        dependencies: ReportingDependencies,
        logger: Logger
    ) {
        self.leases = leases
        self.signals = signals
        requests = Requests(signals)
        self.application = application
        self.store = store
        self.sources = sources
        self.dependencies = dependencies
        self.logger = logger
        signals.wake()
    }

    /// Requests a run for one event.
    func wake(for event: Key) {
        requests.wanted.withLock { _ = $0.events.insert(event) }
        signals.wake()
    }

    /// Requests a run for the waiting events that the arrived event may belong to.
    ///
    /// A refund names its payment only, and the fetched payments of the invoice connect it with the invoice.
    ///
    /// - Parameter provides: true for an event that says something of an object of many payments, such as an address.
    func wake(afterArrivalOf event: StoredPaymentEvent, provides: Bool) {
        guard provides || event.objects.contains(where: { $0.rawValue.hasPrefix("in_") }) else { return }
        requests.wanted.withLock { $0.looksAtNewest = true }
        signals.wake()
    }

    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup { group in
                group.addTask { for await _ in signals.wakes { await runOnce() } }
                group.addTask {
                    while true {
                        try await dependencies.sleep(Self.interval)
                        requests.look(at: [.received, .waiting])
                    }
                }
                do {
                    try await group.waitForAll()
                } catch is CancellationError {}
            }
        }
    }

    /// Requests a run for the waiting events after a clock that the server follows has jumped.
    package func clockJumped() { requests.look(at: [.received, .waiting]) }

    /// Carries out what was requested; after a request without an answer it is requested again.
    private func runOnce() async {
        let wanted = requests.wanted.withLock { wanted in
            defer {
                let failures = wanted.failures
                wanted = .nothing
                wanted.failures = failures
            }
            return wanted
        }
        do {
            for key in wanted.events.sorted() {
                let event = try await store.read { ledger throws(LedgerError) in
                    try ledger.paymentEvent(key.id, of: key.provider)
                }
                if let event { try await apply(event, in: event.result.state) }
            }
            // The elected server looks at all waiting events; each looks at those that it received, and at those that a
            // token or another payment of their customer opened again.
            try await work([.received])
            if leases.isElected {
                try await work([.waiting, .held].filter(wanted.states.contains))
                if wanted.states.contains(.waiting) { try await reviewUnreferenced() }
            }
            if wanted.looksAtNewest, !wanted.states.contains(.waiting) { try await workOnNewest() }
            requests.wanted.withLock { $0.failures = 0 }
        } catch {
            // A shutdown ends requests and reads; the next start looks at everything.
            if Task.isCancelled { return }
            let failures = requests.wanted.withLock { current in
                current.add(wanted)
                current.failures += 1
                return current.failures
            }
            let wait = min(Self.longestWait, .seconds(1) * (1 << min(failures - 1, 10)))
            logger.warning(
                "payment events wait for an answer",
                metadata: ["reason": "\(error)", "again": "\(wait)"]
            )
            // The random share spreads the servers that lost the same API at the same moment.
            try? await dependencies.sleep(wait * (1 + dependencies.random() / 4))
            signals.wake()
        }
    }

    /// Opens the review items of apps whose share of unreferenced payments has jumped, and resolves the others.
    private func reviewUnreferenced() async throws {
        let (now, apps) = (dependencies.now(), sources.apps)
        try await store.write { ledger throws(LedgerError) in
            try UnreferencedPayments.review(of: apps, now: now, in: ledger)
        }
    }

    /// Applies the newest waiting events, and fetches the objects that they wait for.
    private func workOnNewest() async throws {
        let page = LedgerPage(limit: Self.newest, isNewestFirst: true)
        let filter = ListFilter([.state: PaymentEventResult.State.waiting.rawValue])
        let events = try await store.read { ledger throws(LedgerError) in
            try ledger.paymentEvents(matching: filter, page)
        }
        for event in events.reversed() { try await apply(event, in: .waiting) }
    }

    /// Applies all events in the given states, and fetches the objects that they wait for.
    func work(
        _ states: [PaymentEventResult.State] = [.received, .waiting, .held]
    ) async throws {
        for state in states {
            var page = LedgerPage(limit: 100)
            while true {
                let position = page
                let filter = ListFilter([.state: state.rawValue])
                let events = try await store.read { ledger throws(LedgerError) in
                    try ledger.paymentEvents(matching: filter, position)
                }
                for event in events { try await apply(event, in: state) }
                guard events.count == page.limit, let last = events.last else { break }
                page.after = last.sequence
            }
        }
    }

    /// Holds an event that the ledger refuses for what it would store, which it refuses again: a person sees it.
    ///
    /// If that is not stored either, the next run tries again.
    ///
    /// - Returns: whether it is held.
    @discardableResult
    func hold(_ event: StoredPaymentEvent, refusedWith error: LedgerError) async -> Bool {
        switch error {
        case .conflict, .failed: break
        case .busy, .full, .corrupt, .notADatabase, .inUse, .historyDiffers, .leaseLost, .inaccessible, .stopped:
            return false
        }
        let now = dependencies.now()
        do throws(LedgerError) {
            return try await store.write { ledger throws(LedgerError) in
                guard let current = try ledger.paymentEvent(event.eventId, of: event.provider),
                    current.result == event.result
                else { return false }
                try application.hold(current, because: "not applied: \(error)", at: now, in: ledger)
                return true
            }
        } catch {
            return false
        }
    }

    private func apply(_ event: StoredPaymentEvent, in state: PaymentEventResult.State) async throws {
        var isFirst = true
        while true {
            let applied: PaymentApplication.Applied?
            let now = dependencies.now()
            do throws(LedgerError) {
                applied = try await store.write { [isFirst] ledger throws(LedgerError) in
                    // An earlier event of the same group may have changed it. After an answer the state is another one.
                    guard let current = try ledger.paymentEvent(event.eventId, of: event.provider),
                        !isFirst || current.result.state == state,
                        // What a person set aside is applied again by a person only.
                        current.result.state != .dismissed
                    else { return nil }
                    return try application.apply(groupOf: current, at: now, in: ledger)
                }
            } catch {
                // One event that cannot be applied does not stop the others.
                logger.error(
                    "an event of \(event.provider.title) is not applied",
                    metadata: ["event": "\(event.eventId)", "reason": "\(error)"]
                )
                await hold(event, refusedWith: error)
                return
            }
            isFirst = false
            guard let applied else { return }
            application.signal(applied)
            guard let source = sources[event.provider], let api = source.api(of: event.apps) else { return }
            var isAnswered = false
            for request in applied.requests where try await fetch(request, for: event, of: source, from: api) {
                isAnswered = true
            }
            if !isAnswered { return }
        }
    }

    /// Stores the answer to a request.
    ///
    /// An empty list of invoice payments is not stored for as long as payments wait for their references, because Stripe may
    /// have it later. Every other empty answer is final: the object does not exist.
    ///
    /// - Returns: whether the answer was stored.
    private func fetch(
        _ request: PaymentRequest,
        for event: StoredPaymentEvent,
        of source: any PaymentSource,
        from api: any PaymentAPI
    ) async throws -> Bool {
        let answer = try await api.fetch(request)
        let isEarly = dependencies.now() < event.receivedAt + application.tokenWait
        if isEarly, answer.isEmpty, request.connects { return false }
        let object = FetchedPaymentObject(
            request: source.storedName(of: request, for: event.apps),
            objectId: request.objectId,
            content: .array(answer.map(source.reduced)),
            fetchedAt: dependencies.now()
        )
        try await store.write { ledger throws(LedgerError) in try ledger.put(object, of: source.provider) }
        return true
    }
}

/// Wakes the worker of payments.
struct PaymentSignals: Sendable {
    let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wake() { continuation.yield() }
}
