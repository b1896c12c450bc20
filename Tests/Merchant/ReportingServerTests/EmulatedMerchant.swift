import AppStoreEmulator
import AppStoreNotifications
import AppStoreServerClient
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import Logging
import NIOCore
import NIOHTTP1
import Payments
import ReportValidation
import Synchronization
import Testing

@testable import Reporting
@testable import ReportingServer

/// The whole real path: requests to the server's router, a SQLite ledger, HTTP to an emulator that fails on purpose.
///
/// Both clocks stand still until they are advanced, so that waits are exact.
struct EmulatedMerchant: Sendable {
    static let bundleId = "com.example.shop"
    static let start = Timestamp(milliseconds: 1_795_176_000_000)

    let base: String
    let http: HTTPClient
    let merchant: ReportingSystem
    let client: any TestClientProtocol
    /// Returns the moment of Apple's next notification.
    let nextNotification: @Sendable () async -> Timestamp?
    private let clock: HandClock
    /// The file of the ledger.
    private let ledger: String
    /// The merchant's side over another ledger.
    private let system: @Sendable (any LedgerStore) -> ReportingSystem

    private final class HandClock: Sendable {
        let now = Mutex(EmulatedMerchant.start)
    }

    /// Runs a test against both sides.
    ///
    /// - Parameters:
    ///   - emulator: settings of Apple's side.
    ///   - settings: settings of the merchant's side.
    ///   - programmes: what the app takes part in.
    ///   - stripe: the accounts whose events are received.
    ///   - payments: further payment providers.
    ///   - environments: those of the app; both have the emulator's address.
    ///   - links: of the landing address.
    ///   - isLive: true for requests over sockets, on which Apple's side delivers its notifications.
    static func run(
        emulator assignments: [String] = [],
        settings: ReportingSettings = ReportingSettings(),
        programmes: [String] = [],
        stripe: StripeSource? = nil,
        payments: [any PaymentSource] = [],
        environments: Set<AppStoreEnvironment> = [.sandbox],
        links: [String: LandingLink] = [:],
        isLive: Bool = false,
        _ test: @Sendable (EmulatedMerchant) async throws -> Void
    ) async throws {
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        var emulatorSettings = EmulatorSettings()
        for assignment in assignments { try emulatorSettings.set(assignment) }
        let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
        let emulator = try AppStoreEmulator(
            EmulatorConfiguration(
                port: 0,
                apps: [AppRegistration(bundleId: BundleId(bundleId), appAppleId: 1_234_567_890)],
                now: start,
                settings: emulatorSettings
            ),
            logger: logger,
            onServerRunning: { continuation.yield($0.baseURL) }
        )
        let app = try #require(await emulator.apps.first)
        var configuration = AppStoreServerClient.httpConfiguration
        configuration.timeout.connect = .seconds(300)
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let running = Task { try await emulator.run() }
        var iterator = addresses.makeAsyncIterator()
        let base = try #require(await iterator.next())
        let credentials = APICredentials(
            privateKey: try PrivateKey(p8: app.privateKey),
            keyId: app.keyId,
            issuerId: app.issuerId,
            bundleId: BundleId(bundleId)
        )
        let client = AppStoreServerClient(
            httpClient: http,
            signer: BearerTokenSigner(credentials: credentials),
            baseURLs: AppStoreServerClient.BaseURLs(base),
            timeout: .seconds(300),
            now: { Timestamp(Date()) }
        )
        let folder = FileManager.default.temporaryDirectory.appending(path: "emulated-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let clock = HandClock()
        var dependencies = ReportingDependencies.live
        dependencies.now = { clock.now.withLock { $0 } }
        var verifier: NotificationVerifier?
        if isLive {
            verifier = NotificationVerifier(
                roots: [try TrustedRoot(der: await emulator.rootCertificate)],
                recipient: NotificationRecipient(apps: [.init(bundleId: BundleId(bundleId), appAppleId: 1_234_567_890)]
                ),
                now: dependencies.now
            )
        }
        let system = { @Sendable [dependencies, logger, verifier] (store: any LedgerStore) in
            ReportingSystem(
                store: store,
                apps: [
                    Reporting.RegisteredApp(
                        bundleId: BundleId(bundleId),
                        appAppleId: 1_234_567_890,
                        environments: environments,
                        client: client,
                        programmes: programmes
                    )
                ],
                settings: settings,
                verifier: verifier,
                payments: [stripe].compactMap(\.self) + payments,
                dependencies: dependencies,
                logger: logger
            )
        }
        let ledger = folder.appending(path: "ledger.sqlite").path
        let merchant = system(try SQLiteLedgerStore(path: ledger))
        let application = Application(
            responder: DescribedResponder(ReportingServer(system: merchant, links: links).router()),
            configuration: .init(address: .hostname("127.0.0.1", port: 0))
        )
        let result: Result<Void, any Error>
        do {
            try await application.test(isLive ? .live : .router) { router in
                let sides = EmulatedMerchant(
                    base: base,
                    http: http,
                    merchant: merchant,
                    client: router,
                    nextNotification: { await emulator.nextEvent },
                    clock: clock,
                    ledger: ledger,
                    system: system
                )
                if let port = router.port, isLive {
                    let address = "http://127.0.0.1:\(port)/v1/notifications"
                    let app = #"{"appAppleId":1234567890,"notificationURL":"\#(address)"}"#
                    _ = try await sides.emulator("PUT", "/apps/\(bundleId)", app)
                }
                try await test(sides)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        running.cancel()
        _ = await running.result
        try await http.shutdown()
        try? FileManager.default.removeItem(at: folder)
        try result.get()
    }

    // MARK: The merchant's side

    /// Copies the ledger, in which nothing is being written, as a backup.
    ///
    /// - Returns: the file of the copy.
    func copyLedger() throws -> String {
        let copy = ledger.replacing("ledger.sqlite", with: "copy-\(UUID().uuidString).sqlite")
        for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: ledger + ending) {
            try FileManager.default.copyItem(atPath: ledger + ending, toPath: copy + ending)
        }
        return copy
    }

    /// Runs a test over a copy of the ledger, as after its restore; Apple's side goes on as it is.
    func restored(from copy: String, _ test: @Sendable (EmulatedMerchant) async throws -> Void) async throws {
        let merchant = system(try SQLiteLedgerStore(path: copy))
        let responder = DescribedResponder(ReportingServer(system: merchant, links: [:]).router())
        try await Application(responder: responder).test(.router) { router in
            let sides = EmulatedMerchant(
                base: base,
                http: http,
                merchant: merchant,
                client: router,
                nextNotification: nextNotification,
                clock: clock,
                ledger: copy,
                system: system
            )
            try await test(sides)
        }
    }

    var now: Timestamp { clock.now.withLock { $0 } }

    /// Lets the merchant's clock go on.
    func advance(by duration: Duration) {
        clock.now.withLock { $0 = $0 + duration }
    }

    /// Sends what can be sent now, and applies the events that Apple's answers open again.
    ///
    /// - Returns: the moment from which more can be sent.
    @discardableResult
    func runUntilIdle() async -> Timestamp? {
        var next = await merchant.sender.runUntilIdle()
        while let opened = try? await list("/v1/events?state=received", "events"), !opened.isEmpty {
            guard let worker = merchant.paymentWorker, (try? await worker.work([.received])) != nil else { break }
            next = await merchant.sender.runUntilIdle()
        }
        return next
    }

    func post(_ path: String, _ body: String) async throws -> TestResponse {
        let headers: HTTPFields = [.contentType: "application/json"]
        return try await client.execute(
            uri: path,
            method: .post,
            headers: headers,
            body: ByteBuffer(string: body)
        )
    }

    func get(_ path: String) async throws -> TestResponse { try await client.execute(uri: path, method: .get) }

    func list(_ path: String, _ name: String) async throws -> [[String: Any]] {
        try await get(path).json[name] as? [[String: Any]] ?? []
    }

    /// The states of all reports in the order of writing.
    func states() async throws -> [String] {
        try await list("/v1/reports", "reports").compactMap { $0["state"] as? String }
    }

    /// Mints a token at Apple's side and takes it in.
    ///
    /// - Returns: its checkout.
    func receiveToken() async throws -> String {
        let minted = try await emulator("POST", "/tokens", #"{"bundleId":"\#(Self.bundleId)"}"#)
        let token = try #require(minted.objectValue?["token"]?.stringValue)
        let taken = try await post("/v1/tokens", #"{"token":"\#(token)"}"#)
        return try #require(taken.json["checkoutId"] as? String)
    }

    func sell(_ id: String, checkout: String, at moment: String = "2026-11-20T11:59:00Z") async throws {
        let sale = """
            {"saleId":"\(id)","bundleId":"\(Self.bundleId)","type":"purchase","occurredAt":"\(moment)",
            "checkoutId":"\(checkout)","productId":"gems.100","quantity":1,
            "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
            """
        #expect(try await post("/v1/sales", sale).status == .created)
    }

    // MARK: Apple's side

    /// Lets requests fail on purpose.
    func fault(_ method: String, _ behaviour: String, times: Int = 1) async throws {
        _ = try await emulator(
            "POST",
            "/faults",
            #"{"match":{"method":"\#(method)"},"behaviour":\#(behaviour),"times":\#(times)}"#
        )
    }

    func change(_ setting: String, to value: String) async throws {
        _ = try await emulator("PUT", "/settings", #"{"\#(setting)":"\#(value)"}"#)
    }

    /// The journal: method and status of each request to the report endpoint.
    func journal() async throws -> [String] {
        try await requests().map { "\($0.method) \($0.status)" }
    }

    /// What each PUT said, in order, as text.
    func puts() async throws -> [String] {
        try await requests().filter { $0.method == "PUT" }.map(\.body)
    }

    /// What each accepted PUT said, in order, as text.
    func acceptedPuts() async throws -> [String] {
        try await requests().filter { $0.method == "PUT" && $0.status == 200 }.map(\.body)
    }

    /// How often each line item was accepted.
    func acceptances() async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for request in try await requests() where request.method == "PUT" && request.status == 200 {
            let items = try JSONReader().read(request.body).objectValue?["lineItems"]?.arrayValue ?? []
            for id in items.compactMap({ $0.objectValue?["lineItemId"]?.stringValue }) { counts[id, default: 0] += 1 }
        }
        return counts
    }

    func requests() async throws -> [(method: String, status: Int64, body: String)] {
        let rows = try await emulator("GET", "/requests", nil).arrayValue ?? []
        return rows.compactMap(\.objectValue).compactMap { row in
            guard row["path"]?.stringValue?.contains("/externalPurchase/v1/reports") == true else { return nil }
            return (
                row["method"]?.stringValue ?? "", row["status"]?.int64Value ?? 0, row["body"]?.stringValue ?? ""
            )
        }
    }

    func emulator(_ method: String, _ path: String, _ body: String?) async throws -> JSONValue {
        var request = HTTPClientRequest(url: base + "/emulator/v1" + path)
        request.method = .RAW(value: method)
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(Array(body.utf8))
        }
        let answer = try await http.execute(request, timeout: .seconds(300))
        let bytes = Array(try await answer.body.collect(upTo: 1 << 22).readableBytesView)
        #expect(answer.status.code < 300, "\(String(decoding: bytes, as: UTF8.self))")
        return bytes.isEmpty ? .null : try JSONReader().read(bytes)
    }
}
