import ArgumentParser

struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Check a report endpoint against the published cases.",
        subcommands: [ConformanceRunCommand.self, ConformanceReplayCommand.self, ConformanceCasesCommand.self]
    )
}
