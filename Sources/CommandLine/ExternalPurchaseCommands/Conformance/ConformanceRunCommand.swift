import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import ReportConformance

struct ConformanceRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Play the cases against an endpoint, Apple's sandbox or an emulator, and tell every difference.",
        discussion: """
            Without --base-url the endpoint is Apple's sandbox. Reports that must be refused leave the tokens as they \
            are; reports that are accepted cannot be taken back and are sent with --allow-accepted only. A run that \
            ended early is continued by the same command with the same --report.
            """
    )

    @Option(help: ArgumentHelp("A token that a device gave, or a URL that carries one; repeatable.", valueName: "text"))
    var token: [String] = []

    @Option(help: ArgumentHelp("Stores the report, and what a later run needs to continue.", valueName: "file"))
    var report: String?

    @Option(help: ArgumentHelp("Appends every request and answer, without tokens and keys.", valueName: "file"))
    var record: String?

    @OptionGroup var page: ConformancePageOption

    @Option(
        name: .customLong("case"),
        help: ArgumentHelp("Only cases whose id begins so, and what must precede them; repeatable.", valueName: "id")
    )
    var cases: [String] = []

    @Option(help: "Waits so long between two requests.")
    var pause: DurationArgument = DurationArgument(duration: .seconds(1))

    @Flag(help: "Also sends reports that are accepted; each is permanent.")
    var allowAccepted = false

    @Flag(help: "Takes production tokens and Apple's production host.")
    var allowProduction = false

    @Flag(help: "Prints the plan and sends nothing.")
    var dryRun = false

    @OptionGroup var keys: KeyOptions
    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let suite = ConformanceSuite.published
        for prefix in cases where !suite.cases.contains(where: { $0.id.hasPrefix(prefix) }) {
            throw CommandFailure.input(
                "--case \(prefix.shown()): no case begins so; `conformance cases` lists them"
            )
        }
        let inputs = try ConformanceInputs(
            tokens: token,
            keys: keys,
            allowProduction: allowProduction,
            environment: ProcessInfo.processInfo.environment
        )
        let options = ConformancePlan.Options(allowsAccepted: allowAccepted, only: cases)
        let now = { Timestamp(Date()) }
        let earlier = try earlierReport(inputs, suite: suite)
        if dryRun {
            let plan = ConformancePlan(
                suite,
                tokens: inputs.tokens,
                options: options,
                played: earlier?.played(suite) ?? [:],
                now: now()
            )
            StandardStreams.output(
                output.format == .json
                    ? plan.json(suite, tokens: inputs.tokens).formatted() : plan.text(suite, tokens: inputs.tokens)
            )
            return
        }
        let start =
            earlier
            ?? ConformanceReport(
                dataSet: suite.version,
                endpoint: inputs.baseURL,
                seed: .random(in: .min ... .max),
                startedAt: now(),
                tokens: inputs.tokens.map(ConformanceReport.Token.init)
            )
        let final = try await ConformanceSession(
            suite: suite,
            inputs: inputs,
            options: options,
            pause: pause.duration,
            reportFile: report,
            recordFile: record,
            progress: TerminalProgress(isQuiet: global.quiet),
            isVerbose: global.verbose
        ).play(start, credentials: try inputs.credentials(keys))
        let evaluation = try ConformanceOutput.evaluation(final.report, suite: suite)
        try ConformanceOutput.print(
            evaluation,
            suite: suite,
            format: output.format,
            html: page.html,
            quiet: global.quiet
        )
        if let stop = final.stop { throw ConformanceOutput.failure(stop, reportFile: report) }
        if !evaluation.different.isEmpty {
            throw CommandFailure.wrong(nil)
        }
    }

    /// The report of the run that this one continues.
    private func earlierReport(
        _ inputs: ConformanceInputs,
        suite: ConformanceSuite
    ) throws(CommandFailure) -> ConformanceReport? {
        guard let report, FileManager.default.fileExists(atPath: report) else { return nil }
        let bytes = try InputFile.read(report)
        do throws(ConformanceDataError) {
            let earlier = try ConformanceReport(bytes)
            try earlier.check(dataSet: suite.version, endpoint: inputs.baseURL, tokens: inputs.tokens)
            return earlier
        } catch {
            throw .input("--report \(report): \(error.message); name another file for a new run")
        }
    }
}

/// A duration such as `250ms` or `2s`.
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init(duration: Duration) { self.duration = duration }

    init?(argument: String) {
        guard let duration = SettingText.duration(argument) else { return nil }
        self.duration = duration
    }

    var defaultValueDescription: String { SettingText.text(of: duration) }
}

/// The option of a page for a browser.
struct ConformancePageOption: ParsableArguments {
    @Option(help: ArgumentHelp("Writes the report as a page for a browser too.", valueName: "file"))
    var html: String?
}
