public import ExternalPurchaseCore

/// An app as it is told to the emulator; what is left open stays as it is or is made up.
public struct AppRegistration: Hashable, Sendable {
    /// The bundle id.
    public var bundleId: BundleId
    /// The App Store id, 1 to 2^63 − 1; may be left out for an app that is registered already.
    public var appAppleId: Int64?
    /// The developer account; nil takes the app's, else the one of all apps without an account of their own.
    public var issuerId: String?
    /// A key of one's own, a P-256 key as PEM; nil takes the developer account's key.
    public var privateKey: String?
    /// Where notifications about the app go.
    public var notificationURLs: NotificationURLs?
    /// False for an app that is not in the store yet, which setting `auth.requireRelease` shuts out (SA-15).
    public var isReleased: Bool?

    /// An app.
    ///
    /// - Parameters:
    ///   - bundleId: the bundle id.
    ///   - appAppleId: the App Store id.
    ///   - issuerId: the developer account.
    ///   - privateKey: a key of one's own as PEM.
    ///   - notificationURLs: where notifications go.
    ///   - isReleased: whether the app is in the store.
    public init(
        bundleId: BundleId,
        appAppleId: Int64? = nil,
        issuerId: String? = nil,
        privateKey: String? = nil,
        notificationURLs: NotificationURLs? = nil,
        isReleased: Bool? = nil
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.issuerId = issuerId
        self.privateKey = privateKey
        self.notificationURLs = notificationURLs
        self.isReleased = isReleased
    }
}

/// The addresses for notifications about an app, by environment.
public struct NotificationURLs: Hashable, Sendable {
    /// For production tokens.
    public var production: String?
    /// For sandbox tokens.
    public var sandbox: String?

    /// Two addresses.
    ///
    /// - Parameters:
    ///   - production: for production tokens.
    ///   - sandbox: for sandbox tokens.
    public init(production: String?, sandbox: String?) {
        self.production = production
        self.sandbox = sandbox
    }

    /// One address for both environments.
    ///
    /// - Parameter address: for all tokens.
    public init(_ address: String) {
        self.init(production: address, sandbox: address)
    }
}

/// An app that the emulator knows, with what its API calls need.
public struct RegisteredApp: Hashable, Sendable {
    /// The bundle id.
    public let bundleId: BundleId
    /// The App Store id.
    public let appAppleId: Int64
    /// The developer account.
    public let issuerId: String
    /// The id of the key.
    public let keyId: String
    /// The private key as PKCS #8 PEM, the text of an `AuthKey_<keyId>.p8`.
    public let privateKey: String
    /// Where notifications about the app go.
    public let notificationURLs: NotificationURLs?
    /// False for an app that is not in the store yet.
    public let isReleased: Bool
}
