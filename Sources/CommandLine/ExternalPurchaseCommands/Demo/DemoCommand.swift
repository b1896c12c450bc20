import ArgumentParser
import CommandSupport
import ExternalPurchaseCore

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Play the whole story on this machine: from an Info.plist to an accepted report.",
        discussion: """
            Starts Apple's side, the merchant's server and a shop's website on free loopback ports with storage in a \
            temporary folder, lets a simulated person buy, get a refund and subscribe through Stripe's events, \
            corrects a reported sale, and prints what happens. Nothing leaves this machine.
            """
    )

    @Flag(help: "Opens no browser.")
    var headless = false

    @Flag(help: "Ends after the story: with 0 when every step was accepted, else with 1.")
    var exit = false

    @Option(help: "The storefront of the simulated person, alpha-3.")
    var storefront = "NLD"

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard StorefrontCode(storefront) == nil else { return }
        let hint = StorefrontCode.suggestion(for: storefront).map { "did you mean \($0)?" } ?? "one looks like NLD"
        throw ValidationError("--storefront '\(storefront)' is not an alpha-3 storefront code; \(hint)")
    }

    func run() async throws {
        var demo = Demo()
        demo.storefront = StorefrontCode(storefront) ?? .netherlands
        demo.staysUp = !exit
        demo.opensBrowser = !headless
        demo.logger = ServerRun.logger("external-purchase.demo", global)
        guard try await demo.run() else { throw CommandFailure.wrong(nil) }
    }
}

extension StorefrontCode {
    /// The storefront of the demo.
    static let netherlands: StorefrontCode = {
        guard let code = StorefrontCode("NLD") else { preconditionFailure("NLD is in the country table") }
        return code
    }()
}
