import ArgumentParser
import CommandSupport
import Foundation
import LintCommands

/// Runs the command line and returns its exit code.
package enum Program {
    /// The version that `--version` prints.
    static let version = CommandRun.version

    /// Runs one command.
    ///
    /// Exit codes: 0 for success; 1 for a failed check; 2 for wrong usage or unreadable input; 3 for a failure of the
    /// remote server.
    ///
    /// - Parameter arguments: the arguments without the program's name.
    /// - Returns: the exit code.
    package static func run(_ arguments: [String]) async -> Int32 {
        await CommandRun.exitCode(of: RootCommand.self, arguments)
    }

    /// Ends the process at once, with what was printed written.
    ///
    /// `exit` tears libraries down under the threads that still use them: libpq's Kerberos library then aborts the process.
    package static func end(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "external-purchase",
        abstract: "Apple's External Purchase system outside Apple's SDK: emulator, reporting server and tools.",
        version: Program.version,
        subcommands: [
            DemoCommand.self, LintCommand.self, InitCommand.self, ExplainCommand.self, MatrixCommand.self,
            RulesCommand.self, TokenCommand.self, ReportCommand.self, NotificationCommand.self, ConformanceCommand.self,
            EmulatorCommand.self, ServeCommand.self, SetupCommand.self, DoctorCommand.self, LedgerCommand.self,
            DatabaseCommand.self, KeysCommand.self,
            UsersCommand.self, StripeCommand.self, WebhooksCommand.self, BridgeCommand.self,
        ]
    )
}
