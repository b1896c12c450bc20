package import ExternalPurchaseCore

/// The lifetimes of tokens, and which token a request returns.
///
/// A change affects tokens issued later (TK-39).
package struct LifecycleSettings: Hashable, Sendable {
    /// The length of a production `SERVICES` period.
    package var servicesLifetime = Duration.days(365)
    /// The length of the production `ACQUISITION` period.
    package var acquisitionLifetime = Duration.days(180)
    /// The length of either period in the sandbox.
    package var sandboxLifetime = Duration.hours(1)
    /// The lifetime of a transaction token; nil for one without expiration (TK-45).
    package var transactionTokenLifetime: Duration?
    package var refreshPolicy = RefreshPolicy.identical

    package init() {}

    /// Returns the expiration of a token that is issued now; nil for one that does not expire.
    ///
    /// It is at least one millisecond after now and not after the year 9999, so that the token can be decoded strictly
    /// (TK-15, TK-18, TK-27).
    package func expiration(
        of type: TokenType,
        mintedAt now: Timestamp,
        in environment: AppStoreEnvironment
    ) -> Timestamp? {
        let lifetime: Duration? =
            switch type {
            case .acquisition: environment == .sandbox ? sandboxLifetime : acquisitionLifetime
            case .services: environment == .sandbox ? sandboxLifetime : servicesLifetime
            case .inApp, .linkOut: transactionTokenLifetime
            default: nil
            }
        return lifetime.map { min(now.advanced(by: max($0, .milliseconds(1))), Self.lastMoment) }
    }

    private static let lastMoment = Timestamp(milliseconds: 253_402_300_799_999)
}
