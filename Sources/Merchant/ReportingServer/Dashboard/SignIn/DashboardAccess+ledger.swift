import ExternalPurchaseCore
import Ledger
import Reporting

extension DashboardAccess {
    /// Creates the access of the ledger's users; pages need a sign-in from the first key or user on.
    init(_ records: AccessRecords, clock: AccessClock) {
        self.init(
            isSignInNeeded: {
                let keys = try await records.apiKeys()
                if !keys.isEmpty { return true }
                return try await !records.users().isEmpty
            },
            user: { name, password in
                let user = try await records.users().first { $0.name.hasSameScalars(as: name) }
                // The password of an unknown name is hashed too, so that the time does not tell which names exist.
                let text = user?.passwordHash ?? Self.hashOfNobody
                guard let hash = PasswordHash(text), try hash.matches(password), let user else {
                    return nil
                }
                return User(user)
            },
            present: { name in try await records.users().first { $0.name.hasSameScalars(as: name) }.flatMap(User.init) }
        )
        hasUsers = { try await records.users().contains { !$0.isRemoved } }
        now = clock.now
    }

    /// A hash with the parameters of new ones that no password has.
    private static let hashOfNobody =
        "scrypt$15$8$1$" + String(repeating: "0", count: 32) + "$" + String(repeating: "0", count: 64)
}

extension DashboardAccess.User {
    /// Creates the user of a row; nil if the user was removed.
    fileprivate init?(_ user: StoredUser) {
        guard let hash = user.passwordHash else { return nil }
        self.init(
            name: user.name,
            credential: hash.utf8.sha256.hexadecimal,
            role: user.role,
            apps: user.apps
        )
    }
}
