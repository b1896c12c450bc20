import ExternalPurchaseCore

/// The case of `StoreKitError` that a failed condition becomes.
public enum FailureCase: String, Hashable, Sendable {
    /// The entitlement is missing.
    case notEntitled
    /// The storefront is not served.
    case notAvailableInStorefront
    /// The system, mode or rule pack lacks it.
    case unsupported
    /// Anything else, with an explanation.
    case systemError
    /// The network does not work.
    case networkError
    /// No sheet can be shown, on systems whose StoreKit knows the case.
    case invalidPresentationContext

    /// The case for a condition (SK-20, SK-72).
    ///
    /// - Parameters:
    ///   - condition: the first condition that fails.
    ///   - device: decides about `invalidPresentationContext`, which OS 27.0 brought.
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
