package import ArgumentParser
import CommandSupport

/// The small program of linter and `init`, which needs neither emulator nor server.
package struct LintProgram: ParsableCommand {
    /// Name, version and commands; `lint` needs no name.
    package static let configuration = CommandConfiguration(
        commandName: "external-purchase-lint",
        abstract: "Checks what an app configures for Apple's External Purchase system.",
        version: CommandRun.version,
        subcommands: [LintCommand.self, InitCommand.self],
        defaultSubcommand: LintCommand.self
    )

    /// The program without a command.
    package init() {}
}
