// swift-format-ignore-file: NeverForceUnwrap

import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import Reporting
import Synchronization

/// A merchant with one app over a store, with Apple's side played by a script and a clock set by hand.
final class Merchant: Sendable {
    static let shop: BundleId = "com.example.shop"
    static let appAppleId: Int64 = 1_234_567_890
    static let keyId = "2X9R4HXF34"
    /// 2026-11-20T12:00:00Z, the clock of the spec's examples.
    static let noon = Timestamp(milliseconds: 1_795_176_000_000)

    let apple: ScriptedApple
    let store: any LedgerStore
    let system: ReportingSystem
    let clock: Clock

    init(
        store: any LedgerStore = MemoryLedgerStore.empty(),
        apple: ScriptedApple? = nil,
        settings: ReportingSettings = ReportingSettings(),
        environments: Set<AppStoreEnvironment> = [.sandbox, .production],
        clock: Clock = Clock(),
        spool: LandingSpool? = nil,
        programmes: [String] = [],
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.store = store
        self.clock = clock
        self.apple = apple ?? ScriptedApple(clock: clock)
        system = ReportingSystem(
            store: store,
            apps: [
                RegisteredApp(
                    bundleId: Self.shop,
                    appAppleId: Self.appAppleId,
                    environments: environments,
                    client: self.apple,
                    keyId: Self.keyId,
                    programmes: programmes
                )
            ],
            settings: settings,
            spool: spool,
            dependencies: clock.dependencies,
            logger: logger
        )
    }

    /// The time by hand, UUIDs by counting and no jitter.
    final class Clock: Sendable {
        private let state = Mutex((now: Merchant.noon, uuids: 0, step: Int64(0)))
        private let doubt = Mutex(ClockDoubt?.none)

        /// From now on the clock is known to be wrong, for this reason; nil trusts it again.
        func distrust(_ reason: ClockDoubt?) { doubt.withLock { $0 = reason } }

        var now: Timestamp {
            state.withLock { state in
                defer { state.now = state.now + .milliseconds(state.step) }
                return state.now
            }
        }

        /// From now on every look at the clock takes this long.
        func run(millisecondsPerReading step: Int64) { state.withLock { $0.step = step } }

        func advance(seconds: Int64) { advance(by: .seconds(seconds)) }

        func advance(by duration: Duration) {
            state.withLock { $0.now = $0.now + duration }
        }

        var dependencies: ReportingDependencies {
            var dependencies = ReportingDependencies(
                now: { self.now },
                uuid: {
                    let number = self.state.withLock { state in
                        state.uuids += 1
                        return state.uuids
                    }
                    let digits = String(number)
                    let zeros = String(repeating: "0", count: 12 - digits.count)
                    return UUID(uuidString: "10000000-0000-4000-8000-\(zeros)\(digits)")!
                },
                random: { 0 },
                sleep: { try await Task.sleep(for: $0) }
            )
            dependencies.clockDoubt = { self.doubt.withLock { $0 } }
            return dependencies
        }
    }

    static func token(
        _ digit: Character = "a",
        environment: AppStoreEnvironment = .production,
        type: TokenType? = nil,
        made: Timestamp = noon - .days(1),
        expires: Timestamp? = nil,
        bundleId: BundleId = shop
    ) -> ExternalPurchaseToken {
        let prefix = environment == .sandbox ? "SANDBOX_" : ""
        return ExternalPurchaseToken(
            appAppleId: appAppleId,
            bundleId: bundleId,
            tokenCreationDate: made,
            externalPurchaseId: ExternalPurchaseId("\(prefix)4d3f0000-0000-4000-8000-00000000000\(digit)"),
            tokenType: type,
            tokenExpirationDate: expires
        )
    }

    @discardableResult
    func take(
        _ token: ExternalPurchaseToken,
        customer: String? = nil,
        checkout: String? = nil
    ) async throws -> TokenReceipt {
        apple.know(token)
        let arrival = TokenArrival(
            text: token.encoded(),
            source: .app,
            customerId: customer.map { CustomerId($0) },
            checkoutId: checkout.map { CheckoutId($0) }
        )
        return try await system.tokens.receive(arrival)
    }

    /// Everything that is not reported yet, in the order of the due list.
    func dueEntries() async throws -> [DeadlineEntry] {
        try await system.deadlines(limit: 10_000).entries.map(\.entry)
    }

    @discardableResult
    func sell(_ body: String) async throws -> SaleReceipt {
        try await system.receiveSale(body: try JSONReader().read(body))
    }

    /// A purchase of EUR 9.99 with 21 % tax on a token.
    static func purchase(_ id: String, on token: ExternalPurchaseToken?, more: String = "") -> String {
        let named = token.map { #""externalPurchaseId":"\#($0.externalPurchaseId)","# } ?? ""
        return """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:00:00Z",\(named)
            \(more)"productId":"gems.100","quantity":1,
            "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
            """
    }

    static func refund(_ id: String, of buy: String, _ inclusive: String) -> String {
        """
        {"saleId":"\(id)","bundleId":"com.example.shop","type":"refund","occurredAt":"2026-11-20T11:30:00Z",
        "refundOf":"\(buy)","amount":{"inclusive":"\(inclusive)"}}
        """
    }

    func reports() async throws -> [StoredReport] { try await system.lists.reports(LedgerPage()) }
}
