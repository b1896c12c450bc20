/// The App Store as the app sees it.
public enum AppStore {
    /// Whether the device may pay at all, for external purchases as for In-App Purchase (SK-6).
    ///
    /// False under Screen Time restrictions or a management profile; then offer nothing (SK-80).
    public static var canMakePayments: Bool { StoreKitSession.current.readCanMakePayments() }
}
