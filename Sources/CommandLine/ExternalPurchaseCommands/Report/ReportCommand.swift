import ArgumentParser

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Check reports, send them to Apple or to an emulator, and ask for them.",
        subcommands: [ReportValidate.self, ReportSend.self, ReportGet.self]
    )
}
