import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

struct LedgerDueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "due",
        abstract: "What is not reported yet, what needs a person first.",
        discussion: "Ends with 1 when something is overdue, or with --until would be late by then."
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "One app.", transform: BundleId.reading)
    var bundleId: String?

    @OptionGroup var filters: ListFilterOptions

    @Option(help: "Only what would be late by that moment if nothing more were sent.")
    var until: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @Option(help: "Show so many entries, held ones and the earliest due dates first; the counts are of all that fit.")
    var limit = 1_000

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit \(limit): is not a number from 0 on") }
    }

    func run() async throws {
        let (due, now) = (try ledger.due(), try ledger.moment())
        var end: Timestamp?
        if let until {
            guard let moment = Timestamp(rfc3339: until) else {
                throw CommandFailure.input("--until \(until): is not a time such as 2026-12-01T00:00:00Z")
            }
            end = moment
        }
        let filter = try filters.filter(of: .due, [.bundleId: try await ledger.app(bundleId)])
        let (limit, bound) = (limit, end)
        let page = try await ledger.read { ledger throws(LedgerError) in
            try due.page(matching: filter, limit: limit, lateBy: bound, at: now, in: ledger)
        }
        let entries = page.entries.map(\.entry)
        switch format {
        case .json:
            StandardStreams.output(String(decoding: json(page, entries).encoded(), as: UTF8.self))
        case .text:
            if page.matching == 0 {
                StandardStreams.output(line: end == nil ? "nothing is due" : "nothing would be late")
            }
            for entry in entries { StandardStreams.output(line: Self.line(entry, at: now)) }
            if page.isCut {
                StandardStreams.output(line: "and \(page.matching - entries.count) more, which --limit shows")
            }
            if page.counts.total > 0 { StandardStreams.output(line: Self.line(page.counts)) }
        }
        if page.counts.overdue > 0 || end != nil && page.matching > 0 { throw ExitCode(1) }
    }

    private func json(_ page: DeadlinePage, _ entries: [DeadlineEntry]) -> JSONValue {
        let (counts, settings) = (page.counts, page.settings)
        let warned = settings.warnDays.map { days in
            JSONObject.Member(String(days), .integer(Int64(counts.warned[days] ?? 0)))
        }
        return [
            "at": .string(page.classifier.now.description),
            "due": .array(entries.map { $0.json(page.classifier, settings: settings) }),
            "left": .integer(Int64(page.matching - entries.count)),
            "open": .integer(Int64(counts.open)),
            "warned": .object(JSONObject(warned)),
            "overdue": .integer(Int64(counts.overdue)),
            "noDeadline": .integer(Int64(counts.withoutDueDate)),
            "unconfirmed": .integer(Int64(counts.unconfirmed)),
            "held": .integer(Int64(counts.held)),
        ]
    }

    /// The counts of unreported entries by state, as one line.
    private static func line(_ counts: DeadlineCounts) -> String {
        let warned = counts.warned.sorted { $0.key > $1.key }.map { ", \($0.value) due within \($0.key) days" }.joined()
        var rest = counts.withoutDueDate == 0 ? "" : ", \(counts.withoutDueDate) without a deadline"
        if counts.unconfirmed > 0 { rest += ", \(counts.unconfirmed) unconfirmed" }
        let held = counts.held == 0 ? "" : "; \(counts.held) of them held for a person"
        return "\(counts.total) not reported: \(counts.overdue) overdue\(warned), \(counts.open) later\(rest)\(held)"
    }

    private static func line(_ entry: DeadlineEntry, at now: Timestamp) -> String {
        let subject =
            switch entry.subject.row {
            case .token(let token): "token \(token.externalPurchaseId) of \(token.bundleId)"
            case .sale(let sale): "sale \(sale.lineItemId) of \(sale.bundleId)"
            }
        let left = entry.due.map { due in
            let days = due.daysLeft(at: now)
            if entry.subject.isUnconfirmed { return "\(due.moment), unconfirmed" }
            return days < 0 ? "OVERDUE since \(due.moment)" : "\(due.moment), \(days) days left"
        }
        let held = entry.subject.heldFor.map { "; held: \($0)" } ?? ""
        return "\(left ?? "no deadline"): \(subject)\(held); \(entry.due?.reason ?? entry.selection.reason)"
    }
}
