import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

/// The options of all `ledger` commands.
struct LedgerOptions: ParsableArguments {
    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    @Option(help: "The server's configuration, for its settings and the apps' programmes.")
    var config: String?

    @Option(help: "The moment of the question, as 2026-11-21T00:00:00Z; by default now.")
    var at: String?

    func reader() async throws(CommandFailure) -> any LedgerReader {
        do {
            return try await database.reader()
        } catch {
            throw failure(error)
        }
    }

    /// Opens the ledger for a change; like `reader`, it does not create a missing one.
    ///
    /// - Parameter instead: the advice to print while a server uses the ledger.
    func writer(orElse instead: String = "stop it first") async throws(CommandFailure) -> any DurableLedgerStore {
        do {
            guard try await database.isThere else {
                let what = database.absolutePath == nil ? "there is no ledger" : "there is no such file"
                throw CommandFailure.otherSide("--database \(database): \(what)")
            }
            return try await database.store()
        } catch let error as CommandFailure {
            throw error
        } catch LedgerError.inUse {
            throw .otherSide("--database \(database): a server has it; \(instead)")
        } catch let error as LedgerError {
            throw failure(error)
        } catch {
            throw .otherSide("--database \(database): \(error)")
        }
    }

    func failure(_ error: LedgerError) -> CommandFailure {
        database.failure(error)
    }

    /// The only app in the ledger; nil for an empty ledger.
    func onlyApp() async throws -> String? {
        let apps = try await read { ledger throws(LedgerError) in try ledger.apps() }
        guard apps.count < 2 else {
            let list = apps.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure.input("--bundle-id is missing: the ledger has \(list)")
        }
        return apps.first?.rawValue
    }

    /// The app and programme of a month, either named or the only possible ones, with the rules and settings.
    func choice(
        month: String,
        bundleId: String?,
        programme: String?
    ) async throws(CommandFailure) -> (
        app: BundleId, programme: String, rules: DeadlineRules, settings: ReportingSettings
    ) {
        let (choice, app, rules, settings) = try await self.choice(month: month, bundleId: bundleId)
        let id = try Self.refusing("--programme") { () throws(ExportRefusal) in
            let ids = try choice.programmes(named: programme, of: app, month: month)
            return try ExportChoice.only(of: ids, month: month)
        }
        return (app, id, rules, settings)
    }

    /// Like `choice`, but selects all programmes with records of the month unless one is named.
    func exported(
        month: String,
        bundleId: String?,
        programme: String?
    ) async throws(CommandFailure)
        -> (app: BundleId, programmes: ExportProgrammes, rules: DeadlineRules, settings: ReportingSettings)
    {
        let (choice, app, rules, settings) = try await self.choice(month: month, bundleId: bundleId)
        let programmes = try Self.refusing("--programme") { () throws(ExportRefusal) in
            try choice.exported(named: programme, of: app, month: month)
        }
        return (app, programmes, rules, settings)
    }

    /// The app, either named or the only possible one, with the rules and settings.
    ///
    /// - Parameter month: the month to check; nil for a span of them.
    func choice(
        month: String?,
        bundleId: String?
    ) async throws(CommandFailure) -> (
        choice: ExportChoice, app: BundleId, rules: DeadlineRules, settings: ReportingSettings
    ) {
        let (settings, programmes) = try configuration()
        let rules = DeadlineRules(catalog: settings.programmes, settings: settings.due, appProgrammes: programmes)
        let named = bundleId.map { BundleId($0) }
        // Without a configuration, any named app is accepted.
        let apps = programmes.isEmpty ? named.map { [$0] } ?? [] : Array(programmes.keys)
        guard !apps.isEmpty else {
            throw .input("--bundle-id is missing: name the app, or give --config")
        }
        var choice = ExportChoice(rules: rules, apps: apps)
        if let month { try Self.refusing("MONTH") { () throws(ExportRefusal) in try choice.check(month: month) } }
        if let named, !apps.contains(named) { choice = choice.alsoNaming(try await ledgerApps()) }
        let app = try Self.refusing("--bundle-id") { () throws(ExportRefusal) in try choice.app(named: named) }
        return (choice, app, rules, settings)
    }

    /// The apps of the ledger, among them those that were taken out of the configuration.
    private func ledgerApps() async throws(CommandFailure) -> [BundleId] {
        try await read { ledger throws(LedgerError) in try ledger.apps() }
    }

    private static func refusing<Value>(
        _ option: String,
        _ body: () throws(ExportRefusal) -> Value
    ) throws(CommandFailure) -> Value {
        do {
            return try body()
        } catch {
            throw .input("\(option): \(error.message)")
        }
    }

    func moment() throws(CommandFailure) -> Timestamp {
        guard let at else { return Timestamp(Date()) }
        guard let moment = Timestamp(rfc3339: at) else {
            throw .input("--at \(at): is not a time such as 2026-11-21T00:00:00Z")
        }
        return moment
    }

    /// The files of a server outside the ledger; the folder is that of the configuration.
    func files() throws(CommandFailure) -> LedgerFiles {
        let settings = try config.map { path throws(CommandFailure) in
            try ServeConfiguration.read(path: path).serveSettings()
        }
        return LedgerFiles(of: database, folder: settings?.databaseFolder ?? ServeSettings().databaseFolder)
    }

    /// The settings and the programmes by app; the defaults without `--config`.
    func configuration() throws(CommandFailure) -> (settings: ReportingSettings, programmes: [BundleId: [String]]) {
        guard let config else { return (ReportingSettings(), [:]) }
        let file = try ServeConfiguration.read(path: config)
        let settings = try file.serveSettings().reporting
        let programmes = Dictionary(file.apps.map { ($0.bundleId, $0.programmes) }) { first, _ in first }
        return (settings, programmes)
    }

    /// The named app; an app that neither the configuration nor the ledger has is an error.
    func app(_ bundleId: String?) async throws(CommandFailure) -> BundleId? {
        guard let bundleId else { return nil }
        let known = try configuration().programmes.keys.map(\.rawValue).sorted()
        if config != nil, !known.contains(bundleId), try await !ledgerApps().contains(BundleId(bundleId)) {
            throw .input(
                "--bundle-id \(bundleId): is none of the configuration's apps: \(known.joined(separator: ", "))"
            )
        }
        return BundleId(bundleId)
    }

    func due() throws(CommandFailure) -> DeadlineCalculator {
        let (settings, programmes) = try configuration()
        let rules = DeadlineRules(catalog: settings.programmes, settings: settings.due, appProgrammes: programmes)
        return DeadlineCalculator(
            rules: rules,
            unrecognizedWait: settings.unrecognizedWait,
            classifier: HoldClassifier(
                tokenWait: settings.tokenWait,
                apps: config == nil ? nil : Set(programmes.keys)
            )
        )
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(CommandFailure) -> Value {
        let reader = try await reader()
        do {
            return try await reader.read(body)
        } catch {
            throw database.failure(error)
        }
    }
}
