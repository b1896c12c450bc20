public import AppConfiguration

/// Checks a configuration against the lint rules.
public enum ConfigurationLinter {
    /// The ids of the rules, in the order in which they are asked.
    public static var ruleIds: [String] { RuleList.ids }

    /// Applies every rule.
    ///
    /// Of the codes and links, the first hit of the orders of CF-34 and CF-72 is reported and no other. A key that
    /// the chosen pack lacks is not checked further. Findings about several files stand in the one that has the entry
    /// and name the others.
    ///
    /// - Parameters:
    ///   - configuration: the files of one app.
    ///   - options: what the linter is told beside the files.
    /// - Returns: the findings, file by file in the order of their places.
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
