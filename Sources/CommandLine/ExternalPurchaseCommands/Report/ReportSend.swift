import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation

struct ReportSend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a report as it is, without a check of ours.",
        discussion: "Apple's host is chosen by the token's environment; --base-url replaces it."
    )

    @Argument(help: "The report, or - for standard input.")
    var file: String

    @OptionGroup var keys: KeyOptions
    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let body = try InputFile.read(file)
        // The body is sent unchanged; its token is only needed to choose Apple's host (SA-92).
        let object = (try? JSONReader().read(body))?.objectValue
        let id = object?["externalPurchaseId"]?.stringValue.map { ExternalPurchaseId($0) }
        let environment = id?.environment ?? .production
        let answered = try await ReportClient.call(keys) { client in
            await client.send(body, environment: environment)
        }
        let result = SendResult(answered, requestIdentifier: object?["requestIdentifier"]?.stringValue)
        try result.print(output.format)
    }
}

/// The result of sending a report, as text and as JSON.
private struct SendResult {
    let answered: AppStoreResponse<SendOutcome>
    let requestIdentifier: String?

    init(_ answered: AppStoreResponse<SendOutcome>, requestIdentifier: String?) {
        self.answered = answered
        self.requestIdentifier = requestIdentifier
    }

    private var errors: [ReportError] {
        if case .rejected(let errors) = answered.outcome { errors } else { [] }
    }

    private var summary: String {
        switch answered.outcome {
        case .accepted: "accepted"
        case .rejected(let errors): "refused with \(errors.count) error\(errors.count == 1 ? "" : "s")"
        case .refusedWithoutErrors:
            "refused without errors: the body is malformed, or the report was accepted before "
                + "(an emulator's GET /emulator/v1/requests says which)"
        case .unauthorized: "401: the key, its id, the issuer or the bundle id is not accepted"
        case .rateLimited(let until): "429: too many requests" + (until.map { "; allowed again from \($0)" } ?? "")
        case .serverError(let status): "the other side failed with status \(status)"
        case .noAnswer(let reason): "no answer: \(reason)"
        }
    }

    var json: String {
        let object: JSONObject = [
            "accepted": .bool(answered.outcome == .accepted),
            "status": answered.status.map { .integer(Int64($0)) } ?? .null,
            "requestIdentifier": requestIdentifier.map(JSONValue.string) ?? .null,
            "errors": .array(errors.map(\.json)),
            "message": .string(summary),
        ]
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self)
    }

    var text: String {
        let style = TerminalStyle.standardOutput
        let head = answered.outcome == .accepted ? style.green(summary.printable) : style.red(summary.printable)
        let lines = errors.map { error in
            let entry = error.errorCode.entry.map { " \($0.name)" } ?? ""
            let place = [error.lineItemId.map { "item \($0)" }, error.fieldName].compactMap(\.self)
            let position = place.isEmpty ? "" : " (\(place.joined(separator: ", ")))"
            return "  \(error.errorCode)\(entry)\(position): \(error.errorMessage)".printable
        }
        return ([head] + lines).joined(separator: "\n")
    }

    /// Prints the endpoint's decision to standard output, or the lack of one to standard error.
    func print(_ format: OutputFormat) throws(CommandFailure) {
        if format == .json { StandardStreams.output(json) }
        switch answered.outcome {
        case .accepted:
            if format == .text { StandardStreams.output(text) }
        case .rejected, .refusedWithoutErrors:
            if format == .text { StandardStreams.output(text) }
            throw .wrong(format == .json ? summary : nil)
        case .unauthorized, .rateLimited, .serverError, .noAnswer:
            throw .otherSide(summary)
        }
    }
}
