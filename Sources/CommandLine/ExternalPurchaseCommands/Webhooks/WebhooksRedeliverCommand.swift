import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger

struct WebhooksRedeliverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redeliver",
        abstract: "Have an event sent to its webhook again, also one that was accepted or parked.",
        discussion: "The server sends it, now or when it starts, under the same id. GET /v1/deliveries lists them."
    )

    @Argument(help: "The id of the delivery, as GET /v1/deliveries has it.")
    var id: String

    @OptionGroup var author: AuthorOption
    @OptionGroup var access: AccessOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let author = try author.name()
        let isKnown =
            if let sequence = Int64(id) {
                try await access.write { ledger throws(LedgerError) in
                    // Due by the clock of the server, whatever this machine's says.
                    try ledger.redeliver(sequence, by: author, at: Timestamp(milliseconds: 0))
                }
            } else {
                false
            }
        guard isKnown else { throw CommandFailure.input("\(id): there is no such delivery") }
        StandardStreams.output(line: "\(id): the server sends it again, if its webhook is configured and takes it")
    }
}
