import ExternalPurchaseCore
import Ledger
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LedgerConformanceCase {
    static let subscriptions: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Every type of sale comes back as it was told, and a subscription's events are found by its name (RR-32)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    let kinds = try kinds()
                    for (number, kind) in kinds.enumerated() {
                        let told = Sale(
                            saleId: SaleId("sale-\(number)"),
                            bundleId: LedgerRows.shop,
                            occurredAt: LedgerRows.now.advanced(by: .milliseconds(Int64(number))),
                            customerId: "customer",
                            kind: kind
                        )
                        let stored = try ledger.insert(
                            StoredSale(
                                sale: told,
                                lineItemId: LineItemId(told.saleId.rawValue),
                                receivedAt: LedgerRows.now,
                                attribution: Attribution(state: .recorded, externalPurchaseId: nil)
                            )
                        )
                        #expect(try ledger.sale(told.saleId, of: LedgerRows.shop) == stored)
                        #expect(stored.sale == told)
                    }
                    func ids(_ name: String, _ page: LedgerPage = LedgerPage()) throws -> [String] {
                        try ledger.sales(.subscription(name, of: LedgerRows.shop), page).map(\.sale.saleId.rawValue)
                    }
                    #expect(try ids("gold") == ["sale-1", "sale-2", "sale-3"])
                    #expect(try ids("gold", LedgerPage(after: 2, limit: 1)) == ["sale-2"])
                    #expect(try ids("silver").isEmpty)
                    let takingBack = SaleQuery.takingBackSubscription("gold", of: LedgerRows.shop)
                    #expect(try ledger.sales(takingBack, LedgerPage()).map(\.sale.saleId) == ["sale-6", "sale-7"])
                    #expect(try ledger.sales(takingBack, LedgerPage(after: 7)).map(\.sale.saleId) == ["sale-7"])
                    #expect(try ledger.refunds(of: "sale-0", app: LedgerRows.shop).map(\.sale.saleId) == ["sale-4"])
                }
            }
        )
    ]

    private static func kinds() throws -> [Sale.Kind] {
        let purchase = try #require(LedgerRows.sale("s").sale.purchase)
        let charge = SubscriptionCharge(
            subscriptionId: "gold",
            period: SubscriptionPeriod(
                start: LedgerRows.now,
                end: LedgerRows.now + .days(30)
            ),
            purchase: purchase
        )
        return [
            .purchase(purchase), .subscription(charge),
            .cancellation(SubscriptionCancellation(subscriptionId: "gold", effectiveAt: LedgerRows.now)),
            .lapse("gold"), .refund(Refund(refundOf: "sale-0", inclusive: 12, isChargeback: true)),
            .chargebackReversal(of: "sale-4"),
            .refund(Refund(refundOf: "sale-1", inclusive: 12, isChargeback: true)), .chargebackReversal(of: "sale-6"),
        ]
    }
}
