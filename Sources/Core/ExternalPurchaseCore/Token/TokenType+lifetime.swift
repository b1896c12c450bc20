extension TokenType {
    /// Returns how long a token of the type is active, in ms; nil for types that do not expire (TK-39, D4).
    ///
    /// - Parameter environment: in the sandbox every type is active for one hour.
    public func lifetime(in environment: AppStoreEnvironment) -> Int64? {
        switch (self, environment) {
        case (.acquisition, .sandbox), (.services, .sandbox): 3_600_000
        case (.acquisition, .production): 180 * Timestamp.day
        case (.services, .production): 365 * Timestamp.day
        default: nil
        }
    }
}
