import ExternalPurchaseCore
import Ledger
import Synchronization

/// The links that sign a user in once.
///
/// They are in memory only, by the SHA-256 of their tokens, so they end with the process.
final class SignInLinks: Sendable {
    /// How long a link is valid.
    static let lifetime = Duration.minutes(15)
    static let path = "/sign-in/link"

    private struct Link {
        let user: DashboardAccess.User
        let endsAt: Timestamp
    }

    private let links = Mutex<[[UInt8]: Link]>([:])

    init() {}

    func add(_ token: String, of user: DashboardAccess.User, at now: Timestamp) {
        links.withLock { links in
            links = links.filter { now < $0.value.endsAt }
            links[token.utf8.sha256] = Link(user: user, endsAt: now + Self.lifetime)
        }
    }

    /// Returns the user of a token, which stays valid; nil if it is not valid.
    func user(of token: String, at now: Timestamp) -> DashboardAccess.User? {
        links.withLock { links in
            guard let link = links[token.utf8.sha256], now < link.endsAt else { return nil }
            return link.user
        }
    }

    /// Returns the user of a token and ends the link; nil if the token is not valid.
    func use(_ token: String, at now: Timestamp) -> DashboardAccess.User? {
        links.withLock { links in
            guard let link = links.removeValue(forKey: token.utf8.sha256), now < link.endsAt else { return nil }
            return link.user
        }
    }
}

extension DashboardAccess {
    /// Creates a link that signs a user in once, until ``SignInLinks/lifetime`` is over.
    ///
    /// - Returns: its path and query, which are a secret.
    package func signInLink(for user: User) -> String {
        let token = Base64URL.encode(randomBytes(32))
        links.add(token, of: user, at: now())
        return "\(SignInLinks.path)?token=\(token)"
    }
}
