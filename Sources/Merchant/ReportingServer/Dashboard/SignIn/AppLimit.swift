import ExternalPurchaseCore
import Ledger

/// The only apps of the signed-in user, and whether it is no administrator, for everything that a page does while it makes its response.
///
/// It stands beside the request, so that a page gets the records of these apps without asking for them: one that could
/// forget it would show the others.
enum AppLimit {
    /// Nil for all apps.
    @TaskLocal static var apps: Set<BundleId>?
    /// Whether the audit log is shown without entries about keys and users.
    @TaskLocal static var hidesAccess = false

    /// Runs the body for a user.
    static func of<Result>(
        _ user: DashboardAccess.User,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $apps.withValue(user.apps) {
            try await $hidesAccess.withValue(user.role < .admin, operation: body)
        }
    }
}
