import ExternalPurchaseCore
public import ExternalPurchaseKit
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends tokens to the reporting server of this package: `POST /v1/tokens` with a publishable key.
///
/// Only 200 and 201 with the id of a token in the body count as stored, because the login page of a network answers
/// 200, too (EK-41). Redirects are not followed.
public struct HTTPTokenTransport: TokenTransport, PolicyTransport {
    private let endpoint: URL
    private let publishableKey: String
    private let timeout: TimeInterval
    private let session: URLSession

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - server: the address of the server without `/v1`, `https://reports.example.com`. Other than https is accepted
    ///     for `localhost`, `127.0.0.1` and `[::1]` only.
    ///   - publishableKey: a key of the scope `publishable`, which anybody may read in the app: `epk_publishable_…`.
    ///   - timeout: how long a request may take.
    /// - Throws: ``HTTPTokenTransportError`` for an address or a key that cannot be used.
    public init(
        server: URL,
        publishableKey: String,
        timeout: Duration = .seconds(30)
    ) throws(HTTPTokenTransportError) {
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(server.host() ?? "")
        guard server.scheme == "https" || (server.scheme == "http" && isLoopback), server.host()?.isEmpty == false
        else { throw .addressNotSecure(server.absoluteString) }
        guard server.query() == nil, server.fragment() == nil, server.user() == nil else {
            throw .addressNotPlain(server.absoluteString)
        }
        guard !publishableKey.isEmpty, publishableKey.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
            throw .keyNotUsable
        }
        // Anybody can read a key in an app: one of another scope would let them read and change sales.
        guard publishableKey.hasPrefix("epk_publishable_") else { throw .keyNotPublishable }
        endpoint = server.appending(path: "v1/tokens")
        self.publishableKey = publishableKey
        let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
        self.timeout = max(seconds, 1)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = self.timeout
        configuration.timeoutIntervalForResource = self.timeout
        session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    /// Sends a token.
    ///
    /// - Parameter token: the token.
    /// - Returns: what the server answered.
    public func send(_ token: PurchaseToken) async -> TokenDelivery {
        var request = URLRequest(url: endpoint, timeoutInterval: timeout)
        request.httpMethod = "POST"
        request.setValue("Bearer \(publishableKey)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        do {
            request.httpBody = try JSONEncoder().encode(Body(token))
            let (data, response) = try await answer(to: request)
            return TokenDelivery(
                status: response.statusCode,
                retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
                body: data
            )
        } catch let error as URLError {
            return .retry(reason: "network error \(error.code.rawValue)", after: nil)
        } catch {
            return .retry(reason: "no answer", after: nil)
        }
    }

    /// Asks for the policy of the app: `GET /v1/policy` (EK-70).
    ///
    /// - Returns: the body of the answer.
    /// - Throws: `URLError` without an answer, and for one with another status than 200.
    public func policy() async throws -> Data {
        let address = endpoint.deletingLastPathComponent().appending(path: "policy")
        var request = URLRequest(url: address, timeoutInterval: timeout)
        request.setValue("Bearer \(publishableKey)", forHTTPHeaderField: "Authorization")
        let (data, response) = try await answer(to: request)
        guard response.statusCode == 200 else { throw URLError(.badServerResponse) }
        return data
    }

    private func answer(to request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            let task = session.dataTask(with: request) { data, response, error in
                if let error {
                    continuation.resume(throwing: error)
                } else if let response = response as? HTTPURLResponse {
                    continuation.resume(returning: (data ?? Data(), response))
                } else {
                    continuation.resume(throwing: URLError(.badServerResponse))
                }
            }
            task.resume()
        }
    }

    private struct Body: Encodable {
        let token: String
        let customerId: String?
        let storefront: String?

        init(_ token: PurchaseToken) {
            self.token = token.text
            customerId = token.customerId
            // The server refuses a body with a storefront that it does not know; the token counts without it.
            storefront = token.storefront.flatMap { StorefrontCode($0)?.alpha3 }
        }
    }
}

/// Why a transport cannot be created.
public enum HTTPTokenTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address is not https.
    case addressNotSecure(String)
    /// The address has a user, a query or a fragment.
    case addressNotPlain(String)
    /// The key is empty or has characters that a header must not have.
    case keyNotUsable
    /// The key has another scope, which must not be in an app, or is no key of the server.
    case keyNotPublishable

    /// What is wrong and what would be right.
    public var description: String {
        switch self {
        case .addressNotSecure(let address):
            "The server \"\(address)\" is no https address; right is https://reports.example.com."
        case .addressNotPlain(let address):
            "The server \"\(address)\" has a user, a query or a fragment; right is https://reports.example.com."
        case .keyNotUsable:
            "The publishable key is empty or has blanks or control characters; right is epk_publishable_…"
        case .keyNotPublishable:
            "The key is not of the scope publishable, the only one that may be in an app; right is epk_publishable_…, made "
                + "with `keys create --scope publishable`."
        }
    }
}

/// A redirect of a POST becomes a GET elsewhere, and its answer says nothing about the token.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
