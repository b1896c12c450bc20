import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import ReportPlanning
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

    @Option(help: "The app; may be left out when configuration or ledger have one.")
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
        let (bundleId, programmes, rules, settings) = try ledger.exported(
            month: month,
            bundleId: app,
            programme: programme
        )
        let source = LedgerExport(rules: rules, settings: settings, environment: environment)
        let others = LedgerExport(rules: rules, settings: settings, environment: environment.other)
        let (result, other, head) = try await ledger.read { ledger throws(LedgerError) in
            let result = try source.month(wanted, programmes, of: bundleId, now: now, in: ledger)
            var other: OtherEnvironment?
            if case .success(let made) = result, made.isEmpty,
                case .success(let found) = try others.month(wanted, programmes, of: bundleId, now: now, in: ledger)
            {
                other = OtherEnvironment(environment.other, found)
            }
            let head = try ledger.auditHead()
            return (result, other, head)
        }
        let export: MonthExports
        switch result {
        case .success(let made): export = made
        case .failure(let refusal): throw CommandFailure.input(refusal.message)
        }
        let hint = other.map { "\($0.sentence): --environment \($0.environment.rawValue)" }
        if let hint, !global.quiet { StandardStreams.error("the export is empty; \(hint)") }
        let text =
            switch format {
            case .text: export.csv(layout: settings.exportLayout)
            case .json:
                String(decoding: export.json(layout: settings.exportLayout, hint: hint).encoded(), as: UTF8.self) + "\n"
            }
        guard let output else {
            if isatty(1) != 0 {
                StandardStreams.output(text)
                return
            }
            // Output for another program is not escaped.
            FileHandle.standardOutput.write(Data(text.utf8))
            return
        }
        try PrivateFile.write(Array(text.utf8), to: output, option: "--output")
        // The input of `ledger verify --head`.
        if !global.quiet, let head { StandardStreams.error("\(output): audit log up to \(head.text)") }
    }
}
