/// The content of an App Store notification: the payload of its signed message (spec/06 section 3).
///
/// Unknown members are dropped; unknown types and subtypes are preserved (NT-41). An unverified payload proves nothing:
/// it comes from Apple only when its signature was verified (NT-39).
public struct NotificationPayload: Hashable, Sendable {
    /// The subject of the notification.
    public var notificationType: NotificationType
    /// The event.
    ///
    /// Present in every `EXTERNAL_PURCHASE_TOKEN` notification, absent in every `TEST` (NT-73).
    public var subtype: NotificationSubtype?
    /// The identity of the notification.
    public var notificationUUID: NotificationUUID
    /// The version of the format, `2.0`.
    public var version: String
    /// When Apple signed the notification.
    public var signedDate: Timestamp
    /// The token.
    ///
    /// Present in `EXTERNAL_PURCHASE_TOKEN` notifications only.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// The app and environment.
    ///
    /// Present in `TEST` and most other types.
    public var data: NotificationData?

    /// Creates a payload.
    ///
    /// - Parameters:
    ///   - notificationType: the subject.
    ///   - subtype: the event.
    ///   - notificationUUID: the identity of the notification.
    ///   - version: the version of the format.
    ///   - signedDate: when it is signed.
    ///   - externalPurchaseToken: the token that the notification is about.
    ///   - data: the app and environment, for a notification that is not about a token.
    public init(
        notificationType: NotificationType,
        subtype: NotificationSubtype? = nil,
        notificationUUID: NotificationUUID,
        version: String = "2.0",
        signedDate: Timestamp,
        externalPurchaseToken: ExternalPurchaseToken? = nil,
        data: NotificationData? = nil
    ) {
        self.notificationType = notificationType
        self.subtype = subtype
        self.notificationUUID = notificationUUID
        self.version = version
        self.signedDate = signedDate
        self.externalPurchaseToken = externalPurchaseToken
        self.data = data
    }

    /// The bundle id of the app, from the token or otherwise from the data.
    public var bundleId: BundleId? { externalPurchaseToken?.bundleId ?? data?.bundleId }

    /// The App Store id of the app, from the token or otherwise from the data.
    public var appAppleId: Int64? {
        if let externalPurchaseToken { externalPurchaseToken.appAppleId } else { data?.appAppleId }
    }

    /// The environment as spelled in notifications, from the token's id or otherwise from the data (NT-40).
    public var environment: NotificationEnvironment? {
        externalPurchaseToken.map { NotificationEnvironment($0.environment) } ?? data?.environment
    }

    /// The fields in the order of spec/06 section 3, without absent ones.
    public var json: JSONValue {
        var members: JSONObject = ["notificationType": .string(notificationType.rawValue)]
        if let subtype { members["subtype"] = .string(subtype.rawValue) }
        members["notificationUUID"] = .string(notificationUUID.rawValue)
        members["version"] = .string(version)
        members["signedDate"] = .integer(signedDate.milliseconds)
        if let token = externalPurchaseToken {
            members["externalPurchaseToken"] = .object(Self.members(of: token))
        }
        if let data { members["data"] = data.json }
        return .object(members)
    }

    /// Encodes the payload as compact JSON.
    ///
    /// These are the bytes that are signed.
    public func encoded() -> [UInt8] { json.encoded() }

    // The order of the table in spec/06 differs from the order in an encoded token (TK-2).
    private static func members(of token: ExternalPurchaseToken) -> JSONObject {
        var members: JSONObject = [
            "externalPurchaseId": .string(token.externalPurchaseId.rawValue),
            "tokenCreationDate": .integer(token.tokenCreationDate.milliseconds),
            "appAppleId": .integer(token.appAppleId),
            "bundleId": .string(token.bundleId.rawValue),
        ]
        if let type = token.tokenType { members["tokenType"] = .string(type.rawValue) }
        if let end = token.tokenExpirationDate {
            members["tokenExpirationDate"] = .integer(end.milliseconds)
        }
        return members
    }
}

/// The app and environment of a notification that is not about a token.
public struct NotificationData: Hashable, Sendable {
    /// The bundle id of the app.
    ///
    /// Always present in a `TEST`.
    public var bundleId: BundleId?
    /// The App Store id of the app.
    ///
    /// Apple omits it in the sandbox.
    public var appAppleId: Int64?
    /// The environment.
    public var environment: NotificationEnvironment?

    /// Creates the data of a notification.
    ///
    /// - Parameters:
    ///   - bundleId: the bundle id of the app.
    ///   - appAppleId: the App Store id of the app.
    ///   - environment: sandbox or production.
    public init(bundleId: BundleId?, appAppleId: Int64? = nil, environment: NotificationEnvironment? = nil) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
    }

    var json: JSONValue {
        var members: JSONObject = [:]
        if let bundleId { members["bundleId"] = .string(bundleId.rawValue) }
        if let appAppleId { members["appAppleId"] = .integer(appAppleId) }
        if let environment { members["environment"] = .string(environment.rawValue) }
        return .object(members)
    }
}
