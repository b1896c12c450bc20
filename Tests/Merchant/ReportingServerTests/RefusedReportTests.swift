import AppStoreEmulator
import AppStoreServerClient
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Logging
import NIOCore
import NIOHTTP1
import Reporting
import ReportingServer
import Testing

@testable import ReportValidation

@Suite("What Apple's side refuses is shown beside its sale")
struct RefusedReportTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let errorCode: Int
        let fieldName: String
        /// False for an error of the report as a whole, which names neither item nor sale.
        let namesItem: Bool
        var testDescription: String { "E\(errorCode)" }
    }

    @Test(
        "Without pre-flight the emulator refuses, and the ledger keeps the reason (SA-73)",
        arguments: [
            Refusal(errorCode: 36, fieldName: "creationDate", namesItem: true),
            Refusal(errorCode: 3, fieldName: "externalPurchaseId", namesItem: false),
        ]
    )
    func withoutPreflight(_ row: Refusal) async throws {
        let (reports, journal) = try await report(row, isPreflightOn: false)
        let report = try #require(reports.first)
        // A refusal that names the item takes its sale out of the report.
        #expect(report.state == (row.namesItem ? .withdrawn : .needsAttention))
        #expect(report.answer?.status == 400)
        #expect(report.errors.map(\.error.errorCode.rawValue) == [row.errorCode])
        #expect(report.errors.map(\.error.fieldName) == [row.fieldName])
        #expect(report.errors.map(\.error.lineItemId?.rawValue) == [row.namesItem ? "order-1" : nil])
        #expect(report.errors.map(\.saleId?.rawValue) == [row.namesItem ? "order-1" : nil])
        #expect(report.errors.map(\.isLocal) == [false])
        #expect(journal == 1)
    }

    @Test("With pre-flight the same report is held without a request (SA-75)")
    func withPreflight() async throws {
        let row = Refusal(errorCode: 36, fieldName: "creationDate", namesItem: true)
        let (reports, journal) = try await report(row, isPreflightOn: true)
        let report = try #require(reports.first)
        #expect(report.state == .withdrawn)
        #expect(report.errors.map(\.error.errorCode.rawValue) == [36])
        #expect(report.errors.map(\.isLocal) == [true])
        #expect(journal == 0)
    }

    /// Sells against an emulator over HTTP and waits until the sender rests.
    private func report(_ row: Refusal, isPreflightOn: Bool) async throws -> (reports: [StoredReport], journal: Int) {
        let bundleId: BundleId = "com.example.shop"
        let now = try #require(Timestamp(rfc3339: "2026-11-21T12:00:00Z"))
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
        let emulator = try AppStoreEmulator(
            EmulatorConfiguration(
                port: 0,
                apps: [AppRegistration(bundleId: bundleId, appAppleId: 1_234_567_890)],
                now: now,
                settings: try Self.strict()
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
        let client = AppStoreServerClient(
            httpClient: http,
            signer: BearerTokenSigner(
                credentials: APICredentials(
                    privateKey: try PrivateKey(p8: app.privateKey),
                    keyId: app.keyId,
                    issuerId: app.issuerId,
                    bundleId: bundleId
                )
            ),
            baseURLs: AppStoreServerClient.BaseURLs(base),
            now: { Timestamp(Date()) }
        )
        let file = FileManager.default.temporaryDirectory.appending(path: "refused-\(UUID().uuidString).sqlite").path
        defer { for end in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: file + end) } }
        var settings = ReportingSettings()
        settings.isPreflightOn = isPreflightOn
        settings.rules.plainTokenRange = true
        var dependencies = ReportingDependencies.live
        dependencies.now = { now }
        let merchant = ReportingSystem(
            store: try SQLiteLedgerStore(path: file),
            apps: [
                Reporting.RegisteredApp(
                    bundleId: bundleId,
                    appAppleId: 1_234_567_890,
                    environments: [.sandbox],
                    client: client
                )
            ],
            settings: settings,
            dependencies: dependencies,
            logger: logger
        )
        let minted = try await Self.post(base + "/emulator/v1/tokens", #"{"bundleId":"\#(bundleId)"}"#, http)
        let token = try #require(minted.objectValue?["token"]?.stringValue)
        if row.errorCode == 3 { _ = try await Self.post(base + "/emulator/v1/reset", "{}", http) }
        let receipt = try await merchant.tokens.receive(TokenArrival(text: token, source: .app))
        let sale = """
            {"saleId":"order-1","bundleId":"\(bundleId)","type":"purchase","occurredAt":"\(row.errorCode == 36 ? "2026-11-10T11:00:00Z" : "2026-11-21T11:00:00Z")",
             "checkoutId":"\(receipt.token.checkoutId)","productId":"gems.100","quantity":1,
             "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
            """
        _ = try await merchant.sales.receive(
            SaleCommand(body: try JSONReader().read(sale), apps: merchant.apps, caller: .anybody)
        )
        _ = await merchant.sender.runUntilIdle()
        let reports = try await merchant.lists.reports(LedgerPage())
        let journal = try await Self.get(base + "/emulator/v1/requests", http).arrayValue?.count ?? -1
        running.cancel()
        _ = await running.result
        try await http.shutdown()
        return (reports, journal)
    }

    /// A plain token takes no buy from long before it.
    private static func strict() throws -> EmulatorSettings {
        var settings = EmulatorSettings()
        try settings.set("rules.plainTokenRange=on")
        return settings
    }

    private static func post(_ url: String, _ body: String, _ http: HTTPClient) async throws -> JSONValue {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(Array(body.utf8))
        return try await read(request, http)
    }

    private static func get(_ url: String, _ http: HTTPClient) async throws -> JSONValue {
        try await read(HTTPClientRequest(url: url), http)
    }

    private static func read(_ request: HTTPClientRequest, _ http: HTTPClient) async throws -> JSONValue {
        let answer = try await http.execute(request, timeout: .seconds(300))
        return try JSONReader().read(Array(try await answer.body.collect(upTo: 1 << 20).readableBytesView))
    }
}
