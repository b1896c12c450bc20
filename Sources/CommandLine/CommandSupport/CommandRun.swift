package import ArgumentParser
import ExternalPurchaseCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
        let name = root.configuration.commandName ?? "error"
        if let place = arguments.firstIndex(where: { !$0.isStreamSafe }) {
            StandardStreams.error("\(name): error: argument \(place + 1) \(StreamSafeText.refusal)")
            return 2
        }
        if let message = UnknownCommand.message(in: arguments, of: root) {
            StandardStreams.error(bounded("\(name): error: \(message)"))
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
                StandardStreams.error(bounded("\(name): error: \(hidingNames(among: arguments, in: message))"))
            }
            return failure.exitCode
        } catch {
            let code = root.exitCode(for: error).rawValue
            let message = root.fullMessage(for: error)
            guard code != 0 else {
                StandardStreams.output(message)
                return 0
            }
            StandardStreams.error(bounded(hidingSecrets(of: arguments, in: message)))
            // The parser's own code for wrong usage is 64.
            return code == ExitCode.validationFailure.rawValue ? 2 : code
        }
    }

    /// The largest size of a line of an error in bytes; some list all settings.
    private static let maximumLine = 8_000

    /// A message without the secrets that it certainly contains, in lines of limited length.
    private static func bounded(_ message: String) -> String {
        message.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Substring($0).clipped(to: maximumLine).withoutSecrets }.joined(separator: "\n")
    }

    /// The parser's message, which repeats arguments, without those that may be secrets.
    private static func hidingSecrets(of arguments: [String], in message: String) -> String {
        hiding(values(of: arguments).filter(\.mayBeSecret), in: message)
    }

    /// A command's message without the arguments that may be secrets, pasted where a file or a record is named.
    private static func hidingNames(among arguments: [String], in message: String) -> String {
        let secrets = values(of: arguments).filter { $0.mayBeSecretInsteadOfName && access($0, F_OK) != 0 }
        return hiding(secrets, in: message)
    }

    /// The arguments and the values of options that stand after an equals sign.
    private static func values(of arguments: [String]) -> [String] {
        arguments.flatMap { argument in
            [argument] + argument.split(separator: "=", maxSplits: 1).dropFirst().map(String.init)
        }
    }

    private static func hiding(_ secrets: [String], in message: String) -> String {
        // The longest first, because one may be a part of another; a message may repeat the beginning alone.
        secrets.flatMap { [$0, $0.clipped()] }.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
            .reduce(message) { $0.replacing($1, with: "…") }
    }
}
