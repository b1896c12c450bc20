import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

struct LedgerPurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove records that nobody has to keep any more; without --confirm only say what would go.",
        discussion: """
            What belongs together goes together: a token with its reports, sales, refunds and later events of a \
            subscription, once all of it was transmitted before the day and nothing of it is open. The audit log stays \
            whole and says what went. The server must not be running when it is confirmed.
            """
    )

    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    @Option(help: "The server's configuration, for its settings and the apps' programmes.")
    var config: String?

    /// Refused, because how old records are is judged by the machine's clock alone.
    @Option(help: .hidden)
    var at: String?

    @Option(help: "The day, as 2023-01-01: what ended before it, in UTC, goes.")
    var before: String

    @Flag(help: "Remove it.")
    var confirm = false

    @Option(help: "Who asks for it, for the audit log; needed with --confirm.")
    var by: String?

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    private var ledger: LedgerOptions {
        var ledger = LedgerOptions()
        (ledger.database, ledger.config, ledger.at) = (database, config, nil)
        return ledger
    }

    func run() async throws {
        guard at == nil else {
            throw CommandFailure.input("--at: how old records are is judged by the machine's clock alone")
        }
        guard let day = CalendarDate(before) else {
            throw CommandFailure.input("--before \(before): is not a day such as 2023-01-01")
        }
        let limit = RetentionLimit(try ledger.configuration().settings.programmes)
        if let refusal = limit.refusal(of: day, at: try ledger.moment()) {
            throw CommandFailure.input("--before \(refusal)")
        }
        let plan = try await plan(day.startInUTC)
        switch format {
        case .json:
            let object =
                JSONValue.object([
                    "before": .string(day.description), "purged": .bool(confirm),
                    "removed": plan.json,
                ])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            if plan.removals.isEmpty { StandardStreams.output(line: "nothing is to go before \(day)") }
            for removal in plan.removals {
                let span = removal.oldest.flatMap { oldest in removal.newest.map { ", \(oldest) to \($0)" } } ?? ""
                StandardStreams.output(line: "\(removal.kind): \(removal.count)\(span)")
            }
            if !plan.removals.isEmpty {
                StandardStreams.output(
                    line: confirm ? "removed; the audit log says so" : "nothing was removed; --confirm does it"
                )
            }
        }
    }

    private func plan(_ cut: Timestamp) async throws(CommandFailure) -> PurgePlan {
        let progress = TerminalProgress(isQuiet: global.quiet)
        defer { progress.end() }
        do {
            guard confirm else {
                let reader = try await ledger.reader()
                return try await progress.show("looking for what ended") { try await reader.purgePlan(before: cut) }
            }
            guard let by, !by.isEmpty else {
                throw CommandFailure.input("--by is missing: who asks for the purge")
            }
            let store = try await ledger.writer()
            defer { try? store.close() }
            return try await progress.show("removing what ended") { try await store.purge(before: cut, by: by) }
        } catch let error as CommandFailure {
            throw error
        } catch let error as LedgerError {
            throw ledger.failure(error)
        } catch {
            throw .otherSide("\(error)")
        }
    }
}
