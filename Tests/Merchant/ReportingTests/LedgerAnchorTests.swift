import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import Synchronization
import Testing

@testable import Reporting

/// A ledger that can come back as another one, as a database server does that was restored.
private final class ReplacedStore: LedgerStore {
    private let current: Mutex<MemoryLedgerStore>

    init(_ store: MemoryLedgerStore) { current = Mutex(store) }

    func replace(with store: MemoryLedgerStore) { current.withLock { $0 = store } }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await current.withLock(\.self).read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await current.withLock(\.self).write(body)
    }
}

@Suite("OB-93: the anchor of a running server")
struct LedgerAnchorTests {
    private static func ledger(tokens: Int) async throws -> MemoryLedgerStore {
        let store = MemoryLedgerStore.empty()
        for number in 0..<tokens {
            try await store.write { ledger throws(LedgerError) in
                let token = Merchant.token(Character("\(number)"))
                _ = try ledger.insert(
                    StoredToken(
                        token: token,
                        text: token.encoded(),
                        firstSeen: FirstSeen(source: .app, time: Merchant.noon),
                        checkoutId: CheckoutId("checkout-\(number)")
                    )
                )
            }
        }
        return store
    }

    @Test("It is never replaced by a head of a ledger that lacks its entry: an older copy, another one, an empty one")
    func olderCopy() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "anchor-\(UUID().uuidString)").path
        let store = ReplacedStore(try await Self.ledger(tokens: 3))
        let anchor = LedgerAnchor(
            path: path,
            store: store,
            dependencies: Merchant.Clock().dependencies,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        await anchor.update()
        let noted = try #require(try LedgerAnchor.read(path))
        for tokens in [2, 0, 9] {
            store.replace(with: try await Self.ledger(tokens: tokens))
            await anchor.update()
            #expect(try LedgerAnchor.read(path) == noted, "\(tokens)")
        }
    }
}
