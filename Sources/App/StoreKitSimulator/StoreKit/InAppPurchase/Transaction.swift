public import Foundation

/// A transaction of In-App Purchase.
///
/// The customer has no transactions, so there is no value of this type (SK-110).
public struct Transaction: Identifiable, Hashable, Sendable {
    /// The type of the identifier.
    public typealias ID = UInt64

    let nothing: Never

    /// The identifier.
    public var id: UInt64 { switch nothing {} }
    /// The identifier of the first transaction of a subscription.
    public var originalID: UInt64 { switch nothing {} }
    /// The product.
    public var productID: String { switch nothing {} }
    /// The kind of the product.
    public var productType: Product.ProductType { switch nothing {} }
    /// The bundle id of the app.
    public var appBundleID: String { switch nothing {} }
    /// The group of a subscription.
    public var subscriptionGroupID: String? { switch nothing {} }
    /// When the customer was charged.
    public var purchaseDate: Date { switch nothing {} }
    /// When the first transaction took place.
    public var originalPurchaseDate: Date { switch nothing {} }
    /// When a subscription ends.
    public var expirationDate: Date? { switch nothing {} }
    /// When the App Store took the transaction back.
    public var revocationDate: Date? { switch nothing {} }
    /// Why the App Store took the transaction back.
    public var revocationReason: RevocationReason? { switch nothing {} }
    /// Whether the customer changed to a higher product.
    public var isUpgraded: Bool { switch nothing {} }
    /// How many were bought.
    public var purchasedQuantity: Int { switch nothing {} }
    /// Whether the customer bought the product or a family member did.
    public var ownershipType: OwnershipType { switch nothing {} }
    /// The account that the app gave.
    public var appAccountToken: UUID? { switch nothing {} }
    /// The price in the currency of the transaction.
    public var price: Decimal? { switch nothing {} }
    /// The currency of the price.
    public var currency: Locale.Currency? { switch nothing {} }
    /// The storefront of the purchase.
    public var storefront: Storefront { switch nothing {} }
    /// The environment of the App Store.
    public var environment: AppStore.Environment { switch nothing {} }
    /// When the App Store signed the transaction.
    public var signedDate: Date { switch nothing {} }
    /// The data of the App Store.
    public var jsonRepresentation: Data { switch nothing {} }

    /// Tells the App Store that the app delivered the product.
    public func finish() async { switch nothing {} }

    /// Every transaction of the customer: none (SK-110).
    public static var all: Transactions { Transactions(isOpen: false) }
    /// The transactions that entitle the customer: none (SK-110).
    public static var currentEntitlements: Transactions { Transactions(isOpen: false) }
    /// The transactions that the app did not finish: none (SK-110).
    public static var unfinished: Transactions { Transactions(isOpen: false) }
    /// The transactions that come: none, until the task is cancelled (SK-110).
    public static var updates: Transactions { Transactions(isOpen: true) }

    /// Returns nil: the customer has no transactions (SK-110).
    ///
    /// - Parameter productID: the product.
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? { nil }

    /// Returns nil: the customer has no transactions (SK-110).
    ///
    /// - Parameter productID: the product.
    public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? { nil }

    /// A sequence of transactions without elements.
    public struct Transactions: AsyncSequence, Sendable {
        /// The type of the elements.
        public typealias Element = VerificationResult<Transaction>

        let isOpen: Bool

        /// The iterator of the sequence.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let open: (stream: AsyncStream<Element>, continuation: AsyncStream<Element>.Continuation)?

            /// Returns nil: at once, or for transactions that come when the task is cancelled.
            public mutating func next() async -> Element? {
                guard let open else { return nil }
                for await element in open.stream { return element }
                return nil
            }
        }

        /// Starts to read the transactions.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(open: isOpen ? AsyncStream.makeStream(of: Element.self) : nil)
        }
    }

    /// Whether the customer bought a product or a family member did.
    public struct OwnershipType: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Creates a type from any text.
        ///
        /// - Parameter rawValue: the name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The customer bought the product.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// A family member bought the product.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
    }

    /// Why the App Store took a transaction back.
    public struct RevocationReason: RawRepresentable, Hashable, Sendable {
        /// The number.
        public let rawValue: Int

        /// Creates a reason from any number.
        ///
        /// - Parameter rawValue: the number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Another reason.
        public static let other = RevocationReason(rawValue: 0)
        /// A problem of the app.
        public static let developerIssue = RevocationReason(rawValue: 1)
    }
}
