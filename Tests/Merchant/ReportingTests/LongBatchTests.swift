import ExternalPurchaseCore
import Ledger
import LedgerSQLite
import LedgerTesting
import Synchronization
import Testing

@testable import Reporting

@Suite("A batch that takes long")
struct LongBatchTests {
    /// Counts commits.
    private final class CountingStore: LedgerStore {
        private let base = MemoryLedgerStore.empty()
        let commits = Mutex(0)

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
        ) async throws(LedgerError) -> Value {
            try await base.read(body)
        }

        func write<Value: Sendable>(
            _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
        ) async throws(LedgerError) -> Value {
            commits.withLock { $0 += 1 }
            return try await base.write(body)
        }
    }

    private static let items = (1...20).map { number in
        BatchIntake.Item.sale(
            SaleCommand(
                Sale(
                    saleId: SaleId("c-\(number)"),
                    bundleId: Merchant.shop,
                    occurredAt: Merchant.noon,
                    kind: .cancellation(SubscriptionCancellation(subscriptionId: "s-1"))
                )
            )
        )
    }

    private static func states(_ results: [BatchIntake.Result]) -> [SaleState?] {
        results.map { result in if case .sale(let receipt) = result { receipt.sale.attribution.state } else { nil } }
    }

    @Test("lets other writes go between, with the results of one commit", arguments: [Duration.zero, .seconds(600)])
    func commits(_ patience: Duration) async throws {
        let store = CountingStore()
        var batches = Merchant(store: store).system.batches
        batches.patience = patience
        store.commits.withLock { $0 = 0 }
        let results = try await batches.receive(Self.items)
        #expect(results.count == Self.items.count && !Self.states(results).contains(nil))
        #expect(store.commits.withLock(\.self) == (patience == .zero ? Self.items.count : 1))
    }

    @Test("ends when its client has gone; a repetition stores the rest")
    func departure() async throws {
        let store = CountingStore()
        var batches = Merchant(store: store).system.batches
        batches.patience = .zero
        store.commits.withLock { $0 = 0 }
        await #expect(throws: RequestError.self) {
            try await ClientPresence.$current.withValue(ClientPresence { store.commits.withLock { $0 >= 7 } }) {
                _ = try await batches.receive(Self.items)
            }
        }
        #expect(store.commits.withLock(\.self) == 7)
        let again = try await batches.receive(Self.items)
        let isNew = again.map { result in if case .sale(let receipt) = result { receipt.isNew } else { false } }
        #expect(isNew == Array(repeating: false, count: 7) + Array(repeating: true, count: 13))
    }
}
