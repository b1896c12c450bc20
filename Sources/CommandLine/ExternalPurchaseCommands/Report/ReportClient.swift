import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation

/// Calls the report endpoint once.
enum ReportClient {
    static func call<Answer>(
        _ keys: KeyOptions,
        _ body: (AppStoreServerClient) async -> Answer
    ) async throws -> Answer {
        let environment = ProcessInfo.processInfo.environment
        let keyFile = try keys.value(keys.key, "key", environment: environment)
        let (keyId, issuerId) = try keys.identifiers(environment: environment)
        let bundleId = try keys.app(environment: environment)
        var baseURL = ServeConfiguration.appleBaseURL
        if let replaced = try keys.replacedBaseURL(environment: environment) {
            baseURL = [.production: replaced, .sandbox: replaced]
        }
        let privateKey = try SecretFile.text(of: keyFile)
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let client: AppStoreServerClient
        do {
            client = try MerchantApp.client(
                bundleId: BundleId(bundleId),
                privateKey: privateKey,
                keyId: keyId,
                issuerId: issuerId,
                baseURL: baseURL,
                http: http
            )
        } catch {
            try? await http.shutdown()
            throw CommandFailure.input("\(keyFile): \(error.message ?? "is not a private key")")
        }
        let answer = await body(client)
        try? await http.shutdown()
        return answer
    }
}
