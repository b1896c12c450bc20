public import ExternalPurchaseCore

/// A question that an app asks StoreKit before it offers an external purchase.
public enum EligibilityQuestion: String, Hashable, Sendable, CaseIterable {
    /// Whether the notice sheet can be shown.
    case canPresent = "ExternalPurchase.canPresent"
    /// Whether the configured link can be opened.
    case canOpen = "ExternalPurchaseLink.canOpen"
    /// Which of the configured links can be opened.
    case eligibleURLs = "ExternalPurchaseLink.eligibleURLs"
    /// Whether custom links can be used.
    case isEligible = "ExternalPurchaseCustomLink.isEligible"
    /// Whether a custom link token can be requested with the overload that takes a string.
    case token = "ExternalPurchaseCustomLink.token(for:)"

    /// The group of members that the same routes determine (SK-21).
    public var group: APIGroup {
        switch self {
        case .canPresent: .externalPurchase
        case .canOpen: .singleLink
        case .eligibleURLs: .multiLink
        case .isEligible, .token: .customLink
        }
    }

    /// The name of the API family, `ExternalPurchaseLink`.
    public var family: String { String(rawValue.prefix { $0 != "." }) }

    /// Returns the first system version with the member; nil if the platform lacks it.
    package func firstVersion(on platform: Platform) -> OSVersion? {
        RegionTables.builtIn.members[tableName]?.availability[platform]
    }

    /// The member's name in the table of members.
    var tableName: String { self == .token ? rawValue + "-String" : rawValue }
}
