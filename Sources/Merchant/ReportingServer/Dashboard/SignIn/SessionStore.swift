import ExternalPurchaseCore
import Ledger
import Synchronization

/// A signed-in user's session.
struct DashboardSession: Hashable, Sendable {
    /// How the user signed in.
    enum Way: Hashable, Sendable {
        /// With a password or a link.
        case password
        /// By the header of a trusted proxy, in each request anew.
        case proxy
        /// At the OpenID Connect provider, whose word counts until the session ends.
        case provider
    }

    /// The user; a session of a request has the role that the ledger has now.
    var user: DashboardAccess.User
    let way: Way
    /// The token that forms carry.
    let csrf: String
    fileprivate let startedAt: Timestamp
    fileprivate var usedAt: Timestamp

    init(user: DashboardAccess.User, csrf: String, way: Way, at now: Timestamp) {
        self.user = user
        self.csrf = csrf
        self.way = way
        startedAt = now
        usedAt = now
    }
}

/// The sessions of the dashboard.
///
/// They are in memory only, so they end with the process. The store holds a hash of each session's id, and at most
/// ``limit`` sessions; the one used longest ago makes room.
final class SessionStore: Sendable {
    static let limit = 1_000
    /// How long a session lasts without a request.
    static let idle = Duration.hours(8)
    /// How long a session lasts at most.
    static let lifetime = Duration.hours(24)
    /// How long a session lasts at most for a user of the provider, which tells nobody who has left.
    static let lifetimeByProvider = Duration.hours(8)

    private let sessions = Mutex<[[UInt8]: DashboardSession]>([:])

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - id: the random id that the cookie holds.
    ///   - csrf: the random token of the session's forms.
    func start(
        _ id: String,
        of user: DashboardAccess.User,
        by way: DashboardSession.Way,
        csrf: String,
        at now: Timestamp
    ) {
        sessions.withLock { sessions in
            sessions = sessions.filter { !Self.isOver($0.value, at: now) }
            if sessions.count >= Self.limit, let oldest = sessions.min(by: { $0.value.usedAt < $1.value.usedAt }) {
                sessions[oldest.key] = nil
            }
            sessions[id.utf8.sha256] = DashboardSession(user: user, csrf: csrf, way: way, at: now)
        }
    }

    /// Returns the session of an id and notes its use; nil if there is none or it is over.
    func session(_ id: String, at now: Timestamp) -> DashboardSession? {
        sessions.withLock { sessions in
            let key = id.utf8.sha256
            guard var session = sessions[key] else { return nil }
            guard !Self.isOver(session, at: now) else {
                sessions[key] = nil
                return nil
            }
            session.usedAt = max(session.usedAt, now)
            sessions[key] = session
            return session
        }
    }

    func end(_ id: String) { sessions.withLock { $0[id.utf8.sha256] = nil } }

    var count: Int { sessions.withLock(\.count) }

    private static func isOver(_ session: DashboardSession, at now: Timestamp) -> Bool {
        let longest = session.way == .provider ? lifetimeByProvider : lifetime
        return session.usedAt + idle < now || session.startedAt + longest < now
    }
}
