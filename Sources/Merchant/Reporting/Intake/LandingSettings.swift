import ExternalPurchaseCore

/// How much visits of the landing address may store (TK-74): anybody can write a token that looks like one of the app's.
package struct LandingSettings: Hashable, Sendable {
    /// Setting `landing.visitsPerMinute`: visits with a token that one address may make in a minute; nil sets no limit.
    package var visitsPerMinute: Int? = 300
    /// Setting `landing.tokensPerHour`: new tokens that visits may store in an hour; further ones wait in the spool file.
    package var tokensPerHour = 10_000
    /// Setting `landing.quarantinePerHour`: undecodable and foreign texts that visits may store in an hour; further ones
    /// are counted and dropped.
    package var quarantinePerHour = 200
    /// Bytes of such texts that visits may store in an hour.
    package var quarantineBytesPerHour = 262_144
    /// Setting `landing.quarantineAge` in milliseconds: how long such a text is kept.
    package var quarantineAge = 30 * Timestamp.day

    package init() {}
}
