import ArgumentParser

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Send reports to Apple, or to an emulator, and ask for them.",
        subcommands: [ReportSend.self, ReportGet.self]
    )
}
