package import AsyncHTTPClient
package import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1

/// Takes reports to Apple over HTTP and says what the answers mean.
///
/// Each call is one request: what to do after an answer is the pipeline's decision (SA-73).
package struct AppStoreServerClient: ReportEndpointClient {
    /// Where the report endpoint is, by environment; without an address nothing is sent there.
    package struct BaseURLs: Hashable, Sendable {
        /// For production tokens.
        package var production: String?
        /// For sandbox tokens.
        package var sandbox: String?

        /// Addresses without a slash at the end.
        package init(production: String?, sandbox: String?) {
            self.production = production
            self.sandbox = sandbox
        }

        /// Apple's two hosts (spec/04 section 1).
        package static let apple = BaseURLs(
            production: "https://api.storekit.apple.com",
            sandbox: "https://api.storekit-sandbox.apple.com"
        )

        /// One address for both environments, as an emulator has.
        ///
        /// - Parameter address: the base URL.
        package init(_ address: String) {
            self.init(production: address, sandbox: address)
        }

        /// True where the path cannot tell the environment and the host does not either (NT-71).
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

    /// How an `HTTPClient` for this API is set up: a redirect would carry a report to a host that nobody chose, and a
    /// refused connection is an answer now, not after the time-out that retries would fill.
    package static var httpConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Most bytes of an answer: a report of the greatest size, escaped at worst.
    static let maximumAnswer = 8 * 1_048_576

    private let httpClient: HTTPClient
    private let signer: BearerTokenSigner
    let baseURLs: BaseURLs
    private let timeoutMilliseconds: Int64
    private let now: @Sendable () -> Timestamp

    /// A client of one app.
    ///
    /// - Parameters:
    ///   - httpClient: set up as ``httpConfiguration`` says; the caller shuts it down.
    ///   - signer: signs each request anew.
    ///   - baseURLs: where the endpoint is.
    ///   - timeoutMilliseconds: how long an answer may take, body included.
    ///   - now: the machine's clock, by which JWTs are minted (SA-16).
    package init(
        httpClient: HTTPClient,
        signer: BearerTokenSigner,
        baseURLs: BaseURLs = .apple,
        timeoutMilliseconds: Int64 = 30_000,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.httpClient = httpClient
        self.signer = signer
        self.baseURLs = baseURLs
        self.timeoutMilliseconds = timeoutMilliseconds
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
            return AppStoreResponse(outcome: RetrieveOutcome(answer), status: answer.status, body: answer.body)
        }
    }

    /// Why there is no answer that counts; a torn one does not, whatever its status.
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
            request.headers.add(name: "Authorization", value: "Bearer \(try await signer.token(now: now()))")
        } catch {
            // The key's own errors may quote it (SA-14).
            return .failure(Failure(reason: "the JWT could not be signed"))
        }
        return await execute(request)
    }

    private func execute(_ request: HTTPClientRequest) async -> Result<ReceivedResponse, Failure> {
        do {
            let deadline = NIODeadline.now() + .milliseconds(timeoutMilliseconds)
            let response = try await httpClient.execute(request, deadline: deadline)
            // A client that follows redirects all the same: its answer comes from a host that nobody chose.
            if response.history.count > 1, let redirect = response.history.first {
                return .success(
                    ReceivedResponse(status: Int(redirect.responseHead.status.code), body: [], retryAt: nil)
                )
            }
            let body = try await response.body.collect(upTo: Self.maximumAnswer)
            return .success(
                ReceivedResponse(
                    status: Int(response.status.code),
                    body: Array(body.readableBytesView),
                    retryAfter: response.headers.first(name: "Retry-After"),
                    now: now()
                )
            )
        } catch {
            return .failure(Failure(reason: NetworkFailure.words(error, address: request.url)))
        }
    }
}
