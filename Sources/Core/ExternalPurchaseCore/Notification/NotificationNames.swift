/// What a notification is about; unknown types are kept (NT-41).
public struct NotificationType: Identifier {
    /// The type as received.
    public let rawValue: String

    /// Takes any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// About an external purchase token.
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// Sent on request, to try the address.
    public static let test = Self(rawValue: "TEST")
}

/// What happened to a token; unknown subtypes are kept (NT-41).
public struct NotificationSubtype: Identifier {
    /// The subtype as received.
    public let rawValue: String

    /// Takes any text.
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

/// The identity of a notification, by which repetitions are told (NT-60).
public struct NotificationUUID: Identifier {
    /// The text as received.
    public let rawValue: String

    /// Takes any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The environment as the data of a notification spell it; unknown ones are kept.
public struct NotificationEnvironment: Identifier {
    /// The environment as received.
    public let rawValue: String

    /// Takes any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The spelling of one of the two environments.
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

    /// The environment meant, nil for an unknown spelling.
    public var known: AppStoreEnvironment? {
        switch self {
        case .sandbox: .sandbox
        case .production: .production
        default: nil
        }
    }
}
