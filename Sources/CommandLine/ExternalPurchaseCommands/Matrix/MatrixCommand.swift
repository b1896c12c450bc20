import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import LintCommands

struct MatrixCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matrix",
        abstract: "Show what each API answers for an app in every storefront and on every system.",
        discussion: """
            Takes a native app on iOS, in the versions that brought something new. With --html the table becomes one \
            page to look at and search in a browser; it needs no network.
            """
    )

    @Argument(help: "The Info.plist, the .entitlements file, or a folder that holds them.")
    var paths: [String]

    @Option(help: ArgumentHelp("Write a page for the browser instead of printing.", valueName: "file"))
    var html: String?

    @OptionGroup var rules: RulePackOptions
    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        if html != nil, output.format == .json {
            throw CommandFailure.input("--html and --format json exclude each other; give one of them")
        }
        let pack = try rules.pack()
        let configuration = try ConfigurationPaths.read(paths, for: .iOS)
        let matrix = Matrix(
            configuration: configuration,
            usable: rules.usable(configuration, pack: pack),
            pack: pack
        )
        if let html {
            try FileKind.check(replacing: html, with: .text, name: "--html \(html)")
            do {
                try Data(MatrixPage(matrix).html.utf8).write(to: URL(filePath: html), options: .atomic)
            } catch {
                throw CommandFailure.input("--html \(html): cannot be written; name a file in a folder that exists")
            }
            if !global.quiet { StandardStreams.error("written: \(html)") }
            return
        }
        switch output.format {
        case .json: StandardStreams.output(String(decoding: matrix.json.encoded(), as: UTF8.self))
        case .text: StandardStreams.output(matrix.table(.standardOutput))
        }
    }
}
