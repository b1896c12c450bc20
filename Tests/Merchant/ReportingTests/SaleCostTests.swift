import ExternalPurchaseCore
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

@Suite("What a sale costs does not depend on the other sales of its token")
struct SaleCostTests {
    /// How sales of one token come in.
    enum Arrival: String, CaseIterable, Sendable {
        /// Each names the token.
        case byToken
        /// Each names the customer, who has a custom link token (RR-60).
        case byCustomer
        /// Each names a checkout of its own beside the token.
        case byCheckout
    }

    private func take(_ number: Int, _ arrival: Arrival, by merchant: Merchant) async throws {
        let token = Merchant.token()
        let body =
            switch arrival {
            case .byToken: Merchant.purchase("s\(number)", on: token)
            case .byCustomer: Merchant.purchase("s\(number)", on: nil, more: #""customerId":"c","#)
            case .byCheckout: Merchant.purchase("s\(number)", on: token, more: #""checkoutId":"k\#(number)","#)
            }
        let receipt = try await merchant.sell(body)
        #expect(receipt.sale.attribution.state == .planned)
    }

    private func merchant(_ store: any LedgerStore, _ arrival: Arrival) async throws -> Merchant {
        let merchant = Merchant(store: store)
        if arrival == .byCustomer {
            let expires = Merchant.noon + .days(300)
            try await merchant.take(Merchant.token(type: .services, expires: expires), customer: "c")
        } else {
            try await merchant.take(Merchant.token())
        }
        return merchant
    }

    @Test(
        "Storing the 400th waiting sale of a token lists as many rows as storing the tenth",
        arguments: Arrival.allCases
    )
    func waiting(_ arrival: Arrival) async throws {
        let counting = FaultyLedgerStore(MemoryLedgerStore.empty(), LedgerFaultScript())
        let merchant = try await merchant(counting, arrival)
        var costs: [Int] = []
        for number in 1...400 {
            let before = counting.rows
            try await take(number, arrival, by: merchant)
            costs.append(counting.rows - before)
        }
        #expect(Set(costs[9...]).count == 1, "\(costs[9]) … \(costs[399])")
    }

    @Test("Reporting the 200th sale of a token lists as many rows as reporting the tenth", arguments: Arrival.allCases)
    func reported(_ arrival: Arrival) async throws {
        let counting = FaultyLedgerStore(MemoryLedgerStore.empty(), LedgerFaultScript())
        let merchant = try await merchant(counting, arrival)
        var costs: [Int] = []
        for number in 1...200 {
            let before = counting.rows
            try await take(number, arrival, by: merchant)
            await merchant.system.sender.runUntilIdle()
            costs.append(counting.rows - before)
        }
        #expect(merchant.apple.puts.count == 200)
        #expect(Set(costs[9...]).count == 1, "\(costs[9]) … \(costs[199])")
    }
}
