import AppStoreNotifications
import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Ledger
import LedgerSQLite
import Logging
import Reporting
import ReportingServer
import ServiceLifecycle

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the merchant's side: take tokens and sales, report them to Apple, show its work."
    )

    @Option(help: "The configuration, YAML or JSON.")
    var config: String

    @Option(help: "Address to listen on; without API keys, a loopback address.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: UInt16 = 8800

    @Option(help: "The ledger, as sqlite:FILE.")
    var database = DatabaseAddress.standard

    @Option(help: "Takes the time from an emulator's /emulator/v1/clock; for tests.")
    var followClock: String?

    @Flag(help: "Take the machine's clock as it is, however far from the ledger's newest entry.")
    var acceptClock = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let configuration = try ServeConfiguration.read(path: config)
        let settings: ServeSettings
        do {
            settings = try configuration.serveSettings()
        } catch {
            throw CommandFailure.input("\(config): \(error.message ?? "a setting is wrong")")
        }
        // A ledger that does not exist has no keys; it is not created only to find out.
        guard LoopbackHost.isLoopback(host) || FileManager.default.fileExists(atPath: database.absolutePath) else {
            throw missingKey
        }
        if let followClock {
            try HTTPAddress.check(followClock, "--follow-clock", example: "http://127.0.0.1:8801/emulator/v1/clock")
            for app in configuration.apps where app.baseURL.values.contains(where: Self.isApple) {
                throw CommandFailure.input(
                    "--follow-clock is for tests: app \(app.bundleId) reports to Apple, give it the emulator's baseURL"
                )
            }
        }
        let logger = ServerRun.logger("external-purchase.serve", global)
        let store = try openStore()
        let anchor = LedgerAnchor(
            path: LedgerAnchor.path(ofLedgerAt: database.absolutePath),
            store: store,
            dependencies: .live,
            logger: logger
        )
        let keys = try await apiKeys(of: store)
        guard LoopbackHost.isLoopback(host) || !keys.isEmpty else {
            try? store.close()
            throw missingKey
        }
        try await checkAnchor(of: store)
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        do {
            try await serve(
                configuration,
                settings,
                keys: keys,
                store: store,
                anchor: anchor,
                http: http,
                logger: logger
            )
        } catch {
            try? await http.shutdown()
            await anchor.update()
            try? store.close()
            throw error
        }
        try await http.shutdown()
        // Runs after the last request.
        await anchor.update()
        do {
            try store.close()
        } catch .busy {
            throw CommandFailure.otherSide(
                "--database sqlite:\(database.path): another process reads it; a copy of the file is whole only "
                    + "with \(database.path)-wal beside it"
            )
        } catch {
            throw CommandFailure.otherSide("--database sqlite:\(database.path): \(error)")
        }
    }

    private func serve(
        _ configuration: ServeConfiguration,
        _ settings: ServeSettings,
        keys: [StoredAPIKey],
        store: SQLiteLedgerStore,
        anchor: LedgerAnchor,
        http: HTTPClient,
        logger: Logger
    ) async throws {
        var dependencies = ReportingDependencies.live
        var services: [any Service] = []
        var followed: FollowedClock?
        if let followClock {
            let clock = FollowedClock(url: followClock, http: http, machine: dependencies.now, logger: logger)
            try await clock.update()
            dependencies.now = { clock.now() }
            dependencies.refresh = { try? await clock.update() }
            services.append(clock)
            followed = clock
        } else {
            let check = try await clockCheck(settings.reporting.clockLimits, store)
            dependencies.clockDoubt = { check.doubt() }
        }
        let system = ReportingSystem(
            store: store,
            apps: try configuration.apps.map { try MerchantApp.make($0, settings: settings, http: http) },
            settings: settings.reporting,
            verifier: try Self.verifier(configuration, http: http, now: dependencies.now),
            spool: LandingSpool(path: database.absolutePath + ".landing-spool"),
            dependencies: dependencies,
            logger: logger
        )
        var alongside: [any Service] = [anchor]
        var history: NotificationHistoryReader?
        if !configuration.notificationRoots.isEmpty {
            let reader = NotificationHistoryReader(system: system, dependencies: dependencies, logger: logger)
            alongside.append(reader)
            history = reader
        }
        let watch = system.alertMonitor(
            configuration.alert,
            receiver: try configuration.webhook.map { webhook throws(CommandFailure) in
                try AlertWebhook(webhook, http: http)
            }
        )
        alongside.append(watch)
        followed?.onJump { [sender = system.sender, history] in
            sender.wake()
            history?.wake()
            watch.wake()
        }
        let server = ReportingServer(
            system: system,
            links: configuration.links,
            trustedProxies: configuration.trustedProxies,
            access: settings.access
        )
        if !global.quiet {
            if let followClock { StandardStreams.error("clock: follows \(HTTPAddress.shown(followClock)), for tests") }
            StandardStreams.error("ledger: sqlite:\(database.absolutePath)")
            StandardStreams.error(Self.notice(of: keys))
            for app in configuration.apps {
                let addresses = AppStoreEnvironment.allCases.map { environment in
                    "\(environment.rawValue) → "
                        + (app.baseURL[environment].map(HTTPAddress.shown) ?? "no address, tokens are held")
                }
                StandardStreams.error("\(app.bundleId): key \(app.key.keyId), \(addresses.joined(separator: ", "))")
            }
            if !settings.reporting.isSendingOn {
                StandardStreams.error("reporting.send is off: reports are planned, nothing is sent")
            }
            if let webhook = configuration.webhook {
                StandardStreams.error(
                    "alerts: to \(HTTPAddress.shown(webhook.url))\(webhook.secretFile == nil ? ", not signed" : ", signed")"
                )
            }
            if configuration.asksResponders {
                StandardStreams.error("notifications: responders are asked whether a certificate was revoked")
            }
            if configuration.notificationRoots.isEmpty {
                StandardStreams.error("notifications: none are taken, because no roots are configured")
            }
        }
        let host = host
        services += server.services(
            host: host,
            port: Int(port),
            limits: settings.http,
            alongside: alongside,
            logger: logger
        ) { bound in
            ServerRun.announce(host: host, port: bound)
        }
        // The sender may need five seconds to cancel a request to Apple, even if the limit for clients is shorter.
        let shutdown = max(settings.http.shutdown, HTTPLimits().shutdown)
        try await ServerRun.untilInterrupted(
            services,
            logger: logger,
            host: host,
            port: Int(port),
            deadline: { shutdown }
        )
    }

    /// Creates the verifier of notifications with the configured roots; nil without roots.
    private static func verifier(
        _ configuration: ServeConfiguration,
        http: HTTPClient,
        now: @escaping @Sendable () -> Timestamp
    ) throws(CommandFailure) -> NotificationVerifier? {
        guard !configuration.notificationRoots.isEmpty else { return nil }
        var roots: [TrustedRoot] = []
        for file in configuration.notificationRoots {
            do {
                roots += try TrustedRoot.read(try InputFile.read(file))
            } catch let error as CommandFailure {
                throw error
            } catch {
                throw .input("\(file): \(error)")
            }
        }
        let apps = configuration.apps.map {
            NotificationRecipient.App(bundleId: $0.bundleId, appAppleId: $0.appAppleId)
        }
        return NotificationVerifier(
            roots: roots,
            recipient: NotificationRecipient(apps: apps),
            revocation: configuration.asksResponders ? OCSPChecker(http: http) : nil,
            now: now
        )
    }

    /// The refusal to listen beyond this machine without a key.
    private var missingKey: CommandFailure {
        .input(
            "--host \(host): there are no API keys yet, so the server listens on loopback addresses only; use 127.0.0.1, "
                + "or create one: external-purchase keys create --scope admin --database sqlite:\(database.path)"
        )
    }

    private func apiKeys(of store: SQLiteLedgerStore) async throws(CommandFailure) -> [StoredAPIKey] {
        do {
            return try await store.read { ledger throws(LedgerError) in try ledger.apiKeys() }
        } catch {
            throw .otherSide("--database sqlite:\(database.path): \(error)")
        }
    }

    private static func notice(of keys: [StoredAPIKey]) -> String {
        guard !keys.isEmpty else { return "no API keys exist yet: answering loopback addresses only" }
        let now = Timestamp(Date())
        let valid = keys.count { $0.state(at: now) == .valid }
        return valid == 0
            ? "API keys: \(keys.count), none of them valid: `keys create` makes one"
            : "API keys: \(valid) valid, \(keys.count - valid) expired or revoked"
    }

    private func openStore() throws(CommandFailure) -> SQLiteLedgerStore {
        let folder = URL(filePath: database.absolutePath).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw .input("--database sqlite:\(database.path): the folder \(folder) does not exist")
        }
        do {
            return try SQLiteLedgerStore(path: database.absolutePath)
        } catch {
            throw .otherSide("--database sqlite:\(database.path): \(error)")
        }
    }

    /// The check of the machine's clock; disabled for a followed clock, which may differ on purpose.
    private func clockCheck(
        _ limits: MachineClockCheck.Limits,
        _ store: SQLiteLedgerStore
    ) async throws(CommandFailure) -> MachineClockCheck {
        var newest: Timestamp?
        if !acceptClock {
            do {
                newest = try await store.read { ledger throws(LedgerError) in try ledger.lastAuditEntry() }?.time
            } catch {
                throw .otherSide("--database sqlite:\(database.path): \(error)")
            }
        }
        let start = ContinuousClock.now
        return MachineClockCheck(
            limits: limits,
            newest: newest,
            wall: { Timestamp(Date()) },
            monotonic: { start.duration(to: .now) }
        )
    }

    /// Refuses a ledger that lacks entries noted in its anchor.
    ///
    /// A server that continued with such a ledger would report missing sales again, and send reports without sales for
    /// tokens that have some.
    private func checkAnchor(of store: SQLiteLedgerStore) async throws(CommandFailure) {
        let path = LedgerAnchor.path(ofLedgerAt: database.absolutePath)
        var contradiction: String?
        do {
            guard let noted = try LedgerAnchor.read(path) else { return }
            contradiction = try await store.read { ledger throws(LedgerError) in try ledger.contradiction(of: noted) }
        } catch {
            throw .otherSide("--database sqlite:\(database.path): \(error)")
        }
        if let contradiction {
            throw .otherSide(
                "--database sqlite:\(database.path): \(contradiction). Put the newest copy in its place; "
                    + "to go on with this one, remove \(path)"
            )
        }
    }

    private static func isApple(_ baseURL: String) -> Bool {
        let host = URLComponents(string: baseURL)?.host?.lowercased() ?? ""
        return host == "apple.com" || host.hasSuffix(".apple.com")
    }
}
