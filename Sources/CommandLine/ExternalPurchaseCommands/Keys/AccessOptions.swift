import ArgumentParser
import CommandSupport
import Foundation
import Ledger
import Reporting

/// The options of commands that change keys and users.
struct AccessOptions: ParsableArguments {
    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    /// Reads an existing ledger, also while a server uses it.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(CommandFailure) -> Value {
        do {
            return try await database.reader().read(body)
        } catch {
            throw database.failure(error)
        }
    }

    /// Changes a ledger, which is created if it is missing, so that the first key can exist before the first start.
    ///
    /// A new ledger is named on standard error unless `isQuiet`.
    func writeCreating<Value: Sendable>(
        isQuiet: Bool,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(CommandFailure) -> Value {
        let isNew: Bool
        do {
            isNew = try await !database.isThere
        } catch {
            throw database.failure(error)
        }
        let value = try await write(creating: true, body)
        if isNew, !isQuiet { StandardStreams.error("ledger: \(database.absolute), which is new") }
        return value
    }

    /// Changes a ledger, also while a server uses it.
    ///
    /// - Parameter isCreating: true creates a missing ledger.
    func write<Value: Sendable>(
        creating isCreating: Bool = false,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(CommandFailure) -> Value {
        if isCreating { try database.checkFolder() }
        do {
            if !isCreating, try await !database.isThere {
                throw LedgerError.inaccessible(
                    database.absolutePath == nil ? "there is no ledger" : "there is no such file"
                )
            }
            return try await database.edit(body)
        } catch let error as LedgerError {
            throw database.failure(error)
        } catch {
            throw .otherSide("--database \(database): \(error)")
        }
    }
}

/// The option `--by` of commands that change keys and users.
struct AuthorOption: ParsableArguments {
    @Option(help: "Who does it, for the audit log; by default this machine's user.")
    var by: String?

    /// The name for the audit log.
    func name() throws(CommandFailure) -> String {
        guard let by else { return AuthorName.onCommandLine(NSUserName()) }
        try PersonName.check(by, of: "--by")
        return by
    }
}

/// Checks names that people give to users, and their own.
enum PersonName {
    static func check(_ name: String, of option: String) throws(CommandFailure) {
        if let fault = AuthorName.fault(in: name) { throw .input("\(option): \(fault)") }
    }
}
