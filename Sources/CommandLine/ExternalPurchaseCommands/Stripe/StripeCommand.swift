import ArgumentParser

struct StripeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stripe",
        abstract: "Work with Stripe's events.",
        subcommands: [StripeReplayCommand.self, StripeReinterpretCommand.self]
    )
}
