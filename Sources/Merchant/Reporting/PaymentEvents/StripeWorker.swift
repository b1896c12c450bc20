import ExternalPurchaseCore
package import Ledger
import Logging
import ServiceLifecycle
import StripeEvents

/// Fetches what events of Stripe leave out, and applies events again that could not be applied.
///
/// It runs at the start for all waiting and held events, since the configuration may have changed, and after each
/// event that waits for an object.
package struct StripeWorker: Service {
    let application: StripeApplication
    let store: any LedgerStore
    let settings: StripeSettings
    let dependencies: ReportingDependencies
    let logger: Logger
    private let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// The time to wait after a request without a usable answer.
    private static let retryAfter = Duration.seconds(60)

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

    /// Requests a run.
    func wake() { continuation.yield() }

    package func run() async throws {
        var states: [PaymentEventResult.State] = [.received, .waiting, .held]
        for await _ in wakes.cancelOnGracefulShutdown() {
            do {
                try await work(states)
                states = [.received, .waiting]
            } catch {
                logger.warning("events of Stripe wait for an answer", metadata: ["reason": "\(error)"])
                retryLater()
            }
        }
    }

    private func retryLater() {
        Task { [dependencies, continuation] in
            try? await dependencies.sleep(Self.retryAfter)
            continuation.yield()
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
            let applied = try await store.write { [isFirst] ledger throws(LedgerError) -> StripeApplication.Applied? in
                // An earlier event of the same group may have changed it. After an answer the state is another one.
                guard let current = try ledger.paymentEvent(event.eventId, of: .stripe),
                    !isFirst || current.result.state == state
                else { return nil }
                return try application.apply(groupOf: current, in: ledger)
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
            content: .array(answer.map(\.reducedObject)),
            fetchedAt: dependencies.now()
        )
        try await store.write { ledger throws(LedgerError) in try ledger.put(object, of: .stripe) }
        return true
    }
}
