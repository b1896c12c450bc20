import ExternalPurchaseCore

/// The case of `StoreKitError` for a failed condition.
public enum FailureCase: String, Hashable, Sendable {
    /// The entitlement is missing.
    case notEntitled
    /// External purchases are not available in the storefront.
    case notAvailableInStorefront
    /// The system, the mode or the rule pack does not support the call.
    case unsupported
    /// Any other failure, with an explanation.
    case systemError
    /// The network is unavailable.
    case networkError
    /// No sheet can be shown.
    ///
    /// Only for systems whose StoreKit has this case.
    case invalidPresentationContext

    /// Creates the error case for a condition (SK-20, SK-72).
    ///
    /// - Parameters:
    ///   - condition: the first condition that fails.
    ///   - device: the device. `invalidPresentationContext` exists from OS 27.0.
    public init(_ condition: ConditionID, on device: Device) {
        self =
            switch condition {
            case .memberExists, .modeAllowed, .systemGate: .unsupported
            case .entitlement: .notEntitled
            case .storefrontKnown, .storefrontListed, .storefrontConfigured: .notAvailableInStorefront
            case .canMakePayments, .personEligible, .argument: .systemError
            case .sheet: Self.knowsPresentationContext(device) ? .invalidPresentationContext : .systemError
            case .network: .networkError
            }
    }

    private static func knowsPresentationContext(_ device: Device) -> Bool {
        let first = RegionTables.builtIn.members["StoreKitError.invalidPresentationContext"]?.availability[
            device.column
        ]
        return first.map { device.osVersion >= $0 } ?? false
    }
}
