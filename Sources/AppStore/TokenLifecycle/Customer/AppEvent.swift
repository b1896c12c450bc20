/// What happens to an app on a device; in production it can create tokens (TK-32).
public enum AppEvent: String, Hashable, Sendable, CaseIterable, Codable {
    /// The app is installed; only the customer's first installation on any device is one, later ones are redownloads.
    case install
    /// A newer version replaces the app.
    case update
    /// The app comes back after it was removed.
    case redownload
}
