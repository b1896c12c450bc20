package import ArgumentParser

/// The options of every command.
package struct GlobalOptions: ParsableArguments {
    /// True to print results only.
    @Flag(help: "Print results only.")
    package var quiet = false

    /// True to print more messages to standard error.
    @Flag(help: "Print more of what happens to standard error.")
    package var verbose = false

    /// Creates the options with their defaults.
    package init() {}

    /// Validates that the options do not contradict each other.
    ///
    /// - Throws: an error that describes the contradiction.
    package func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }
}

/// The output format of results.
package enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// Text for people.
    case text
    /// JSON for programs.
    case json
}

/// The option `--format` of commands with machine-readable results.
package struct FormatOption: ParsableArguments {
    /// The output format.
    @Option(help: "How results are printed.")
    package var format: OutputFormat = .text

    /// Creates the option with its default.
    package init() {}
}
