import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

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
            and GET /v1/policy only, for keys inside an app.
            """
    )
    var scope: KeyScope

    @Option(help: "The only app that the key gives access to, as its bundle id.")
    var app: String?

    @Option(help: "The server's configuration, which must name the app of --app.")
    var config: String?

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
        let command = try Self.command(scope: scope, app: app, name: name, expires: expires, now: now)
        try checkApp()
        let new = Self.newKey(of: command, by: try author.name(), at: now)
        let outcome = try await access.writeCreating(isQuiet: global.quiet) {
            ledger throws(LedgerError) -> (row: StoredAPIKey?, fault: String?, isKnown: Bool) in
            if let name = new.row.name, let fault = try ledger.nameFault(ofKey: name) { return (nil, fault, true) }
            let isKnown = try new.row.bundleId.map { app throws(LedgerError) in try ledger.hasRecords(of: app) } ?? true
            return (try ledger.insert(new.row), nil, isKnown)
        }
        guard let stored = outcome.row else { throw CommandFailure.input("--name: \(outcome.fault ?? "")") }
        switch format {
        case .json:
            let members = StoredAPIKey.fields.listMembers(of: stored)
            let object = JSONValue.object(JSONObject([.init("key", .string(new.key.text))] + members))
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(line: new.key.text)
            if global.quiet { return }
            if let app, config == nil, !outcome.isKnown {
                StandardStreams.error(
                    "--app \(app): the ledger has no token and no sale of this app. A key for an app that the server's "
                        + "configuration does not name gives access to nothing; --config FILE checks the name"
                )
            }
            let extent = stored.bundleId.map { "; it gives access to \($0) only" } ?? ""
            StandardStreams.error("\(stored.keyId): keep the key, it is not shown again\(extent)")
        }
    }

    /// Refuses an app that the named configuration does not have.
    private func checkApp() throws(CommandFailure) {
        guard let config else { return }
        let known = try ServeConfiguration.read(path: config).apps.map(\.bundleId.rawValue).sorted()
        guard let app, !known.contains(app) else { return }
        throw .input("--app \(app): is none of the apps of \(config): \(known.joined(separator: ", "))")
    }

    // Separate from `run()`: ThreadSanitizer crashes on an empty generator in an asynchronous function.
    private static func newKey(of command: KeyCommand, by author: String, at now: Timestamp) -> NewKey {
        var generator = SystemRandomNumberGenerator()
        return command.newKey(by: author, at: now, using: &generator)
    }

    /// Parses the options; the message of a wrong one names it and its value.
    private static func command(
        scope: KeyScope,
        app: String?,
        name: String?,
        expires: String?,
        now: Timestamp
    ) throws(CommandFailure) -> KeyCommand {
        do throws(RequestError) {
            return try KeyCommand(scope: scope, app: app, name: name, expires: expires, now: now)
        } catch {
            guard case .invalid(let errors) = error, let first = errors.first else { throw .input("\(error)") }
            let value = first.path == "/expires" ? expires.map { " \($0)" } ?? "" : ""
            throw .input("--\(first.path.dropFirst())\(value): \(first.message)")
        }
    }
}

extension LedgerQueries {
    /// Whether a token or a sale of an app is stored.
    func hasRecords(of app: BundleId) throws(LedgerError) -> Bool {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        let one = TimePage(limit: 1)
        if try !sales(of: app, occurredFrom: first, until: last, one).isEmpty { return true }
        for environment in AppStoreEnvironment.allCases {
            let scope = ReportingScope(bundleId: app, environment: environment)
            if try !tokens(in: scope, madeFrom: first, until: last, one).isEmpty { return true }
        }
        return false
    }
}

extension KeyScope: ExpressibleByArgument {}
