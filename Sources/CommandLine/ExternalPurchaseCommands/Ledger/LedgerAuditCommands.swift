import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

struct LedgerAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Print the audit log, one JSON object a line.",
        discussion: "Each entry is chained to the one before by its hash; `ledger verify` follows the chain."
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "Entries after this sequence.")
    var after: Int64 = 0

    @OptionGroup var filters: ListFilterOptions

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        var page = LedgerPage(after: after, limit: 500)
        let reader = try await ledger.reader()
        let filter = try filters.filter(of: .audit)
        while true {
            let current = page
            let entries: [AuditEntry]
            do {
                entries = try await reader.read { ledger throws(LedgerError) in
                    try ledger.auditEntries(matching: filter, current)
                }
            } catch {
                throw ledger.failure(error)
            }
            for entry in entries { StandardStreams.output(String(decoding: entry.json.encoded(), as: UTF8.self)) }
            guard entries.count == page.limit, let last = entries.last else { return }
            page.after = last.sequence
        }
    }
}
