import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Reporting

/// Creates an app of the merchant with its key and clients.
enum MerchantApp {
    static func make(
        _ app: ServeConfiguration.App,
        settings: ServeSettings,
        http: HTTPClient
    ) throws(CommandFailure) -> Reporting.RegisteredApp {
        try app.key.file.read { file throws(CommandFailure) in
            let privateKey = try SecretFile.text(of: file)
            do throws(CommandFailure) {
                return try make(
                    bundleId: app.bundleId,
                    appAppleId: app.appAppleId,
                    privateKey: privateKey,
                    keyId: app.key.keyId,
                    issuerId: app.key.issuerId,
                    baseURL: app.baseURL,
                    programmes: app.programmes,
                    policy: app.policy,
                    settings: settings,
                    http: http
                )
            } catch {
                throw CommandFailure.input("\(file): \(error.message ?? "is not a private key")")
            }
        }
    }

    static func make(
        bundleId: BundleId,
        appAppleId: Int64,
        privateKey: String,
        keyId: String,
        issuerId: String,
        baseURL: [AppStoreEnvironment: String],
        programmes: [String] = [],
        policy: PurchasePolicy = .open,
        settings: ServeSettings,
        http: HTTPClient
    ) throws(CommandFailure) -> Reporting.RegisteredApp {
        let client = try client(
            bundleId: bundleId,
            privateKey: privateKey,
            keyId: keyId,
            issuerId: issuerId,
            baseURL: baseURL,
            lifetime: settings.tokenLifetime,
            http: http
        )
        return Reporting.RegisteredApp(
            bundleId: bundleId,
            appAppleId: appAppleId,
            environments: Set(baseURL.keys),
            client: client,
            keyId: keyId,
            programmes: programmes,
            policy: policy,
            history: client
        )
    }
}
