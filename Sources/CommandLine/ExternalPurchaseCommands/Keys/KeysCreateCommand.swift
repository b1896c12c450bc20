import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import ReportPlanning

struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an API key and print it, this once.",
        discussion: """
            From the first key on, every path below /v1 needs one. The ledger stores a hash, from which nobody gets the \
            key back. Standard output has the key alone.
            """
    )

    @Option(
        help: """
            admin: everything; read: every GET; sales: tokens and sales; intake: tokens; publishable: POST /v1/tokens \
            only, for keys inside an app.
            """
    )
    var scope: KeyScope

    @Option(help: "The only app that the key gives access to, as its bundle id.")
    var app: String?

    @Option(help: "A name, which stands in the audit log for what the key does.")
    var name: String?

    @Option(help: "The end of the key: a day, as 2027-01-01, at whose start in UTC it ends, or a time.")
    var expires: String?

    @OptionGroup var author: AuthorOption
    @OptionGroup var access: AccessOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let now = Timestamp(Date())
        var generator = SystemRandomNumberGenerator()
        let key = APIKey(scope: scope, using: &generator)
        if let name { try PersonName.check(name, of: "--name") }
        if let app { try Self.check(app: app) }
        let new = StoredAPIKey(
            key,
            keyId: .random(using: &generator),
            bundleId: app.map { BundleId($0) },
            name: name,
            createdAt: now,
            createdBy: try author.name(),
            expiresAt: try expires.map { text throws(CommandFailure) in try Self.time(text, after: now) }
        )
        let stored = try await access.write(creating: true) { ledger throws(LedgerError) in try ledger.insert(new) }
        switch format {
        case .json:
            let members = StoredAPIKey.fields.listMembers(of: stored)
            let object = JSONValue.object(JSONObject([.init("key", .string(key.text))] + members))
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(line: key.text)
            if !global.quiet { StandardStreams.error("\(stored.keyId): keep the key, it is not shown again") }
        }
    }

    private static func check(app: String) throws(CommandFailure) {
        guard !app.isEmpty, app.unicodeScalars.count <= 255, !app.unicodeScalars.contains(where: \.isControlOrDirection)
        else { throw .input("--app: is no bundle id such as com.example.shop") }
    }

    private static func time(_ text: String, after now: Timestamp) throws(CommandFailure) -> Timestamp {
        guard let time = CalendarDate(text)?.startInUTC ?? Timestamp(rfc3339: text) else {
            throw .input("--expires \(text): is not a day such as 2027-01-01, nor a time such as 2027-01-01T12:00:00Z")
        }
        guard time > now else { throw .input("--expires \(text): is over; name a day or time to come") }
        return time
    }
}

extension KeyScope: ExpressibleByArgument {}
