import AppStoreNotifications
import AppStoreServerClient
import ArgumentParser
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Ledger
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

    @OptionGroup var listeners: ListenerOptions
    @OptionGroup var tls: TLSOptions

    @Option(name: .customLong("set"), help: "A scalar key of the configuration, as send.delay=2h; repeatable.")
    var settings: [String] = []

    @Flag(help: "Print every key with its value, its default and where it comes from, and end.")
    var printConfiguration = false

    @Option(help: "How --print-configuration prints: text or json.")
    var format: OutputFormat?

    @Option(help: DatabaseAddress.help, transform: DatabaseAddress.reading)
    var database = DatabaseAddress.standard

    @Option(help: "Takes the time from an emulator's /emulator/v1/clock; for tests.")
    var followClock: String?

    @Flag(help: "Take the machine's clock as it is, however far from the ledger's newest entry.")
    var acceptClock = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard format == nil || printConfiguration else {
            throw CommandFailure.input("--format is for --print-configuration")
        }
        let configuration = try ServeConfiguration.read(
            path: config,
            sources: try ConfigurationSources(flags: self.settings)
        )
        let settings: ServeSettings
        do {
            settings = try configuration.serveSettings()
        } catch {
            throw CommandFailure.input("\(config): \(error.message ?? "a setting is wrong")")
        }
        if printConfiguration {
            let listing = ConfigurationListing(configuration)
            let isJSON = format == .json
            StandardStreams.output(isJSON ? String(decoding: listing.json.encoded(), as: UTF8.self) : listing.text)
            return
        }
        // A ledger that does not exist has no keys; it is not created only to find out.
        if !LoopbackHost.isLoopback(listeners.host), try await !isThere() { throw missingKey }
        _ = try listeners.publicListener()
        if let followClock {
            try HTTPAddress.check(followClock, "--follow-clock", example: "http://127.0.0.1:8801/emulator/v1/clock")
            for app in configuration.apps where app.baseURL.values.contains(where: HTTPAddress.isApple) {
                throw CommandFailure.input(
                    "--follow-clock is for tests: app \(app.bundleId) reports to Apple, give it the emulator's baseURL"
                )
            }
        }
        let tls = try serverTLS()
        let logger = ServerRun.logger("external-purchase.serve", global, level: .info, format: settings.logFormat)
        let files = LedgerFiles(of: database, folder: settings.databaseFolder)
        let folderLock = try files.reserve()
        defer { withExtendedLifetime(folderLock) {} }
        let (store, isNew) = try await openStore(migrating: settings.migratesDatabase, anchor: files.anchor)
        let anchor = LedgerAnchor(
            path: files.anchor,
            store: store,
            dependencies: .live,
            logger: logger
        )
        let keys = try await apiKeys(of: store)
        guard LoopbackHost.isLoopback(listeners.host) || !keys.isEmpty else {
            try? store.close()
            throw missingKey
        }
        try await checkAnchor(files.anchor, of: store)
        do throws(LedgerError) {
            try await store.checkWritable()
        } catch {
            try? store.close()
            throw database.failure(error)
        }
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        do {
            try await serve(
                configuration,
                settings,
                tls,
                keys: keys,
                store: store,
                isNew: isNew,
                spool: LandingSpool(path: files.spool),
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
                "--database \(database): another process reads it; a copy of the file is whole only "
                    + "with its -wal file beside it"
            )
        } catch {
            throw database.failure(error)
        }
    }

    private func serve(
        _ configuration: ServeConfiguration,
        _ settings: ServeSettings,
        _ tls: ServerTLS?,
        keys: [StoredAPIKey],
        store: any DurableLedgerStore,
        isNew: Bool,
        spool: LandingSpool,
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
        dependencies.rates = try configuration.exchangeRates()
        let system = ReportingSystem(
            store: store,
            apps: try configuration.apps.map { try MerchantApp.make($0, settings: settings, http: http) },
            settings: settings.reporting,
            verifier: try Self.verifier(configuration, http: http, now: dependencies.now),
            spool: spool,
            payments: try configuration.paymentSources(http: http),
            dependencies: dependencies,
            logger: logger
        )
        for (app, detail) in try await system.unknownApps() {
            logger.warning("\(detail); put it back into apps", metadata: ["app": "\(app)"])
        }
        var alongside: [any Service] = [anchor]
        if let worker = system.paymentWorker { alongside.append(worker) }
        if let file = configuration.ratesFile, let rates = dependencies.rates {
            alongside.append(
                RatesWatcher(
                    path: file.path,
                    rates: rates,
                    sales: system.sales,
                    sleep: { try await Task.sleep(for: $0) },
                    logger: logger
                )
            )
        }
        var history: NotificationHistoryReader?
        if !configuration.notificationRoots.isEmpty {
            let reader = NotificationHistoryReader(system: system, dependencies: dependencies, logger: logger)
            alongside.append(reader)
            history = reader
        }
        var routes: [AlertRoute] = []
        if let webhook = configuration.webhook {
            let receiver = try AlertWebhook(webhook, http: http)
            routes.append(AlertRoute(.webhook, receiver, severities: webhook.severities))
        }
        if let mail = configuration.mail {
            routes.append(AlertRoute(.mail, Sendmail(mail: mail), severities: mail.severities))
        }
        let watch = system.alertMonitor(configuration.alert, routes: routes)
        alongside.append(watch)
        let webhooks = try configuration.eventWebhooks()
        if !webhooks.isEmpty { alongside.append(system.webhookSender(webhooks)) }
        followed?.onJump { [sender = system.sender, payments = system.paymentWorker, history] in
            sender.wake()
            payments?.clockJumped()
            history?.wake()
            watch.wake()
        }
        let server = ReportingServer(
            system: system,
            links: configuration.links,
            trustedProxies: configuration.trustedProxies,
            access: settings.access,
            bodyLimits: settings.bodies,
            isSecure: tls != nil,
            signIn: try configuration.signInSettings(http: http)
        )
        if !global.quiet {
            // A reader of JSON lines gets nothing else.
            func say(_ text: String) {
                if settings.logFormat.resolved == .json {
                    logger.notice("\(text)")
                } else {
                    StandardStreams.error(text)
                }
            }
            if let followClock { say("clock: follows \(HTTPAddress.shown(followClock)), for tests") }
            say("ledger: \(database.absolute)\(isNew ? ", which is new" : "")")
            say(Self.notice(of: keys))
            for note in StartNotes.keys(keys, apps: configuration.apps.map(\.bundleId)) { say(note) }
            for app in configuration.apps {
                let addresses = AppStoreEnvironment.allCases.map { environment in
                    "\(environment.rawValue) → "
                        + (app.baseURL[environment].map(HTTPAddress.shown) ?? "no address, tokens are held")
                }
                say("\(app.bundleId): key \(app.key.keyId), \(addresses.joined(separator: ", "))")
                if let note = StartNotes.programmes(of: app, by: system.due.rules, at: system.now) { say(note) }
            }
            for stripe in configuration.stripe {
                if let note = StartNotes.apiKey(of: stripe) { say(note) }
            }
            if !settings.reporting.isSendingOn {
                say("reporting.send is off: reports are planned, nothing is sent")
            }
            if let webhook = configuration.webhook {
                say(
                    "alerts: to \(HTTPAddress.shownHost(webhook.url))\(webhook.secretFile == nil ? ", not signed" : ", signed")"
                )
            }
            if let mail = configuration.mail {
                say("alerts: mail to \(mail.to.joined(separator: ", ")) by \(mail.sendmail)")
            }
            for receiver in configuration.eventReceivers {
                say("events: \(receiver.name), to \(HTTPAddress.shownHost(receiver.url))")
            }
            if configuration.asksResponders {
                say("notifications: responders are asked whether a certificate was revoked")
            }
            if configuration.notificationRoots.isEmpty {
                say("notifications: none are taken, because no roots are configured")
            }
        }
        let (host, port) = (listeners.host, Int(listeners.port))
        let publicListener = try listeners.publicListener()
        var limits = settings.http
        if publicListener != nil, configuration.settings[HTTPLimits.connectionsName] == nil {
            limits.connections = HTTPLimits.defaultConnections(listeners: 2)
        }
        services += server.services(
            host: host,
            port: port,
            publicListener: publicListener,
            tls: tls,
            limits: limits,
            alongside: alongside,
            logger: logger
        ) { ports in
            ServerRun.announce(host: host, port: ports.main, isSecure: tls != nil)
            guard let publicListener, let port = ports.publicPort else { return }
            ServerRun.announce("public on", host: publicListener.host, port: port, isSecure: tls != nil)
        }
        // The sender may need five seconds to cancel a request to Apple, even if the limit for clients is shorter.
        let (delay, limit) = (settings.shutdownDelay, settings.http.shutdown)
        let shutdown = delay + max(limit, HTTPLimits().shutdown)
        do {
            try await ServerRun.untilInterrupted(
                services,
                logger: logger,
                host: host,
                port: port,
                deadline: { shutdown },
                // Half of the time remains for requests that must be cancelled, such as exports.
                drain: { [listeners = server.listeners] in await listeners.drain(delay: delay, limit: limit / 2) }
            )
        } catch let failure as PublicListener.Failure {
            guard let publicListener,
                let said = ServerRun.failure(
                    failure.underlying,
                    host: publicListener.host,
                    port: publicListener.port,
                    prefix: "--public-"
                )
            else { throw failure.underlying }
            throw said
        }
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
            roots += try file.read { path throws(CommandFailure) in
                do {
                    return try TrustedRoot.read(try InputFile.read(path))
                } catch let error as CommandFailure {
                    throw error
                } catch {
                    throw CommandFailure.input("\(path): \(error)")
                }
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

    /// Reads certificate and key; nil for plain HTTP.
    private func serverTLS() throws(CommandFailure) -> ServerTLS? {
        guard let files = try tls.files() else { return nil }
        do throws(ServerTLS.Failure) {
            let tls = try ServerTLS(certificate: files.certificate, key: files.key)
            PrivateFile.warnIfReadableByOthers(files.key)
            return tls
        } catch {
            throw .input(error.message(certificate: files.certificate, key: files.key))
        }
    }

    /// The refusal to listen beyond this machine without a key.
    private var missingKey: CommandFailure {
        .input(
            "--host \(listeners.host): there are no API keys yet, so the server listens on loopback addresses only; use 127.0.0.1, "
                + "or create one: external-purchase keys create --scope admin --database \(database.shellWord)"
        )
    }

    private func isThere() async throws(CommandFailure) -> Bool {
        do {
            return try await database.isThere
        } catch {
            throw database.failure(error)
        }
    }

    private func apiKeys(of store: any DurableLedgerStore) async throws(CommandFailure) -> [StoredAPIKey] {
        do {
            return try await store.read { ledger throws(LedgerError) in try ledger.apiKeys() }
        } catch {
            throw database.failure(error)
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

    /// Opens the ledger, which is created if it is missing.
    ///
    /// - Parameters:
    ///   - migrates: false refuses a ledger of an older schema instead of migrating it.
    ///   - anchor: the path of the anchor; if it exists, no ledger is created.
    /// - Returns: the ledger, and whether it was created.
    private func openStore(
        migrating migrates: Bool,
        anchor: String
    ) async throws(CommandFailure) -> (store: any DurableLedgerStore, isNew: Bool) {
        try database.checkFolder()
        let (isNew, missing): (Bool, [String])
        do {
            isNew = try await !database.hasLedger
            missing = migrates ? [] : try await database.missingMigrations()
        } catch {
            throw database.failure(error)
        }
        // A ledger that is created here would be in the way when the missing one is restored.
        if isNew, FileManager.default.fileExists(atPath: anchor) {
            throw .otherSide(
                "--database \(database): there is no ledger, but \(anchor) is that of one. Put the newest copy in its place; "
                    + "to begin a new ledger, remove \(anchor)"
            )
        }
        if missing.isEmpty {
            do {
                return (try await database.serverStore(), isNew)
            } catch {
                throw database.failure(error)
            }
        }
        throw .otherSide(
            "--database \(database): database.migrate is off and the schema lacks "
                + "\(missing.joined(separator: ", ")); run external-purchase database migrate "
                + "--database \(database.shellWord)"
        )
    }

    /// The check of the machine's clock; disabled for a followed clock, which may differ on purpose.
    private func clockCheck(
        _ limits: MachineClockCheck.Limits,
        _ store: any DurableLedgerStore
    ) async throws(CommandFailure) -> MachineClockCheck {
        var newest: Timestamp?
        if !acceptClock {
            do {
                newest = try await store.read { ledger throws(LedgerError) in try ledger.lastAuditEntry() }?.time
            } catch {
                throw database.failure(error)
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
    private func checkAnchor(
        _ path: String,
        of store: any DurableLedgerStore
    ) async throws(CommandFailure) {
        var contradiction: String?
        do {
            guard let noted = try LedgerAnchor.read(path) else { return }
            contradiction = try await store.read { ledger throws(LedgerError) in try ledger.contradiction(of: noted) }
        } catch {
            throw .otherSide("--database \(database): \(error)")
        }
        if let contradiction {
            throw .otherSide(
                "--database \(database): \(contradiction). Put the newest copy in its place; "
                    + "to go on with this one, remove \(path)"
            )
        }
    }
}
