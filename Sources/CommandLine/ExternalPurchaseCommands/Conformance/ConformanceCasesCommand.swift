import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import ReportConformance

struct ConformanceCasesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cases",
        abstract: "List the published cases, or write their files."
    )

    @Option(help: ArgumentHelp("Writes one file of the data set, such as cases/08-sales.json.", valueName: "name"))
    var file: String?

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let suite = ConformanceSuite.published
        if let file {
            guard let text = ConformanceSuite.texts[file] else {
                let known = ConformanceSuite.texts.keys.sorted().joined(separator: ", ")
                throw CommandFailure.input(
                    "--file \(file.shown()) is not a file of the data set; they are \(known)"
                )
            }
            StandardStreams.output(exactly: text)
            return
        }
        var lines = ["version \(suite.version), \(suite.cases.count) cases"]
        for group in suite.groups {
            lines += ["", group]
            lines += suite.cases.filter { $0.group == group }.map { item in
                "  \(item.id) (\(item.rules.joined(separator: ", "))): \(item.title)"
            }
        }
        lines += [""] + suite.unreached.map { "\($0.code) has no case: \($0.reason)" }
        StandardStreams.output(lines.joined(separator: "\n"))
    }
}
