import ArgumentParser

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Prepare the ledger's database for this version.",
        subcommands: [DatabaseMigrateCommand.self]
    )
}
