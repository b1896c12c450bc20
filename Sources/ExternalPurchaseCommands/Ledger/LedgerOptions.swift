import ArgumentParser
import CommandProgram
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Obligations
import Reporting

/// What all `ledger` commands take.
struct LedgerOptions: ParsableArguments {
    @Option(help: "The ledger, as sqlite:FILE.")
    var database = DatabaseAddress.standard

    @Option(help: "The server's configuration, for its settings and the apps' programmes.")
    var config: String?

    @Option(help: "The moment of the question, as 2026-11-21T00:00:00Z; by default now.")
    var at: String?

    func reader() throws(CommandFailure) -> SQLiteLedgerReader {
        do {
            return try SQLiteLedgerReader(path: database.absolutePath)
        } catch {
            throw .otherSide("--database sqlite:\(database.path): \(error)")
        }
    }

    /// The ledger to change; no server may have it.
    func store() throws(CommandFailure) -> SQLiteLedgerStore {
        guard FileManager.default.fileExists(atPath: database.absolutePath) else {
            throw .otherSide("--database sqlite:\(database.path): there is no such file")
        }
        do {
            return try SQLiteLedgerStore(path: database.absolutePath)
        } catch .inUse {
            throw .otherSide("--database sqlite:\(database.path): a server has it; stop it first, or ask the server")
        } catch {
            throw .otherSide("--database sqlite:\(database.path): \(error)")
        }
    }

    func moment() throws(CommandFailure) -> Timestamp {
        guard let at else { return Timestamp(Date()) }
        guard let moment = Timestamp(rfc3339: at) else {
            throw .input("--at \(at): is not a time such as 2026-11-21T00:00:00Z")
        }
        return moment
    }

    /// Settings, and the programmes by app; the defaults without `--config`.
    func configuration() throws(CommandFailure) -> (settings: ReportingSettings, programmes: [BundleId: [String]]) {
        guard let config else { return (ReportingSettings(), [:]) }
        let file = try ServeConfiguration.read(path: config)
        let settings = try ServeSettings(file.settings).reporting
        let programmes = Dictionary(file.apps.map { ($0.bundleId, $0.programmes) }) { first, _ in first }
        return (settings, programmes)
    }

    func due() throws(CommandFailure) -> LedgerDue {
        let (settings, programmes) = try configuration()
        let rules = DueRules(catalog: settings.programmes, settings: settings.due, appProgrammes: programmes)
        return LedgerDue(rules: rules)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerReading) throws(LedgerError) -> Value
    ) async throws(CommandFailure) -> Value {
        let reader = try reader()
        do {
            return try await reader.read(body)
        } catch {
            throw .otherSide("--database sqlite:\(database.path): \(error)")
        }
    }
}
