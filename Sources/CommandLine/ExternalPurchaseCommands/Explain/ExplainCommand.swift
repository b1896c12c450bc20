import ArgumentParser
import CommandSupport
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import LintCommands
import StoreKitSimulator

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say what each API answers for an app on a device, and why.",
        discussion: """
            Reads the app's Info.plist and .entitlements file and judges every condition that StoreKit judges, in its \
            order; the first that fails decides. Nothing is sent anywhere.

            Example: external-purchase explain Info.plist App.entitlements --storefront JPN --os "iOS 26.4"

            --session takes all of that from a session file, as the test trait does.

            --minimum-os adds what Xcode asks for where the app runs from that version on: which members need \
            #available, which are deprecated.
            """
    )

    @Argument(help: "The Info.plist, the .entitlements file, or a folder that holds them.")
    var paths: [String] = []

    @Option(help: "The App Store's country, alpha-3, such as JPN.")
    var storefront: String?

    @Option(help: "System and version, such as \"iOS 26.4\" or \"macOS 15.1\".")
    var os: String?

    @Option(help: ArgumentHelp("A session file instead of paths and options.", valueName: "file"))
    var session: String?

    @Option(help: "How the app runs: native, catalyst, compatible-macos or compatible-visionos.")
    var mode = AppMode.native.rawValue

    @Option(
        help: ArgumentHelp(
            "The SDK the app was built with; iOS numbers in every mode but native (default: the newest).",
            valueName: "version"
        )
    )
    var sdk: String?

    @Option(
        name: .customLong("minimum-os"),
        help: ArgumentHelp(
            "List what needs #available in an app that runs from this version on; 'info-plist' takes it from there.",
            valueName: "version"
        )
    )
    var minimumOS: String?

    @Flag(help: "The device may not pay, as under Screen Time.")
    var noPayments = false

    @Flag(help: "The person may not buy outside the App Store.")
    var ineligiblePerson = false

    @Option(help: ArgumentHelp("The customer's age, for the storefront's rules on minors.", valueName: "years"))
    var age: Int?

    @Flag(help: "Answer no on platforms that a programme's terms do not name, such as iPadOS in Japan.")
    var namedPlatformsOnly = false

    @Option(help: ArgumentHelp("Explain one API only, such as canOpen.", valueName: "name"))
    var api: String?

    @OptionGroup var rules: RulePackOptions
    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let age, !(0...150).contains(age) {
            throw ValidationError("--age \(age) is not an age; one is from 0 to 150 years")
        }
        if session != nil {
            guard paths.isEmpty, storefront == nil, os == nil else {
                throw ValidationError("--session says what paths, --storefront and --os say; give either")
            }
            return
        }
        if paths.isEmpty { throw ValidationError("name the Info.plist, the .entitlements file, or their folder") }
        if storefront == nil { throw ValidationError("--storefront is missing; one looks like JPN") }
        if os == nil { throw ValidationError("--os is missing; one looks like \"iOS 26.4\"") }
    }

    func run() throws {
        let questions = try questions()
        var explanation =
            try session.map { path throws(CommandFailure) in
                try self.explanation(ofSession: path, questions: questions)
            } ?? self.explanation(questions)
        if let age { explanation.age = AgeBand(age) }
        if let minimumOS { explanation.availability = try explanation.availability(from: minimumOS) }
        switch output.format {
        case .json: StandardStreams.output(String(decoding: explanation.json.encoded(), as: UTF8.self))
        case .text: StandardStreams.output(explanation.text(.standardOutput))
        }
    }

    private func explanation(_ questions: [EligibilityQuestion]) throws(CommandFailure) -> Explanation {
        let code = try Self.storefrontCode(storefront ?? "")
        let system = try SystemText(os: os ?? "", mode: mode, sdk: sdk)
        let pack = try rules.pack()
        let configuration = try ConfigurationPaths.read(paths, for: system.device.platform)
        return Explanation(
            os: system.title,
            configuration: configuration,
            engine: EligibilityEngine(
                device: system.device,
                storefront: code.alpha3,
                canMakePayments: !noPayments,
                isPersonEligible: !ineligiblePerson,
                configuration: rules.usable(configuration, pack: pack),
                pack: pack,
                unnamedPlatforms: namedPlatformsOnly ? .refuse : .allow
            ),
            questions: questions
        )
    }

    /// Explains the inputs of a session file, evaluated as the session would.
    private func explanation(
        ofSession path: String,
        questions: [EligibilityQuestion]
    ) throws(CommandFailure) -> Explanation {
        let file: SessionFile
        do {
            file = try SessionFile.read(path: path)
        } catch {
            throw .input("\(error)")
        }
        var inputs = StoreKitSession.SessionInputs()
        file.fill(&inputs)
        var explanation = Explanation(
            os: "\(file.system ?? SystemRelease(platform: inputs.device.platform, version: inputs.device.osVersion))",
            configuration: inputs.configuration,
            engine: EligibilityEngine(
                device: inputs.device,
                storefront: inputs.storefront,
                canMakePayments: inputs.canMakePayments,
                isPersonEligible: inputs.personEligible,
                configuration: UsableConfiguration(
                    inputs.configuration,
                    pack: inputs.rulePack,
                    musicStreaming: inputs.musicStreaming,
                    policy: inputs.invalidEntryPolicy,
                    legacyAllowedRegions: inputs.legacyAllowedRegions
                ),
                pack: inputs.rulePack,
                widenedEntitlement: inputs.widenedEntitlement,
                unnamedPlatforms: namedPlatformsOnly ? .refuse : inputs.unnamedPlatforms
            ),
            questions: questions
        )
        explanation.age = inputs.customerAge
        return explanation
    }

    private func questions() throws(CommandFailure) -> [EligibilityQuestion] {
        let all = EligibilityQuestion.allCases
        guard let api else { return all }
        let match = all.first { question in
            [question.rawValue, question.shortName].contains { $0.lowercased() == api.lowercased() }
        }
        guard let match else {
            throw .input(
                "--api \(api.shown()) is not known; choose one of \(all.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return [match]
    }

    private static func storefrontCode(_ text: String) throws(CommandFailure) -> StorefrontCode {
        guard let code = StorefrontCode(text) else {
            let hint = StorefrontCode.suggestion(for: text).map { "did you mean \($0)?" } ?? "one looks like NLD"
            throw .input("--storefront \(text.shown()) is not an alpha-3 storefront code; \(hint)")
        }
        return code
    }
}
