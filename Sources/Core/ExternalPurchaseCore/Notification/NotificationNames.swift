/// The subject of a notification.
///
/// Unknown types are preserved (NT-41).
public struct NotificationType: Identifier {
    /// The type as received.
    public let rawValue: String

    /// Creates a type from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The notification is about an external purchase token.
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// The notification was requested to test the server's URL.
    public static let test = Self(rawValue: "TEST")
}

/// The event that a notification about a token reports.
///
/// Unknown subtypes are preserved (NT-41).
public struct NotificationSubtype: Identifier {
    /// The subtype as received.
    public let rawValue: String

    /// Creates a subtype from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple created a custom link token.
    public static let created = Self(rawValue: "CREATED")
    /// A custom link token is still active.
    public static let activeTokenReminder = Self(rawValue: "ACTIVE_TOKEN_REMINDER")
    /// Apple has no report for the token.
    public static let unreported = Self(rawValue: "UNREPORTED")
}

/// The identity of a notification.
///
/// Deliveries of the same notification repeat it (NT-60).
public struct NotificationUUID: Identifier {
    /// The text as received.
    public let rawValue: String

    /// Creates an identifier from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The environment as spelled in the data of a notification.
///
/// Unknown values are preserved.
public struct NotificationEnvironment: Identifier {
    /// The environment as received.
    public let rawValue: String

    /// Creates an environment from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates the spelling of a known environment.
    ///
    /// - Parameter environment: sandbox or production.
    public init(_ environment: AppStoreEnvironment) {
        switch environment {
        case .sandbox: self = .sandbox
        case .production: self = .production
        }
    }

    /// Test purchases without money.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// Real purchases.
    public static let production = Self(rawValue: "Production")

    /// The known environment with this spelling, or nil.
    public var known: AppStoreEnvironment? {
        switch self {
        case .sandbox: .sandbox
        case .production: .production
        default: nil
        }
    }
}
