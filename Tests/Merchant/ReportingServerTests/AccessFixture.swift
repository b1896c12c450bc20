import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import Logging
import NIOCore
import Reporting
import Synchronization

@testable import ReportingServer

/// A server with two apps over a real SQLite ledger, and clocks that the test turns.
struct AccessFixture: Sendable {
    static let shop: BundleId = "com.example.shop"
    static let other: BundleId = "com.example.other"
    static let start = Timestamp(milliseconds: 1_795_176_000_000)

    let store: any LedgerStore
    let system: ReportingSystem
    let clock = TurnedClock(AccessFixture.start)

    /// - Parameters:
    ///   - store: replaces the SQLite ledger.
    ///   - apps: the apps with their policies.
    init(
        store: (any LedgerStore)? = nil,
        apps: [(BundleId, PurchasePolicy)] = [(AccessFixture.shop, .open), (AccessFixture.other, .open)]
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "access-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.store = try store ?? SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        var dependencies = ReportingDependencies.live
        if apps.contains(where: { $0.1 != .open }) { dependencies.now = { [clock] in clock.now } }
        system = ReportingSystem(
            store: self.store,
            apps: apps.map { bundleId, policy in
                RegisteredApp(
                    bundleId: bundleId,
                    appAppleId: bundleId == Self.shop ? ServerFixture.appAppleId : 2,
                    environments: [.sandbox],
                    client: Silence(),
                    policy: policy
                )
            },
            dependencies: dependencies,
            logger: logger
        )
    }

    func application(
        _ settings: AccessSettings = AccessSettings(),
        trustedProxies: TrustedProxies = TrustedProxies()
    ) -> some ApplicationProtocol {
        let server = ReportingServer(
            system: system,
            links: [:],
            trustedProxies: trustedProxies,
            access: settings,
            clock: AccessClock(now: { [clock] in clock.now }, elapsed: { [clock] in clock.elapsed })
        )
        return Application(
            responder: DescribedResponder(server.router()),
            configuration: .init(address: .hostname("127.0.0.1", port: 0))
        )
    }

    /// Creates a key and returns its text.
    @discardableResult
    func key(
        _ scope: KeyScope,
        id: APIKeyId? = nil,
        app: BundleId? = nil,
        name: String? = nil,
        expires: Timestamp? = nil
    ) async throws -> String {
        var generator = SplitMix64(seed: .random(in: .min ... .max))
        let key = APIKey(scope: scope, using: &generator)
        let stored = StoredAPIKey(
            key,
            keyId: id ?? .random(using: &generator),
            bundleId: app,
            name: name,
            createdAt: clock.now,
            createdBy: "kim",
            expiresAt: expires
        )
        _ = try await store.write { ledger throws(LedgerError) in try ledger.insert(stored) }
        return key.text
    }

    func revoke(_ id: APIKeyId) async throws {
        let revocation = StoredAPIKey.Revocation(at: clock.now, by: "kim")
        _ = try await store.write { ledger throws(LedgerError) in try ledger.revokeKey(id, revocation) }
    }

    /// The token of an app, with an id of the test's choosing.
    static func token(_ id: String, of bundleId: BundleId = shop) -> String {
        ExternalPurchaseToken(
            appAppleId: bundleId == shop ? ServerFixture.appAppleId : 2,
            bundleId: bundleId,
            tokenCreationDate: Timestamp(milliseconds: 1_790_000_000_000),
            externalPurchaseId: ExternalPurchaseId("SANDBOX_" + id)
        ).encoded()
    }

    static func sale(_ id: String, of bundleId: BundleId = shop) -> [String: Any] {
        [
            "saleId": id, "bundleId": bundleId.rawValue, "type": "purchase",
            "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems.100", "quantity": 1,
            "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
        ]
    }
}

/// A clock that stands still until a test turns it; both readings move together.
final class TurnedClock: Sendable {
    private let start: Timestamp
    private let passed = Mutex(Duration.zero)

    init(_ start: Timestamp) {
        self.start = start
    }

    var elapsed: Duration { passed.withLock { $0 } }
    var now: Timestamp { start + elapsed }

    func advance(by duration: Duration) { passed.withLock { $0 += duration } }
}

extension TestClientProtocol {
    /// Sends a request with a key.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        key: String? = nil,
        body: [String: Any]? = nil,
        headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        if let key { headers[.authorization] = "Bearer \(key)" }
        var buffer: ByteBuffer?
        if method == .post {
            headers[.contentType] = "application/json"
            buffer = ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body ?? [:]))
        }
        return try await execute(uri: path, method: method, headers: headers, body: buffer)
    }
}

/// A flag that is set once.
final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
