import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Logging

/// Accepts or refuses every request by its endpoint and its API key, and puts the caller into the context.
///
/// While no keys exist, the paths that need one answer requests to a loopback host name only. This prevents web pages
/// from using the interface through a domain name that resolves to this machine (DNS rebinding).
struct Authorization<Context: CallerRequestContext & RemoteAddressRequestContext>: RouterMiddleware {
    private let ring: KeyRing
    private let clock: AccessClock
    private let isMetricsOpen: Bool
    private let trustedProxies: TrustedProxies
    private let perKey: RateLimiter
    private let publishable: RateLimiter
    private let wrongKeys: RateLimiter

    init(ring: KeyRing, settings: AccessSettings, clock: AccessClock, trustedProxies: TrustedProxies) {
        self.ring = ring
        self.clock = clock
        self.trustedProxies = trustedProxies
        isMetricsOpen = settings.isMetricsOpen
        perKey = RateLimiter(perMinute: settings.keysPerMinute)
        publishable = RateLimiter(perMinute: settings.publishablePerMinute)
        wrongKeys = RateLimiter(perMinute: settings.wrongKeysPerMinute)
    }

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        switch access(of: request, context) {
        case .open, .signed, .page: break
        case .key(let scopes): context.caller = try await caller(of: request, context, allowed: scopes)
        }
        return try await next(request, context)
    }

    /// Returns who may send a request.
    ///
    /// A path below `/v1` that does not exist needs a key of any scope, so that nobody else can tell it from others.
    private func access(of request: Request, _ context: Context) -> Endpoint.Access {
        if let endpoint = Endpoint.of(request, context) {
            return endpoint.path == Endpoint.metricsPath && isMetricsOpen ? .open : endpoint.access
        }
        // A route that the list of endpoints lacks is nobody's but the administrator's; so is a page (`SignInMiddleware`).
        if context.endpointPath != nil { return .key([]) }
        let isInterface = request.uri.path.split(separator: "/").first == "v1"
        return isInterface ? .key(Set(KeyScope.allCases)) : .open
    }

    private func caller(
        of request: Request,
        _ context: Context,
        allowed scopes: Set<KeyScope>
    ) async throws -> Caller {
        let keys = try await ring.current()
        if keys.isEmpty {
            let host = request.head.authority ?? ""
            // An unknown path is answered 404 under every name.
            guard context.endpointPath == nil || LoopbackHost.isLoopback(LoopbackHost.name(ofAuthority: host)) else {
                throw Problem.foreignHost(host)
            }
            return .anybody
        }
        let key = try validKey(among: keys, of: request, context)
        try Self.check(perKey.wait(of: key.keyId.rawValue, at: clock.now()), "this key has sent too many requests")
        if key.scope == .publishable {
            try Self.check(
                publishable.wait(of: group(of: request, context), at: clock.now()),
                "this address has sent too many requests with publishable keys"
            )
        }
        guard key.scope == .admin || scopes.contains(key.scope) else {
            throw Problem(missingScopeOf: scopes, key: key.scope, request)
        }
        if key.bundleId != nil, context.endpointPath == Endpoint.metricsPath { throw Problem.metricsOfAllApps }
        return .key(key)
    }

    private func validKey(
        among keys: KeyRing.Keys,
        of request: Request,
        _ context: Context
    ) throws(Problem) -> StoredAPIKey {
        guard let text = request.headers[.authorization] else { throw .unauthorized(.missing) }
        let key = keys.key(shownBy: text)
        let failure: Problem.KeyFailure
        switch key.map({ ($0, $0.state(at: clock.now())) }) {
        case (let key, .valid)?: return key
        case (_, .expired)?: failure = .expired
        case (_, .revoked)?: failure = .revoked
        case nil: failure = .unknown
        }
        try Self.check(
            wrongKeys.wait(of: group(of: request, context), at: clock.now()),
            "this address has sent too many wrong keys"
        )
        // The id of a key is no secret; of an unknown one there is none, and its text is never logged.
        var metadata: Logger.Metadata = ["reason": "\(failure)"]
        if let key { metadata["key"] = "\(key.keyId)" }
        context.logger.notice("an API key was refused", metadata: metadata)
        throw .unauthorized(failure)
    }

    private func group(of request: Request, _ context: Context) -> String {
        ClientAddress.group(of: ClientAddress.of(request, peer: context.remoteAddress, trusting: trustedProxies))
    }

    private static func check(_ wait: Duration?, _ reason: String) throws(Problem) {
        if let wait { throw Problem(tooManyRequests: reason, retryAfter: wait) }
    }
}
