import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

struct UsersSetRoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-role",
        abstract:
            "Change what a user may do, and for which apps; it counts from the user's next request on."
    )

    @Argument(help: "The name of the user.")
    var name: String

    @Argument(help: "What the user may do; each role may also do what those before it may.")
    var role: UserRole

    @OptionGroup var limit: UserAppsOption
    @OptionGroup var author: AuthorOption
    @OptionGroup var access: AccessOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (name, role, author, apps) = (name, role, try author.name(), try limit.stated())
        let outcome = try await access.write {
            ledger throws(LedgerError) -> (user: StoredUser?, fault: String?, unknown: [BundleId]) in
            if let fault = try ledger.adminFault(ofUser: name, becoming: role) { return (nil, fault, []) }
            if let fault = try ledger.appsFault(ofUser: name, becoming: role, apps) {
                return (nil, fault, [])
            }
            let unknown = try ledger.appsWithoutRecords(apps)
            return (try ledger.setRole(role, apps: apps, ofUser: name, by: author), nil, unknown)
        }
        guard let user = outcome.user else {
            let fault = outcome.fault ?? "there is no such user; `users list` lists them"
            throw CommandFailure.input("\(name): \(fault)")
        }
        if !global.quiet { UserAppsOption.warn(about: outcome.unknown) }
        switch format {
        case .json: StandardStreams.output(String(decoding: user.json.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(
                line: "\(user.name) is \(user.role.rawValue)"
                    + (user.apps == nil ? "" : ", \(user.appsText)")
            )
        }
    }
}
