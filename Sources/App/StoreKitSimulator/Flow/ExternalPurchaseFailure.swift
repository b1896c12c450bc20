public import Eligibility
public import Foundation

/// Why a method failed where `StoreKitError` has no case of its own (SK-70).
public struct ExternalPurchaseFailure: Error, LocalizedError, Sendable, CustomStringConvertible {
    /// The cause.
    public enum Reason: String, Hashable, Sendable {
        /// The device may not pay.
        case paymentsNotAllowed
        /// The person may not make external purchases.
        case personIneligible
        /// The URL is not one of `eligibleURLs`.
        case urlNotEligible
        /// A destination is needed outside the EU.
        case destinationURLMissing
        /// There is no presenter, a sheet is up already, or no answer came.
        case sheetCannotBePresented
        /// The token could not be made or registered.
        case tokenNotMinted
    }

    /// The cause.
    public let reason: Reason
    /// What happened, in a sentence.
    public let message: String
    /// Every condition that was judged (SK-26).
    public let explanation: Evaluation
    /// What a presenter or issuer threw.
    public let underlying: (any Error)?

    init(_ reason: Reason, _ message: String, explanation: Evaluation, underlying: (any Error)? = nil) {
        self.reason = reason
        self.message = message
        self.explanation = explanation
        self.underlying = underlying
    }

    /// What happened, in a sentence.
    public var errorDescription: String? { message }

    /// The cause's name and the condition that failed.
    public var failureReason: String? {
        let condition = explanation.failedCondition.map { ": \($0.id), \($0.detail)" } ?? ""
        return "\(reason.rawValue)\(condition)"
    }

    /// What the failed condition asks for.
    public var recoverySuggestion: String? {
        explanation.failedCondition?.fix ?? explanation.next.description
    }

    /// Cause and sentence.
    public var description: String {
        "\(reason.rawValue): \(message)" + (underlying.map { " (\($0))" } ?? "")
    }
}
