public import StoreKitSimulator

// Apple's StoreKitError has no description of its own, so only tests have this one.
extension StoreKitError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The case, with the method, the condition that failed last with it in the current session, and the remedy.
    public var description: String {
        if case .systemError(let error) = self { return "\(name): \(error)" + (remedy.map { " \($0)" } ?? "") }
        guard let failure = StoreKitSession.ifSetUp?.lastFailure(of: name) else { return name }
        let condition = failure.condition
        return "\(name): \(failure.member) fails \(condition.id), \(condition.detail)."
            + (condition.fix.map { " \($0)" } ?? "")
    }

    /// The description, and every condition with the line of the configuration that determines it.
    public var debugDescription: String {
        let explanation: String? =
            if case .systemError(let error as ExternalPurchaseFailure) = self {
                error.explanation.description
            } else {
                StoreKitSession.ifSetUp?.lastFailure(of: name)?.explanation
            }
        return description + (explanation.map { "\n\($0)" } ?? "")
    }

    private var remedy: String? {
        if case .systemError(let error as ExternalPurchaseFailure) = self { error.recoverySuggestion } else { nil }
    }
}

/// A `StoreKitError` that left the body of a test, with the explanation of the session, which has ended when the issue
/// is written.
struct UncaughtStoreKitError: Error, CustomStringConvertible {
    let underlying: StoreKitError
    let description: String

    init(_ error: StoreKitError) {
        underlying = error
        description = error.debugDescription
    }
}
