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

    package init(sequence: Int64, name: String, passwordHash: String?, updatedAt: Timestamp, role: UserRole) {
        self.sequence = sequence
        self.name = name
        self.passwordHash = passwordHash
        self.updatedAt = updatedAt
        self.role = role
    }

    /// Whether the user may sign in.
    package var isRemoved: Bool { passwordHash == nil }
}
