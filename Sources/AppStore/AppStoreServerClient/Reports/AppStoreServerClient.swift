package import AsyncHTTPClient
package import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1

/// Sends requests to Apple's report endpoint over HTTP and interprets the responses.
///
/// Each call makes one request. The report pipeline decides what to do after a response (SA-73).
package struct AppStoreServerClient: ReportEndpointClient {
    /// The base URLs of the report endpoint by environment.
    ///
    /// Without a URL nothing is sent to the environment.
    package struct BaseURLs: Hashable, Sendable {
        /// The base URL for production tokens.
        var production: String?
        /// The base URL for sandbox tokens.
        var sandbox: String?

        /// Creates base URLs.
        ///
        /// They have no slash at the end.
        package init(production: String?, sandbox: String?) {
            self.production = production
            self.sandbox = sandbox
        }

        /// Apple's two hosts (spec/04 section 1).
        static let apple = BaseURLs(
            production: "https://api.storekit.apple.com",
            sandbox: "https://api.storekit-sandbox.apple.com"
        )

        /// Creates the same base URL for both environments, as for an emulator.
        ///
        /// - Parameter address: the base URL.
        package init(_ address: String) {
            self.init(production: address, sandbox: address)
        }

        /// True if neither the path nor the host determines the environment (NT-71).
        func needsEnvironmentQuery(_ environment: AppStoreEnvironment) -> Bool {
            let base = environment == .production ? production : sandbox
            let host = base?.split(separator: "/", maxSplits: 2).dropFirst().first?.split(separator: "/").first
            return host.map { !$0.hasSuffix(".apple.com") } ?? false
        }

        func address(of path: String, in environment: AppStoreEnvironment) -> String? {
            guard var base = environment == .production ? production : sandbox else { return nil }
            while base.hasSuffix("/") { base.removeLast() }
            return base + path
        }
    }

    /// The required configuration of the `HTTPClient`.
    ///
    /// It does not follow redirects, which would send a report to a host that is not configured. It does not retry a
    /// refused connection either, so that the failure is reported at once and not after the timeout.
    package static var httpConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// The maximum size of a response in bytes: the largest report with every character escaped.
    static let maximumAnswer = 8 * 1_048_576

    private let httpClient: HTTPClient
    private let signer: BearerTokenSigner
    let baseURLs: BaseURLs
    private let timeout: Duration
    private let now: @Sendable () -> Timestamp

    /// Creates a client for one app.
    ///
    /// - Parameters:
    ///   - httpClient: a client with ``httpConfiguration``. The caller shuts it down.
    ///   - signer: signs each request.
    ///   - baseURLs: the base URLs of the endpoint.
    ///   - timeout: the maximum time for a complete response.
    ///   - now: the machine's clock, which determines the times in JWTs (SA-16).
    package init(
        httpClient: HTTPClient,
        signer: BearerTokenSigner,
        baseURLs: BaseURLs = .apple,
        timeout: Duration = .seconds(30),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.httpClient = httpClient
        self.signer = signer
        self.baseURLs = baseURLs
        self.timeout = timeout
        self.now = now
    }

    package func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        let path = "/externalPurchase/v1/reports"
        switch await exchange(.PUT, path, body: body, environment: environment) {
        case .failure(let failure):
            return AppStoreResponse(outcome: .noAnswer(reason: failure.reason), status: nil, body: [])
        case .success(let answer):
            return AppStoreResponse(outcome: SendOutcome(answer), status: answer.status, body: answer.body)
        }
    }

    package func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        let path = "/externalPurchase/v1/reports/\(requestIdentifier.text)"
        switch await exchange(.GET, path, body: nil, environment: environment) {
        case .failure(let failure):
            return AppStoreResponse(outcome: .noAnswer(reason: failure.reason), status: nil, body: [])
        case .success(let answer):
            var response = AppStoreResponse(
                outcome: RetrieveOutcome(answer),
                status: answer.status,
                body: answer.body
            )
            response.serverTime = answer.serverTime
            return response
        }
    }

    /// Why there is no usable response.
    ///
    /// An incomplete response is not usable, whatever its status.
    struct Failure: Error {
        let reason: String
    }

    func exchange(
        _ method: HTTPMethod,
        _ path: String,
        body: [UInt8]?,
        environment: AppStoreEnvironment
    ) async -> Result<ReceivedResponse, Failure> {
        guard let address = baseURLs.address(of: path, in: environment) else {
            return .failure(Failure(reason: "there is no base URL for \(environment.rawValue)"))
        }
        var request = HTTPClientRequest(url: address)
        request.method = method
        request.headers.add(name: "Accept", value: "application/json")
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        do {
            request.headers.add(name: "Authorization", value: "Bearer \(try signer.token(now: now()))")
        } catch {
            // The errors of the key may contain parts of it (SA-14).
            return .failure(Failure(reason: "the JWT could not be signed"))
        }
        return await execute(request)
    }

    private func execute(_ request: HTTPClientRequest) async -> Result<ReceivedResponse, Failure> {
        do {
            let (response, body) = try await httpClient.exchange(
                request,
                within: TimeAmount(timeout),
                upTo: Self.maximumAnswer
            )
            // The client followed a redirect despite the required configuration, so the response comes from a host that
            // is not configured.
            if response.history.count > 1, let redirect = response.history.first {
                return .success(
                    ReceivedResponse(status: Int(redirect.responseHead.status.code), body: [], retryAt: nil)
                )
            }
            var received = ReceivedResponse(
                status: Int(response.status.code),
                body: Array(body.readableBytesView),
                retryAfter: response.headers.first(name: "Retry-After"),
                now: now()
            )
            received.serverTime = response.headers.first(name: "Date").flatMap(RetryAfter.httpDate)
            return .success(received)
        } catch {
            return .failure(Failure(reason: NetworkFailure.words(error, address: request.url)))
        }
    }
}
