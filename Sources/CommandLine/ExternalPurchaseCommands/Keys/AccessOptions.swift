import ArgumentParser
import CommandSupport
import Foundation
import Ledger
import LedgerSQLite
import Reporting

/// The options of commands that change keys and users.
struct AccessOptions: ParsableArguments {
    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    /// Reads an existing ledger, also while a server uses it.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(CommandFailure) -> Value {
        do {
            return try await SQLiteLedgerReader(path: database.absolutePath).read(body)
        } catch {
            throw failure(error)
        }
    }

    /// Changes a ledger, which is created if it is missing, so that the first key can exist before the first start.
    ///
    /// A new ledger is named on standard error unless `isQuiet`.
    func writeCreating<Value: Sendable>(
        isQuiet: Bool,
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(CommandFailure) -> Value {
        let isNew = !FileManager.default.fileExists(atPath: database.absolutePath)
        let value = try await write(creating: true, body)
        if isNew, !isQuiet { StandardStreams.error("ledger: sqlite:\(database.absolutePath), which is new") }
        return value
    }

    /// Changes a ledger, also while a server uses it.
    ///
    /// - Parameter isCreating: true creates a missing ledger.
    func write<Value: Sendable>(
        creating isCreating: Bool = false,
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(CommandFailure) -> Value {
        let path = database.absolutePath
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: isCreating ? folder : path) else {
            throw isCreating
                ? .input("--database sqlite:\(database.path): the folder \(folder) does not exist")
                : failure(.inaccessible("there is no such file"))
        }
        do throws(LedgerError) {
            do throws(LedgerError) {
                let store = try SQLiteLedgerStore(path: path)
                defer { try? store.close() }
                return try await store.write(body)
            } catch {
                guard case .inUse = error else { throw error }
                let editor = try SQLiteLedgerEditor(path: path)
                defer { try? editor.close() }
                return try await editor.write(body)
            }
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: LedgerError) -> CommandFailure {
        .otherSide("--database sqlite:\(database.path): \(error)")
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
