import ArgumentParser
import Testing

@testable import ExternalPurchaseCommands

@Suite("A command that does not exist")
struct UnknownCommandTests {
    /// The commands with commands of their own, with the words that lead to them.
    private static func groups(
        of command: any ParsableCommand.Type,
        at path: [String] = []
    ) -> [(path: [String], command: any ParsableCommand.Type)] {
        let commands = command.configuration.subcommands
        if commands.isEmpty { return [] }
        return [(path, command)] + commands.flatMap { groups(of: $0, at: path + [$0._commandName]) }
    }

    @Test("Every group says that there is none and lists its commands, whatever options follow")
    func groups() async throws {
        let groups = Self.groups(of: RootCommand.self)
        #expect(groups.count >= 13)
        let rests = [[], ["--database", "sqlite:l.sqlite"], ["--json", "--help"], ["-x"], ["more", "--", "words"]]
        for (path, command) in groups where path != ["ledger", "invoice"] {
            for rest in rests {
                let result = try await BuiltBinary.run(path + ["attention"] + rest)
                #expect(result.exitCode == 2, "\(path) \(rest)")
                #expect(result.output.isEmpty)
                #expect(result.error.contains("there is no command 'attention'"), "\(path) \(rest): \(result.error)")
                for known in command.configuration.subcommands {
                    #expect(result.error.contains(known._commandName), "\(path): \(result.error)")
                }
            }
        }
    }

    @Test("What the default command of a group takes is no command; help and flags of the program stay")
    func others() async throws {
        let month = try await BuiltBinary.run(["ledger", "invoice", "2026-10", "--database", "sqlite:/none/l.sqlite"])
        #expect(!month.error.contains("there is no command"))
        for arguments in [["--help"], ["help"], ["help", "ledger"], ["--version"], ["ledger", "--help"]] {
            let result = try await BuiltBinary.run(arguments)
            #expect(result.exitCode == 0, "\(arguments)")
            #expect(!result.error.contains("there is no command"), "\(arguments)")
        }
    }

    @Test("A misspelled command names the one that may be meant, and a secret in its place is not repeated")
    func nearest() async throws {
        let meant = try await BuiltBinary.run(["ledger", "archve", "--database", "sqlite:l.sqlite"])
        #expect(meant.error.contains("did you mean 'archive'?"))
        let secret = "epk_" + String(repeating: "a1", count: 20)
        let hidden = try await BuiltBinary.run(["keys", secret, "--database", "sqlite:l.sqlite"])
        #expect(hidden.exitCode == 2 && !hidden.error.contains(secret))
    }
}
