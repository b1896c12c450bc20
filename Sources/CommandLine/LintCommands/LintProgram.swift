package import ArgumentParser
import CommandSupport

/// The small program with linter and `init`, without emulator and server.
package struct LintProgram: ParsableCommand {
    /// Name, version and commands; `lint` is the default command.
    package static let configuration = CommandConfiguration(
        commandName: "external-purchase-lint",
        abstract: "Checks what an app configures for Apple's External Purchase system.",
        version: CommandRun.version,
        subcommands: [LintCommand.self, InitCommand.self],
        defaultSubcommand: LintCommand.self
    )

    /// Creates the program.
    package init() {}
}
