import ArgumentParser
import ExternalPurchaseCore
import Foundation
import TestSupport
import Testing

@testable import ExternalPurchaseCommands

@Suite("What a user can name stands in the documents")
struct DocumentedNamesTests {
    /// The README and every page of `docs`.
    private static let pages: String = {
        let docs = PackageFolder.file("docs")
        let names = FileManager.default.enumerator(atPath: docs.path)?.compactMap { $0 as? String } ?? []
        let files = names.filter { $0.hasSuffix(".md") }.map { docs.appending(path: $0) }
        return (files + [PackageFolder.file("README.md")])
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }()

    /// The settings, but for `messages.N`, which the pages name by its pattern: N is the number of a code.
    private static let settings = ServeSettings.names.filter { !$0.hasPrefix("messages.") }

    @Test("Every setting of serve", arguments: settings)
    func setting(_ name: String) {
        let isNamed = Self.pages.contains(name)
        #expect(isNamed, "no page names the setting \(name)")
    }

    /// The commands without subcommands, by the words that call them.
    private static let commands: [(words: String, type: any ParsableCommand.Type)] = leaves(
        of: RootCommand.self,
        after: []
    )

    private static func leaves(
        of command: any ParsableCommand.Type,
        after words: [String]
    ) -> [(words: String, type: any ParsableCommand.Type)] {
        let configuration = command.configuration
        if configuration.subcommands.isEmpty { return [(words.joined(separator: " "), command)] }
        return configuration.subcommands.flatMap { child in
            let isDefault = configuration.defaultSubcommand == child
            return leaves(
                of: child,
                after: isDefault ? words : words + [child.configuration.commandName ?? "\(child)"]
            )
        }
    }

    @Test("Every command, which has the options of all commands")
    func commands() {
        #expect(Self.commands.count > 30)
        for (words, type) in Self.commands {
            let isNamed = Self.pages.contains(words)
            #expect(isNamed, "no page names the command \(words)")
            let help = RootCommand.helpMessage(for: type)
            #expect(help.contains("--quiet") && help.contains("--verbose"), "\(words) lacks GlobalOptions")
        }
    }

    @Test("Every lint rule has its row in the specification")
    func lintRules() throws {
        let list = try String(contentsOf: PackageFolder.file("Scripts/lint-rules.txt"), encoding: .utf8)
        let chapter = try String(contentsOf: PackageFolder.file("docs/spec/01-configuration.md"), encoding: .utf8)
        let words = list.split(whereSeparator: \.isWhitespace)
        let ids = words.filter { $0.wholeMatch(of: #/[a-z]+(-[a-z0-9]+)+/#) != nil }
        #expect(ids.count > 40)
        for id in ids { #expect(chapter.contains("`\(id)`"), "docs/spec/01-configuration.md lacks \(id)") }
    }
}
