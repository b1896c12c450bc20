import ExternalPurchaseCore
import Hummingbird
package import Ledger
import Reporting

/// The sender of a request, as far as the server knows.
package enum Caller: Hashable, Sendable {
    /// Nobody was asked: the path is open, or there are no keys yet.
    case anybody
    case key(StoredAPIKey)
    /// A signed-in user of the dashboard.
    case user(DashboardAccess.User)

    /// The name of the caller in records; nil when the body of the request names the person.
    var author: String? {
        switch self {
        case .anybody: nil
        case .key(let key): key.author
        case .user(let user): user.name
        }
    }

    /// The only apps that the caller has access to; nil for all apps.
    var apps: Set<BundleId>? {
        switch self {
        case .anybody: nil
        case .key(let key): key.bundleId.map { [$0] }
        case .user(let user): user.apps
        }
    }

    /// The app of a caller with access to one only; nil for several and for all apps.
    var bundleId: BundleId? { apps.flatMap { $0.count == 1 ? $0.first : nil } }

    /// True for a key that is part of an app, so that anybody may have it.
    var isPublishable: Bool {
        switch self {
        case .anybody, .user: false
        case .key(let key): key.scope == .publishable
        }
    }

    /// Whether the caller may read keys and users; nobody is asked while there are no keys.
    var isAdmin: Bool {
        switch self {
        case .anybody: true
        case .key(let key): key.scope == .admin
        case .user(let user): user.role == .admin
        }
    }

    /// The apps that the caller has access to.
    func apps(among all: [BundleId: RegisteredApp]) -> [BundleId: RegisteredApp] {
        guard let apps else { return all }
        return all.filter { apps.contains($0.key) }
    }

    /// Checks that the caller may send sales, where a path also takes other items.
    ///
    /// - Throws: ``Problem`` 403 for a key of another scope.
    func checkSales() throws(Problem) {
        guard case .key(let key) = self, key.scope != .sales, key.scope != .admin else { return }
        throw Problem(salesNeedScope: key.scope)
    }
}

/// A context with the caller of the request and the limits of its body.
protocol CallerRequestContext: RequestContext {
    var caller: Caller { get set }
    var bodyLimits: BodyLimits { get }
}
