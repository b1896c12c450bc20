import ArgumentParser
import CommandProgram
import ExternalPurchaseCore
import Ledger
import Obligations
import Reporting

struct LedgerDueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "due",
        abstract: "What is not reported yet, what needs a person first.",
        discussion: "Ends with 1 when something is overdue, or with --until would be late by then."
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "One app.")
    var bundleId: String?

    @Option(help: "Only what would be late by that moment if nothing more were sent.")
    var until: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (due, now) = (try ledger.due(), try ledger.moment())
        var end: Timestamp?
        if let until {
            guard let moment = Timestamp(rfc3339: until) else {
                throw CommandFailure.input("--until \(until): is not a time such as 2026-12-01T00:00:00Z")
            }
            end = moment
        }
        let app = bundleId.map { BundleId($0) }
        let list = try await ledger.read { ledger throws(LedgerError) in try due.list(of: app, in: ledger) }
        let entries: [DueList.Entry] = end.map { Array(list.late(by: $0)) } ?? Array(list)
        let settings = list.rules.settings
        let counts = list.counts(at: now)
        switch format {
        case .json:
            let object = JSONValue.object(
                JSONObject([
                    .init("at", .string(now.description)),
                    .init("due", .array(entries.map { $0.json(at: now, settings: settings) })),
                    .init("overdue", .integer(Int64(counts.overdue))),
                    .init("held", .integer(Int64(counts.held))),
                ])
            )
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            if entries.isEmpty { StandardStreams.output(end == nil ? "nothing is due" : "nothing would be late") }
            for entry in entries { StandardStreams.output(Self.line(entry, at: now)) }
        }
        if counts.overdue > 0 || end != nil && !entries.isEmpty { throw ExitCode(1) }
    }

    private static func line(_ entry: DueList.Entry, at now: Timestamp) -> String {
        let subject =
            switch entry.subject {
            case .token(let token): "token \(token.id) of \(token.bundleId)"
            case .lineItem(let item): "sale \(item.id) of \(item.bundleId)"
            }
        let left = entry.due.map { due in
            let days = due.daysLeft(at: now)
            return days < 0 ? "OVERDUE since \(due.moment)" : "\(due.moment), \(days) days left"
        }
        let held = entry.subject.heldFor.map { "; held: \($0)" } ?? ""
        return "\(left ?? "no deadline"): \(subject)\(held); \(entry.due?.reason ?? entry.selection.reason)"
    }
}
