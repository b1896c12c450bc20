import AppStoreEmulator
import AppStoreNotifications
import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Hummingbird
import Ledger
import Logging
import NIOHTTP1
import Payments
import ReportValidation
import Reporting
import ReportingServer
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The demo: three servers in this process, and a scripted purchase that uses them over HTTP.
struct Demo: Sendable {
    var storefront = StorefrontCode.netherlands
    var infoPlist = GemShopFiles.infoPlist
    var entitlements = GemShopFiles.entitlements
    var staysUp = false
    var opensBrowser = false
    var logger = Logger.standardError("external-purchase.demo")
    var style = TerminalStyle.standardOutput
    var print: @Sendable (String) -> Void = { StandardStreams.output($0) }
    /// Runs between the start of the servers and the first step; tests use it to make a later step fail.
    var afterStart: @Sendable (Addresses) async throws -> Void = { _ in }

    static let bundleId: BundleId = "com.example.gemshop"
    static let appAppleId: Int64 = 1_234_567_890
    /// The reporting programmes of GemShop, which streams no music and is no dating app.
    private static let programmes = ["eu-2026-10", "kr", "ru", "jp", "br", "us-none"]

    /// The addresses of the servers.
    struct Addresses: Sendable {
        let emulator: String
        let server: String
        let website: String
    }

    /// Runs all steps of the demo.
    ///
    /// - Returns: true when every step was accepted.
    func run() async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "external-purchase-demo-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Redirects are not followed automatically, because each one is shown as a step.
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        let result: Result<Bool, any Error>
        do {
            result = .success(try await play(folder: folder, http: http))
        } catch {
            result = .failure(error)
        }
        try? await http.shutdown()
        return try result.get()
    }

    private func play(folder: URL, http: HTTPClient) async throws -> Bool {
        let emulatorPort = FirstValue<Int>()
        let serverPort = FirstValue<Int>()
        let websitePort = FirstValue<Int>()
        let merchant = RunningMerchant()
        let dashboard = Self.dashboard
        let signingSecret = Self.newSigningSecret()
        let emulator = try AppStoreEmulator(
            EmulatorConfiguration(port: 0),
            logger: logger,
            onServerRunning: { emulatorPort.set($0.port) }
        )
        let website = Application(
            router: GemShopWebsite(
                merchantServer: { merchant.url },
                http: http,
                bundleId: Self.bundleId,
                now: { merchant.now }
            ).router(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { websitePort.set($0.localAddress?.port ?? 0) },
            logger: logger
        )
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: emulator), .init(service: website)],
                gracefulShutdownSignals: [.sigint, .sigterm],
                logger: logger
            )
        )
        return try await withThrowingTaskGroup(of: Bool?.self) { tasks in
            tasks.addTask {
                try await group.run()
                return nil
            }
            tasks.addTask {
                let browser = DemoBrowser(http: http)
                let emulatorURL = try await "http://127.0.0.1:\(emulatorPort.value)"
                let websiteURL = try await "http://127.0.0.1:\(websitePort.value)"
                let credentials = try await Credentials.register(at: emulatorURL, with: browser)
                let root = try await browser.get("\(emulatorURL)/emulator/v1/root.pem")
                let clock = FollowedClock(
                    url: emulatorURL,
                    http: http,
                    machine: { Timestamp(Date()) },
                    logger: logger
                )
                try await clock.update()
                let services = try await self.merchantSide(
                    credentials,
                    roots: try TrustedRoot.read(Array(root.text.utf8)),
                    emulatorURL: emulatorURL,
                    shop: websiteURL,
                    clock: clock,
                    stripe: try Self.stripe(signingSecret, folder: folder, http: http),
                    dashboard: dashboard,
                    folder: folder,
                    http: http
                ) { serverPort.set($0) }
                for service in services {
                    await group.addServiceUnlessShutdown(.init(service: service))
                }
                let serverURL = try await "http://127.0.0.1:\(serverPort.value)"
                merchant.set(url: serverURL, clock: clock)
                try await Credentials.subscribe("\(serverURL)/v1/notifications", at: emulatorURL, with: browser)
                let addresses = Addresses(emulator: emulatorURL, server: serverURL, website: websiteURL)
                try await afterStart(addresses)
                var story = DemoScenario(
                    demo: self,
                    addresses: addresses,
                    browser: browser,
                    credentials: credentials,
                    signingSecret: signingSecret
                )
                let isAccepted = await story.play(http: http)
                if staysUp {
                    story.printAddresses(signInLink: dashboard.signInLink(for: Self.user))
                } else {
                    await group.triggerGracefulShutdown()
                }
                return isAccepted
            }
            var isAccepted = false
            for try await result in tasks {
                if let result { isAccepted = result }
            }
            return isAccepted
        }
    }

    /// The user of the dashboard, who has no password: the story ends with a link that signs in once.
    private static let user = DashboardAccess.User(name: "demo", credential: "sign-in link", role: .admin)

    private static var dashboard: DashboardAccess {
        DashboardAccess(
            isSignInNeeded: { true },
            user: { _, _ in nil },
            present: { name in name == user.name ? user : nil }
        )
    }

    private static func newSigningSecret() -> String {
        "whsec_" + Base64URL.encode((0..<24).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Reads the entry of Stripe as `serve` does; its signing secret is in a file.
    private static func stripe(
        _ signingSecret: String,
        folder: URL,
        http: HTTPClient
    ) throws(CommandFailure) -> StripeSource? {
        let file = folder.appending(path: "stripe-webhook.secret").path
        try PrivateFile.write(Array(signingSecret.utf8), to: file)
        let entry = ServeConfiguration.Stripe(
            bundleId: bundleId,
            signingSecretFile: ConfiguredFile(path: file, place: "the demo's secret"),
            terms: ServeConfiguration.PaymentTerms(products: [DemoStripe.priceId: DemoStripe.productId])
        )
        return try StripeSource.reading([entry], http: http)
    }

    /// Creates the merchant's system with its ledger in a file, as `serve` does.
    private func merchantSide(
        _ credentials: Credentials,
        roots: [TrustedRoot],
        emulatorURL: String,
        shop: String,
        clock: FollowedClock,
        stripe: StripeSource?,
        dashboard: DashboardAccess,
        folder: URL,
        http: HTTPClient,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws -> [any Service] {
        let ledger = folder.appending(path: "ledger.sqlite").path
        let settings = try ServeSettings([:])
        let app = try MerchantApp.make(
            bundleId: Self.bundleId,
            appAppleId: Self.appAppleId,
            privateKey: credentials.privateKey,
            keyId: credentials.keyId,
            issuerId: credentials.issuerId,
            baseURL: [.sandbox: emulatorURL, .production: emulatorURL],
            programmes: Self.programmes,
            settings: settings,
            http: http
        )
        var dependencies = ReportingDependencies.live
        dependencies.now = { clock.now() }
        dependencies.refresh = { try? await clock.update() }
        let system = ReportingSystem(
            store: try await DatabaseAddress(path: ledger).store(),
            apps: [app],
            settings: settings.reporting,
            verifier: NotificationVerifier(
                roots: roots,
                recipient: NotificationRecipient(apps: [.init(bundleId: Self.bundleId, appAppleId: Self.appAppleId)]),
                now: dependencies.now
            ),
            spool: LandingSpool(path: ledger + ".landing-spool"),
            payments: [stripe].compactMap(\.self),
            dependencies: dependencies,
            logger: logger
        )
        clock.onJump { [sender = system.sender, payments = system.paymentWorker] in
            sender.wake()
            payments?.clockJumped()
        }
        let links = Dictionary(
            RulePack.newest.plistKeys[.multiLink]?.codes?.map { ($0, LandingLink(url: "\(shop)/\($0)")) } ?? []
        ) { first, _ in first }
        var alongside: [any Service] = [clock]
        if let worker = system.paymentWorker { alongside.append(worker) }
        return ReportingServer(system: system, links: links, dashboard: dashboard)
            .services(host: "127.0.0.1", port: 0, alongside: alongside, logger: logger) { await onRunning($0.main) }
    }
}

/// The emulator's credentials for API calls.
struct Credentials: Sendable {
    let keyId: String
    let issuerId: String
    let privateKey: String

    static func register(at emulator: String, with browser: DemoBrowser) async throws -> Credentials {
        let body: JSONObject = ["appAppleId": .integer(Demo.appAppleId)]
        let answer = try await browser.json(.PUT, "\(emulator)/emulator/v1/apps/\(Demo.bundleId)", .object(body))
        guard let object = answer.json, let keyId = object["keyId"]?.stringValue,
            let issuerId = object["issuerId"]?.stringValue, let privateKey = object["privateKey"]?.stringValue
        else {
            throw CommandFailure.otherSide("the emulator did not register GemShop: \(answer.status) \(answer.text)")
        }
        return Credentials(keyId: keyId, issuerId: issuerId, privateKey: privateKey)
    }
}

extension Credentials {
    /// Registers the address for notifications at the emulator.
    static func subscribe(_ address: String, at emulator: String, with browser: DemoBrowser) async throws {
        let body: JSONObject = [
            "appAppleId": .integer(Demo.appAppleId), "notificationURL": .string(address),
        ]
        let answer = try await browser.json(.PUT, "\(emulator)/emulator/v1/apps/\(Demo.bundleId)", .object(body))
        guard answer.status == 200 else {
            throw CommandFailure.otherSide("the emulator refused \(address): \(answer.status) \(answer.text)")
        }
    }
}

/// The address and the clock of the merchant's server, which starts after the website that needs them.
private final class RunningMerchant: Sendable {
    private let value = Mutex<(url: String, clock: FollowedClock?)>(("", nil))

    var url: String { value.withLock { $0.url } }
    var now: Timestamp { value.withLock { $0.clock }?.now() ?? Timestamp(Date()) }

    func set(url: String, clock: FollowedClock) {
        value.withLock { $0 = (url, clock) }
    }
}

/// A value that is set once and can be awaited.
final class FirstValue<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
    }

    func set(_ value: Value) {
        continuation.yield(value)
        continuation.finish()
    }

    /// The value; must be awaited only once.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the value is set.
    var value: Value {
        get async throws {
            for await value in stream { return value }
            throw CancellationError()
        }
    }
}
