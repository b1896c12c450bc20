import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

struct LedgerExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "What an app owes under a programme for a month, line by line.",
        discussion:
            "Text is CSV for a spreadsheet; JSON has the reconciliation too. Sandbox sales need --environment sandbox."
    )

    @Argument(help: "The month, as 2026-10; under Apple's calendar the fiscal month of that name.")
    var month: String

    @OptionGroup var ledger: LedgerOptions

    @Option(help: "The app; may be left out when configuration or ledger have one.", transform: BundleId.reading)
    var bundleId: String?

    @Option(help: "The programme's id; by default all with records of the month.")
    var programme: String?

    @Option(help: "production or sandbox.")
    var environment = "production"

    @Option(help: "Output format; text is CSV.")
    var format = OutputFormat.text

    @Option(help: "The file to write; by default standard output.")
    var output: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let wanted = month
        if let output { try ledger.checkOutput(output) }
        let now = try ledger.moment()
        guard let environment = AppStoreEnvironment.named(environment) else {
            throw CommandFailure.input("--environment \(environment): is neither production nor sandbox")
        }
        var app = bundleId
        if app == nil, ledger.config == nil { app = try await ledger.onlyApp() }
        let (bundleId, programmes, rules, settings) = try await ledger.exported(
            month: month,
            bundleId: app,
            programme: programme
        )
        let source = LedgerExport(rules: rules, settings: settings, environment: environment)
        let others = LedgerExport(rules: rules, settings: settings, environment: environment.other)
        let (layout, written) = (settings.exportLayout, format == .json ? ExportFormat.json : .csv)
        let progress = TerminalProgress(isQuiet: global.quiet)
        defer { progress.end() }
        let (result, hint, head) = try await ledger.read { ledger throws(LedgerError) in
            var spool = ExportSpool(written, layout: layout)
            var rows = 0
            let result = try source.month(wanted, programmes, of: bundleId, now: now, in: ledger) {
                row throws(LedgerError) in
                try spool.append(row)
                rows += 1
                progress.show(rows, "rows")
            }
            var hint: String?
            if case .success(let made) = result, made.isEmpty,
                case .success(let found) = try others.month(wanted, programmes, of: bundleId, now: now, in: ledger),
                let other = OtherEnvironment(environment.other, found)
            {
                hint = "\(other.sentence): --environment \(other.environment.rawValue)"
            }
            let head = try ledger.auditHead()
            let file: Result<ExportFile, ExportRefusal>
            switch result {
            case .success(let made): file = .success(try spool.file(of: made, hint: hint))
            case .failure(let refusal): file = .failure(refusal)
            }
            return (file, hint, head)
        }
        progress.end()
        let file: ExportFile
        switch result {
        case .success(let made): file = made
        case .failure(let refusal): throw CommandFailure.input(refusal.message)
        }
        if let hint, !global.quiet { StandardStreams.error("the export is empty; \(hint)") }
        var blocks = file.blocks
        func next() throws(CommandFailure) -> [UInt8]? {
            do throws(LedgerError) {
                return try blocks.next()
            } catch {
                throw .input(error.description)
            }
        }
        guard let output else {
            if isatty(1) != 0 {
                var bytes: [UInt8] = []
                while let block = try next() { bytes += block }
                StandardStreams.output(String(decoding: bytes, as: UTF8.self))
                return
            }
            // Output for another program is not escaped.
            while let block = try next() { FileHandle.standardOutput.write(Data(block)) }
            return
        }
        try PrivateFile.write(to: output, option: "--output", blocks: next)
        // The input of `ledger verify --head`.
        if !global.quiet, let head { StandardStreams.error("\(output): audit log up to \(head.text)") }
    }
}
