import ExternalPurchaseCore

/// Limits for the data that visits of the landing address store, because anybody can forge a token (TK-74).
package struct LandingSettings: Hashable, Sendable {
    /// The setting `landing.visitsPerMinute`: visits with a token per client address and minute; nil means no limit.
    package var visitsPerMinute: Int? = 300
    /// The setting `landing.tokensPerHour`: new tokens from visits per hour; further visits wait in the spool file.
    package var tokensPerHour = 10_000
    /// The setting `landing.quarantinePerHour`: undecodable and foreign texts from visits per hour.
    ///
    /// Further texts are counted and dropped.
    package var quarantinePerHour = 200
    /// The largest total size in bytes of such texts per hour.
    var quarantineBytesPerHour = 262_144
    /// The setting `landing.quarantineAge`: the time after which such a text is deleted.
    package var quarantineAge = Duration.days(30)

    package init() {}
}
