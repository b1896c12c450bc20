public import ArgumentParser
import CommandSupport
public import ExternalPurchaseCore
import Foundation

struct TokenMint: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mint",
        abstract: "Make a token for tests.",
        discussion: "Apple knows nothing of it; a local emulator takes it by POST /emulator/v1/tokens."
    )

    @Option(help: "Bundle id of the app.", transform: BundleId.reading)
    var bundleId: String

    @Option(help: "App Store id of the app.")
    var appAppleId: Int64

    @Option(help: "sandbox or production; by default that of --id, else sandbox.")
    var environment: AppStoreEnvironment?

    @Option(help: "Token type, as SERVICES; left out for a plain token.")
    var type: String?

    @Option(help: "externalPurchaseId; by default a new one.")
    var id: String?

    @Option(help: "Creation, as 2026-11-21T00:00:00Z or UNIX milliseconds; by default now.")
    var created: MomentArgument?

    @Option(help: "Expiration, likewise; by default what the type brings.")
    var expires: MomentArgument?

    @OptionGroup var output: FormatOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let id, let environment, ExternalPurchaseId(id).environment != environment {
            throw ValidationError(
                "--id \(id.shown()) is of the \(ExternalPurchaseId(id).environment) by its prefix, --environment says \(environment)"
            )
        }
        if let type, !TokenType.all.contains(TokenType(rawValue: type)) {
            let names = TokenType.all.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--type \(type.shown()) is not a token type; one of \(names)")
        }
    }

    func run() throws {
        let chosen = id.map { ExternalPurchaseId($0).environment } ?? environment ?? .sandbox
        let creation = created?.timestamp ?? Timestamp(Date())
        let type = type.map(TokenType.init(rawValue:))
        let token = ExternalPurchaseToken(
            appAppleId: appAppleId,
            bundleId: BundleId(bundleId),
            tokenCreationDate: creation,
            externalPurchaseId: id.map { ExternalPurchaseId($0) }
                ?? ExternalPurchaseId(uuid: UUID(), environment: chosen),
            tokenType: type,
            tokenExpirationDate: expires?.timestamp
                ?? type?.lifetime(in: chosen).map { creation.advanced(by: $0) }
        )
        let text = token.encoded()
        do {
            _ = try ExternalPurchaseToken.decode(text, mode: .strict)
        } catch {
            throw CommandFailure.input("these fields make no token: \(error.message) (\(error.name.rawValue))")
        }
        switch output.format {
        case .text:
            StandardStreams.output(text)
        case .json:
            let object: JSONObject = ["token": .string(text), "decoded": token.json]
            StandardStreams.output(String(decoding: JSONValue.object(object).encoded(), as: UTF8.self))
        }
    }
}

extension AppStoreEnvironment: ExpressibleByArgument {}

/// A time on the command line: RFC 3339 or UNIX milliseconds.
struct MomentArgument: ExpressibleByArgument {
    let timestamp: Timestamp

    init?(argument: String) {
        if let milliseconds = Int64(argument) {
            timestamp = Timestamp(milliseconds: milliseconds)
        } else if let moment = Timestamp(rfc3339: argument) {
            timestamp = moment
        } else {
            return nil
        }
    }
}
