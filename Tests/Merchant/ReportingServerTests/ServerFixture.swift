import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import NIOCore
import Payments
import Reporting

@testable import ReportingServer

/// A server over a real SQLite ledger; Apple's side accepts nothing, because nothing is sent here.
struct ServerFixture: ~Copyable {
    static let bundleId: BundleId = "com.example.shop"
    static let appAppleId: Int64 = 1_234_567_890

    let folder: URL
    let store: any LedgerStore
    let merchant: ReportingSystem

    /// - Parameters:
    ///   - store: replaces the SQLite ledger.
    ///   - hasSpool: false leaves the landing address without its spool.
    ///   - others: further apps.
    ///   - environments: those of each app.
    ///   - programmes: those of each app.
    ///   - stripe: the accounts whose events are received.
    ///   - payments: further payment providers.
    ///   - settings: of the merchant's side.
    ///   - isShared: true for one of several servers, nil as the store says.
    ///   - dependencies: time, randomness and waiting.
    init(
        store: (any LedgerStore)? = nil,
        hasSpool: Bool = true,
        others: [BundleId] = [],
        environments: Set<AppStoreEnvironment> = [.sandbox],
        programmes: [String] = [],
        stripe: StripeSource? = nil,
        payments: [any PaymentSource] = [],
        settings: ReportingSettings = ReportingSettings(),
        isShared: Bool? = nil,
        dependencies: ReportingDependencies = .live
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "reporting-server-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let ledger = folder.appending(path: "ledger.sqlite").path
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        self.store = try store ?? SQLiteLedgerStore(path: ledger)
        merchant = ReportingSystem(
            store: self.store,
            apps: ([Self.bundleId] + others).enumerated().map { offset, bundleId in
                RegisteredApp(
                    bundleId: bundleId,
                    appAppleId: Self.appAppleId + Int64(offset),
                    environments: environments,
                    client: Silence(),
                    programmes: programmes
                )
            },
            settings: settings,
            spool: hasSpool ? LandingSpool(path: ledger + ".spool") : nil,
            payments: [stripe].compactMap(\.self) + payments,
            isShared: isShared,
            dependencies: dependencies,
            logger: logger
        )
    }

    var application: some ApplicationProtocol { application() }

    /// - Parameter trustedProxies: the address of the tests' client is 127.0.0.1.
    func application(trustedProxies: TrustedProxies = TrustedProxies()) -> some ApplicationProtocol {
        let links: [String: LandingLink] = [
            "nl": "https://shop.example.com/nl?lang=nl#top", "de": "https://shop.example.com",
            "fr": LandingLink(url: "https://shop.example.com/fr?lang=fr#top", allowsPaths: true),
            "es": LandingLink(url: "https://shop.example.com/", allowsPaths: true),
        ]
        let server = ReportingServer(system: merchant, links: links, trustedProxies: trustedProxies)
        return Application(
            responder: DescribedResponder(server.router()),
            configuration: .init(address: .hostname("127.0.0.1", port: 0))
        )
    }

    static func token(
        _ id: String = "SANDBOX_7b1e6c1a-3f52-4d0b-9c77-5a2e8d4f1b60",
        bundleId: BundleId = bundleId
    ) -> String {
        ExternalPurchaseToken(
            appAppleId: appAppleId,
            bundleId: bundleId,
            tokenCreationDate: Timestamp(milliseconds: 1_790_000_000_000),
            externalPurchaseId: ExternalPurchaseId(id)
        ).encoded()
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}

/// A network without anybody.
struct Silence: ReportEndpointClient {
    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        AppStoreResponse(outcome: .noAnswer(reason: "nobody there"), status: nil, body: [])
    }

    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        AppStoreResponse(outcome: .noAnswer(reason: "nobody there"), status: nil, body: [])
    }
}

extension FaultyLedgerStore {
    /// A disk that is full.
    static var full: FaultyLedgerStore {
        FaultyLedgerStore(MemoryLedgerStore.empty(), LedgerFaultScript(everyRead: .error(.full), everyWrite: .full))
    }
}

extension TestResponse {
    var json: [String: Any] {
        let data = Data(body.readableBytesView)
        return ((try? JSONSerialization.jsonObject(with: data)) as? [String: Any]) ?? [:]
    }
}
