public import ExternalPurchaseCore

/// The registration of an app.
///
/// Members that are nil keep their values or get generated ones.
public struct AppRegistration: Hashable, Sendable {
    /// The bundle id.
    public var bundleId: BundleId
    /// The App Store id, 1 to 2^63 − 1.
    ///
    /// It is optional for an app that is already registered.
    public var appAppleId: Int64?
    /// The developer account.
    ///
    /// Nil keeps the app's account, or uses the shared account of all apps that do not name one.
    public var issuerId: String?
    /// A P-256 private key as PEM.
    ///
    /// Nil uses the developer account's key.
    public var privateKey: String?
    /// The URLs for notifications about the app.
    public var notificationURLs: NotificationURLs?
    /// False for an app that is not in the store yet.
    ///
    /// With setting `auth.requireRelease` such an app is refused (SA-15).
    public var isReleased: Bool?

    /// Creates a registration.
    ///
    /// - Parameters:
    ///   - bundleId: the bundle id.
    ///   - appAppleId: the App Store id.
    ///   - issuerId: the developer account.
    ///   - privateKey: a P-256 private key as PEM.
    ///   - notificationURLs: the URLs for notifications.
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

/// The URLs for notifications about an app, by environment.
public struct NotificationURLs: Hashable, Sendable {
    /// The URL for production tokens.
    public var production: String?
    /// The URL for sandbox tokens.
    public var sandbox: String?

    /// Creates a pair of URLs.
    ///
    /// - Parameters:
    ///   - production: the URL for production tokens.
    ///   - sandbox: the URL for sandbox tokens.
    public init(production: String?, sandbox: String?) {
        self.production = production
        self.sandbox = sandbox
    }

    /// Creates the same URL for both environments.
    ///
    /// - Parameter address: the URL.
    public init(_ address: String) {
        self.init(production: address, sandbox: address)
    }
}

/// A registered app with the credentials for its API calls.
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
    /// The URLs for notifications about the app.
    public let notificationURLs: NotificationURLs?
    /// False for an app that is not in the store yet.
    public let isReleased: Bool
}
