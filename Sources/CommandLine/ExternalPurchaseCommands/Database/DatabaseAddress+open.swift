import Foundation
import Ledger
import LedgerPostgres
import LedgerSQLite

// The one place of the commands that knows the engines.

extension DatabaseAddress {
    /// Why no ledger can be opened at the address, whatever it contains; nil if one may.
    var fault: String? {
        switch location {
        case .file: fileFault
        case .server(let url): PostgresLedger.refusal ?? (PostgresURL(url) == nil ? PostgresURL.fault : nil)
        }
    }

    /// Whether there is a ledger, or a file in its place.
    ///
    /// - Throws: ``LedgerError`` for a server that cannot be asked.
    var isThere: Bool {
        get async throws(LedgerError) {
            switch try opened() {
            case .file(let path): FileManager.default.fileExists(atPath: path)
            case .server(let settings): try await PostgresLedger.isThere(settings)
            }
        }
    }

    /// Whether the place has a ledger of any version; false for a file without content.
    var hasLedger: Bool {
        get async throws(LedgerError) {
            switch try opened() {
            case .file(let path): try !LedgerSchema(ofDatabaseAt: path).applied.isEmpty
            case .server(let settings): try await PostgresLedger.isThere(settings)
            }
        }
    }

    /// Opens an existing ledger for reading, also while a server uses it.
    func reader() async throws(LedgerError) -> any LedgerReader {
        switch try opened() {
        case .file(let path): try SQLiteLedgerReader(path: path)
        case .server(let settings): try await PostgresLedger.reader(settings)
        }
    }

    /// Whether a server uses the ledger; false for a ledger in PostgreSQL, which may have any number of servers.
    var isInUse: Bool {
        guard case .file(let path)? = try? opened() else { return false }
        return (try? FileLock.isHeld(path: path)) ?? false
    }

    /// Opens a ledger for a server; it is created or migrated.
    ///
    /// Other servers may have a ledger in PostgreSQL open too.
    ///
    /// - Throws: ``LedgerError/inUse(path:)`` while another process has it alone.
    func serverStore() async throws(LedgerError) -> any DurableLedgerStore {
        switch try opened() {
        case .file(let path): try SQLiteLedgerStore(path: path)
        case .server(let settings): try await PostgresLedger.open(settings, for: .server, migrates: true)
        }
    }

    /// Opens a ledger for a command that no server may run beside; it is created or migrated.
    ///
    /// - Throws: ``LedgerError/inUse(path:)`` while a server uses it.
    func store() async throws(LedgerError) -> any DurableLedgerStore {
        switch try opened() {
        case .file(let path): try SQLiteLedgerStore(path: path)
        case .server(let settings): try await PostgresLedger.open(settings, for: .exclusive, migrates: true)
        }
    }

    /// Makes a small change, also while a server of this version uses the ledger.
    func edit<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do throws(LedgerError) {
            let store = try await store()
            defer { try? store.close() }
            return try await store.write(body)
        } catch {
            guard case .inUse = error else { throw error }
        }
        switch try opened() {
        case .file(let path):
            let editor = try SQLiteLedgerEditor(path: path)
            defer { try? editor.close() }
            return try await editor.write(body)
        case .server(let settings):
            let store = try await PostgresLedger.open(settings, for: .edit, migrates: false)
            defer { try? store.close() }
            return try await store.write(body)
        }
    }

    /// Checks whether a change could be stored, without one, also while a server of this version uses the ledger.
    func checkWritable() async throws(LedgerError) {
        switch try opened() {
        case .file(let path):
            let editor = try SQLiteLedgerEditor(path: path)
            defer { try? editor.close() }
            try await editor.checkWritable()
        case .server(let settings):
            let store = try await PostgresLedger.open(settings, for: .edit, migrates: false)
            defer { try? store.close() }
            try await store.checkWritable()
        }
    }

    /// The free space where the file of the ledger is, in bytes; nil for a ledger in PostgreSQL.
    var freeBytes: Int64? {
        absolutePath.flatMap {
            SQLiteLedgerEditor.freeBytes(inFolder: URL(filePath: $0).deletingLastPathComponent().path)
        }
    }

    /// The names of the migrations that the ledger lacks; all of them where there is none.
    func missingMigrations() async throws(LedgerError) -> [String] {
        switch try opened() {
        case .file(let path): try LedgerSchema(ofDatabaseAt: path).missing
        case .server(let settings): try await PostgresLedger.missingMigrations(settings)
        }
    }

    /// Copies a ledger in a file into another file.
    ///
    /// - Returns: the newest entry of the copy's audit log, and the size in bytes.
    func backup(
        to path: String,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LedgerError) -> (head: AuditHead?, size: Int64) {
        guard case .file(let source) = try opened() else {
            throw .inaccessible(
                "PostgreSQL copies its own ledgers; `external-purchase ledger backup` names the command"
            )
        }
        let copy = try await LedgerBackup(of: source).write(to: path, progress: progress)
        return (copy.head, copy.size)
    }

    /// Writes a copy of the ledger into a new file, such as for a dry run; none for a file that has no ledger yet.
    func copy(toFile path: String) async throws(LedgerError) {
        switch try opened() {
        case .file(let source):
            guard try !LedgerSchema(ofDatabaseAt: source).applied.isEmpty else { return }
            _ = try await LedgerBackup(of: source).write(to: path)
        case .server(let settings):
            try await SQLiteLedgerStore.create(at: path, from: PostgresLedger.reader(settings))
        }
    }

    /// Copies a ledger in a file into an empty schema of PostgreSQL, or goes on with an unfinished copy.
    ///
    /// - Parameters:
    ///   - target: the address of the schema.
    ///   - finishing: whether this is the last step, for which no server may use the file.
    ///   - progress: called with the name of a step and its fraction, from 0 to 1.
    func copy(
        to target: DatabaseAddress,
        finishing: Bool,
        progress: @escaping @Sendable (String, Double) -> Void
    ) async throws(LedgerError) -> LedgerCopySummary {
        guard case .file(let path) = try opened(), case .server(let settings) = try target.opened() else {
            throw .inaccessible("a ledger is copied from a file to a server")
        }
        let source = try SQLiteLedgerReader(path: path, excludesServers: finishing)
        return try await PostgresLedger.copy(from: source, to: settings, finishing: finishing, progress: progress)
    }

    /// An address that this build can open.
    private enum Opened {
        case file(String)
        case server(PostgresSettings)
    }

    private func opened() throws(LedgerError) -> Opened {
        if let fault { throw .inaccessible(fault) }
        return switch location {
        case .file(let path): .file(URL(filePath: path).standardizedFileURL.path)
        case .server(let url): .server(PostgresSettings(connection: url))
        }
    }
}
