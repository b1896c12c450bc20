public import Foundation

extension Product {
    /// Buys the product, which no session has (SK-110).
    ///
    /// - Parameter options: the options of the purchase.
    @MainActor
    public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult { switch nothing {} }

    /// The result of a purchase.
    @nonexhaustive
    public enum PurchaseResult: Sendable {
        /// The customer bought the product.
        case success(VerificationResult<Transaction>)
        /// The customer cancelled.
        case userCancelled
        /// The purchase waits for another person, such as a parent.
        case pending
    }

    /// An option of a purchase.
    public struct PurchaseOption: Hashable, Sendable {
        private let name: String
        private let value: String

        private init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Relates the purchase to an account of the app.
        ///
        /// - Parameter token: the account.
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { .init("appAccountToken", "\(token)") }
        /// Buys several at once.
        ///
        /// - Parameter quantity: how many, from 1.
        public static func quantity(_ quantity: Int) -> PurchaseOption { .init("quantity", "\(quantity)") }
        /// Lets the sandbox ask another person.
        ///
        /// - Parameter simulateAskToBuy: whether it asks.
        public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> PurchaseOption {
            .init("simulatesAskToBuyInSandbox", "\(simulateAskToBuy)")
        }
        /// Adds a value of the app.
        ///
        /// - Parameters:
        ///   - key: the name of the value.
        ///   - value: the value.
        public static func custom(key: String, value: String) -> PurchaseOption { .init(key, value) }
        /// Adds a value of the app.
        ///
        /// - Parameters:
        ///   - key: the name of the value.
        ///   - value: the value.
        public static func custom(key: String, value: Double) -> PurchaseOption { .init(key, "\(value)") }
        /// Adds a value of the app.
        ///
        /// - Parameters:
        ///   - key: the name of the value.
        ///   - value: the value.
        public static func custom(key: String, value: Bool) -> PurchaseOption { .init(key, "\(value)") }
    }

    /// The errors of a purchase.
    @nonexhaustive
    public enum PurchaseError: Error, LocalizedError, Hashable, Sendable {
        /// The quantity is not allowed.
        case invalidQuantity
        /// The product is not available in the storefront.
        case productUnavailable
        /// The person may not buy.
        case purchaseNotAllowed
        /// The customer may not have the offer.
        case ineligibleForOffer
        /// The offer is unknown.
        case invalidOfferIdentifier
        /// The price of the offer is wrong.
        case invalidOfferPrice
        /// The signature of the offer is wrong.
        case invalidOfferSignature
        /// The offer lacks a value.
        case missingOfferParameters
    }
}
