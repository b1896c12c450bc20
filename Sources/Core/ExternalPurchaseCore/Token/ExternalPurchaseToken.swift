/// An external purchase token.
///
/// It contains the app, the moment of its creation and the id under which sales are reported.
///
/// A token is neither signed nor encrypted, so it does not prove its origin; see spec/03 section 6.
public struct ExternalPurchaseToken: Hashable, Sendable {
    /// The App Store id of the app, 1 to 2^63 − 1.
    public var appAppleId: Int64
    /// The bundle id of the app.
    public var bundleId: BundleId
    /// When the token was created.
    public var tokenCreationDate: Timestamp
    /// The id by which reports name the token.
    public var externalPurchaseId: ExternalPurchaseId
    /// The type; nil for a plain token.
    public var tokenType: TokenType?
    /// The end of the active period, inclusive (TK-35); nil for a token that does not expire.
    public var tokenExpirationDate: Timestamp?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - appAppleId: the App Store id of the app.
    ///   - bundleId: the bundle id of the app.
    ///   - tokenCreationDate: when the token was created.
    ///   - externalPurchaseId: the id by which reports name the token.
    ///   - tokenType: the type; nil for a plain token.
    ///   - tokenExpirationDate: the end of the active period; nil for a token that does not expire.
    public init(
        appAppleId: Int64,
        bundleId: BundleId,
        tokenCreationDate: Timestamp,
        externalPurchaseId: ExternalPurchaseId,
        tokenType: TokenType? = nil,
        tokenExpirationDate: Timestamp? = nil
    ) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.tokenCreationDate = tokenCreationDate
        self.externalPurchaseId = externalPurchaseId
        self.tokenType = tokenType
        self.tokenExpirationDate = tokenExpirationDate
    }

    /// The environment, which the id determines (TK-3).
    public var environment: AppStoreEnvironment { externalPurchaseId.environment }

    /// The family, which the other fields determine (TK-4).
    public var family: TokenFamily {
        switch tokenType {
        case .acquisition, .services: .customLink
        case .inApp, .linkOut: .transaction
        case .coreTechnology: .coreTechnology
        case nil where tokenExpirationDate == nil: .plain
        default: .other
        }
    }

    /// The fields in the order of TK-2 as compact JSON.
    public var json: JSONValue {
        var members: JSONObject = [
            "appAppleId": .integer(appAppleId),
            "bundleId": .string(bundleId.rawValue),
            "tokenCreationDate": .integer(tokenCreationDate.milliseconds),
            "externalPurchaseId": .string(externalPurchaseId.rawValue),
        ]
        if let tokenType { members["tokenType"] = .string(tokenType.rawValue) }
        if let tokenExpirationDate {
            members["tokenExpirationDate"] = .integer(tokenExpirationDate.milliseconds)
        }
        return .object(members)
    }

    /// Encodes the token as Base64URL of its JSON (TK-25).
    ///
    /// - Parameter padding: true appends `=` up to a multiple of four characters (setting `mintedTokenPadding`, D7).
    public func encoded(padding: Bool = false) -> String {
        Base64URL.encode(json.encoded(), padding: padding)
    }
}
