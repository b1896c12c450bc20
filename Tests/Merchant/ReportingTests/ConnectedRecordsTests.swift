import ExternalPurchaseCore
import Ledger
import Testing

@testable import Reporting

@Suite("The records that a plan reads")
struct ConnectedRecordsTests {
    /// A confirmation compares the text of a new dry run with the one that a person saw (RR-80).
    @Test("Sales and tokens are in the order of their arrival, whichever key leads to them")
    func order() async throws {
        let merchant = Merchant()
        var (ids, sales): ([ExternalPurchaseId], [SaleId]) = ([], [])
        for digit in "123456789" {
            let token = Merchant.token(digit)
            try await merchant.take(token, customer: "c")
            ids.append(token.externalPurchaseId)
            for number in 1...7 {
                let sale = "\(digit)-\(number)"
                try await merchant.sell(Merchant.purchase(sale, on: token, more: #""customerId":"c","#))
                sales.append(SaleId(sale))
            }
        }
        var random = SplitMix64(seed: 1)
        for _ in 1...20 {
            let keys = sales.shuffled(using: &random).prefix(Int.random(in: 1...9, using: &random)).map(
                PlanningKey.sale
            )
            let part = try await merchant.store.read { ledger throws(LedgerError) in
                try ConnectedRecords.part(touching: keys + [.customer("c")], of: Merchant.shop, in: ledger)
            }
            #expect(part.universe.sales.map(\.sale.saleId) == sales)
            #expect(part.universe.tokens.map(\.id) == ids)
        }
    }
}
