import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

struct LedgerProgrammesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "programmes",
        abstract: "Which due dates and estimates a file of programmes would change; nothing is stored.",
        discussion: """
            FILE has the form of Data/programmes.json and is laid over the built-in programmes; `programmes: FILE` in the \
            configuration puts it into effect. Ends with 1 when something would change.
            """
    )

    @Argument(help: "The file of programmes, JSON.")
    var file: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "One app; by default all of the configuration.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "Estimates of sales from that day on, as 2026-10-01; by default of the last twelve months.")
    var since: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (settings, programmes) = try ledger.configuration()
        let proposed = try ProgrammeCatalog.read(file)
        let now = try ledger.moment()
        let apps = bundleId.map { [BundleId($0)] } ?? programmes.keys.sorted { $0.rawValue < $1.rawValue }
        guard !apps.isEmpty else {
            throw CommandFailure.input("--bundle-id is missing: name the app, or give --config")
        }
        var start = CalendarDate(inUTC: now).adding(months: -12)
        if let since {
            guard let day = CalendarDate(since) else {
                throw CommandFailure.input("--since \(since): is not a day such as 2026-10-01")
            }
            start = day
        }
        func rules(_ catalog: ProgrammeCatalog) -> DeadlineRules {
            DeadlineRules(catalog: catalog, settings: settings.due, appProgrammes: programmes)
        }
        let run = ProgrammeDryRun(from: rules(settings.programmes), to: rules(proposed), settings: settings)
        let from = start
        let changes = try await ledger.read { ledger throws(LedgerError) in
            try run.changes(of: apps, since: from, now: now, in: ledger)
        }
        if !global.quiet { for note in proposed.notes { StandardStreams.error("\(note)") } }
        switch format {
        case .json:
            let object =
                JSONValue.object([
                    "due": .array(changes.due.map(Self.json)),
                    "estimates": .array(changes.estimates.map(Self.json)),
                ])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            if changes.isEmpty { StandardStreams.output(line: "nothing would change") }
            for change in changes.due {
                StandardStreams.output(
                    line:
                        "\(Self.name(change.subject)): due \(Self.due(change.before)), would be \(Self.due(change.after))"
                )
            }
            for change in changes.estimates {
                StandardStreams.output(
                    line:
                        "estimate of sale \(change.saleId) of \(change.bundleId): \(change.before ?? "none"), would be "
                        + (change.after ?? "none")
                )
            }
        }
        if !changes.isEmpty { throw ExitCode(1) }
    }

    private static func name(_ subject: DeadlineSubject) -> String {
        switch subject.row {
        case .token(let token): "token \(token.externalPurchaseId) of \(token.bundleId)"
        case .sale(let sale): "sale \(sale.lineItemId) of \(sale.bundleId)"
        }
    }

    private static func due(_ date: Deadline?) -> String {
        date.map { "\($0.moment) (\($0.reason))" } ?? "without a deadline"
    }

    private static func json(_ change: DeadlineChange) -> JSONValue {
        [
            "subject": .string(name(change.subject)),
            "before": change.before.map { .string($0.moment.description) } ?? .null,
            "after": change.after.map { .string($0.moment.description) } ?? .null,
            "reason": change.after.map { .string($0.reason) } ?? .null,
        ]
    }

    private static func json(_ change: ProgrammeDryRun.EstimateChange) -> JSONValue {
        [
            "saleId": .string(change.saleId), "bundleId": .string(change.bundleId.rawValue),
            "before": change.before.map { .string($0) } ?? .null,
            "after": change.after.map { .string($0) } ?? .null,
        ]
    }
}
