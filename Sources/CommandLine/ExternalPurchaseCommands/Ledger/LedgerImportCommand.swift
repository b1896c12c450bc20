import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

struct LedgerImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take over tokens, and reports that Apple accepted from another system; nothing is sent.",
        discussion: """
            FILE is {"tokens": ["…"], "reports": [{…}]}: the texts of tokens, and the bodies of accepted reports in the \
            order of their acceptance. Their line items stand as accepted sales. "subscriptions": {"LINE-ITEM": "ID"} says \
            what the merchant calls the subscription of a charge, also of one imported before. The server must not be running. All of it is taken over or, with exit code 1, \
            none of it.
            """
    )

    @Argument(help: "The file, JSON; - for standard input.")
    var file: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard let config = ledger.config else {
            throw CommandFailure.input("--config is missing: it names the apps whose records are taken over")
        }
        let configuration = try ServeConfiguration.read(path: config)
        let settings = try configuration.serveSettings().reporting
        let apps = Dictionary(
            configuration.apps.map { app in
                (
                    app.bundleId,
                    LedgerImport.App(appAppleId: app.appAppleId, environments: Set(app.baseURL.keys))
                )
            }
        ) { first, _ in first }
        let moment = try ledger.moment()
        var dependencies = ReportingDependencies.live
        dependencies.now = { moment }
        let bytes = try InputFile.read(file)
        let store: any DurableLedgerStore
        do throws(LedgerError) {
            store = try await ledger.database.store()
        } catch .inUse {
            throw CommandFailure.otherSide("--database \(ledger.database): a server has it; stop it first")
        } catch {
            throw ledger.failure(error)
        }
        let summary: LedgerImport.Summary
        do throws(ImportRefusal) {
            let work = LedgerImport(apps: apps, settings: settings, dependencies: dependencies)
            summary = try await work.run(bytes, into: store)
        } catch {
            try? store.close()
            switch error {
            case .unreadable(let message): throw CommandFailure.input("\(file): \(message)")
            case .contradictions(let list):
                throw CommandFailure.wrong(
                    "\(file): nothing was taken over\n" + list.map(\.printable).joined(separator: "\n")
                )
            case .store(let error):
                throw ledger.failure(error)
            }
        }
        try? store.close()
        let figures: [(String, Int)] = [
            ("newTokens", summary.newTokens), ("knownTokens", summary.knownTokens),
            ("newReports", summary.newReports), ("knownReports", summary.knownReports),
            ("lineItems", summary.lineItems), ("sales", summary.sales), ("newSales", summary.newSales),
            ("linkedCharges", summary.linkedCharges),
        ]
        switch format {
        case .json:
            let members = figures.map { JSONObject.Member($0.0, .integer(Int64($0.1))) }
            StandardStreams.output(String(decoding: JSONValue.object(JSONObject(members)).encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(
                line:
                    "tokens: \(summary.newTokens) new, \(summary.knownTokens) known before; reports: \(summary.newReports) "
                    + "new, \(summary.knownReports) known before; \(summary.lineItems) line items, \(summary.sales) of "
                    + "them of known sales, \(summary.newSales) new sales; \(summary.linkedCharges) charges linked; nothing was sent"
            )
        }
    }
}
