import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import LintCommands

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Write a server's first configuration from questions or options, and say what comes next.",
        discussion: """
            Writes serve.yaml with copies of key, root and secret into FOLDER, readable by their owner only, and prints the \
            addresses for shop, App Store Connect and Stripe, and the keys for Info.plist. On a terminal it asks for what is \
            missing, but for Stripe and an emulator, and again for what cannot work. What exists is not overwritten without --force.
            """
    )

    @Argument(help: "The folder, which is created if it is missing.")
    var folder = "."

    @Option(help: "The app's bundle id, as in App Store Connect.")
    var bundleId: String?

    @Option(help: "The app's Apple ID there, a number.")
    var appAppleId: String?

    @Option(help: "The .p8 file of an In-App Purchase key.")
    var key: String?

    @Option(help: "The key's id.")
    var keyId: String?

    @Option(help: "The issuer id of the account.")
    var issuerId: String?

    @Option(help: "The root certificate of Apple's notifications, AppleRootCA-G3.cer.")
    var root: String?

    @Option(help: "What the app offers, as for `init`.")
    var api: String?

    @Option(help: "A country in which it does, alpha-2 or alpha-3; may be repeated.")
    var country: [String] = []

    @Option(help: "A page of the shop as NAME=URL, to which /out/NAME leads; may be repeated.")
    var shop: [String] = []

    @Option(help: "The address by which the public will reach the server, such as https://pay.example.com.")
    var publicAddress: String?

    @Option(help: "A file with the signing secret of Stripe's endpoint, where Stripe takes the payments.")
    var stripeSecret: String?

    @Option(help: "A file with an API key of Stripe, with which the server fetches what events leave out.")
    var stripeKey: String?

    @Option(help: "An emulator's address, to which the sandbox reports in place of Apple.")
    var baseUrl: String?

    @Flag(help: "Overwrite files of an earlier configuration.")
    var force = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        // What was given as an option is checked with the rest.
        func ask(
            _ question: String,
            _ given: String?,
            _ flag: String,
            _ example: String,
            _ check: (String) throws(CommandFailure) -> Void
        ) throws(CommandFailure) -> String {
            if let given { return given }
            while true {
                guard let answer = TerminalQuestion.ask("\(question): "), !answer.isEmpty else {
                    throw .input("\(flag) is missing; \(example)")
                }
                do throws(CommandFailure) {
                    try check(answer)
                    return answer
                } catch {
                    StandardStreams.error(error.message ?? example)
                }
            }
        }
        func fault(_ flag: String, _ fault: String?) throws(CommandFailure) {
            if let fault { throw .input("\(flag) \(fault)") }
        }
        let bundleId = try ask("Bundle id", bundleId, "--bundle-id", "one looks like com.example.shop") {
            text throws(CommandFailure) in try fault("--bundle-id", BundleId.fault(in: text))
        }
        let appAppleId = try ask("Apple ID of the app", appAppleId, "--app-apple-id", "one looks like 1234567890") {
            text throws(CommandFailure) in
            try fault("--app-apple-id", AppIdentifier.number(text) == nil ? AppIdentifier.noNumber(text) : nil)
        }
        let key = try ask(
            "File of the In-App Purchase key",
            key,
            "--key",
            "one looks like AuthKey_2X9R4HXF34.p8",
            SetupAnswers.check(key:)
        )
        let keyId = try ask("Its key id", keyId, "--key-id", "one looks like 2X9R4HXF34") {
            text throws(CommandFailure) in
            try SetupAnswers.check(keyId: text, of: key)
        }
        let issuerId = try ask(
            "Issuer id",
            issuerId,
            "--issuer-id",
            "one looks like 57246542-96fe-1a63-e053-0824d011072a"
        ) { text throws(CommandFailure) in try fault("--issuer-id", KeyIdentifier.fault(ofIssuerId: text)) }
        let root = try ask(
            "File of the root certificate",
            root,
            "--root",
            "it is AppleRootCA-G3.cer from Apple PKI (https://www.apple.com/certificateauthority/)"
        ) { text throws(CommandFailure) in try SetupAnswers.check(root: text, baseURL: baseUrl) }
        let publicAddress = try ask(
            "Public address of the server",
            publicAddress,
            "--public-address",
            "one looks like https://pay.example.com",
            SetupAnswers.check(publicAddress:)
        )
        func pages(_ text: String) throws(CommandFailure) -> [(name: String, url: String)] {
            try SetupAnswers.pages(text.split(separator: " ").map(String.init))
        }
        let shopPages =
            shop.isEmpty
            ? try pages(
                try ask(
                    "Pages of the shop, as nl=https://shop.example.com/nl",
                    nil,
                    "--shop",
                    "one looks like nl=https://shop.example.com/nl"
                ) { text throws(CommandFailure) in _ = try pages(text) }
            ) : try SetupAnswers.pages(shop)
        let answers = SetupAnswers(
            bundleId: bundleId,
            appAppleId: appAppleId,
            key: key,
            keyId: keyId,
            issuerId: issuerId,
            root: root,
            publicAddress: publicAddress,
            stripeSecret: stripeSecret,
            stripeKey: stripeKey,
            baseURL: baseUrl,
            shop: shopPages
        )
        let offer = try AppOffer.questions(api: api, countries: country)
        let files = try SetupFiles(answers, offer: offer, folder: folder)
        let plist = try offer.text(bundleId: answers.bundleId, links: answers.landingAddresses(of: offer))
        try files.write(replacing: force)
        StandardStreams.output(files.next + "\n\n" + plist)
    }
}
