package import ArgumentParser

/// The options that every command takes.
package struct GlobalOptions: ParsableArguments {
    /// True when nothing but results is printed.
    @Flag(help: "Print results only.")
    package var quiet = false

    /// True when more of what happens is printed to standard error.
    @Flag(help: "Print more of what happens to standard error.")
    package var verbose = false

    /// Options with their defaults.
    package init() {}

    /// Refuses options that contradict each other.
    ///
    /// - Throws: the contradiction.
    package func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }
}

/// How results are printed.
package enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// For programs.
    case json
}

/// The option of commands whose output is worth parsing.
package struct FormatOption: ParsableArguments {
    /// How results are printed.
    @Option(help: "How results are printed.")
    package var format: OutputFormat = .text

    /// The option with its default.
    package init() {}
}
