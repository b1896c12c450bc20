import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import ExternalPurchaseCommands

@Suite("What a user can name stands in the documents")
struct DocumentedNamesTests {
    private static let pages: String = {
        let folder = PackageFolder.file("docs")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".md") }.compactMap {
            try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }.joined()
    }()

    /// Those of the rules stand in the table of `docs/emulator.md` by their part after the point.
    private static let settings = ServeSettings.allNames.filter { name in
        !["rules.", "messages.", "limits."].contains { name.hasPrefix($0) }
    }

    @Test("Every setting of serve", arguments: settings)
    func setting(_ name: String) {
        #expect(Self.pages.contains(name), "docs/serve.md lacks \(name)")
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
        let children = command.configuration.subcommands
        if children.isEmpty { return [(words.joined(separator: " "), command)] }
        return children.flatMap { child in
            leaves(of: child, after: words + [child.configuration.commandName ?? "\(child)"])
        }
    }

    @Test("Every command has the options of all commands, and its first two words stand on a page")
    func commands() {
        #expect(Self.commands.count > 30)
        for (words, type) in Self.commands {
            let help = RootCommand.helpMessage(for: type)
            #expect(help.contains("--quiet") && help.contains("--verbose"), "\(words) lacks GlobalOptions")
            // A third word is a default or stands in a table; `report` has its options in its --help.
            guard !words.hasPrefix("report ") else { continue }
            let start = words.split(separator: " ").prefix(2).joined(separator: " ")
            #expect(Self.pages.contains(start), "no page names the command \(start)")
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
