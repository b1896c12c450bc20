import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger

struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke an API key for good.",
        discussion: "A running server refuses the key within 2 seconds. Without a valid key, nobody has access."
    )

    @Argument(help: "The id of the key, as `keys list` prints it.")
    var id: String

    @OptionGroup var author: AuthorOption
    @OptionGroup var access: AccessOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let revocation = StoredAPIKey.Revocation(at: Timestamp(Date()), by: try author.name())
        let id = APIKeyId(id)
        guard
            let key = try await access.write({ ledger throws(LedgerError) in try ledger.revokeKey(id, revocation) })
        else {
            throw CommandFailure.input("\(id): there is no key of this id; `keys list` lists them")
        }
        switch format {
        case .json:
            let object = JSONValue.object(JSONObject(StoredAPIKey.fields.listMembers(of: key)))
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(line: key.revocation == revocation ? "revoked" : "was revoked before")
        }
    }
}
