import ExternalPurchaseCore
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

@Suite("What commits of another server call for")
struct CommitLookTests {
    private static let sale = Sale(
        saleId: "s",
        bundleId: "com.example.shop",
        occurredAt: Timestamp(milliseconds: 1_794_000_000_000),
        customerId: "c",
        checkoutId: "k",
        kind: .lapse("sub")
    )

    private static func look(
        after change: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Void
    ) async throws -> CommitLook {
        let store = MemoryLedgerStore.empty()
        let seen = try await store.write { ledger throws(LedgerError) in
            _ = try ledger.open(
                ReviewItem(
                    bundleId: "com.example.shop",
                    kind: .contradiction,
                    subject: .app,
                    detail: "d",
                    openedAt: sale.occurredAt
                )
            )
            return try ledger.lastAuditEntry()?.sequence
        }
        return try await store.write { ledger throws(LedgerError) in
            try change(ledger)
            return try CommitLook(after: seen, in: ledger)
        }
    }

    @Test(
        "A new sale finds its token itself; held ones are planned again after a checkout, which a sale may tie (SA-76)"
    )
    func heldSales() async throws {
        let sale = try await Self.look { ledger throws(LedgerError) in
            _ = try ledger.insert(
                StoredSale(
                    sale: Self.sale,
                    lineItemId: "s",
                    receivedAt: Self.sale.occurredAt,
                    attribution: Attribution(state: .held, externalPurchaseId: nil, holdCauses: [.noToken])
                )
            )
        }
        #expect(!sale.mayAttributeSales)
        let checkout = try await Self.look { ledger throws(LedgerError) in
            try ledger.put(Checkout(checkoutId: "k", bundleId: "com.example.shop", customerId: "c"))
        }
        #expect(checkout.mayAttributeSales)
    }
}
