package import ExternalPurchaseCore

/// A person who may sign in.
///
/// Users are never deleted; a removed one keeps the name and has no password.
package struct StoredUser: Hashable, Sendable {
    /// The sequence number in order of creation, from 1; 0 before the row is stored.
    package var sequence: Int64
    /// The unique name, compared by Unicode scalars.
    package let name: String
    /// The hash of the password with its parameters and salt; nil for a removed user.
    package var passwordHash: String?
    /// The time of the last change of the password, or of the removal.
    package var updatedAt: Timestamp
    /// What the user may do.
    package var role: UserRole
    /// The only apps that the user sees; nil for all apps, which an administrator has.
    package var apps: Set<BundleId>?

    package init(
        sequence: Int64,
        name: String,
        passwordHash: String?,
        updatedAt: Timestamp,
        role: UserRole,
        apps: Set<BundleId>? = nil
    ) {
        self.sequence = sequence
        self.name = name
        self.passwordHash = passwordHash
        self.updatedAt = updatedAt
        self.role = role
        self.apps = apps
    }

    /// The apps of a user, as a person states them.
    package enum Apps: Hashable, Sendable {
        case all
        case only(Set<BundleId>)
    }

    /// Sets the apps; nil keeps them, and an administrator keeps no limit.
    mutating func setApps(_ stated: Apps?) {
        switch stated {
        case .all?: apps = nil
        case .only(let some)?: apps = some
        case nil: break
        }
        if role == .admin { apps = nil }
    }

    /// Whether the user may sign in.
    package var isRemoved: Bool { passwordHash == nil }
}
