import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger

struct UsersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Who may sign in, with the role and the time of the last change of the password."
    )

    @OptionGroup var access: AccessOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let users = try await access.read { ledger throws(LedgerError) in try ledger.users() }
            .filter { !$0.isRemoved }
        switch format {
        case .json:
            StandardStreams.output(String(decoding: JSONValue.array(users.map(\.json)).encoded(), as: UTF8.self))
        case .text:
            if users.isEmpty, !global.quiet { StandardStreams.error("there are no users") }
            for user in users {
                StandardStreams.output(
                    line:
                        "\(user.name), \(user.role.rawValue), \(user.appsText), password of \(user.updatedAt)"
                )
            }
        }
    }
}
