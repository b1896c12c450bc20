import AppStoreServerClient
import ArgumentParser
import CommandSupport
import ExternalPurchaseCore

struct ReportGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show a report as it was accepted."
    )

    @Argument(help: "The report's requestIdentifier, a UUID.")
    var requestIdentifier: String

    @Option(help: "production or sandbox: decides about Apple's host.")
    var environment: AppStoreEnvironment = .production

    @OptionGroup var keys: KeyOptions
    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard let identifier = RequestIdentifier(requestIdentifier) else {
            throw CommandFailure.input(
                "\(requestIdentifier.shown()) is not a UUID; one looks like 5e7a0000-1111-4222-8333-000000000001"
            )
        }
        let environment = environment
        let answered = try await ReportClient.call(keys) { client in
            await client.retrieve(identifier, environment: environment)
        }
        switch answered.outcome {
        case .found(let report):
            let text =
                output.format == .json
                ? String(decoding: report.json.encoded(), as: UTF8.self) : report.json.formatted()
            StandardStreams.output(text)
        case .notFound:
            throw CommandFailure.wrong("no report was accepted under \(identifier)")
        case .refused(let errors):
            let codes = errors.map { "\($0.errorCode)" }.joined(separator: ", ")
            throw CommandFailure.wrong("refused" + (codes.isEmpty ? " without errors" : ": \(codes)"))
        case .unauthorized:
            throw CommandFailure.otherSide("401: the key, its id, the issuer or the bundle id is not accepted")
        case .rateLimited(let until):
            throw CommandFailure.otherSide(
                "429: too many requests" + (until.map { "; allowed again from \($0)" } ?? "")
            )
        case .serverError(let status):
            throw CommandFailure.otherSide("the other side failed with status \(status)")
        case .noAnswer(let reason):
            throw CommandFailure.otherSide("no answer: \(reason)")
        }
    }
}
