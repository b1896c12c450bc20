import ExternalPurchaseCore
package import Ledger
import Logging
import ServiceLifecycle
import StripeEvents
import Synchronization

/// Fetches what events of Stripe leave out, and applies events again that could not be applied.
///
/// It looks at all waiting and held events at the start, since the configuration may have changed, and at waiting ones
/// every hour; in between at each event that waits for an object.
package struct StripeWorker: Service {
    let application: StripeApplication
    let store: any LedgerStore
    let settings: StripeSettings
    let dependencies: ReportingDependencies
    let logger: Logger
    private let requests = Requests()
    private let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// What the next run looks at.
    private final class Requests: Sendable {
        let events = Mutex<Set<PaymentEventId>>([])
        let states = Mutex<[PaymentEventResult.State]>([.received, .waiting, .held])
    }

    /// The time to wait after a request without a usable answer.
    private static let retryAfter = Duration.seconds(60)
    /// The time after which waiting events are looked at again.
    private static let interval = Duration.hours(1)

    init(
        application: StripeApplication,
        store: any LedgerStore,
        settings: StripeSettings,
        dependencies: ReportingDependencies,
        logger: Logger
    ) {
        self.application = application
        self.store = store
        self.settings = settings
        self.dependencies = dependencies
        self.logger = logger
        (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
    }

    /// Requests a run for one event.
    func wake(for event: PaymentEventId) {
        requests.events.withLock { _ = $0.insert(event) }
        continuation.yield()
    }

    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup { group in
                group.addTask { for await _ in wakes { await runOnce() } }
                group.addTask {
                    while true {
                        try await dependencies.sleep(Self.interval)
                        look(at: [.received, .waiting])
                    }
                }
                do {
                    try await group.waitForAll()
                } catch is CancellationError {}
            }
        }
    }

    private func look(at states: [PaymentEventResult.State]) {
        requests.states.withLock { $0 = states }
        continuation.yield()
    }

    /// Carries out what was requested; after a request without an answer it is requested again.
    private func runOnce() async {
        let (states, events) = (
            requests.states.withLock { states in
                defer { states = [] }
                return states
            },
            requests.events.withLock { events in
                defer { events = [] }
                return events
            }
        )
        do {
            try await work(states)
            for id in events.sorted() {
                let event = try await store.read { ledger throws(LedgerError) in
                    try ledger.paymentEvent(id, of: .stripe)
                }
                if let event { try await apply(event, in: event.result.state) }
            }
        } catch {
            logger.warning("events of Stripe wait for an answer", metadata: ["reason": "\(error)"])
            try? await dependencies.sleep(Self.retryAfter)
            look(at: [.received, .waiting])
        }
    }

    /// Applies all events in the given states, and fetches the objects that they wait for.
    package func work(
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

    private func apply(_ event: StoredPaymentEvent, in state: PaymentEventResult.State) async throws {
        var isFirst = true
        while true {
            let applied: StripeApplication.Applied?
            do throws(LedgerError) {
                applied = try await store.write { [isFirst] ledger throws(LedgerError) in
                    // An earlier event of the same group may have changed it. After an answer the state is another one.
                    guard let current = try ledger.paymentEvent(event.eventId, of: .stripe),
                        !isFirst || current.result.state == state
                    else { return nil }
                    return try application.apply(groupOf: current, in: ledger)
                }
            } catch {
                // One event that cannot be applied does not stop the others.
                logger.error(
                    "an event of Stripe is not applied",
                    metadata: ["event": "\(event.eventId)", "reason": "\(error)"]
                )
                return
            }
            isFirst = false
            guard let applied else { return }
            application.signal(applied)
            guard let api = settings.entries(of: event.apps).lazy.compactMap(\.api).first else { return }
            var isAnswered = false
            for request in applied.requests where try await fetch(request, from: api) { isAnswered = true }
            if !isAnswered { return }
        }
    }

    /// Stores the answer to a request.
    ///
    /// An empty list of invoice payments is not stored, because the payment may exist later. Every other empty answer is
    /// final: the object does not exist.
    ///
    /// - Returns: whether the answer was stored.
    private func fetch(_ request: StripeRequest, from api: any StripeAPI) async throws -> Bool {
        let answer = try await api.fetch(request)
        if answer.isEmpty, case .invoicePayments = request { return false }
        let object = FetchedPaymentObject(
            request: request.path,
            objectId: request.objectId?.rawValue,
            content: .array(answer.map(\.reducedObject)),
            fetchedAt: dependencies.now()
        )
        try await store.write { ledger throws(LedgerError) in try ledger.put(object, of: .stripe) }
        return true
    }
}
