package import ArgumentParser

/// Runs a command line and returns its exit code.
package enum CommandRun {
    /// The version that `--version` prints.
    package static let version = "0.1.0"

    /// Runs one command.
    ///
    /// Exit codes: 0 for success; 1 for a failed check; 2 for wrong usage or unreadable input; 3 for a failure of the
    /// remote server.
    ///
    /// - Parameters:
    ///   - root: the program, whose name begins every error line.
    ///   - arguments: the arguments without the program's name.
    /// - Returns: the exit code.
    package static func exitCode<Root: ParsableCommand>(of root: Root.Type, _ arguments: [String]) async -> Int32 {
        // The parser of arguments would print it as an option that it does not know.
        if arguments.contains(where: { $0.contains("-----BEGIN") && $0.contains("PRIVATE KEY") }) {
            StandardStreams.error(
                "\(root.configuration.commandName ?? "error"): error: an argument is the text of a private key; name "
                    + "the file that contains it"
            )
            return 2
        }
        do {
            var command = try root.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch let failure as CommandFailure {
            if let message = failure.message {
                StandardStreams.error("\(root.configuration.commandName ?? "error"): error: \(message)")
            }
            return failure.exitCode
        } catch {
            let code = root.exitCode(for: error).rawValue
            let message = root.fullMessage(for: error)
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
