import ExternalPurchaseCore
package import Ledger

/// An OpenID Connect provider whose users sign in to the dashboard: the setting `signIn.oidc`.
package struct OpenIDSettings: Hashable, Sendable {
    /// The provider's address, exactly as its tokens have it.
    package let issuer: String
    /// The name under which the provider knows this server.
    package let clientId: String
    package let clientSecret: String
    /// The role of the members of each group; of several groups the highest role counts.
    package let roles: [String: UserRole]

    package init(issuer: String, clientId: String, clientSecret: String, roles: [String: UserRole]) {
        self.issuer = issuer
        self.clientId = clientId
        self.clientSecret = clientSecret
        self.roles = roles
    }

    /// Returns the highest role of a user's groups; nil without one.
    func role(of groups: [String]) -> UserRole? {
        groups.compactMap { group in roles.first { $0.key.hasSameScalars(as: group) }?.value }.max()
    }
}
