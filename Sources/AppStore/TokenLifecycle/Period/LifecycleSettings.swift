package import ExternalPurchaseCore

/// How long tokens live and which one a request returns; a change affects tokens minted afterwards (TK-39).
package struct LifecycleSettings: Hashable, Sendable {
    /// Milliseconds of a production `SERVICES` period.
    package var servicesLifetime: Int64 = 365 * Timestamp.day
    /// Milliseconds of the production `ACQUISITION` period.
    package var acquisitionLifetime: Int64 = 180 * Timestamp.day
    /// Milliseconds of either period in the sandbox.
    package var sandboxLifetime: Int64 = 3_600_000
    /// Milliseconds of a transaction token, nil for one without expiration (TK-45).
    package var transactionTokenLifetime: Int64?
    package var refreshPolicy = RefreshPolicy.identical

    package init() {}

    /// The end of a token that is minted now, nil for one that does not expire.
    ///
    /// At least one millisecond later and not beyond the year 9999: a token must decode strictly (TK-15, TK-18, TK-27).
    package func expiration(
        of type: TokenType,
        mintedAt now: Timestamp,
        in environment: AppStoreEnvironment
    ) -> Timestamp? {
        let lifetime: Int64? =
            switch type {
            case .acquisition: environment == .sandbox ? sandboxLifetime : acquisitionLifetime
            case .services: environment == .sandbox ? sandboxLifetime : servicesLifetime
            case .inApp, .linkOut: transactionTokenLifetime
            default: nil
            }
        return lifetime.map { min(now.advanced(byMilliseconds: max($0, 1)), Self.lastMoment) }
    }

    private static let lastMoment = Timestamp(milliseconds: 253_402_300_799_999)
}
