import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting
import ReportingServer

struct UsersSetPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password",
        abstract: "Create a user, or change a user's password.",
        discussion: """
            On a terminal the password is asked for twice and not shown; otherwise it is the first line of standard \
            input. Without --role a user keeps the role; a new one is a viewer, and an admin where nobody else may sign in.
            """
    )

    @Argument(help: "The name of the user.")
    var name: String

    @Option(
        help: """
            viewer: reads; finance: also exports, invoices, months, sales and payments in review, and asks for \
            corrections; operator: also every review item, corrections and payment events; admin: also keys and settings.
            """
    )
    var role: UserRole?

    @OptionGroup var limit: UserAppsOption
    @OptionGroup var author: AuthorOption
    @OptionGroup var access: AccessOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try PersonName.check(name, of: "NAME")
        let password = try PasswordInput.read()
        guard password.unicodeScalars.count >= PasswordInput.minimumLength else {
            throw CommandFailure.input("the password: has fewer than \(PasswordInput.minimumLength) characters")
        }
        let hash = try Self.hash(of: password)
        let (name, role, author, now) = (name, role, try author.name(), Timestamp(Date()))
        let apps = try limit.stated()
        let outcome = try await access.writeCreating(isQuiet: global.quiet) {
            ledger throws(LedgerError) -> (user: StoredUser?, fault: String?, unknown: [BundleId]) in
            if let fault = try ledger.nameFault(ofUser: name) { return (nil, fault, []) }
            if let role, let fault = try ledger.adminFault(ofUser: name, becoming: role) {
                return (nil, fault, [])
            }
            if let fault = try ledger.appsFault(ofUser: name, becoming: role, apps) {
                return (nil, fault, [])
            }
            let unknown = try ledger.appsWithoutRecords(apps)
            return (
                try ledger.setPassword(hash, ofUser: name, role: role, apps: apps, by: author, at: now), nil, unknown
            )
        }
        guard let user = outcome.user else { throw CommandFailure.input("NAME: \(outcome.fault ?? "")") }
        if !global.quiet { UserAppsOption.warn(about: outcome.unknown) }
        switch format {
        case .json: StandardStreams.output(String(decoding: user.json.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(
                line: "the password of \(user.name) is set; role: \(user.role.rawValue)"
                    + (user.apps == nil ? "" : ", \(user.appsText)")
            )
        }
    }

    // Separate from `run()`: ThreadSanitizer crashes on an empty generator in an asynchronous function.
    private static func hash(of password: String) throws -> String {
        var generator = SystemRandomNumberGenerator()
        return try PasswordHash(of: password, using: &generator).text
    }
}

extension StoredUser {
    /// The user without the password's hash.
    var json: JSONValue {
        [
            "name": .string(name), "role": .string(role.rawValue),
            "updatedAt": .string(updatedAt.description),
            "apps": apps.map { .array($0.map(\.rawValue).sorted().map(JSONValue.string)) } ?? .null,
        ]
    }
}

extension UserRole: ExpressibleByArgument {}
