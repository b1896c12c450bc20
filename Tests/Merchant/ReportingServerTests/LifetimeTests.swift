import ExternalPurchaseCore
import HTTPTypes
import HummingbirdTesting
import LedgerSQLite
import Payments
import Testing

@Suite("What a reporting system has ends with it: its ledger's files are closed")
struct LifetimeTests {
    enum Kind: CaseIterable { case withoutPayments, withEvents }

    @Test("After requests that store, nothing keeps the store", arguments: Kind.allCases)
    func ends(kind: Kind) async throws {
        weak var store: SQLiteLedgerStore?
        try await {
            let payments: [any PaymentSource] = kind == .withEvents ? [CustomDelivery.source(take: .all)] : []
            let fixture = try ServerFixture(payments: payments)
            store = fixture.store as? SQLiteLedgerStore
            #expect(store != nil)
            try await fixture.application.test(.router) { client in
                let token = try await client.send(.post, "/v1/tokens", body: ["token": ServerFixture.token()])
                #expect(token.status == .created)
                guard kind == .withEvents else { return }
                let event = try await CustomDelivery.post(CustomDelivery.body("order-1", checkout: nil), to: client)
                #expect(event.status == .ok)
            }
        }()
        // Tasks of the requests may still be ending.
        for _ in 0..<30_000 where store != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(store == nil)
    }
}
