import ExternalPurchaseCore

/// The settings of API keys.
package struct AccessSettings: Hashable, Sendable {
    /// The setting `publishable.perMinute`: the requests of an address with publishable keys; nil sets no limit.
    package var publishablePerMinute: Int? = 30
    /// The setting `keys.perMinute`: the requests of a key; nil sets no limit.
    package var keysPerMinute: Int? = 6_000
    /// The setting `metrics.open`: if true, `/metrics` needs no key.
    package var isMetricsOpen = false
    /// The setting `keys.wrongPerMinute`: the requests of an address with wrong keys that are answered 401; more are
    /// answered 429.
    package var wrongKeysPerMinute = 30

    package init() {}
}

/// The clocks of API keys, which no emulator's clock replaces.
package struct AccessClock: Sendable {
    /// The machine's time, for the expiry of keys and for limits.
    var now: @Sendable () -> Timestamp
    /// The time since any fixed moment, for the age of the known keys.
    var elapsed: @Sendable () -> Duration

    /// The machine's clocks.
    static var live: AccessClock {
        let start = ContinuousClock.now
        return AccessClock(now: { Timestamp(Date()) }, elapsed: { start.duration(to: .now) })
    }
}
