import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

struct LedgerPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "On which token each sale goes, what each token calls for, and why; nothing is changed."
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "One app; by default all of the ledger.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let settings = try ledger.configuration().settings
        let (app, now) = (try await ledger.app(bundleId), try ledger.moment())
        let lines = try await ledger.read { ledger throws(LedgerError) in
            try PlanLine.lines(of: app, settings: settings, now: now, in: ledger)
        }
        switch format {
        case .json:
            let array = JSONValue.array(lines.map(\.json))
            StandardStreams.output(String(decoding: array.encoded(), as: UTF8.self))
        case .text:
            if lines.isEmpty {
                StandardStreams.output(line: "the ledger knows no token and no sale" + (app.map { " of \($0)" } ?? ""))
            }
            let areOfOneApp = Set(lines.map(\.bundleId)).count < 2
            for line in lines { StandardStreams.output(line: (areOfOneApp ? "" : "\(line.bundleId) ") + line.text) }
        }
    }
}
