import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import ReportingServer

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what makes a first day fail: files, key, clock, database, Stripe, backup, what waits.",
        discussion: """
            Changes nothing, also beside a running server. Each line is a check; one that fails says what to do. Ends with \
            1 when one fails, and with 2 for a configuration that cannot be read. Give it the options that `serve` gets.
            """
    )

    @Option(help: "The configuration of the server, YAML or JSON.")
    var config: String

    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    @OptionGroup var listeners: ListenerOptions
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
        let (configuration, settings): (ServeConfiguration, ServeSettings)
        do throws(CommandFailure) {
            (configuration, settings) = try read(missing)
        } catch {
            // A program that reads the report gets one.
            let detail = error.message ?? "\(config) cannot be read"
            if output.format == .json {
                report([DoctorCheck(.configuration, false, detail, fix: "correct the configuration")])
            }
            throw error
        }
        let main = Doctor.Listener(host: listeners.host, port: Int(listeners.port), option: "--")
        let second = try listeners.publicListener().map {
            Doctor.Listener(host: $0.host, port: $0.port, option: "--public-")
        }
        let files = try tls.files()
        // Nothing throws from here until the client is shut down, which must not be left out.
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
            listeners: [main] + (second.map { [$0] } ?? []),
            tls: files,
            publicAddress: publicAddress,
            http: http,
            now: Timestamp(Date())
        )
        let checks = await doctor.checks()
        try await http.shutdown()
        report(checks)
        if checks.contains(where: { $0.ok == false }) { throw ExitCode(1) }
    }

    private func read(_ missing: MissingFiles) throws(CommandFailure) -> (ServeConfiguration, ServeSettings) {
        let configuration = try ServeConfiguration.read(
            path: config,
            sources: try ConfigurationSources(flags: replaced),
            missing: missing
        )
        do {
            return (configuration, try configuration.serveSettings())
        } catch {
            throw .input("\(config): \(error.message ?? "a setting is wrong")")
        }
    }

    private func report(_ checks: [DoctorCheck]) {
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
