import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

struct LedgerCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Move a ledger from a file to PostgreSQL; only the last step needs the server stopped.",
        discussion: """
            The target is an empty schema. Without --finish the command copies while `serve` runs on the file; run again, \
            it copies what changed since, and goes on after an interruption. No server opens the copy until --finish, for \
            which the server must be stopped: it copies the rest, compares the rows and content of every table and the \
            hash chain of the audit log, and makes the copy a ledger.

              external-purchase ledger copy --from sqlite:ledger.sqlite --to postgres://ledger@db/ledger
            """
    )

    @Option(help: "The ledger to copy, as sqlite:FILE.", transform: DatabaseAddress.reading)
    var from: DatabaseAddress

    @Option(help: "The empty schema, as postgres://USER@HOST/DATABASE.", transform: DatabaseAddress.reading)
    var to: DatabaseAddress

    @Flag(help: "Take the last step, after the server was stopped.")
    var finish = false

    @OptionGroup var output: FormatOption

    @OptionGroup var global: GlobalOptions

    /// The number of changed rows below which a further run beside a server would gain nothing.
    private static let remainder = 1_000
    /// The largest number of runs beside a server, which may write as fast as they copy.
    private static let runs = 5

    func run() async throws {
        guard let path = from.absolutePath else {
            throw CommandFailure.input("--from \(from): a ledger is copied from a file, as sqlite:FILE")
        }
        guard to.absolutePath == nil else {
            throw CommandFailure.input("--to \(to): a ledger is copied to postgres://USER@HOST/DATABASE")
        }
        for (option, address) in [("--from", from), ("--to", to)] {
            if let fault = address.fault { throw CommandFailure.input("\(option) \(address): \(fault)") }
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure.otherSide("--from \(from): there is no such file")
        }
        if finish { try checkSpool() }
        let progress = TerminalProgress(isQuiet: global.quiet)
        defer { progress.end() }
        var summary = LedgerCopySummary()
        var changes = 0
        for _ in 0..<(finish ? 1 : Self.runs) {
            summary = try await copy(progress)
            changes += summary.changes
            if summary.changes < Self.remainder { break }
        }
        summary.changes = changes
        progress.end()
        show(summary)
    }

    private func copy(_ progress: TerminalProgress) async throws(CommandFailure) -> LedgerCopySummary {
        do throws(LedgerError) {
            return try await from.copy(to: to, finishing: finish) { step, part in
                progress.show("\(step): \(Int(part * 100)) %")
            }
        } catch {
            if case .inUse(let path) = error {
                throw path == from.absolutePath
                    ? .otherSide("--from \(from): a server has it; stop it for --finish")
                    : .otherSide("--to \(to): another process uses it")
            }
            throw .otherSide("ledger copy --from \(from) --to \(to): \(error)")
        }
    }

    /// Refuses the last step while visits of customers are not in the ledger yet.
    private func checkSpool() throws(CommandFailure) {
        let spool = LedgerFiles(of: from, folder: "").spool
        let size = (try? FileManager.default.attributesOfItem(atPath: spool))?[.size] as? NSNumber
        guard let size, size.intValue > 0 else { return }
        throw .otherSide(
            "--from \(from): \(spool) has visits that are not in the ledger; start `serve` on it until the file is gone"
        )
    }

    private func show(_ summary: LedgerCopySummary) {
        switch output.format {
        case .json:
            let object =
                JSONValue.object([
                    "finished": .bool(summary.isFinished), "rows": .integer(Int64(summary.rows)),
                    "changed": .integer(Int64(summary.changes)),
                    "head": (summary.head?.text).map { .string($0) } ?? .null,
                ])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            let counts = "\(summary.rows) rows, \(summary.changes) written or replaced now"
            StandardStreams.output(
                line: summary.isFinished
                    ? "\(to): complete, \(counts); audit log up to \(summary.head?.text ?? "nothing")"
                    : "\(to): not finished, \(counts); stop the server on \(from) and run the command again with --finish"
            )
        }
    }
}
