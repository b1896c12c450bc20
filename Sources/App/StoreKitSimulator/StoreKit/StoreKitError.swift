public import Foundation

/// The errors that StoreKit's methods throw (SK-51).
@nonexhaustive
public enum StoreKitError: Error, LocalizedError, Sendable {
    /// The reason is unknown.
    ///
    /// The default mapping never produces this case (SK-72).
    case unknown
    /// The person cancelled.
    ///
    /// For external purchases, cancelling is a result and is never thrown (SK-51).
    case userCancelled
    /// The network failed.
    case networkError(URLError)
    /// The system failed.
    ///
    /// The associated value is an `ExternalPurchaseFailure` if the cause is known.
    case systemError(any Error)
    /// External purchases are not available in the storefront, or the app does not list it.
    case notAvailableInStorefront
    /// The app lacks the entitlement.
    case notEntitled
    /// The system, the mode or the rule pack does not support the call.
    case unsupported
    /// No sheet can be shown at present.
    case invalidPresentationContext

    /// What happened, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .unknown: "The App Store request failed."
        case .userCancelled: "The request was cancelled."
        case .networkError: "The App Store could not be reached."
        case .systemError: "The system could not carry out the request."
        case .notAvailableInStorefront: "This is not offered in the current storefront."
        case .notEntitled: "The app is not entitled to this request."
        case .unsupported: "This system does not support the request."
        case .invalidPresentationContext: "A sheet cannot be shown right now."
        }
    }

    /// Why it happened.
    public var failureReason: String? {
        switch self {
        case .unknown: "No cause was given."
        case .userCancelled: "The person chose not to go on."
        case .networkError(let error): "The connection failed with code \(error.code.rawValue)."
        case .systemError(let error):
            (error as? ExternalPurchaseFailure)?.failureReason ?? "The cause is: \(error)"
        case .notAvailableInStorefront:
            "External purchases are not allowed in the storefront, or the app has no usable entry for it."
        case .notEntitled: "None of the entitlements that open this API is in the app's signature."
        case .unsupported: "The API is newer than the system, or is closed to apps that run this way."
        case .invalidPresentationContext: "Another sheet is up, or there is nothing to show it on."
        }
    }

    /// How to recover.
    public var recoverySuggestion: String? {
        switch self {
        case .unknown: "Try again later."
        case .userCancelled: "Offer the purchase again when the person asks for it."
        case .networkError: "Check the connection and try again."
        case .systemError(let error):
            (error as? ExternalPurchaseFailure)?.recoverySuggestion ?? "Try again later."
        case .notAvailableInStorefront: "Offer no external purchase here, and ask again when the storefront changes."
        case .notEntitled: "Request the entitlement, add it to the .entitlements file and sign the app with it."
        case .unsupported: "Offer no external purchase on this system."
        case .invalidPresentationContext: "Wait until the sheet is answered, then call again."
        }
    }
}
