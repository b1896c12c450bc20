import Foundation

/// What an app may offer now, and the purchases themselves.
///
/// One instance lives as long as the app:
///
/// ```swift
/// @State private var model = ExternalPurchaseModel(store: SystemExternalPurchaseStore(), outbox: outbox)
///
/// var body: some View {
///     ShopView(offers: model.availability?.offers ?? [])
///         .task { await model.run() }
/// }
/// ```
///
/// From iOS 17 on the model is `Observable`. ``availabilityUpdates`` is there on every system.
@MainActor
public final class ExternalPurchaseModel {
    /// What may be offered; nil until it was read for the first time.
    ///
    /// Controls of an offer are shown only while it is listed (SK-25).
    public private(set) var availability: PurchaseAvailability? {
        get { read(\.availability, \.availability) }
        set {
            guard change(\.availability, \.availability, to: newValue) else { return }
            if let newValue { for listener in listeners.values { listener.yield(newValue) } }
            onChange?()
        }
    }
    /// What the outbox holds.
    public private(set) var outboxStatus: TokenOutboxStatus {
        get { read(\.outboxStatus, \.outboxStatus) }
        set { change(\.outboxStatus, \.outboxStatus, to: newValue) }
    }
    /// Whether a flow is going on.
    ///
    /// A second one is not begun meanwhile, because two taps must not make two tokens (TK-46).
    public internal(set) var isPurchasing: Bool {
        get { read(\.isPurchasing, \.isPurchasing) }
        set { if change(\.isPurchasing, \.isPurchasing, to: newValue) { onChange?() } }
    }
    /// The developer's opaque id of the customer who is signed in, at most 128 characters; nil for nobody.
    ///
    /// Tokens that StoreKit returns from now on go to the server with it. After a change the next ``refresh()`` requests
    /// the tokens with a period anew, so that the server learns whose they are (SK-59).
    public var customerId: String? {
        get { read(\.customerId, \.customerId) }
        set { if change(\.customerId, \.customerId, to: newValue) { areLaunchTokensDue = true } }
    }

    let store: any ExternalPurchaseStore
    let outbox: TokenOutbox
    let configuration: ExternalPurchaseModel.Configuration
    let log: KitEventHandler
    private var areLaunchTokensDue = true
    /// How many reads of ``availability`` began, and whether the newest one is going on.
    private var reads = 0
    private var isReading = false
    /// Refreshes whose read was overtaken; they end when ``availability`` is as new as the newest read.
    private var overtaken: [CheckedContinuation<Void, Never>] = []

    /// What the observed properties hold.
    private struct Values {
        var availability: PurchaseAvailability?
        var outboxStatus = TokenOutboxStatus()
        var isPurchasing = false
        var customerId: String?
    }

    private var values = Values()
    private let observation = ModelObservation()
    private var listeners: [Int: AsyncStream<PurchaseAvailability>.Continuation] = [:]
    private var nextListener = 0
    /// Runs after each change of ``availability`` or ``isPurchasing``.
    package var onChange: (@MainActor () -> Void)?

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - store: StoreKit: Apple's, or the simulated one in tests.
    ///   - outbox: keeps the tokens until the server has them.
    ///   - configuration: what the app decides itself.
    ///   - log: receives events.
    public init(
        store: any ExternalPurchaseStore,
        outbox: TokenOutbox,
        configuration: ExternalPurchaseModel.Configuration = ExternalPurchaseModel.Configuration(),
        log: @escaping KitEventHandler = { _ in }
    ) {
        self.store = store
        self.outbox = outbox
        self.configuration = configuration
        self.log = log
    }

    // MARK: Observation

    /// What may be offered: the present value, if it was read, and each change from now on (EK-71).
    ///
    /// For systems without Observation, and for code that is no view. A slow reader gets the newest value.
    public var availabilityUpdates: AsyncStream<PurchaseAvailability> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PurchaseAvailability.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        nextListener += 1
        let number = nextListener
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.listeners[number] = nil }
        }
        if let availability { continuation.yield(availability) }
        return stream
    }

    private func read<Value>(
        _ property: KeyPath<ExternalPurchaseModel, Value>,
        _ stored: KeyPath<Values, Value>
    ) -> Value {
        observation.access(self, property)
        return values[keyPath: stored]
    }

    /// Changes a property, and returns false if it has the value already.
    @discardableResult
    private func change<Value: Equatable>(
        _ property: KeyPath<ExternalPurchaseModel, Value>,
        _ stored: WritableKeyPath<Values, Value>,
        to new: Value
    ) -> Bool {
        guard values[keyPath: stored] != new else { return false }
        observation.change(self, property) { values[keyPath: stored] = new }
        return true
    }

    // MARK: Life

    /// Reads what may be offered, requests the tokens of the launch, follows the storefront and the foreground, and
    /// sends tokens, until the task is cancelled (EK-12, EK-13).
    ///
    /// - Parameter foreground: an element for each return of the app to the foreground. By default the one of the
    ///   system's notifications; on other than Apple's platforms there are none.
    public func run(foreground: AsyncStream<Void> = AppForeground.returns) async {
        await withTaskGroup { group in
            group.addTask { await self.outbox.run() }
            group.addTask { await self.followOutbox() }
            group.addTask { await self.followStorefront() }
            group.addTask { await self.follow(foreground) }
        }
    }

    private func followOutbox() async {
        for await status in await outbox.statusUpdates() { outboxStatus = status }
    }

    private func followStorefront() async {
        // The first element is the storefront of the launch.
        for await _ in store.storefrontUpdates {
            areLaunchTokensDue = true
            await refresh()
        }
    }

    private func follow(_ foreground: AsyncStream<Void>) async {
        for await _ in foreground {
            await refresh()
            await outbox.wake()
        }
    }

    /// Reads what may be offered, then requests the tokens of the launch if that has not succeeded in this storefront
    /// and for this customer.
    ///
    /// When it returns, ``availability`` is what this or a later read found.
    public func refresh() async {
        await configuration.policy?.refresh()
        await readAvailability()
        if isReading { await withCheckedContinuation { overtaken.append($0) } }
        await requestLaunchTokens()
    }

    /// Of simultaneous reads the one that began last counts.
    @discardableResult
    func readAvailability() async -> PurchaseAvailability {
        reads += 1
        isReading = true
        let number = reads
        let new = await PurchaseAvailability.read(from: store, configuration)
        guard number == reads else { return new }
        for gate in Set(new.closedGates.values).sorted(by: { $0.name < $1.name }) { log(.gateClosed(gate)) }
        log(.refreshed(storefront: new.storefront, offers: new.offers.count))
        availability = new
        isReading = false
        for refresh in overtaken { refresh.resume() }
        overtaken = []
        return new
    }

    private func requestLaunchTokens() async {
        guard areLaunchTokensDue, let availability, availability.isAvailable(.isEligible), availability.requestsTokens,
            let storefront = availability.storefront, case .periods(let types) = configuration.tokenScheme(storefront)
        else { return }
        // Another refresh may have requested them meanwhile.
        guard await outboxRefusal() == nil, areLaunchTokensDue else { return }
        areLaunchTokensDue = false
        let tokens = await requestPeriodTokens(types, storefront: storefront)
        // A type that failed is requested again at the next refresh; one that is not active is an answer.
        if tokens.missing.values.contains(where: { if case .failed = $0 { true } else { false } }) || !tokens.areSafe {
            areLaunchTokensDue = true
        }
    }

    func launchTokensAreDue() { areLaunchTokensDue = true }
}
