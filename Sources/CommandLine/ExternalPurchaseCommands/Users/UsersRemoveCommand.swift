import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

struct UsersRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a user, who can no longer sign in."
    )

    @Argument(help: "The name of the user.")
    var name: String

    @OptionGroup var author: AuthorOption
    @OptionGroup var access: AccessOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (name, author, now) = (name, try author.name(), Timestamp(Date()))
        let outcome = try await access.write { ledger throws(LedgerError) -> (isRemoved: Bool, fault: String?) in
            if let fault = try ledger.adminFault(ofUser: name, becoming: nil) { return (false, fault) }
            return (try ledger.removeUser(name, by: author, at: now), nil)
        }
        if let fault = outcome.fault { throw CommandFailure.input("\(name): \(fault)") }
        guard outcome.isRemoved else {
            throw CommandFailure.input("\(name): there is no such user; `users list` lists them")
        }
        switch format {
        case .json:
            let object = JSONValue.object(["removed": .string(name)])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text: StandardStreams.output(line: "removed")
        }
    }
}
