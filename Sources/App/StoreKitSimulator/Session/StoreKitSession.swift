public import AppConfiguration
import ConfigurationLint
public import Eligibility
import ExternalPurchaseCore
import TokenLifecycle

/// A simulated StoreKit, customer and App Store, which the static members of StoreKit use.
///
/// The inputs of a session are those of ``SessionInputs``. Any task can read and set them at any time as properties of
/// the session:
///
/// ```swift
/// let session = StoreKitSession { inputs in
///     inputs.storefront = "NLD"
///     inputs.presenter = ScriptedPresenter(.continue)
/// }
/// try await session.run { try await ExternalPurchaseLink.open() }
/// ```
///
/// ## Topics
///
/// - ``SessionInputs``
/// - ``run(isolation:_:)``
/// - ``bootstrap(_:)``
/// - ``settle()``
/// - ``withUserInteraction(isolation:_:)``
/// - ``tell(_:)``
/// - ``finish()``
/// - ``simulate(_:on:)``
/// - ``newSandboxAccount()``
/// - ``diagnostics``
@dynamicMemberLookup
public final class StoreKitSession: Sendable {
    struct State: Sendable {
        var inputs: SessionInputs
        var configurationInputs: SessionInputs.ConfigurationInputs
        var usable: UsableConfiguration
        var periods: TokenPeriods
        var customer: AccountID
        /// The issued tokens with periods by id.
        ///
        /// Simultaneous requests share one task.
        var issued: [ExternalPurchaseId: Task<IssuedToken, any Error>] = [:]
        var usage = UsageRecord()
        var diagnostics: [Diagnostic] = []
        var recordedFindings: Set<Finding> = []
        /// The ids of recorded diagnostics that occur once per session.
        var recordedOnce: Set<String> = []
        var hasReadPayments = false
        /// The storefront at the last read of each property.
        var reads: [EligibilityQuestion: String?] = [:]
        var isSheetUp = false
        /// The last failure of each case of `StoreKitError`.
        var thrown: [String: ThrownFailure] = [:]
        var flows: [Int: Task<Void, Never>] = [:]
        var nextNumber = 0
        var outcomes: [LinkOutcome] = []
        var outcomeListeners: [Int: AsyncStream<LinkOutcome>.Continuation] = [:]
        var storefrontListeners: [Int: AsyncStream<Storefront>.Continuation] = [:]
    }

    let state: Lock<State>

    /// Creates a session.
    ///
    /// - Parameter configure: sets the inputs that differ from the defaults.
    public init(_ configure: (inout SessionInputs) -> Void = { _ in }) {
        var inputs = SessionInputs()
        configure(&inputs)
        let configurationInputs = inputs.configurationInputs
        var periods = TokenPeriods()
        let customer = periods.openAccount()
        state = Lock(
            State(
                inputs: inputs,
                configurationInputs: configurationInputs,
                usable: configurationInputs.usable(),
                periods: periods,
                customer: customer
            )
        )
        recordFindings()
        if let code = inputs.storefront, StorefrontCode(code) == nil { record(.storefrontNotAlpha3(code)) }
    }

    /// Creates a session from an app's files.
    ///
    /// - Parameters:
    ///   - infoPlist: the path of Info.plist; nil for none.
    ///   - entitlements: the path of the `.entitlements` file; nil for none.
    ///   - configure: sets the other inputs that differ from the defaults.
    /// - Throws: the error of the first file that cannot be read.
    public convenience init(
        infoPlist: String?,
        entitlements: String?,
        _ configure: (inout SessionInputs) -> Void = { _ in }
    ) throws(ConfigurationReadError) {
        let configuration = try AppConfiguration.read(infoPlist: infoPlist, entitlements: entitlements)
        self.init { inputs in
            inputs.configuration = configuration
            configure(&inputs)
        }
    }

    // MARK: Inputs

    /// Reads or sets an input.
    ///
    /// - Parameter keyPath: the input.
    public subscript<Value: Sendable>(dynamicMember keyPath: WritableKeyPath<SessionInputs, Value>) -> Value {
        get { state.withLock { $0.inputs[keyPath: keyPath] } }
        set { update { $0[keyPath: keyPath] = newValue } }
    }

    /// Changes several inputs at once, so that no task observes only some of the changes.
    ///
    /// - Parameter change: sets the inputs. It must not use the session itself.
    public func update(_ change: (inout SessionInputs) -> Void) {
        let newCode: String? = state.withLock { state in
            let old = state.inputs.storefront
            change(&state.inputs)
            let configurationInputs = state.inputs.configurationInputs
            if configurationInputs != state.configurationInputs {
                state.configurationInputs = configurationInputs
                state.usable = configurationInputs.usable()
            }
            guard let new = state.inputs.storefront, new != old else { return nil }
            for listener in state.storefrontListeners.values { listener.yield(Storefront(countryCode: new)) }
            return new
        }
        recordFindings()
        if let newCode, StorefrontCode(newCode) == nil { record(.storefrontNotAlpha3(newCode)) }
    }

    // MARK: What happened

    /// The recorded diagnostics, oldest first.
    public var diagnostics: [Diagnostic] { state.withLock { $0.diagnostics } }

    /// The outcomes of the links so far, in the order in which they ended.
    public var outcomes: [LinkOutcome] { state.withLock { $0.outcomes } }

    /// The outcomes of links from now on.
    public var linkOutcomes: AsyncStream<LinkOutcome> {
        listen(\.outcomeListeners)
    }

    /// Waits until no flow is open.
    ///
    /// - Returns: the outcomes so far, in the order in which they ended.
    @discardableResult
    public func settle() async -> [LinkOutcome] {
        while let flow = state.withLock({ $0.flows.values.first }) { await flow.value }
        return outcomes
    }

    /// Evaluates a question now.
    ///
    /// It does not count as a read by the app.
    ///
    /// - Parameter question: the question.
    public func explain(_ question: EligibilityQuestion) -> Evaluation { explainingEngine.evaluate(question) }

    /// What the app should offer now (SK-86): each available family in order, or one other recommendation.
    public var advice: [Advice] { explainingEngine.advice }

    /// The engine for the current inputs.
    ///
    /// Its use does not count as a read by the app.
    var explainingEngine: EligibilityEngine { state.withLock { $0.inputs.engine($0.usable) } }

    /// Whether the simulated system has the members of OS 27.2, which replace the string overload of `token(for:)` and
    /// `showNotice(type:)` (SK-1).
    package var hasTypedMembers: Bool {
        let engine = explainingEngine
        let member = Member.showNotice
        return engine.pack.typedTokenAPI
            && member.firstVersion(on: engine.device.column).map { engine.device.osVersion >= $0 } ?? false
    }

    /// Whether the configuration lists the storefront of a programme without In-App Purchase (SK-87).
    package var excludesInAppPurchase: Bool { explainingEngine.excludesInAppPurchase }

    // MARK: Reads by the app

    package func readCanMakePayments() -> Bool {
        state.withLock { state in
            state.hasReadPayments = true
            return state.inputs.canMakePayments
        }
    }

    /// Evaluates a question at every read of its property (SK-25).
    func read(_ question: EligibilityQuestion) -> Evaluation {
        let engine = state.withLock { state in
            state.reads[question] = .some(state.inputs.storefront)
            state.usage.members.insert(question.rawValue)
            return state.inputs.engine(state.usable)
        }
        let evaluation = engine.evaluate(question)
        let first = question.firstVersion(on: evaluation.device.column)
        record(.apiNewerThanOS(evaluation, member: question.rawValue, first: first))
        recordProgramme(question.rawValue, evaluation, engine)
        return evaluation
    }

    func storefrontChanges() -> AsyncStream<Storefront> { listen(\.storefrontListeners) }

    // MARK: Flows

    /// The inputs and engine with which a flow begins.
    ///
    /// Its sheet uses them until the end (SK-91).
    struct Moment: Sendable {
        let inputs: SessionInputs
        let engine: EligibilityEngine
        let hasReadPayments: Bool
        /// The storefront at the last read of the question; nil when it was never read.
        let lastRead: String??
    }

    func moment(for question: EligibilityQuestion) -> Moment {
        state.withLock { state in
            Moment(
                inputs: state.inputs,
                engine: state.inputs.engine(state.usable),
                hasReadPayments: state.hasReadPayments,
                lastRead: state.reads[question]
            )
        }
    }

    /// Reserves the screen for a sheet.
    ///
    /// False when another sheet is shown (SK-52).
    func raiseSheet() -> Bool {
        state.withLock { state in
            guard !state.isSheetUp else { return false }
            state.isSheetUp = true
            return true
        }
    }

    func lowerSheet() {
        state.withLock { $0.isSheetUp = false }
    }

    /// Runs a flow beyond the call that began it (D8).
    ///
    /// The unstructured task inherits the task-local session.
    func launch(_ kind: String, _ flow: @escaping @Sendable () async -> LinkOutcome) {
        begin(kind)
        state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.flows[number] = Task {
                let outcome = await flow()
                self.end(kind)
                self.finish(number, with: outcome)
            }
        }
    }

    private func finish(_ number: Int, with outcome: LinkOutcome) {
        state.withLock { state in
            state.flows[number] = nil
            state.outcomes.append(outcome)
            for listener in state.outcomeListeners.values { listener.yield(outcome) }
        }
    }

    // MARK: Listeners and remarks

    private func listen<Element: Sendable>(
        _ listeners: any (WritableKeyPath<State, [Int: AsyncStream<Element>.Continuation]> & Sendable)
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        let number = state.withLock { state in
            state.nextNumber += 1
            state[keyPath: listeners][state.nextNumber] = continuation
            return state.nextNumber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0[keyPath: listeners][number] = nil }
        }
        return stream
    }

    func record(_ pendingDiagnostic: PendingDiagnostic?) {
        guard let pendingDiagnostic else { return }
        let clock = state.withLock { $0.inputs.clock }
        // The clock is the caller's code and may use the session, so it is called outside the lock.
        let diagnostic = Diagnostic(
            id: pendingDiagnostic.id,
            severity: pendingDiagnostic.severity,
            member: pendingDiagnostic.member,
            time: clock(),
            message: pendingDiagnostic.message,
            hint: pendingDiagnostic.hint
        )
        state.withLock { state in
            if pendingDiagnostic.isOncePerSession, !state.recordedOnce.insert(pendingDiagnostic.id).inserted { return }
            state.diagnostics.append(diagnostic)
        }
    }

    /// Records each finding whose entry is not used, once (CF-50, SK-101).
    private func recordFindings() {
        let new = state.withLock { state in
            state.usable.removed.filter { state.recordedFindings.insert($0).inserted }
        }
        for finding in new { record(PendingDiagnostic(finding)) }
    }
}
