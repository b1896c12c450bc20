import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what makes a first day fail: files, key, clock, database, Stripe, backup, what waits.",
        discussion: """
            Changes nothing, also beside a running server. Each line is a check; one that fails says what to do. Ends with \
            1 when one fails, and with 2 for a configuration that cannot be read. Give it --config, --set, --database, --host and \
            the files of HTTPS as `serve` gets them; ports are not checked.
            """
    )

    @Option(help: "The configuration of the server, YAML or JSON.")
    var config: String

    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    @Option(help: "The address on which the server listens.")
    var host = "127.0.0.1"

    @OptionGroup var tls: TLSOptions

    @Option(help: "The address by which the public reaches the server, such as https://pay.example.com.")
    var publicAddress: String?

    @Option(name: .customLong("set"), help: "A scalar key of the configuration, as for serve; repeatable.")
    var replaced: [String] = []

    @OptionGroup var output: FormatOption

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        if let publicAddress { try HTTPAddress.checkPublic(publicAddress) }
        let missing = MissingFiles()
        let configuration = try ServeConfiguration.read(
            path: config,
            sources: try ConfigurationSources(flags: replaced),
            missing: missing
        )
        let settings: ServeSettings
        do {
            settings = try configuration.serveSettings()
        } catch {
            throw CommandFailure.input("\(config): \(error.message ?? "a setting is wrong")")
        }
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let doctor = Doctor(
            path: config,
            configuration: configuration,
            missing: missing.faults,
            settings: settings,
            database: database,
            host: host,
            tls: try tls.files(),
            publicAddress: publicAddress,
            http: http,
            now: Timestamp(Date())
        )
        let checks = await doctor.checks()
        try await http.shutdown()
        switch output.format {
        case .json:
            let object = JSONValue.object(["checks": .array(checks.map(\.json))])
            StandardStreams.output(String(decoding: object.encoded(), as: UTF8.self))
        case .text:
            let style = TerminalStyle.standardOutput
            for check in checks where !global.quiet || check.ok == false {
                StandardStreams.output(Self.line(check, style))
            }
        }
        if checks.contains(where: { $0.ok == false }) { throw ExitCode(1) }
    }

    private static func line(_ check: DoctorCheck, _ style: TerminalStyle) -> String {
        let mark =
            switch check.ok {
            case true?: style.green("ok  ")
            case false?: style.red("FAIL")
            case nil: style.yellow("?   ")
            }
        let fix = check.fix.map { " — \($0)" } ?? ""
        return "\(mark) \(check.name.rawValue): \((check.detail + fix).printable)"
    }
}
