import Crypto
import ExternalPurchaseCore

/// The registered apps and keys.
///
/// A reset does not remove them, so a server under test keeps its credentials.
struct AppRegistry: Sendable {
    struct App: Sendable {
        let bundleId: BundleId
        var appAppleId: Int64
        var key: SigningKey
        var notificationURLs: NotificationURLs?
        var isReleased: Bool
    }

    /// The apps in the order of registration.
    private(set) var apps: [App] = []
    private var keys: [String: SigningKey] = [:]
    /// The account of apps that do not name one.
    private(set) var ownIssuerId: String?

    subscript(bundleId: BundleId) -> App? { apps.first { $0.bundleId == bundleId } }

    func key(_ id: String) -> SigningKey? { keys[id] }

    /// Every key, in the order of the ids.
    var allKeys: [SigningKey] { keys.values.sorted { $0.id < $1.id } }

    // MARK: Storage

    mutating func restore(ownIssuerId: String) { self.ownIssuerId = ownIssuerId }

    mutating func restore(_ key: SigningKey) { keys[key.id] = key }

    mutating func restore(_ stored: StoredApp) throws(StoredStateError) {
        guard let key = keys[stored.keyId] else {
            throw StoredStateError(message: "the app \(stored.bundleId) has a key that is not there, \(stored.keyId)")
        }
        let app = App(
            bundleId: BundleId(rawValue: stored.bundleId),
            appAppleId: stored.appAppleId,
            key: key,
            notificationURLs: stored.notificationURLs,
            isReleased: stored.isReleased
        )
        if let index = apps.firstIndex(where: { $0.bundleId == app.bundleId }) {
            apps[index] = app
        } else {
            apps.append(app)
        }
    }

    var registered: [RegisteredApp] { apps.map(\.registered) }

    mutating func register(
        _ registration: AppRegistration,
        dependencies: EmulatorDependencies
    ) throws(EmulatorInputError) -> RegisteredApp {
        let known = self[registration.bundleId]
        try Self.check(registration)
        guard let appAppleId = registration.appAppleId ?? known?.appAppleId else {
            throw EmulatorInputError(
                "missing-field",
                field: "appAppleId",
                "appAppleId is missing; a new app needs its App Store id, such as 1234567890"
            )
        }
        let brought = try registration.privateKey.map(Self.privateKey)
        let issuerId = registration.issuerId ?? known?.key.issuerId ?? issuerOfOwn(dependencies)
        let app = App(
            bundleId: registration.bundleId,
            appAppleId: appAppleId,
            key: key(issuerId: issuerId, brought: brought, known: known?.key, dependencies: dependencies),
            notificationURLs: registration.notificationURLs ?? known?.notificationURLs,
            isReleased: registration.isReleased ?? known?.isReleased ?? true
        )
        if let index = apps.firstIndex(where: { $0.bundleId == app.bundleId }) {
            apps[index] = app
        } else {
            apps.append(app)
        }
        return app.registered
    }

    private mutating func issuerOfOwn(_ dependencies: EmulatorDependencies) -> String {
        let id = ownIssuerId ?? dependencies.uuidText()
        ownIssuerId = id
        return id
    }

    /// Returns the given key of the account, otherwise the app's key, otherwise the account's first key.
    ///
    /// A key is generated if there is none.
    private mutating func key(
        issuerId: String,
        brought: P256.Signing.PrivateKey?,
        known: SigningKey?,
        dependencies: EmulatorDependencies
    ) -> SigningKey {
        let ofIssuer = keys.values.filter { $0.issuerId == issuerId }.sorted { $0.id < $1.id }
        if let brought {
            let same = ofIssuer.first { $0.privateKey.rawRepresentation == brought.rawRepresentation }
            return same ?? add(SigningKey(issuerId: issuerId, privateKey: brought, dependencies: dependencies))
        }
        if let known, known.issuerId == issuerId { return known }
        let shared = apps.first { $0.key.issuerId == issuerId }?.key ?? ofIssuer.first
        return shared ?? add(SigningKey(issuerId: issuerId, dependencies: dependencies))
    }

    private mutating func add(_ key: SigningKey) -> SigningKey {
        keys[key.id] = key
        return key
    }

    private static func check(_ registration: AppRegistration) throws(EmulatorInputError) {
        if let fault = BundleId.fault(in: registration.bundleId.rawValue) {
            throw EmulatorInputError("malformed-bundle-id", field: "bundleId", fault)
        }
        if let appAppleId = registration.appAppleId, appAppleId < 1 {
            throw EmulatorInputError("out-of-range", field: "appAppleId", "appAppleId is below 1")
        }
        if let issuerId = registration.issuerId, issuerId.isEmpty || issuerId.utf8.count > 256 {
            throw EmulatorInputError(
                "invalid-issuer-id",
                field: "issuerId",
                "issuerId is empty or longer than 256 bytes; App Store Connect's are UUIDs"
            )
        }
    }

    private static func privateKey(_ pem: String) throws(EmulatorInputError) -> P256.Signing.PrivateKey {
        do {
            return try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            // The message deliberately omits the text, which may be a real key with a typo (SA-14).
            throw EmulatorInputError(
                "invalid-private-key",
                field: "privateKey",
                "privateKey is not a P-256 private key in PEM, which begins with -----BEGIN PRIVATE KEY-----"
            )
        }
    }
}

extension AppRegistry.App {
    var registered: RegisteredApp {
        RegisteredApp(
            bundleId: bundleId,
            appAppleId: appAppleId,
            issuerId: key.issuerId,
            keyId: key.id,
            privateKey: key.privateKey.pemRepresentation,
            notificationURLs: notificationURLs,
            isReleased: isReleased
        )
    }
}
