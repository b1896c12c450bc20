extension TokenType {
    /// Returns how long a token of the type is active; nil for types that do not expire (TK-39, D4).
    ///
    /// - Parameter environment: in the sandbox every type is active for one hour.
    public func lifetime(in environment: AppStoreEnvironment) -> Duration? {
        switch (self, environment) {
        case (.acquisition, .sandbox), (.services, .sandbox): .hours(1)
        case (.acquisition, .production): .days(180)
        case (.services, .production): .days(365)
        default: nil
        }
    }
}
