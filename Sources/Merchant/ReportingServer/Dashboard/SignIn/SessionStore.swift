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
    /// Whose session it is: of a user of the provider, the subject, whatever the user is called.
    fileprivate var owner: String { way == .provider ? "oidc " + user.credential : "user " + user.name }
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
/// They are in memory only, so they end with the process. The store holds a hash of each session's id, at most ``share``
/// sessions of one user and ``limit`` in all. The session used longest ago makes room: of the same user, or of those who
/// have the most, so that nobody signs others out by signing in.
final class SessionStore: Sendable {
    static let limit = 1_000
    /// The largest number of sessions of one user.
    static let share = 20
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
            let session = DashboardSession(user: user, csrf: csrf, way: way, at: now)
            let byOwner = Dictionary(grouping: sessions) { $0.value.owner }
            if let own = byOwner[session.owner], own.count >= Self.share {
                Self.endOldest(of: own, in: &sessions)
            } else if sessions.count >= Self.limit {
                let most = byOwner.values.map(\.count).max()
                Self.endOldest(of: byOwner.values.filter { $0.count == most }.flatMap(\.self), in: &sessions)
            }
            sessions[id.utf8.sha256] = session
        }
    }

    private static func endOldest(
        of some: [(key: [UInt8], value: DashboardSession)],
        in sessions: inout [[UInt8]: DashboardSession]
    ) {
        guard let oldest = some.min(by: { $0.value.usedAt < $1.value.usedAt }) else { return }
        sessions[oldest.key] = nil
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
