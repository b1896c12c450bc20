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

    /// The name, `age`.
    public let name: String
    let decide: @Sendable () async -> Decision

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - name: the name. It is logged, and so is the reason of a closed gate; neither may name a person.
    ///   - decide: decides at every refresh and before every purchase. It must end: the purchase waits for it.
    public init(_ name: String, decide: @escaping @Sendable () async -> Decision) {
        self.name = name
        self.decide = decide
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
    /// Asks the gates in their order up to the first closed one, which is returned.
    func firstClosed() async -> ClosedGate? {
        for gate in self {
            if case .closed(let reason) = await gate.decide() { return ClosedGate(name: gate.name, reason: reason) }
        }
        return nil
    }
}
