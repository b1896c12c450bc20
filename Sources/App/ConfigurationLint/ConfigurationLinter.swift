public import AppConfiguration

/// Checks a configuration against the lint rules.
public enum ConfigurationLinter {
    /// The ids of the rules in the order in which they are applied.
    public static var ruleIds: [String] { RuleList.ids }

    /// Applies every rule.
    ///
    /// For codes and links, only the first violation in the orders of CF-34 and CF-72 is reported. A key that the
    /// chosen pack lacks is not checked further. A finding about several files belongs to the file with the entry and
    /// refers to the others.
    ///
    /// - Parameters:
    ///   - configuration: the files of one app.
    ///   - options: the settings of the linter.
    /// - Returns: the findings by file, in the order of their positions.
    public static func findings(
        in configuration: AppConfiguration,
        options: LintOptions = LintOptions()
    ) -> [Finding] {
        let ruleRunner = RuleRunner(configuration, options: options)
        var inspection = ruleRunner.inspect(configuration)
        inspection.together = ruleRunner.together(configuration, inspection)
        let files = [configuration.infoPlist, configuration.entitlements, configuration.signedEntitlements]
        let elsewhere = Set(configuration.elsewhere.map(\.file)).sorted()
        return inspection.flattened(files: files.compactMap { $0?.path } + elsewhere)
            .withoutUnsafeEdits(in: configuration, options: options)
    }
}
