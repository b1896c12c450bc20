/// What a notification of the App Store says, the payload of its signed message (spec/06 section 3).
///
/// Members that the package does not know are not kept; unknown types and subtypes are (NT-41). A payload by itself
/// proves nothing: only one whose signature was verified is Apple's word (NT-39).
public struct NotificationPayload: Hashable, Sendable {
    /// What the notification is about.
    public var notificationType: NotificationType
    /// What happened; always there for `EXTERNAL_PURCHASE_TOKEN`, never for `TEST` (NT-73).
    public var subtype: NotificationSubtype?
    /// The identity of the notification.
    public var notificationUUID: NotificationUUID
    /// The version of the format, `2.0`.
    public var version: String
    /// When Apple signed.
    public var signedDate: Timestamp
    /// The token; there for `EXTERNAL_PURCHASE_TOKEN` only.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// The app; there for `TEST` and most other types.
    public var data: NotificationData?

    /// A payload of fields.
    ///
    /// - Parameters:
    ///   - notificationType: what it is about.
    ///   - subtype: what happened.
    ///   - notificationUUID: its identity.
    ///   - version: the version of the format.
    ///   - signedDate: when it is signed.
    ///   - externalPurchaseToken: the token it is about.
    ///   - data: the app it is about, where there is no token.
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

    /// The app that the notification concerns, from the token or else from the data.
    public var bundleId: BundleId? { externalPurchaseToken?.bundleId ?? data?.bundleId }

    /// The App Store id of that app, from the token or else from the data.
    public var appAppleId: Int64? {
        if let externalPurchaseToken { externalPurchaseToken.appAppleId } else { data?.appAppleId }
    }

    /// The environment as spelled in notifications, from the token's id or else from the data (NT-40).
    public var environment: NotificationEnvironment? {
        externalPurchaseToken.map { NotificationEnvironment($0.environment) } ?? data?.environment
    }

    /// The fields in the order of spec/06 section 3, absent ones left out.
    public var json: JSONValue {
        var members: [JSONObject.Member] = [.init("notificationType", .string(notificationType.rawValue))]
        if let subtype { members.append(.init("subtype", .string(subtype.rawValue))) }
        members += [
            .init("notificationUUID", .string(notificationUUID.rawValue)),
            .init("version", .string(version)),
            .init("signedDate", .integer(signedDate.milliseconds)),
        ]
        if let token = externalPurchaseToken {
            members.append(.init("externalPurchaseToken", .object(Self.members(of: token))))
        }
        if let data { members.append(.init("data", data.json)) }
        return .object(JSONObject(members))
    }

    /// The payload as compact JSON, the bytes that are signed.
    public func encoded() -> [UInt8] { json.encoded() }

    // The order of the table, which is not that of a token as it travels (TK-2).
    private static func members(of token: ExternalPurchaseToken) -> JSONObject {
        var members: [JSONObject.Member] = [
            .init("externalPurchaseId", .string(token.externalPurchaseId.rawValue)),
            .init("tokenCreationDate", .integer(token.tokenCreationDate.milliseconds)),
            .init("appAppleId", .integer(token.appAppleId)),
            .init("bundleId", .string(token.bundleId.rawValue)),
        ]
        if let type = token.tokenType { members.append(.init("tokenType", .string(type.rawValue))) }
        if let end = token.tokenExpirationDate {
            members.append(.init("tokenExpirationDate", .integer(end.milliseconds)))
        }
        return JSONObject(members)
    }
}

/// The app and environment of a notification that is not about a token.
public struct NotificationData: Hashable, Sendable {
    /// Bundle id of the app; always there in a `TEST`.
    public var bundleId: BundleId?
    /// App Store id of the app; Apple leaves it out in the sandbox.
    public var appAppleId: Int64?
    /// The environment.
    public var environment: NotificationEnvironment?

    /// Data of fields.
    ///
    /// - Parameters:
    ///   - bundleId: bundle id of the app.
    ///   - appAppleId: App Store id of the app.
    ///   - environment: sandbox or production.
    public init(bundleId: BundleId?, appAppleId: Int64? = nil, environment: NotificationEnvironment? = nil) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
    }

    var json: JSONValue {
        var members: [JSONObject.Member] = []
        if let bundleId { members.append(.init("bundleId", .string(bundleId.rawValue))) }
        if let appAppleId { members.append(.init("appAppleId", .integer(appAppleId))) }
        if let environment { members.append(.init("environment", .string(environment.rawValue))) }
        return .object(JSONObject(members))
    }
}
