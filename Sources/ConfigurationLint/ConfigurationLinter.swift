public import AppConfiguration

/// Checks a configuration against the lint rules.
public enum ConfigurationLinter {
    /// Applies every rule.
    ///
    /// - Parameters:
    ///   - configuration: the files of one app.
    ///   - options: what the linter is told beside the files.
    /// - Returns: the findings, file by file in the order of their places.
    public static func findings(
        in configuration: AppConfiguration,
        options: LintOptions = LintOptions()
    ) -> [Finding] {
        []
    }
}
