import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

// This file chooses the error statuses of authorisation.

extension Problem {
    /// The reason why a request is not authenticated.
    enum KeyFailure: Hashable, Sendable {
        case missing
        case unknown
        case expired
        case revoked

        fileprivate var detail: String {
            switch self {
            case .missing: "this path needs an API key, sent as Authorization: Bearer epk_…"
            case .unknown: "the API key is not known; it is sent as Authorization: Bearer epk_…"
            case .expired: "the API key has expired"
            case .revoked: "the API key was revoked"
            }
        }
    }

    /// Creates a 401 response: the request has no valid key.
    static func unauthorized(_ failure: KeyFailure) -> Problem {
        var problem = Problem(
            .unauthorized,
            kind: "unauthorized",
            title: "A valid API key is needed",
            detail: failure.detail
        )
        problem.headers = [.wwwAuthenticate: "Bearer"]
        return problem
    }

    /// Creates a 403 response: the key has another scope.
    init(missingScopeOf scopes: Set<KeyScope>, key: KeyScope, _ request: Request) {
        let needed = KeyScope.allCases.filter { $0 == .admin || scopes.contains($0) }.map(\.rawValue)
        self.init(
            .forbidden,
            kind: "scope",
            title: "The key has another scope",
            detail: "\(request.method.rawValue) of this path needs the scope "
                + "\(needed.joined(separator: " or ")); the key has \(key.rawValue)"
        )
    }

    /// Creates a 403 response: an item of a batch is a sale.
    init(salesNeedScope key: KeyScope) {
        self.init(
            .forbidden,
            kind: "scope",
            title: "The key has another scope",
            detail: "a sale needs the scope sales or admin; the key has \(key.rawValue)"
        )
    }

    /// Creates a 403 response: the request names another app than the key's.
    init(foreignApp named: BundleId, of bundleId: BundleId) {
        self.init(
            .forbidden,
            kind: "foreign-app",
            title: "The key is of another app",
            detail: "the request is for \(named.rawValue.quoted); the key gives access to \(bundleId) only"
        )
    }

    /// The 403 response to a key of one app: the metrics cover all apps.
    static let metricsOfAllApps = Problem(
        .forbidden,
        kind: "foreign-app",
        title: "The key is of one app",
        detail: "the metrics are of all apps; they need a key that was created without --app"
    )

    /// Creates a 429 response: the limit of requests is reached.
    init(tooManyRequests detail: String, retryAfter wait: Duration) {
        self.init(.tooManyRequests, kind: "too-many-requests", title: "Too many requests", detail: detail)
        let seconds = max(1, Int64(wait.inSeconds.rounded(.up)))
        headers[.retryAfter] = String(seconds)
    }
}
