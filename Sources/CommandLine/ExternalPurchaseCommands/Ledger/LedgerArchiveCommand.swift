import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

struct LedgerArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Everything on record about an app and a span of months, as one tar archive for an audit.",
        discussion: """
            Tables as CSV, every report and answer byte by byte, notifications as received, the month exports and the \
            audit log. Customers stand in it by pseudonym; keys are no part of it. The same ledger gives the same bytes.
            """
    )

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "The app; may be left out when the configuration has one.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "The first calendar month, as 2026-01.")
    var from: String

    @Option(help: "The last calendar month, included.")
    var through: String

    @Option(help: "The archive to write.")
    var output: String

    @Option(help: "Output format.")
    var format = OutputFormat.text

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (_, app, rules, settings) = try await ledger.choice(month: nil, bundleId: bundleId)
        guard
            let archive = AuditArchive(of: app, from: from, through: through, rules: rules, settings: settings)
        else {
            throw CommandFailure.input(
                "--from \(from) --through \(through): months such as 2026-01, the first not after the last"
            )
        }
        try ledger.checkOutput(output)
        let file = try UnfinishedFile(output, .archive, option: "--output")
        let summary: AuditArchive.Summary
        do {
            summary = try await UnfinishedFile.whileRemoving([file.temporary]) {
                try await write(archive, to: file.temporary)
            }
        } catch {
            file.discard()
            throw error
        }
        guard file.finish() else {
            file.discard()
            throw CommandFailure.input("--output \(output): cannot be written")
        }
        report(summary)
    }

    private func write(
        _ archive: AuditArchive,
        to path: String
    ) async throws(CommandFailure) -> AuditArchive.Summary {
        let progress = TerminalProgress(isQuiet: global.quiet)
        defer { progress.end() }
        let result = try await ledger.read { ledger throws(LedgerError) in
            guard let handle = FileHandle(forWritingAtPath: path) else {
                return Result<AuditArchive.Summary, ArchiveFailure>
                    .failure(ArchiveFailure(message: "cannot be written"))
            }
            let result = try archive.write(ledger) { bytes, offset throws(ArchiveFailure) in
                do {
                    try handle.seek(toOffset: UInt64(offset))
                    try handle.write(contentsOf: Data(bytes))
                } catch {
                    throw ArchiveFailure(message: "cannot be written to its end")
                }
            } progress: { part, done, total in
                progress.show(done, of: total, "rows of \(part)")
            }
            do {
                try handle.close()
            } catch {
                return .failure(ArchiveFailure(message: "cannot be written to its end"))
            }
            return result
        }
        switch result {
        case .success(let summary): return summary
        case .failure(let failure): throw .input("--output \(output): \(failure.message)")
        }
    }

    private func report(_ summary: AuditArchive.Summary) {
        switch format {
        case .json:
            let object =
                JSONValue.object([
                    "files": .integer(Int64(summary.files)), "bytes": .integer(Int64(summary.bytes)),
                    "tokens": .integer(Int64(summary.tokens)), "sales": .integer(Int64(summary.sales)),
                    "reports": .integer(Int64(summary.reports)),
                    "notifications": .integer(Int64(summary.notifications)),
                    "auditEntries": .integer(Int64(summary.auditEntries)),
                    "head": summary.head.map { .string($0.text) } ?? .null,
                ])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            StandardStreams.output(
                line: "\(output): \(summary.files) files, \(summary.tokens) tokens, \(summary.sales) sales, "
                    + "\(summary.reports) reports, \(summary.notifications) notifications; audit log up to "
                    + (summary.head?.text ?? "nothing")
            )
        }
    }
}
