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
            missing. What exists is not overwritten without --force.
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

    @Option(help: "An emulator's address, to which the sandbox reports in place of Apple.")
    var baseUrl: String?

    @Flag(help: "Overwrite files of an earlier configuration.")
    var force = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        func ask(_ question: String, _ given: String?, _ flag: String, _ example: String) throws(CommandFailure)
            -> String
        {
            if let given { return given }
            guard let answer = TerminalQuestion.ask("\(question): "), !answer.isEmpty else {
                throw .input("\(flag) is missing; \(example)")
            }
            return answer
        }
        var answers = SetupAnswers(
            bundleId: try ask("Bundle id", bundleId, "--bundle-id", "one looks like com.example.shop"),
            appAppleId: try ask("Apple ID of the app", appAppleId, "--app-apple-id", "one looks like 1234567890"),
            key: try ask("File of the In-App Purchase key", key, "--key", "one looks like AuthKey_2X9R4HXF34.p8"),
            keyId: try ask("Its key id", keyId, "--key-id", "one looks like 2X9R4HXF34"),
            issuerId: try ask(
                "Issuer id",
                issuerId,
                "--issuer-id",
                "one looks like 57246542-96fe-1a63-e053-0824d011072a"
            ),
            root: try ask(
                "File of the root certificate",
                root,
                "--root",
                "it is AppleRootCA-G3.cer from Apple PKI (https://www.apple.com/certificateauthority/)"
            ),
            publicAddress: try ask(
                "Public address of the server",
                publicAddress,
                "--public-address",
                "one looks like https://pay.example.com"
            ),
            stripeSecret: stripeSecret,
            baseURL: baseUrl
        )
        var pages = shop
        if pages.isEmpty {
            pages = try ask("Page of the shop", nil, "--shop", "one looks like nl=https://shop.example.com/nl")
                .split(separator: " ").map(String.init)
        }
        answers.shop = try SetupAnswers.pages(pages)
        let offer = try AppOffer.questions(api: api, countries: country)
        let files = try SetupFiles(answers, offer: offer, folder: folder)
        let plist = try offer.text(bundleId: answers.bundleId, links: answers.landingAddresses(of: offer))
        try files.write(replacing: force)
        StandardStreams.output(files.next + "\n\n" + plist)
    }
}
