public import AppConfiguration
public import ExternalPurchaseCore

extension UsableConfiguration {
    /// Takes the entries that the runtime uses from a configuration (CF-50 to CF-53).
    ///
    /// - Parameters:
    ///   - configuration: the files of one app.
    ///   - pack: the rule pack that lists the supported regions.
    ///   - musicStreaming: whether the app qualifies for the music streaming programme.
    ///   - policy: what happens to an entry with an error finding.
    public init(
        _ configuration: AppConfiguration,
        pack: RulePack,
        musicStreaming: MusicStreaming = .auto,
        policy: InvalidEntryPolicy = .ignore
    ) {
        self.init()
    }
}
