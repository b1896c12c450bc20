import AppStoreEmulator
import AppStoreServerClient
import AsyncHTTPClient
import Crypto
import ExternalPurchaseCore
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Testing

/// A running emulator and helper functions for tests, which use only HTTP.
struct EmulatorUnderTest: Sendable {
    /// Waits longer than the shared client: an advance of the clock answers after everything that falls due, and a busy machine
    /// is late with a connection.
    private static let http = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: HTTPClient.Configuration(timeout: .init(connect: .seconds(600), read: .seconds(600)))
    )

    static let shop: BundleId = "com.example.shop"
    /// 2026-11-20T12:00:00Z.
    static let now = Timestamp(milliseconds: 1_795_176_000_000)

    let address: AppStoreEmulator.Address
    let emulator: AppStoreEmulator
    let app: RegisteredApp
    /// Begins a graceful shutdown.
    let stop: @Sendable () async -> Void
    /// Receives every request with its response.
    var observe: (@Sendable (Exchange) -> Void)?

    /// A request and its response.
    struct Exchange: Sendable {
        let method: HTTPMethod
        let path: String
        let body: String?
        let answer: Answer
    }

    struct Answer: Sendable {
        let status: Int
        let contentType: String?
        let body: String
        let headers: HTTPHeaders

        var json: JSONValue? { try? JSONReader().read(body) }
        subscript(key: String) -> JSONValue? { json?.objectValue?[key] }
    }

    /// Runs an emulator on a free port, with one app and a virtual clock, for the duration of a test.
    static func run<Result: Sendable>(
        environment: AppStoreEnvironment? = nil,
        settings: [String] = ["auth.clock=virtual"],
        apps: [AppRegistration] = [AppRegistration(bundleId: shop, appAppleId: 1_234_567_890)],
        now: Timestamp? = now,
        host: String = "127.0.0.1",
        allowedHosts: [String] = [],
        dependencies: EmulatorDependencies = .live,
        _ test: @Sendable (EmulatorUnderTest) async throws -> Result
    ) async throws -> Result {
        var named = EmulatorSettings()
        for setting in settings { try named.set(setting) }
        let (ports, continuation) = AsyncStream<AppStoreEmulator.Address>.makeStream()
        let emulator = try AppStoreEmulator(
            EmulatorConfiguration(
                host: host,
                port: 0,
                environment: environment,
                apps: apps,
                now: now,
                settings: named,
                allowedHosts: allowedHosts
            ),
            dependencies: dependencies
        ) { address in
            continuation.yield(address)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [emulator],
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            )
        )
        let server = Task { try await group.run() }
        var addresses = ports.makeAsyncIterator()
        let address = try #require(await addresses.next())
        let app = try #require(await emulator.apps.first)
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(
                try await test(
                    EmulatorUnderTest(address: address, emulator: emulator, app: app) {
                        await group.triggerGracefulShutdown()
                    }
                )
            )
        } catch {
            outcome = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await server.value
        return try outcome.get()
    }

    func call(
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: address.baseURL + path)
        request.method = method
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body {
            if headers["Content-Type"] == nil { request.headers.add(name: "Content-Type", value: "application/json") }
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await Self.http.execute(request, timeout: .seconds(600))
        let bytes = try await response.body.collect(upTo: 64 * 1_048_576)
        let answer = Answer(
            status: Int(response.status.code),
            contentType: response.headers.first(name: "Content-Type"),
            body: String(buffer: bytes),
            headers: response.headers
        )
        observe?(Exchange(method: method, path: path, body: body, answer: answer))
        return answer
    }

    func control(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> Answer {
        try await call(method, "/emulator/v1" + path, body)
    }

    /// A valid JWT for the emulator's start time.
    func bearer(bundleId: BundleId = shop, now: Timestamp = now) async throws -> String {
        try "Bearer " + signer(bundleId: bundleId).token(now: now)
    }

    func signer(bundleId: BundleId = shop) throws -> BearerTokenSigner {
        BearerTokenSigner(
            credentials: APICredentials(
                privateKey: try PrivateKey(p8: app.privateKey),
                keyId: app.keyId,
                issuerId: app.issuerId,
                bundleId: bundleId
            )
        )
    }

    func put(_ report: String, bundleId: BundleId = shop, now: Timestamp = now) async throws -> Answer {
        let authorization = try await bearer(bundleId: bundleId, now: now)
        return try await call(.PUT, "/externalPurchase/v1/reports", report, headers: ["Authorization": authorization])
    }

    func get(_ requestIdentifier: String, now: Timestamp = now) async throws -> Answer {
        let authorization = try await bearer(now: now)
        return try await call(
            .GET,
            "/externalPurchase/v1/reports/\(requestIdentifier)",
            headers: ["Authorization": authorization]
        )
    }

    /// Registers a plain token created 2026-10-01.
    func addToken(_ id: String, bundleId: BundleId = shop) async throws {
        let body = #"{"bundleId":"\#(bundleId)","externalPurchaseId":"\#(id)","creationDate":1790812800000}"#
        let answer = try await control(.POST, "/tokens", body)
        #expect(answer.status == 201, "\(answer.body)")
    }

    func journal() async throws -> [JSONObject] {
        try await control(.GET, "/requests").json?.arrayValue?.compactMap(\.objectValue) ?? []
    }
}

/// Bodies of reports.
enum Body {
    static let token = "4d3f0000-0000-4000-8000-00000000000a"

    static func request(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(number).count) + String(number)
    }

    static func buy(_ number: Int, token: String = token, item: String? = nil, rate: String = "") -> String {
        #"{"requestIdentifier":"\#(request(number))","externalPurchaseId":"\#(token)","status":"LINE_ITEM","lineItems":["#
            + #"{"lineItemId":"\#(item ?? "sale-\(number)")","creationDate":1794906000000,"eventType":"BUY","#
            + #""productType":"ONE_TIME_BUY","productIdentifier":"sticker.book","quantity":1,"#
            + #""amountTaxExclusive":8256,"taxAmount":1734,"amountTaxInclusive":9990,"netAmountTaxExclusive":8256,"#
            + (rate.isEmpty
                ? #""pricingCurrency":"EUR","reportingCurrency":"EUR","#
                : #""pricingCurrency":"ISK","reportingCurrency":"EUR","exchangeRate":\#(rate),"#)
            + #""taxCountry":"ESP"}]}"#
    }

    static func noLineItem(_ number: Int, token: String = token) -> String {
        #"{"requestIdentifier":"\#(request(number))","externalPurchaseId":"\#(token)","status":"NO_LINE_ITEM"}"#
    }

    static let unknownReport =
        #"{"errorCode":3,"errorMessage":"The referenced value was not found.","fieldName":"requestIdentifier"}"#
}
