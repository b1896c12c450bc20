import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import ReportValidation

struct ReportValidate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Validate reports by Apple's rules, without sending anything.",
        discussion: """
            Ends with 0 when Apple would accept all of them, with 1 when one is refused or malformed. Several files are \
            judged one by one against the same history.

            Without --history the clock is the machine's, the token counts as known, and rules that need more \
            than the report stay open and are listed. A history is one JSON object: "now" (UNIX ms), "tokens" \
            (externalPurchaseId, tokenCreationDate, tokenType, tokenExpirationDate, bundleId), "accepted" (reports in \
            the order of their acceptance, as sent or as the answer of report get), "bundleId" of the caller and "environment", where it is pinned.
            """
    )

    @Argument(help: "The reports, - for standard input.")
    var files: [String]

    @Option(help: "What was before: clock, tokens and accepted reports.")
    var history: String?

    @Option(name: .customLong("set"), help: "A named setting of the rules, as rules.clockSkew=300s; may be repeated.")
    var settings: [String] = []

    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if (files + [history]).filter({ $0 == "-" }).count > 1 {
            throw ValidationError("standard input can be read once only; name - once")
        }
    }

    func run() throws {
        let judge = ReportValidator(settings: try Self.rules(settings))
        let history = try history.map { path throws(CommandFailure) in
            try ReportHistory(InputFile.read(path), name: path == "-" ? "standard input" : path)
        }
        let machine = Timestamp(Date())
        // All input is read before anything is printed, so that partial output is not mistaken for a complete result.
        let verdicts = try files.map { file throws(CommandFailure) in
            ReportVerdict(file: file, body: try InputFile.read(file), judge: judge, history: history, machine: machine)
        }
        switch output.format {
        case .json:
            let values = verdicts.map { $0.json(isNamed: verdicts.count > 1) }
            let value = values.count == 1 ? values[0] : JSONValue.array(values)
            StandardStreams.output(String(decoding: value.encoded(), as: UTF8.self))
        case .text:
            let style = TerminalStyle.standardOutput
            StandardStreams.output(verdicts.map { $0.text(style) }.joined(separator: "\n"))
        }
        if !verdicts.allSatisfy(\.isAccepted) { throw CommandFailure.wrong(nil) }
    }

    private static func rules(_ texts: [String]) throws(CommandFailure) -> RuleSettings {
        var rules = RuleSettings()
        for text in texts {
            do {
                let (name, value) = try SettingText.assignment(text)
                try rules.set(name, to: value)
            } catch {
                if case .unknownName = error {
                    throw .input("--set \(error); known are \(RuleSettings.listing)")
                }
                throw .input("--set \(error)")
            }
        }
        return rules
    }
}
