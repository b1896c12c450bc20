import ArgumentParser

struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Try the receivers of events, and have events sent again.",
        subcommands: [WebhooksTestCommand.self, WebhooksRedeliverCommand.self]
    )
}
