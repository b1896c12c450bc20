package import Eligibility
import ExternalPurchaseCore

/// An error that a method threw, with what failed.
///
/// `StoreKitError` has no room for it, so the session keeps it for the text of an error in a test.
package struct ThrownFailure: Sendable {
    /// The case of the error, `notEntitled`.
    package let name: String
    /// The method, `ExternalPurchaseLink.open()`.
    package let member: String
    /// The condition that fails.
    package let condition: Condition
    /// All conditions, one per line.
    package let explanation: String

    init(_ error: StoreKitError, member: String, condition: Condition, explanation: String) {
        name = error.name
        self.member = member
        self.condition = condition
        self.explanation = explanation
    }

    init?(_ error: StoreKitError, member: String, _ evaluation: Evaluation) {
        guard let condition = evaluation.failedCondition else { return nil }
        self.init(error, member: member, condition: condition, explanation: evaluation.description)
    }
}

extension StoreKitError {
    /// The name of the case.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .userCancelled: "userCancelled"
        case .networkError: "networkError"
        case .systemError: "systemError"
        case .notAvailableInStorefront: "notAvailableInStorefront"
        case .notEntitled: "notEntitled"
        case .unsupported: "unsupported"
        case .invalidPresentationContext: "invalidPresentationContext"
        }
    }
}

extension StoreKitSession {
    func note(_ failure: ThrownFailure?) {
        guard let failure else { return }
        state.withLock { $0.thrown[failure.name] = failure }
    }

    /// Returns the last failure that threw a case of `StoreKitError`.
    ///
    /// - Parameter name: the name of the case.
    package func lastFailure(of name: String) -> ThrownFailure? { state.withLock { $0.thrown[name] } }
}
