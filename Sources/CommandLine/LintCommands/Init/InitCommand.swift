package import ArgumentParser
import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

/// `init`: writes Info.plist and entitlements that pass the linter.
package struct InitCommand: ParsableCommand {
    /// The name and help of the command.
    package static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write the Info.plist keys and entitlements of an app.",
        discussion: """
            Prints what to paste into the app's files, or writes whole files with --output; what exists is never \
            overwritten. On a terminal it asks for what is missing.

            Example: external-purchase-lint init --api link --country nl --country DEU --link https://shop.acme.example
            """
    )

    @Option(
        help: ArgumentHelp(
            "What the app offers: \(APIFamily.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "family"
        )
    )
    var api: String?

    @Option(help: ArgumentHelp("A country, alpha-2 or alpha-3; may be repeated.", valueName: "code"))
    var country: [String] = []

    @Option(
        help: ArgumentHelp("A link for every country, or CODE=URL for one; may be repeated.", valueName: "url")
    )
    var link: [String] = []

    @Option(help: ArgumentHelp("The bundle id of whole files (default: Xcode's variable).", valueName: "id"))
    var bundleId: String?

    @Option(help: ArgumentHelp("Write Info.plist and App.entitlements into this folder.", valueName: "folder"))
    var output: String?

    @OptionGroup var global: GlobalOptions

    /// Creates the command with its defaults.
    package init() {}

    /// Writes or prints the property lists.
    ///
    /// - Throws: the missing or refused input, exit code 2.
    package func run() throws {
        let fragments = try fragments(pack: .newest)
        guard let output else {
            StandardStreams.output(fragments.text)
            return
        }
        try Self.write(fragments, to: output, isQuiet: global.quiet)
    }

    private func fragments(pack: RulePack) throws(CommandFailure) -> ConfigurationFragments {
        if let refusal = InitRequest.refusal(of: country) { throw .input(refusal) }
        let questions = InitQuestions(ask: TerminalQuestion.ask, pack: pack)
        let family = if let api { try Self.family(api) } else { try questions.family() }
        let countries = if country.isEmpty { try questions.countries(family) } else { country }
        let links = if family.needsLinks, link.isEmpty { try questions.links(family, countries) } else { link }
        let request = try InitRequest(family: family, countries: countries, links: links, bundleId: bundleId)
        let fragments = ConfigurationFragments(request, pack: pack)
        let findings = try fragments.findings(pack: pack)
        if let error = findings.first(where: { $0.severity == .error }) {
            throw .input(Self.words(error))
        }
        if !global.quiet {
            for warning in findings where warning.severity == .warning {
                StandardStreams.error("warning: \(Self.words(warning))")
            }
        }
        return fragments
    }

    static func words(_ finding: Finding) -> String {
        "\(finding.message)\(finding.hint.map { ". \($0)" } ?? "") [\(finding.rule)]".printable
    }

    static func family(_ name: String) throws(CommandFailure) -> APIFamily {
        if let family = APIFamily(argument: name) { return family }
        let names = APIFamily.allCases.map(\.rawValue)
        let hint =
            names.nearest(to: name).map { "did you mean '\($0)'?" } ?? "choose one of \(names.joined(separator: ", "))"
        throw .input("--api \(name.shown()) is not known; \(hint)")
    }

    private static func write(
        _ fragments: ConfigurationFragments,
        to folder: String,
        isQuiet: Bool
    ) throws(CommandFailure) {
        var files = [("App.entitlements", fragments.entitlements)]
        if !fragments.infoPlistMembers.isEmpty { files.insert(("Info.plist", fragments.infoPlist), at: 0) }
        let paths = files.map { (path: folder.hasSuffix("/") ? folder + $0.0 : "\(folder)/\($0.0)", text: $0.1) }
        if let existing = paths.first(where: { FileManager.default.fileExists(atPath: $0.path) }) {
            throw .input(
                "\(existing.path.printable): exists and is not overwritten; choose another folder, or leave --output "
                    + "away and paste"
            )
        }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .input("\(folder.printable): cannot be made; check the path and the permissions")
        }
        for file in paths {
            try AtomicFile.write(Array(file.text.utf8), to: file.path)
            if !isQuiet { StandardStreams.error("wrote \(file.path.printable)") }
        }
    }
}
