import AppStoreServerClient
import AsyncHTTPClient
import ExternalPurchaseCore
import ExternalPurchaseKit
import ExternalPurchaseKitBridge
import Foundation
import NIOCore
import NIOHTTP1

/// Sends tokens to `POST /v1/tokens`, and asks `GET /v1/policy`, as `HTTPTokenTransport` does in an app.
///
/// That one needs FoundationNetworking, which a statically linked program cannot have.
struct ServerTokenTransport: TokenTransport, PolicyTransport {
    /// Why the server that a host names cannot be used; it does not contain the key.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private static let timeout = TimeAmount.seconds(30)
    private static let maximumBytes = 65_536

    private let server: URL
    private let key: String
    private let http: HTTPClient

    init(_ server: ExternalPurchaseBridge.Server, http: HTTPClient) throws(Refusal) {
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(server.url.host() ?? "")
        guard server.url.scheme == "https" || isLoopback, server.url.query() == nil, server.url.fragment() == nil else {
            throw Refusal(
                description:
                    "The server is no plain https address; right is https://reports.example.com, or one on this "
                    + "machine such as http://127.0.0.1:8800."
            )
        }
        guard server.publishableKey.hasPrefix("epk_publishable_"),
            server.publishableKey.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            throw Refusal(description: "The key is not of the scope publishable; right is epk_publishable_….")
        }
        self.server = server.url
        key = server.publishableKey
        self.http = http
    }

    func send(_ token: PurchaseToken) async -> TokenDelivery {
        var request = request("v1/tokens")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        var body: JSONObject = ["token": .string(token.text)]
        if let customer = token.customerId { body["customerId"] = .string(customer) }
        if let storefront = token.storefront.flatMap({ StorefrontCode($0)?.alpha3 }) {
            body["storefront"] = .string(storefront)
        }
        request.body = .bytes(ByteBuffer(bytes: JSONValue.object(body).encoded()))
        do {
            let (response, content) = try await http.exchange(request, within: Self.timeout, upTo: Self.maximumBytes)
            return TokenDelivery(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "Retry-After"),
                body: Data(content.readableBytesView)
            )
        } catch {
            return .retry(reason: "no answer", after: nil)
        }
    }

    /// Why there is no policy.
    private struct NoPolicy: Error {}

    func policy() async throws -> Data {
        let (response, body) = try await http.exchange(
            request("v1/policy"),
            within: Self.timeout,
            upTo: Self.maximumBytes
        )
        guard response.status == .ok else { throw NoPolicy() }
        return Data(body.readableBytesView)
    }

    private func request(_ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: server.appending(path: path).absoluteString)
        request.headers.add(name: "Authorization", value: "Bearer \(key)")
        return request
    }
}
