public import Foundation

/// A product of In-App Purchase.
///
/// The session has no products, so there is no value of this type. Its members are declared so that an app's In-App
/// Purchase code compiles (SK-110).
public struct Product: Identifiable, Hashable, Sendable {
    /// The type of the identifier.
    public typealias ID = String

    let nothing: Never

    /// The identifier of App Store Connect.
    public var id: String { switch nothing {} }
    /// Whether the product is a consumable, a subscription or another kind.
    public var type: ProductType { switch nothing {} }
    /// The localized name.
    public var displayName: String { switch nothing {} }
    /// The localized description.
    public var description: String { switch nothing {} }
    /// The price in the currency of the storefront.
    public var price: Decimal { switch nothing {} }
    /// The price as text.
    public var displayPrice: String { switch nothing {} }
    /// The format of prices of the storefront.
    public var priceFormatStyle: Decimal.FormatStyle.Currency { switch nothing {} }
    /// Whether a family can share the product.
    public var isFamilyShareable: Bool { switch nothing {} }
    /// What is known of a subscription; nil for another kind of product.
    public var subscription: SubscriptionInfo? { switch nothing {} }
    /// The data of the App Store.
    public var jsonRepresentation: Data { switch nothing {} }
    /// The customer's latest transaction of the product.
    public var latestTransaction: VerificationResult<Transaction>? { get async { switch nothing {} } }
    /// The transaction that entitles the customer to the product.
    public var currentEntitlement: VerificationResult<Transaction>? { get async { switch nothing {} } }

    /// Returns an empty list, as for identifiers that App Store Connect does not know (SK-110).
    ///
    /// - Parameter identifiers: the identifiers of products.
    /// - Throws: `networkError` and `systemError` while the session has such an error.
    public static func products<Identifiers: Collection>(
        for identifiers: Identifiers
    ) async throws -> [Product] where Identifiers.Element == String {
        try StoreKitSession.current.reachAppStore()
        return []
    }

    /// Whether a product is a consumable, a subscription or another kind.
    public struct ProductType: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Creates a type from any text.
        ///
        /// - Parameter rawValue: the name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A product that is used up.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// A product that is bought once.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// A subscription that ends.
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        /// A subscription that renews itself.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
    }
}
