public import ExternalPurchaseCore

/// The settings of the linter.
public struct LintOptions: Hashable, Sendable {
    /// The rule pack that lists the supported regions (CF-60).
    public var pack: RulePack
    /// Whether the app qualifies for the music streaming programme (CF-43).
    public var musicStreaming: MusicStreaming
    /// Whether the entitlements that only the documents of autumn 2025 name are used (CF-24).
    public var legacyAllowedRegions = LegacyAllowedRegions.byPack
    /// True when the input is a built bundle, which must not contain build variables (CF-75).
    public var built: Bool
    /// The platform that the app is built for; nil to read it from Info.plist (CF-74).
    public var platform: Platform?

    /// Creates options.
    ///
    /// The defaults are for source files under the newest rule pack.
    ///
    /// - Parameters:
    ///   - pack: the rule pack that lists the supported regions.
    ///   - musicStreaming: whether the app qualifies for the music streaming programme.
    ///   - built: true when the input is a built bundle.
    ///   - platform: the platform that the app is built for; nil to read it from Info.plist.
    public init(
        pack: RulePack = .newest,
        musicStreaming: MusicStreaming = .auto,
        built: Bool = false,
        platform: Platform? = nil
    ) {
        self.pack = pack
        self.musicStreaming = musicStreaming
        self.built = built
        self.platform = platform
    }
}
