public import Foundation

extension Product {
    /// What is known of a subscription.
    ///
    /// There is no value of this type (SK-110).
    public struct SubscriptionInfo: Hashable, Sendable {
        let nothing: Never

        /// The offer for new subscribers.
        public var introductoryOffer: SubscriptionOffer? { switch nothing {} }
        /// The offers for present and former subscribers.
        public var promotionalOffers: [SubscriptionOffer] { switch nothing {} }
        /// The identifier of the group.
        public var subscriptionGroupID: String { switch nothing {} }
        /// How long a period is.
        public var subscriptionPeriod: SubscriptionPeriod { switch nothing {} }
        /// Whether the customer may have the introductory offer.
        public var isEligibleForIntroOffer: Bool { get async { switch nothing {} } }
        /// The states of the customer's subscriptions of the group.
        public var status: [Status] { get async throws { switch nothing {} } }

        /// Returns true, because the customer has no subscription (SK-110).
        ///
        /// - Parameter groupID: the identifier of the group.
        public static func isEligibleForIntroOffer(for groupID: String) async -> Bool { true }

        /// Returns an empty list: the customer has no subscription (SK-110).
        ///
        /// - Parameter groupID: the identifier of the group.
        /// - Throws: `networkError` and `systemError` while the session has such an error.
        public static func status(for groupID: String) async throws -> [Status] {
            try StoreKitSession.current.reachAppStore()
            return []
        }

        /// The state of a subscription.
        ///
        /// There is no value of this type (SK-110).
        public struct Status: Hashable, Sendable {
            let nothing: Never

            /// Whether the subscription is active.
            public var state: RenewalState { switch nothing {} }
            /// The latest transaction.
            public var transaction: VerificationResult<Transaction> { switch nothing {} }
            /// How the subscription goes on.
            public var renewalInfo: VerificationResult<RenewalInfo> { switch nothing {} }
        }

        /// Whether a subscription is active.
        public struct RenewalState: RawRepresentable, Hashable, Sendable {
            /// The number.
            public let rawValue: Int

            /// Creates a state from any number.
            ///
            /// - Parameter rawValue: the number.
            public init(rawValue: Int) {
                self.rawValue = rawValue
            }

            /// The subscription is active.
            public static let subscribed = RenewalState(rawValue: 1)
            /// The subscription has ended.
            public static let expired = RenewalState(rawValue: 2)
            /// A charge failed and is tried again.
            public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
            /// A charge failed, and the customer keeps access.
            public static let inGracePeriod = RenewalState(rawValue: 4)
            /// The App Store took the subscription back.
            public static let revoked = RenewalState(rawValue: 5)
        }

        /// How a subscription goes on.
        ///
        /// There is no value of this type (SK-110).
        public struct RenewalInfo: Hashable, Sendable {
            let nothing: Never

            /// The identifier of the first transaction.
            public var originalTransactionID: UInt64 { switch nothing {} }
            /// The present product.
            public var currentProductID: String { switch nothing {} }
            /// Whether the subscription renews.
            public var willAutoRenew: Bool { switch nothing {} }
            /// The product of the next period.
            public var autoRenewPreference: String? { switch nothing {} }
            /// When the subscription renews.
            public var renewalDate: Date? { switch nothing {} }
            /// The data of the App Store.
            public var jsonRepresentation: Data { switch nothing {} }
        }
    }

    /// A span of time of subscriptions.
    public struct SubscriptionPeriod: Hashable, Sendable {
        /// The unit.
        public let unit: Unit
        /// How many units.
        public let value: Int

        /// A unit of time.
        @nonexhaustive
        public enum Unit: Hashable, Sendable {
            /// 1 day.
            case day
            /// 7 days.
            case week
            /// 1 month.
            case month
            /// 1 year.
            case year
        }
    }

    /// An offer of a subscription.
    ///
    /// There is no value of this type (SK-110).
    public struct SubscriptionOffer: Hashable, Sendable {
        let nothing: Never

        /// The identifier; nil for the introductory offer.
        public var id: String? { switch nothing {} }
        /// Who may have the offer.
        public var type: OfferType { switch nothing {} }
        /// The price in the currency of the storefront.
        public var price: Decimal { switch nothing {} }
        /// The price as text.
        public var displayPrice: String { switch nothing {} }
        /// How long a period is.
        public var period: SubscriptionPeriod { switch nothing {} }
        /// How many periods there are.
        public var periodCount: Int { switch nothing {} }
        /// How the offer is paid.
        public var paymentMode: PaymentMode { switch nothing {} }

        /// Who may have an offer.
        public struct OfferType: RawRepresentable, Hashable, Sendable {
            /// The name.
            public let rawValue: String

            /// Creates a type from any text.
            ///
            /// - Parameter rawValue: the name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// New subscribers.
            public static let introductory = OfferType(rawValue: "introductory")
            /// Present and former subscribers.
            public static let promotional = OfferType(rawValue: "promotional")
        }

        /// How an offer is paid.
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            /// The name.
            public let rawValue: String

            /// Creates a mode from any text.
            ///
            /// - Parameter rawValue: the name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The customer pays each period.
            public static let payAsYouGo = PaymentMode(rawValue: "payAsYouGo")
            /// The customer pays all periods at once.
            public static let payUpFront = PaymentMode(rawValue: "payUpFront")
            /// The customer pays nothing.
            public static let freeTrial = PaymentMode(rawValue: "freeTrial")
        }
    }
}
