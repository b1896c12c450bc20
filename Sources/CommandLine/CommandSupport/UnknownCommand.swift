import ArgumentParser
import ExternalPurchaseCore

/// A command that a program does not have, whatever options follow it.
///
/// The parser of arguments would complain about the first of those options instead.
enum UnknownCommand {
    /// Returns the error of the first argument in the place of a command that names none; nil if every command exists.
    static func message(in arguments: [String], of root: any ParsableCommand.Type) -> String? {
        var command = root
        var path = [root._commandName]
        for argument in arguments {
            let configuration = command.configuration
            if configuration.subcommands.isEmpty || argument.hasPrefix("-") { return nil }
            if let next = configuration.subcommands.first(where: { Self.names(of: $0).containsName(argument) }) {
                command = next
                path.append(next._commandName)
                continue
            }
            if path.count == 1, argument == "help" { return nil }
            // The argument may be one of the default command.
            if let usual = configuration.defaultSubcommand, Self.takesArguments(usual) { return nil }
            let known = configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            let group = path.joined(separator: " ")
            let meant = known.nearest(to: argument.clipped()).map { "did you mean '\($0)'? " } ?? ""
            return "there is no command \(argument.shown()); \(meant)\(group) has \(known.joined(separator: ", "))"
        }
        return nil
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }

    /// True if the usage of a command has an argument that is no value of an option.
    private static func takesArguments(_ command: any ParsableCommand.Type) -> Bool {
        let words = command.usageString().split(separator: " ")
        return words.indices.contains { index in
            let word = words[index].drop { $0 == "[" }
            guard word.hasPrefix("<") else { return false }
            return !words[index - 1].drop { $0 == "[" }.hasPrefix("-")
        }
    }
}
