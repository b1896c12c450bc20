import ArgumentParser

/// The command line, from arguments to exit code.
public enum Program {
    /// The version that `--version` prints.
    public static let version = "0.1.0"

    /// Runs one command.
    ///
    /// Exit codes: 0 done and nothing wrong; 1 done, and what was checked is wrong; 2 wrong usage or unreadable input;
    /// 3 the other side failed.
    ///
    /// - Parameter arguments: the arguments without the program's name.
    /// - Returns: the exit code.
    public static func run(_ arguments: [String]) async -> Int32 {
        do {
            var command = try RootCommand.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch let failure as CommandFailure {
            if let message = failure.message { StandardStreams.error("external-purchase: error: \(message)") }
            return failure.exitCode
        } catch {
            let code = RootCommand.exitCode(for: error).rawValue
            let message = RootCommand.fullMessage(for: error)
            guard code != 0 else {
                StandardStreams.output(message)
                return 0
            }
            StandardStreams.error(message)
            // The parser's own code for wrong usage is 64.
            return code == ExitCode.validationFailure.rawValue ? 2 : code
        }
    }
}

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "external-purchase",
        abstract: "Apple's External Purchase system outside Apple's SDK: emulator, reporting server and tools.",
        version: Program.version,
        subcommands: [
            DemoCommand.self, ExplainCommand.self, MatrixCommand.self, TokenCommand.self, ReportCommand.self,
            EmulatorCommand.self, ServeCommand.self,
        ]
    )
}
