public import ExternalPurchaseCore

/// A condition of the app that decides before StoreKit is asked: the customer's age, a parent's consent, a switch on
/// the app's own server (EK-10).
public struct PurchaseGate: Sendable {
    /// The decision of a gate.
    public enum Decision: Hashable, Sendable {
        /// External purchases may be offered as far as this gate is concerned.
        case open
        /// No external purchase may be offered; the reason is for the app and its log.
        case closed(reason: String)
    }

    /// What a gate decides about, if it decides for each flow by itself.
    public struct Question: Hashable, Sendable {
        /// Where the customer would buy.
        public let flow: ProgrammeTerms.Flow
        /// The alpha-3 code of the storefront; nil if there is none.
        public let storefront: String?
        /// Whether a purchase begins now, after a tap; false while the app learns what it may offer.
        ///
        /// A gate that asks somebody, such as a parent, asks when a purchase begins only.
        public let beginsPurchase: Bool

        /// Creates a question.
        ///
        /// - Parameters:
        ///   - flow: where the customer would buy.
        ///   - storefront: the alpha-3 code of the storefront.
        ///   - beginsPurchase: whether a purchase begins now.
        public init(flow: ProgrammeTerms.Flow, storefront: String?, beginsPurchase: Bool) {
            self.flow = flow
            self.storefront = storefront
            self.beginsPurchase = beginsPurchase
        }
    }

    private enum Rule: Sendable {
        case always(@Sendable () async -> Decision)
        case perFlow(@Sendable (Question) async -> Decision)
    }

    /// The name, `age`.
    public let name: String
    private let rule: Rule
    /// True for the gate that applies the rules on minors.
    var isForMinors = false

    /// Creates a gate that decides for every flow at once.
    ///
    /// - Parameters:
    ///   - name: the name. It is logged, and so is the reason of a closed gate; neither may name a person.
    ///   - decide: decides at every refresh and before every purchase. It must end: the purchase waits for it.
    public init(_ name: String, decide: @escaping @Sendable () async -> Decision) {
        self.name = name
        rule = .always(decide)
    }

    /// Creates a gate that decides for each flow and storefront by itself; such gates are asked after the others.
    ///
    /// - Parameters:
    ///   - name: the name. It is logged, and so is the reason of a closed gate; neither may name a person.
    ///   - decide: decides for each flow at every refresh, and for the one that begins before every purchase. It must end.
    public init(_ name: String, perFlow decide: @escaping @Sendable (Question) async -> Decision) {
        self.name = name
        rule = .perFlow(decide)
    }

    fileprivate var always: (@Sendable () async -> Decision)? {
        if case .always(let decide) = rule { decide } else { nil }
    }

    fileprivate var perFlow: (@Sendable (Question) async -> Decision)? {
        if case .perFlow(let decide) = rule { decide } else { nil }
    }
}

/// A gate that is closed.
public struct ClosedGate: Hashable, Sendable {
    /// The name of the gate.
    public let name: String
    /// The reason that the gate gave.
    public let reason: String

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - name: the name of the gate.
    ///   - reason: its reason.
    public init(name: String, reason: String) {
        self.name = name
        self.reason = reason
    }
}

extension Sequence<PurchaseGate> {
    /// Asks the gates that decide for every flow, in their order up to the first closed one, which is returned.
    func firstClosed() async -> ClosedGate? {
        for gate in self {
            guard let decide = gate.always else { continue }
            if case .closed(let reason) = await decide() { return ClosedGate(name: gate.name, reason: reason) }
        }
        return nil
    }

    /// Asks the gates that decide for each flow, in their order up to the first closed one, which is returned.
    func firstClosed(_ question: PurchaseGate.Question) async -> ClosedGate? {
        for gate in self {
            guard let decide = gate.perFlow else { continue }
            if case .closed(let reason) = await decide(question) { return ClosedGate(name: gate.name, reason: reason) }
        }
        return nil
    }
}
