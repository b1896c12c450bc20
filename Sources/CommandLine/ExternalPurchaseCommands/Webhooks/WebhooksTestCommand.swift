import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Reporting

struct WebhooksTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send an event of type webhook.test to a receiver, and print its answer.",
        discussion: "Nothing is stored and no ledger is needed. Exit code 1: the receiver did not accept the event."
    )

    @Argument(help: "The name of the webhook in the configuration.")
    var name: String

    @Option(help: "The server's configuration.")
    var config: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let configuration = try ServeConfiguration.read(path: config)
        guard let receiver = configuration.eventReceivers.first(where: { $0.name == name }) else {
            let known = configuration.eventReceivers.map(\.name).joined(separator: ", ")
            throw CommandFailure.input(
                "\(name): \(config) has no webhook of this name" + (known.isEmpty ? "" : "; it has \(known)")
            )
        }
        let eventId = "evt_test_\(UUID().uuidString.lowercased())"
        let body = JSONValue.object([
            "cursor": .string("0"), "at": .string(Timestamp(Date()).description), "type": .string("webhook.test"),
            "bundleId": .null, "subject": ["type": .string("webhook"), "id": .string(name)], "data": .null,
        ])
        let answer = try await receiver.poster().post(body.encoded(), eventId: eventId)
        if let error = answer.error { throw CommandFailure.wrong("\(name): \(error)") }
        StandardStreams.output(line: "\(name): accepted \(eventId), status \(answer.status ?? 0)")
    }
}
