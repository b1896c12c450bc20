import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import ReportConformance

struct ConformanceReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Compare a recorded dialogue with the cases, without a connection.",
        discussion: "`conformance run --record FILE` records one."
    )

    @Argument(help: "The recorded dialogue, or - for standard input.")
    var file: String

    @Option(help: ArgumentHelp("Stores the report as `run` does.", valueName: "file"))
    var report: String?

    @OptionGroup var page: ConformancePageOption
    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let suite = ConformanceSuite.published
        let recorded: ConformanceReport
        let bytes = try InputFile.read(file)
        do throws(ConformanceDataError) {
            recorded = try RecordedDialogue.report(bytes, suite: suite)
        } catch {
            throw CommandFailure.input("\(file == "-" ? "standard input" : file): \(error.message)")
        }
        let evaluation = try ConformanceOutput.evaluation(recorded, suite: suite)
        if let report {
            let json = evaluation.json(program: Program.version)
            try PrivateFile.write(Array((json.formatted() + "\n").utf8), to: report)
        }
        try ConformanceOutput.print(
            evaluation,
            suite: suite,
            format: output.format,
            html: page.html,
            quiet: global.quiet
        )
        if !evaluation.different.isEmpty { throw CommandFailure.wrong(nil) }
    }
}
