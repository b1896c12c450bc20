import AppStoreEmulator
import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Logging
import ReportConformance
import ServiceLifecycle

struct EmulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulator",
        abstract: "Play Apple's side: reports with their rules, keys, tokens, notifications and a clock.",
        discussion:
            "Everything is in memory unless --state names a file. Control paths are under /emulator/v1; the README shows some."
    )

    @Option(help: "Address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "A further name under which control paths may be called; repeatable.")
    var allowHost: [String] = []

    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: UInt16 = 8801

    @Option(help: "SQLite file that keeps the state; made when it is not there.")
    var state: String?

    @OptionGroup var tls: TLSOptions

    @Option(help: "Makes ids and keys repeatable: the same number, the same ones.")
    var seed: UInt64?

    @Option(help: "production or sandbox; by default both, told by the token.")
    var environment: AppStoreEnvironment?

    @Option(help: "Registers an app at start, as com.example.shop=1234567890.")
    var app: [AppArgument] = []

    @Option(
        help:
            "Folder for each app's AuthKey_<keyId>.p8 and credentials.json; those that are there already are used again."
    )
    var credentials: String?

    @Flag(help: "Takes requests without looking at their signature.")
    var noAuth = false

    @Option(help: "Starts a virtual clock at this moment, as 2026-11-21T00:00:00Z.")
    var now: MomentArgument?

    @Option(
        help: ArgumentHelp(
            "Settings of a file: the report of `conformance run`, or {\"settings\": {…}}. --set comes after it.",
            valueName: "file"
        )
    )
    var profile: String?

    @Option(name: .customLong("set"), help: "A named setting, as rules.clockSkew=300s.")
    var settings: [String] = []

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        var named = EmulatorSettings()
        do {
            if let profile { try Self.apply(profile, to: &named) }
            for text in settings {
                guard let equals = text.firstIndex(of: "=") else {
                    throw CommandFailure.input("--set \(text.shown()) is not NAME=VALUE, such as rules.clockSkew=300s")
                }
                try named.set(String(text[..<equals]), to: String(text[text.index(after: equals)...]))
            }
            if noAuth { try named.set("auth.off", to: "on") }
            if Set(app.map(\.bundleId)).count != app.count {
                throw CommandFailure.input("--app names one bundle id twice; each app is registered once")
            }
            let tls = try tls.files().map { TLSFiles(certificate: $0.certificate, key: $0.key) }
            let logger = ServerRun.logger("external-purchase.emulator", global)
            let host = host
            for path in [credentials, state].compactMap(\.self) { try FileKind.checkName(path) }
            let folder = credentials.map { CredentialsFolder(path: $0) }
            let kept = try folder?.read() ?? [:]
            try folder?.create()
            let running = FirstValue<AppStoreEmulator>()
            let emulator = try AppStoreEmulator(
                EmulatorConfiguration(
                    host: host,
                    port: Int(port),
                    environment: environment,
                    apps: app.map { app in
                        let known = kept[app.bundleId]
                        return AppRegistration(
                            bundleId: app.bundleId,
                            appAppleId: app.appAppleId,
                            issuerId: known?.issuerId,
                            privateKey: known?.privateKey
                        )
                    },
                    now: now?.timestamp,
                    settings: named,
                    stateFile: state,
                    tls: tls,
                    allowedHosts: try allowedHosts()
                ),
                dependencies: seed.map(EmulatorDependencies.seeded) ?? .live,
                logger: logger,
                onServerRunning: { address in
                    // Written only after the port is bound, so that another emulator's credentials are never
                    // overwritten.
                    if let folder, let emulator = try? await running.value {
                        let apps = await emulator.apps
                        do throws(CommandFailure) {
                            try folder.write(apps)
                        } catch {
                            StandardStreams.error("external-purchase: error: \(error.message ?? "")")
                        }
                    }
                    ServerRun.announce(host: host, port: address.port, isSecure: address.isSecure)
                }
            )
            running.set(emulator)
            if !LoopbackHost.isLoopback(host) {
                StandardStreams.error(
                    "external-purchase: warning: --host \(host): every client that reaches this port can read the private keys of all"
                        + " apps and change all settings; listen in a trusted network only"
                )
            }
            try await ServerRun.untilInterrupted([emulator], logger: logger, host: host, port: Int(port)) {
                emulator.connections.limits.shutdown
            }
        } catch let error as EmulatorInputError {
            throw CommandFailure.input(error.message)
        }
    }

    /// Sets what a profile names.
    private static func apply(_ file: String, to settings: inout EmulatorSettings) throws(CommandFailure) {
        let profile: EmulatorProfile
        let bytes = try InputFile.read(file)
        do {
            profile = try EmulatorProfile(bytes)
        } catch {
            throw .input("--profile \(file): \(error.message)")
        }
        for setting in profile.sorted {
            do {
                try settings.set(setting.name, to: setting.value)
            } catch {
                throw .input("--profile \(file): \(error.message)")
            }
        }
    }

    private func allowedHosts() throws(CommandFailure) -> [String] {
        for name in allowHost {
            let isAddress = name.contains(":") && name.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
            guard !name.isEmpty, isAddress || isName else {
                throw .input(
                    "--allow-host \(name.shown()) is a host's name or address without scheme and port, such as emulator"
                )
            }
        }
        return allowHost
    }
}

/// An app as `BUNDLE-ID=APP-APPLE-ID`.
struct AppArgument: ExpressibleByArgument {
    let bundleId: BundleId
    let appAppleId: Int64

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, BundleId.fault(in: String(parts[0])) == nil, let appAppleId = Int64(parts[1]),
            appAppleId > 0
        else { return nil }
        bundleId = BundleId(String(parts[0]))
        self.appAppleId = appAppleId
    }
}
