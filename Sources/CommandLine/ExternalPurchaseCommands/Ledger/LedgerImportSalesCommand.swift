import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Ledger
import NIOCore
import Reporting

struct LedgerImportSalesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-sales",
        abstract: "Store sales of any payment provider from a CSV file, as POST /v1/sales stores them.",
        discussion: """
            The first line names the columns: the members of a sale, such as saleId, type, occurredAt, productId, quantity, \
            currency, inclusive, taxRate and taxCountry. docs/import-sales.md lists all of them. Every row is checked before \
            one is stored. Rows are stored in their order, up to 1,000 in a commit; those that are stored already are known, \
            so the same command goes on after an interruption. While a server uses the ledger, the rows are sent to that \
            server. --profile reads the export of a payment provider as it is; docs/sales-profiles.md describes the files.

              external-purchase ledger import-sales sales.csv --config serve.yaml --map 'Order ID=saleId' --map 'Note=' --dry-run
              external-purchase ledger import-sales export.csv --config serve.yaml --profile stripe-payments --set productId=gems.100
            """
    )

    @Argument(help: "The file, CSV with a header; in UTF-8, unless a profile says otherwise.")
    var file: String

    @Flag(help: "Show what would be stored; the rows are stored in a copy of the ledger, which is removed.")
    var dryRun = false

    @Option(help: "COLUMN=FIELD reads a column as a field of another name, COLUMN= leaves it out; repeatable.")
    var map: [String] = []

    @Option(
        help: ArgumentHelp(
            "A profile: \(SalesProfile.shipped.joined(separator: ", ")), or a file.",
            valueName: "name|file"
        )
    )
    var profile: String?

    @Option(
        name: .customLong("set"),
        help:
            "FIELD=VALUE states a field of every sale, such as taxRate=21 or taxCountry=NLD; repeatable, with --profile."
    )
    var values: [String] = []

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "The server that receives the sales while it uses the ledger.")
    var server = "http://127.0.0.1:8800"

    @Option(help: "A file with an API key of scope sales for that server.")
    var apiKeyFile: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard values.isEmpty || profile != nil else { throw CommandFailure.input("--set needs --profile") }
        guard map.isEmpty || profile == nil else {
            throw CommandFailure.input("--map and --profile: the profile says which columns give the fields")
        }
        _ = try form([])
        try HTTPAddress.check(server, "--server", example: "http://127.0.0.1:8800")
        let (handle, size) = try open()
        defer { try? handle.close() }
        let configuration = try ledger.config.map { config throws(CommandFailure) in
            try ServeConfiguration.read(path: config)
        }
        let (apps, settings) = try await apps(configuration)
        let rates = try configuration?.exchangeRates()
        let progress = TerminalProgress(isQuiet: global.quiet)
        let work = SalesImport(
            name: file,
            form: try form((configuration?.stripe.map(\.terms) ?? []) + (configuration?.payments.map(\.terms) ?? [])),
            apps: Dictionary(apps.map { ($0.bundleId, $0) }) { first, _ in first },
            progress: progress
        )
        defer { progress.end() }
        let checked = try work.check(handle, size: size)
        progress.end()
        if dryRun { showPreview(checked) }
        guard checked.errorCount == 0 else {
            try finish(checked, "nothing was stored: \(checked.wrongRows) of \(checked.rows) rows are wrong")
            return
        }
        if try await !isThere(), !global.quiet {
            // Tokens and checkouts of a server's ledger are not in another one.
            StandardStreams.error(
                dryRun
                    ? "ledger: there is no \(ledger.database.absolute); the dry run uses an empty ledger"
                    : "ledger: \(ledger.database.absolute), which is new"
            )
        }
        let copy = (ledger.database.absolutePath ?? "ledger") + ".dry-run-\(ProcessInfo.processInfo.processIdentifier)"
        let summary: SalesImportSummary
        if dryRun {
            let files = ["", "-wal", "-shm", "-journal"].map { copy + $0 } + [PartialFile.path(of: copy)]
            defer { for file in files { unlink(file) } }
            summary = try await UnfinishedFile.whileRemoving(files) {
                try await copyLedger(to: copy)
                let store = try await openStore(copy)
                defer { try? store.close() }
                let clock = try await serverClock()
                return try await storeRows(
                    of: handle,
                    size: size,
                    with: work,
                    in: store,
                    apps,
                    settings,
                    rates,
                    clock: clock
                )
            }
        } else {
            summary = try await storeForGood(handle, size: size, work, apps, settings, rates)
        }
        progress.end()
        try finish(summary, summary.wrongRows > 0 ? "\(summary.wrongRows) of \(summary.rows) rows were refused" : nil)
    }

    // MARK: Reading

    private func open() throws(CommandFailure) -> (FileHandle, size: Int64) {
        guard file != "-" else {
            throw .input("-: the file is read twice, so it cannot be standard input; write it to a file")
        }
        if let reason = NamedFile.refusalOfRepeatedReading(path: file) { throw .input("\(file): \(reason)") }
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(filePath: file).resolvingSymlinksInPath().path
        )
        guard let handle = FileHandle(forReadingAtPath: file) else { throw .input("\(file): cannot be read") }
        return (handle, (attributes?[.size] as? NSNumber)?.int64Value ?? 0)
    }

    /// The apps and settings of the configuration; without one, the apps that the ledger has.
    private func apps(_ configuration: ServeConfiguration?) async throws -> ([RegisteredApp], ReportingSettings) {
        if let configuration {
            let apps = configuration.apps.map { app in
                RegisteredApp(
                    bundleId: app.bundleId,
                    appAppleId: app.appAppleId,
                    environments: Set(app.baseURL.keys),
                    client: NoReportClient(),
                    programmes: app.programmes
                )
            }
            return (apps, try configuration.serveSettings().reporting)
        }
        let missing = CommandFailure.input(
            "--config is missing: it names the apps; without it, only sales of apps that the ledger has are imported"
        )
        guard try await isThere() else { throw missing }
        let known = try await ledger.read { ledger throws(LedgerError) in
            var apps: [BundleId: Int64] = [:]
            try ledger.eachToken { token throws(LedgerError) in
                apps[token.token.bundleId] = token.token.appAppleId
            }
            try ledger.eachSale { sale throws(LedgerError) in
                apps[sale.sale.bundleId] = apps[sale.sale.bundleId] ?? 0
            }
            return apps
        }
        guard !known.isEmpty else { throw missing }
        let apps = known.map { bundleId, appAppleId in
            RegisteredApp(
                bundleId: bundleId,
                appAppleId: appAppleId,
                environments: Set(AppStoreEnvironment.allCases),
                client: NoReportClient()
            )
        }
        return (apps, ReportingSettings())
    }

    /// How the file is read.
    ///
    /// - Parameter terms: those of the configuration's accounts, whose tax applies to sales without one.
    private func form(_ terms: [ServeConfiguration.PaymentTerms]) throws(CommandFailure) -> SalesImport.Form {
        guard let profile else { return .columns(try ColumnMapping.all(map)) }
        return .profile(try SalesProfile.read(profile).setting(values), TaxDefaults(terms))
    }

    // MARK: Storing

    /// Stores the rows in the ledger, or at the server that uses it.
    private func storeForGood(
        _ handle: FileHandle,
        size: Int64,
        _ work: SalesImport,
        _ apps: [RegisteredApp],
        _ settings: ReportingSettings,
        _ rates: ExchangeRates?
    ) async throws -> SalesImportSummary {
        let store: any DurableLedgerStore
        do throws(LedgerError) {
            store = try await ledger.database.store()
        } catch .inUse {
            return try await sendRows(of: handle, size: size, with: work)
        } catch {
            throw ledger.failure(error)
        }
        defer { try? store.close() }
        return try await storeRows(of: handle, size: size, with: work, in: store, apps, settings, rates)
    }

    private func storeRows(
        of handle: FileHandle,
        size: Int64,
        with work: SalesImport,
        in store: any DurableLedgerStore,
        _ apps: [RegisteredApp],
        _ settings: ReportingSettings,
        _ rates: ExchangeRates?,
        clock: (@Sendable () -> Timestamp)? = nil
    ) async throws -> SalesImportSummary {
        var dependencies = ReportingDependencies.live
        dependencies.rates = rates
        if ledger.at != nil {
            let moment = try ledger.moment()
            dependencies.now = { moment }
        } else if let clock {
            dependencies.now = clock
        }
        let system = ReportingSystem(
            store: store,
            apps: apps,
            settings: settings,
            dependencies: dependencies,
            logger: ServerRun.logger("external-purchase.import", global)
        )
        let receiver = SalesImport.receiver(system, name: "--database \(ledger.database)")
        return try await work.store(handle, size: size, into: receiver, show: show)
    }

    /// The clock of the server that uses the ledger; nil if none does, or if `--at` states the time.
    private func serverClock() async throws -> (@Sendable () -> Timestamp)? {
        guard ledger.at == nil, try await isThere(), ledger.database.isInUse else { return nil }
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let now: Timestamp?
        do {
            let request = HTTPClientRequest(url: server + "/health/ready")
            let (_, body) = try await http.exchange(request, within: .seconds(5), upTo: 1 << 20)
            let object = try JSONReader().read(Array(body.readableBytesView)).objectValue
            now = object?["now"]?.stringValue.flatMap(Timestamp.init(rfc3339:))
        } catch {
            now = nil
        }
        try? await http.shutdown()
        guard let now else {
            if !global.quiet {
                StandardStreams.error(
                    "dry run: a server uses the ledger, and none tells its time at --server \(HTTPAddress.shown(server)); "
                        + "what lies in the future is decided by this machine's clock"
                )
            }
            return nil
        }
        let machine = Timestamp(Date())
        if !global.quiet, abs(now.milliseconds - machine.milliseconds) > 60_000 {
            StandardStreams.error(
                "dry run: the time is \(now), by the clock of the server at \(HTTPAddress.shown(server))"
            )
        }
        return { now + machine.duration(to: Timestamp(Date())) }
    }

    private func sendRows(of handle: FileHandle, size: Int64, with work: SalesImport) async throws -> SalesImportSummary
    {
        let key = try apiKeyFile.map { file throws(CommandFailure) in
            let text = String(decoding: try PrivateFile.read(file), as: UTF8.self)
            let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard key.hasPrefix("epk_"), !key.contains(where: \.isWhitespace) else {
                throw CommandFailure.input("\(file): holds no API key; one begins with epk_")
            }
            return key
        }
        if key != nil, !HTTPAddress.isPrivate(server) {
            throw CommandFailure.input(
                "--server \(HTTPAddress.shown(server)): would send the API key without TLS; take https or a loopback address"
            )
        }
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let outcome: Result<SalesImportSummary, any Error>
        do {
            let receiver = SalesImport.receiver(server: server, key: key, http: http)
            let most = SalesImport.rowsBesideOthers
            outcome = .success(try await work.store(handle, size: size, atOnce: most, into: receiver, show: show))
        } catch {
            outcome = .failure(error)
        }
        try? await http.shutdown()
        return try outcome.get()
    }

    private func isThere() async throws(CommandFailure) -> Bool {
        do {
            return try await ledger.database.isThere
        } catch {
            throw ledger.failure(error)
        }
    }

    private func copyLedger(to path: String) async throws {
        guard try await isThere() else {
            try ledger.database.checkFolder()
            return
        }
        do throws(LedgerError) {
            try await ledger.database.copy(toFile: path)
        } catch {
            throw CommandFailure.otherSide("--dry-run: the copy \(path) of the ledger: \(error)")
        }
    }

    private func openStore(_ path: String) async throws(CommandFailure) -> any DurableLedgerStore {
        do throws(LedgerError) {
            return try await DatabaseAddress(path: path).store()
        } catch {
            throw .otherSide("--dry-run: the copy \(path) of the ledger: \(error)")
        }
    }

    // MARK: Output

    /// Prints what a profile makes of the first rows.
    private func showPreview(_ summary: SalesImportSummary) {
        guard profile != nil, format == .text, !global.quiet else { return }
        for row in summary.preview {
            let text = row.sale.map { String(decoding: $0.encoded(), as: UTF8.self) }
            StandardStreams.output(line: "\(file):\(row.line): \(text ?? "left out: \(row.leftOut ?? "")")")
        }
    }

    /// Prints a row of a dry run.
    private func show(_ row: SalesImport.Row, _ result: SalesImport.Result) {
        guard dryRun || global.verbose, format == .text, !global.quiet,
            case .stored(let isNew, let state, let flags) = result
        else { return }
        let marks = flags.isEmpty ? "" : " (\(flags.joined(separator: ", ")))"
        StandardStreams.output(
            line: "\(file):\(row.line): \(row.command.sale.saleId): \(isNew ? "new" : "known"), \(state)\(marks)"
        )
    }

    /// Prints the summary and the errors.
    ///
    /// - Parameter problem: what is wrong; nil if nothing is.
    /// - Throws: ``CommandFailure`` with exit code 1 for a problem.
    private func finish(_ summary: SalesImportSummary, _ problem: String?) throws(CommandFailure) {
        switch format {
        case .json:
            let json = summary.json(of: file, isDryRun: dryRun)
            StandardStreams.output(String(decoding: json.encoded(), as: UTF8.self))
        case .text:
            // A file that is wrong stores nothing.
            if summary.new + summary.known > 0 || problem == nil {
                StandardStreams.output(line: summary.text(of: file, isDryRun: dryRun))
            }
        }
        guard let problem else { return }
        let lines = format == .text ? summary.errorLines(of: file).map(\.printable) : []
        throw .wrong((["\(file.printable): \(problem)"] + lines).joined(separator: "\n"))
    }
}
