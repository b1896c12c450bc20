import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation

extension MerchantApp {
    /// Returns the client that sends an app's reports to Apple; it signs with the machine's clock (SA-16).
    static func client(
        bundleId: BundleId,
        privateKey: String,
        keyId: String,
        issuerId: String,
        baseURL: [AppStoreEnvironment: String],
        lifetime: Duration = BearerTokenSigner.standardLifetime,
        http: HTTPClient
    ) throws(CommandFailure) -> AppStoreServerClient {
        do {
            let credentials = APICredentials(
                privateKey: try PrivateKey(p8: privateKey),
                keyId: keyId,
                issuerId: issuerId,
                bundleId: bundleId
            )
            return AppStoreServerClient(
                httpClient: http,
                signer: BearerTokenSigner(credentials: credentials, lifetime: lifetime),
                baseURLs: AppStoreServerClient.BaseURLs(
                    production: baseURL[.production],
                    sandbox: baseURL[.sandbox]
                ),
                now: { Timestamp(Date()) }
            )
        } catch {
            throw .input("\(error)")
        }
    }
}
