/// An event of an app on a device.
///
/// In production it can create tokens (TK-32).
public enum AppEvent: String, Hashable, Sendable, CaseIterable, Codable {
    /// The app is installed for the first time on any of the customer's devices.
    ///
    /// Later installations are redownloads.
    case install
    /// A newer version replaces the app.
    case update
    /// The app is installed again after it was removed.
    case redownload
}
