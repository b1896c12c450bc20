import ExternalPurchaseCore

/// The only apps of the signed-in user, for everything that a page does while it makes its response.
///
/// It stands beside the request, so that a page gets the records of these apps without asking for them: one that could
/// forget it would show the others.
enum AppLimit {
    /// Nil for all apps.
    @TaskLocal static var apps: Set<BundleId>?
}
