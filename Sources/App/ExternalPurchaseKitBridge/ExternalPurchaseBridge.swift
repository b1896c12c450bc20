import ExternalPurchaseCore
public import ExternalPurchaseKit
import Foundation

/// The kit behind JSON messages, for hosts that are not written in Swift: React Native, Flutter, Capacitor, Unity,
/// Kotlin Multiplatform.
///
/// A wrapper passes requests of the host to ``call(_:)`` and hands ``events`` to it. Nothing else is part of the
/// contract: `docs/wrapper-bridge.md` of the repository describes every method, `docs/bridge/bridge-v1.schema.json` is
/// the schema, and chapter 08 of the specification has the rules (EK-50 to EK-59).
///
/// ```swift
/// let bridge = ExternalPurchaseBridge(store: SystemExternalPurchaseStore()) { server in
///     try HTTPTokenTransport(server: server.url, publishableKey: server.publishableKey)
/// }
/// let answer = await bridge.call(request)
/// ```
///
/// One bridge lives as long as the app, since one outbox uses a folder at a time.
@MainActor
public final class ExternalPurchaseBridge {
    /// The reporting server that a host names.
    public struct Server: Hashable, Sendable {
        /// The address without `/v1`.
        public let url: URL
        /// A key of the scope `publishable`.
        public let publishableKey: String
    }

    let store: any ExternalPurchaseStore
    let folder: URL
    let outbox: TokenOutbox
    let makeTransport: @MainActor (Server) throws -> any TokenTransport
    let foreground: @MainActor () -> AsyncStream<Void>
    let log: KitEventHandler
    let queue: EventQueue
    let questions: OpenQuestions
    let route = DeliveryRoute()
    let gates = GateDecisions()

    /// Nil until the host has called `configure`.
    var model: ExternalPurchaseModel?
    var isStarted = false
    var running: Task<Void, Never>?
    /// The end of a run that was cancelled, for which the next one waits.
    var ended: Task<Void, Never>?
    var following: Task<Void, Never>?
    /// True from a change of the model until its event.
    var isChangePending = false
    private var flows = 0
    private var waitingForFlows: [CheckedContinuation<Void, Never>] = []

    /// Creates a bridge; its outbox is opened at the first use.
    ///
    /// - Parameters:
    ///   - store: StoreKit: Apple's, or the simulated one in tests.
    ///   - folder: a folder of its own for the outbox.
    ///   - settings: limits and times of the outbox.
    ///   - clock: the time and the randomness of waits.
    ///   - foreground: an element for each return of the app to the foreground.
    ///   - log: receives events, for the app's own log.
    ///   - makeTransport: creates the transport to the server that the host names. For a host that follows the server's policy
    ///     it is a `PolicyTransport` too. The description of an error is shown to
    ///     the host and must not contain the key.
    public init(
        store: any ExternalPurchaseStore,
        folder: URL = TokenOutbox.applicationSupport,
        settings: TokenOutbox.Settings = TokenOutbox.Settings(),
        clock: KitClock = .system,
        foreground: @escaping @MainActor () -> AsyncStream<Void> = { AppForeground.returns },
        log: @escaping KitEventHandler = { _ in },
        makeTransport: @escaping @MainActor (Server) throws -> any TokenTransport
    ) {
        let queue = EventQueue()
        self.store = store
        self.folder = folder
        self.queue = queue
        self.foreground = foreground
        self.makeTransport = makeTransport
        questions = OpenQuestions(events: queue)
        self.log = { event in
            queue.add(.log, event.json)
            log(event)
        }
        outbox = TokenOutbox(folder: folder, transport: route, settings: settings, clock: clock, log: self.log)
    }

    deinit {
        running?.cancel()
        following?.cancel()
        questions.closeAll()
    }

    /// Carries out a request and returns the answer.
    ///
    /// Any bytes are answered; the answer to what is no request is an error (EK-51). Calls may overlap. A call whose
    /// method asks the customer returns after the customer's answer.
    ///
    /// - Parameter request: JSON in UTF-8, at most 65,536 bytes.
    /// - Returns: JSON in UTF-8.
    public func call(_ request: Data) async -> Data {
        let request = BridgeRequest(request)
        do throws(BridgeError) {
            let (method, parameters) = try request.content.get()
            return BridgeRequest.answer(id: request.id, .success(try await perform(method, parameters)))
        } catch {
            return BridgeRequest.answer(id: request.id, .failure(error))
        }
    }

    /// The events: JSON in UTF-8.
    ///
    /// Events that nobody has read yet come first. A second stream ends the one before.
    public var events: AsyncStream<Data> { queue.stream() }

    // MARK: Flows

    /// Runs a flow, whose end `configure` waits for.
    func flow<Result>(_ body: (ExternalPurchaseModel) async -> Result) async throws(BridgeError) -> Result {
        let model = try configured()
        flows += 1
        defer {
            flows -= 1
            if flows == 0 {
                for waiting in waitingForFlows { waiting.resume() }
                waitingForFlows = []
            }
        }
        return await body(model)
    }

    func waitForFlows() async {
        while flows > 0 { await withCheckedContinuation { waitingForFlows.append($0) } }
    }

    func configured() throws(BridgeError) -> ExternalPurchaseModel {
        guard let model else { throw BridgeError(.notConfigured, "The method configure was not called.") }
        return model
    }
}
