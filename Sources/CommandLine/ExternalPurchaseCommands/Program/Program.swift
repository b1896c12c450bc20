import ArgumentParser
import CommandSupport
import LintCommands

/// The command line, from arguments to exit code.
package enum Program {
    /// The version that `--version` prints.
    package static let version = CommandRun.version

    /// Runs one command.
    ///
    /// Exit codes: 0 done and nothing wrong; 1 done, and what was checked is wrong; 2 wrong usage or unreadable input;
    /// 3 the other side failed.
    ///
    /// - Parameter arguments: the arguments without the program's name.
    /// - Returns: the exit code.
    package static func run(_ arguments: [String]) async -> Int32 {
        await CommandRun.exitCode(of: RootCommand.self, arguments)
    }
}

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "external-purchase",
        abstract: "Apple's External Purchase system outside Apple's SDK: emulator, reporting server and tools.",
        version: Program.version,
        subcommands: [
            DemoCommand.self, LintCommand.self, InitCommand.self, ExplainCommand.self, MatrixCommand.self,
            TokenCommand.self, ReportCommand.self, NotificationCommand.self, EmulatorCommand.self,
            ServeCommand.self, LedgerCommand.self,
        ]
    )
}
