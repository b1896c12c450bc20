import AppArtifacts
package import ArgumentParser
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// `lint`: checks an app's configuration for external purchases.
package struct LintCommand: ParsableCommand {
    /// The name and help of the command.
    package static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check property lists, entitlements and built products against the rules.",
        discussion: """
            A path is an Info.plist, an .entitlements file, an .app, .ipa, .xcarchive or .mobileprovision, Expo's app.json, \
            XcodeGen's project.yml, or a folder, which is searched and paired by target. Files that are named together \
            are one app.

            Exit code 0 when there is no error, 1 when there is one (with --strict: or a warning), 2 for wrong usage \
            and for what cannot be read.

            Settings can stand in external-purchase-lint.yaml; options go before them.
            """
    )

    @Argument(help: ArgumentHelp("What to check.", valueName: "path"))
    var paths: [String] = []

    @OptionGroup var rules: RulePackOptions

    @Option(help: ArgumentHelp("The app's platform, such as macOS (default: as Info.plist says).", valueName: "name"))
    var platform: String?

    @Option(help: ArgumentHelp("The Info.plist that App Review has seen, to find changed links.", valueName: "file"))
    var reviewed: String?

    @Flag(inversion: .prefixedNo, help: "Warnings count for the exit code too.")
    var strict: Bool?

    @Option(help: "How findings are printed.")
    var format: LintFormat = .text

    @Flag(help: "Repair what can be repaired without changing the meaning; the rest of the file stays as it is.")
    var fix = false

    @Flag(help: "With --fix: print the changes instead of making them.")
    var dryRun = false

    @Option(help: ArgumentHelp("A file with findings that are accepted.", valueName: "file"))
    var baseline: String?

    @Flag(help: "Write today's findings to the baseline file.")
    var writeBaseline = false

    @Option(help: ArgumentHelp("A rule to leave out; may be repeated.", valueName: "rule"))
    var disable: [String] = []

    @Option(help: ArgumentHelp("Print what a rule is about instead of checking.", valueName: "rule"))
    var explain: String?

    @Option(help: ArgumentHelp("The settings (default: \(SettingsFile.usualName) if it is here).", valueName: "file"))
    var config: String?

    /// The path to lint by default, set by the package plugins.
    @Option(help: .hidden)
    var defaultPath: String?

    /// A file that is written when nothing is wrong, for build systems that need an output file.
    @Option(help: .hidden)
    var stamp: String?

    @OptionGroup var global: GlobalOptions

    /// Creates the command with its defaults.
    package init() {}

    /// Validates that the options do not contradict each other.
    ///
    /// - Throws: an error that describes the contradiction.
    package func validate() throws {
        if explain != nil { return }
        if paths.isEmpty && defaultPath == nil {
            throw ValidationError("name a file or a folder to check, such as Info.plist or .")
        }
        if dryRun && !fix { throw ValidationError("--dry-run belongs to --fix") }
        if fix && writeBaseline {
            throw ValidationError("--fix and --write-baseline exclude each other; repair first, then accept the rest")
        }
        if dryRun && format != .text { throw ValidationError("--dry-run prints a diff; leave --format away") }
    }

    /// Lints and prints the findings.
    ///
    /// - Throws: the exit code as an error, with a message when an operation failed.
    package func run() throws {
        if let explain {
            StandardStreams.output(try RuleExplanation.of(explain, format: format))
            return
        }
        let settings = try LintSettings(self)
        let paths = self.paths.isEmpty ? [defaultPath].compactMap { $0 } : self.paths
        let lint = Lint(settings: settings, progress: TerminalProgress(isQuiet: global.quiet))
        var fixes: [String] = []
        if fix {
            let repair = try FixRun(lint: lint, isDryRun: dryRun).repair(paths)
            fixes = repair.remarks
            if dryRun {
                if !repair.diff.isEmpty { StandardStreams.output(exactly: repair.diff) }
                for remark in fixes { StandardStreams.error(remark) }
            }
        }
        var report = try lint.report(on: paths)
        if writeBaseline {
            try Self.write(report, to: settings)
            return
        }
        try report.accept(settings.baseline)
        if dryRun {
            // A dry run changes nothing, so the exit code describes the present files.
            try end(report)
            return
        }
        print(report)
        if !global.quiet {
            for remark in fixes + report.remarks + report.hints.map(\.printable) { StandardStreams.error(remark) }
        }
        if global.verbose { for note in report.notes { StandardStreams.error(note.printable) } }
        try end(report)
    }

    private func print(_ report: LintReport) {
        switch format {
        case .text:
            let text = LintText(
                report: report,
                style: .standardOutput,
                hasSummary: !global.quiet,
                isVerbose: global.verbose
            )
            StandardStreams.output(inPieces: text.printLines)
        case .json: StandardStreams.output(inPieces: report.printJSON)
        case .sarif: StandardStreams.output(report.sarif.formatted())
        case .github:
            let text = report.gitHubAnnotations
            if !text.isEmpty { StandardStreams.output(text) }
        case .junit: StandardStreams.output(report.junit)
        }
    }

    private static func write(_ report: LintReport, to settings: LintSettings) throws(CommandFailure) {
        guard let path = settings.baseline else {
            throw .input("--write-baseline needs a file; name it with --baseline")
        }
        if let failure = report.unreadableFailure { throw failure }
        let baseline = report.baseline(besides: path)
        try baseline.write(to: path)
        let count = baseline.entries.count
        StandardStreams.error("\(count) \(count == 1 ? "finding" : "findings") accepted in \(path.printable)")
    }

    private func end(_ report: LintReport) throws(CommandFailure) {
        if let failure = report.unreadableFailure { throw failure }
        if report.isWrong { throw .wrong(nil) }
        if let stamp { try AtomicFile.write([], to: stamp) }
    }
}
