import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Ledger
import Reporting

struct LedgerReviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "What waits for a person, and what the person decides.",
        subcommands: [
            LedgerReviewListCommand.self, LedgerReviewAcceptedCommand.self, LedgerReviewRetryCommand.self,
            LedgerReviewResolveCommand.self,
        ],
        defaultSubcommand: LedgerReviewListCommand.self
    )
}

struct LedgerReviewListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "What waits for a person: refused reports and keys, contradictions, what Apple lost."
    )

    @OptionGroup var ledger: LedgerOptions

    @OptionGroup var filters: ListFilterOptions

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        var given = try filters.filter(of: .review)
        given[.state] = given[.state] ?? "open"
        let filter = given
        let items = try await ledger.read { ledger throws(LedgerError) in
            var items: [ReviewItem] = []
            var page = LedgerPage(limit: 500)
            while true {
                let more = try ledger.reviewItems(matching: filter, page)
                items += more
                guard more.count == page.limit, let last = more.last else { return items }
                page.after = last.sequence
            }
        }
        switch format {
        case .json:
            StandardStreams.output(String(decoding: JSONValue.array(items.map(\.json)).encoded(), as: UTF8.self))
        case .text:
            if items.isEmpty { StandardStreams.output(line: "nothing waits for a person") }
            for item in items { StandardStreams.output(line: item.text) }
        }
    }
}
