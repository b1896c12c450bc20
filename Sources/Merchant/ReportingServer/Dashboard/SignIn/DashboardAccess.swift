package import ExternalPurchaseCore
package import Ledger

/// Who may use the dashboard, and what its sign-in needs of the machine.
package struct DashboardAccess: Sendable {
    /// A user whose password was right.
    package struct User: Hashable, Sendable {
        package let name: String
        /// A value that changes with the password, so that a new password ends the sessions of the old one.
        package let credential: String
        package let role: UserRole
        /// The only apps that the user sees; nil for all apps.
        package let apps: Set<BundleId>?

        package init(name: String, credential: String, role: UserRole, apps: Set<BundleId>? = nil) {
            self.name = name
            self.credential = credential
            self.role = role
            self.apps = apps
        }
    }

    /// Whether pages need a sign-in: true from the first key or user on.
    var isSignInNeeded: @Sendable () async throws -> Bool
    /// Returns the user of a name and a password; nil if one of them is wrong.
    var user: @Sendable (_ name: String, _ password: String) async throws -> User?
    /// Returns a user as the ledger has it now; nil if the user was removed.
    var present: @Sendable (_ name: String) async throws -> User?
    /// Whether anybody can sign in with a password; without a user, the sign-in says how the first one is made.
    var hasUsers: @Sendable () async throws -> Bool = { true }
    /// The machine's time; sessions and locks do not follow the clock of an emulator.
    var now: @Sendable () -> Timestamp = { Timestamp(Date()) }
    /// The links that sign a user in once.
    let links = SignInLinks()
    /// Returns that many random bytes.
    var randomBytes: @Sendable (_ count: Int) -> [UInt8] = { count in
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    package init(
        isSignInNeeded: @escaping @Sendable () async throws -> Bool,
        user: @escaping @Sendable (_ name: String, _ password: String) async throws -> User?,
        present: @escaping @Sendable (_ name: String) async throws -> User?
    ) {
        self.isSignInNeeded = isSignInNeeded
        self.user = user
        self.present = present
    }

    /// No keys and no users: pages need no sign-in.
    static let open = DashboardAccess(
        isSignInNeeded: { false },
        user: { _, _ in nil },
        present: { _ in nil }
    )
}
