/// What a report says about its token.
///
/// Unknown values are preserved.
public struct ReportStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The value on the wire.
    public let rawValue: String

    /// Creates a status from any text.
    ///
    /// - Parameter rawValue: the value on the wire.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The value on the wire.
    public var description: String { rawValue }

    /// The token has transactions, or the report corrects earlier items.
    public static let lineItem = Self(rawValue: "LINE_ITEM")
    /// The token is the developer's own, and nothing was bought with it so far.
    public static let noLineItem = Self(rawValue: "NO_LINE_ITEM")
    /// The developer's records have no token with the id that Apple named.
    public static let unrecognizedToken = Self(rawValue: "UNRECOGNIZED_TOKEN")
    /// Another token of the same customer, type and period is used instead (API 1.2.0).
    public static let duplicateToken = Self(rawValue: "DUPLICATE_TOKEN")

    /// The four known values.
    public static let all: [ReportStatus] = [.lineItem, .noLineItem, .unrecognizedToken, .duplicateToken]
}

/// Whether a line item is money received or money returned.
///
/// Unknown values are preserved.
public struct EventType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The value on the wire.
    public let rawValue: String

    /// Creates an event type from any text.
    ///
    /// - Parameter rawValue: the value on the wire.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The value on the wire.
    public var description: String { rawValue }

    /// A sale.
    public static let buy = Self(rawValue: "BUY")
    /// A refund or a chargeback.
    public static let refund = Self(rawValue: "REFUND")

    /// The two known values.
    public static let all: [EventType] = [.buy, .refund]
}

/// What was sold.
///
/// Unknown values are preserved.
public struct ProductType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The value on the wire.
    public let rawValue: String

    /// Creates a product type from any text.
    ///
    /// - Parameter rawValue: the value on the wire.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The value on the wire.
    public var description: String { rawValue }

    /// A one-time buy.
    public static let oneTimeBuy = Self(rawValue: "ONE_TIME_BUY")
    /// A subscription.
    public static let subscription = Self(rawValue: "SUBSCRIPTION")

    /// The two known values.
    public static let all: [ProductType] = [.oneTimeBuy, .subscription]
}

/// An event of a subscription.
///
/// Unknown values are preserved.
public struct SubscriptionEvent: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The value on the wire.
    public let rawValue: String

    /// Creates an event from any text.
    ///
    /// - Parameter rawValue: the value on the wire.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The value on the wire.
    public var description: String { rawValue }

    /// The subscription begins.
    public static let start = Self(rawValue: "SUBSCRIPTION_START")
    /// A later period begins.
    public static let renewal = Self(rawValue: "RENEWAL")
    /// The plan changes.
    public static let change = Self(rawValue: "SUBSCRIPTION_CHANGE")
    /// Another charge within a period.
    public static let payment = Self(rawValue: "SUBSCRIPTION_PAYMENT")

    /// The four known values.
    public static let all: [SubscriptionEvent] = [.start, .renewal, .change, .payment]
}
