/// The App Store as an app sees it.
public enum AppStore {
    /// Whether the device allows payments, for external purchases and In-App Purchase alike (SK-6).
    ///
    /// False under Screen Time restrictions or a management profile. Offer nothing then (SK-80).
    public static var canMakePayments: Bool { StoreKitSession.current.readCanMakePayments() }
}
