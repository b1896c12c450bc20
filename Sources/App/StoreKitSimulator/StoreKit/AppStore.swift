/// The App Store as an app sees it.
public enum AppStore {
    /// Whether the device allows payments, for external purchases and In-App Purchase alike (SK-6).
    ///
    /// False under Screen Time restrictions or a management profile. Offer nothing then (SK-80).
    public static var canMakePayments: Bool { StoreKitSession.current.readCanMakePayments() }

    /// Returns without effect, because the customer has no transactions (SK-110).
    ///
    /// - Throws: `networkError` and `systemError` while the session has such an error.
    public static func sync() async throws {
        try StoreKitSession.current.reachAppStore()
    }

    /// The environment of the App Store.
    public struct Environment: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Creates an environment from any text.
        ///
        /// - Parameter rawValue: the name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Purchases for money.
        public static let production = Environment(rawValue: "Production")
        /// Purchases for tests.
        public static let sandbox = Environment(rawValue: "Sandbox")
        /// Purchases of a StoreKit configuration file.
        public static let xcode = Environment(rawValue: "Xcode")
    }
}
