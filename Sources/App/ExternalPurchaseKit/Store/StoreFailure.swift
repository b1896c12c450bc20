/// What an error of StoreKit means for an app, the same for Apple's StoreKit and the simulated one.
public struct StoreFailure: Error, Hashable, Sendable {
    /// The meaning of an error.
    public enum Kind: String, Hashable, Sendable {
        /// The system, the mode or the region does not support the call.
        case unsupported
        /// The app lacks the entitlement.
        case notEntitled
        /// External purchases are not available in the storefront, or the app does not list it.
        case notAvailableInStorefront
        /// The network failed.
        case network
        /// No sheet can be shown at present.
        case cannotPresent
        /// The system failed; the simulated StoreKit says so of a device that may not pay, too.
        case system
        /// Any other error.
        case other
    }

    /// The meaning.
    public let kind: Kind
    /// StoreKit's description of the error, in the language of the device.
    public let message: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - kind: the meaning.
    ///   - message: a description for people.
    public init(_ kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }
}
