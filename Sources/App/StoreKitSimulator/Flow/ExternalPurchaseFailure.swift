public import Eligibility
public import Foundation

/// The cause of a failure for which `StoreKitError` has no case (SK-70).
public struct ExternalPurchaseFailure: Error, LocalizedError, Sendable, CustomStringConvertible {
    /// The cause.
    public enum Reason: String, Hashable, Sendable {
        /// The device may not pay.
        case paymentsNotAllowed
        /// The device does not allow payments.
        case personIneligible
        /// The URL is not one of `eligibleURLs`.
        case urlNotEligible
        /// A call outside the EU lacks a destination.
        case destinationURLMissing
        /// There is no presenter, another sheet is shown, or no answer came in time.
        case sheetCannotBePresented
        /// The token could not be issued or registered.
        case tokenNotMinted
    }

    /// The cause.
    public let reason: Reason
    /// What happened, as a sentence.
    public let message: String
    /// The evaluation with every evaluated condition (SK-26).
    public let explanation: Evaluation
    /// The error of a presenter or issuer.
    public let underlying: (any Error)?

    init(_ reason: Reason, _ message: String, explanation: Evaluation, underlying: (any Error)? = nil) {
        self.reason = reason
        self.message = message
        self.explanation = explanation
        self.underlying = underlying
    }

    /// What happened, as a sentence.
    public var errorDescription: String? { message }

    /// The name of the cause and the failed condition.
    public var failureReason: String? {
        let condition = explanation.failedCondition.map { ": \($0.id), \($0.detail)" } ?? ""
        return "\(reason.rawValue)\(condition)"
    }

    /// How to make the failed condition hold.
    public var recoverySuggestion: String? {
        explanation.failedCondition?.fix ?? explanation.next.description
    }

    /// The cause and the message.
    public var description: String {
        "\(reason.rawValue): \(message)" + (underlying.map { " (\($0))" } ?? "")
    }
}
