import ArgumentParser

/// The options that every command takes.
struct GlobalOptions: ParsableArguments {
    @Flag(help: "Print results only.")
    var quiet = false

    @Flag(help: "Print more of what happens to standard error.")
    var verbose = false

    func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }
}

/// How results are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
}

struct FormatOption: ParsableArguments {
    @Option(help: "How results are printed.")
    var format: OutputFormat = .text
}
