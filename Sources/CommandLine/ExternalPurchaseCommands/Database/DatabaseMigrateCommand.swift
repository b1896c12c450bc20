import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger

struct DatabaseMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Apply the migrations that the ledger lacks; with --dry-run name them.",
        discussion: """
            A ledger that does not exist yet is created. `serve` migrates by itself unless the setting database.migrate \
            is off.
            """
    )

    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    @Flag(help: "Name the migrations and change nothing.")
    var dryRun = false

    @OptionGroup var output: FormatOption

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try database.checkFolder()
        let missing: [String]
        do throws(LedgerError) {
            missing = try await database.missingMigrations()
            if !dryRun, !missing.isEmpty {
                try await database.store().close()
            }
        } catch .inUse {
            throw CommandFailure.otherSide("--database \(database): a server has it; stop it first")
        } catch {
            throw database.failure(error)
        }
        switch output.format {
        case .json:
            let object =
                JSONValue.object([
                    "database": .string("\(database.absolute)"),
                    "missing": .array((dryRun ? missing : []).map { .string($0) }),
                    "applied": .array((dryRun ? [] : missing).map { .string($0) }),
                ])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            for name in missing { StandardStreams.output(line: "\(dryRun ? "lacks" : "applied") \(name)") }
            if missing.isEmpty {
                StandardStreams.output(line: "\(database): the schema is that of this version")
            }
        }
    }
}
