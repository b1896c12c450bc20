// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LedgerConformanceCase {
    static let saleVersions: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A sale is given in its newest version, and every version stays (RR-84)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    let arrival = try ledger.insert(LedgerRows.sale("s"))
                    _ = try ledger.insert(LedgerRows.report(1), holding: ["s"])
                    _ = try ledger.insert(LedgerRows.correction())
                    try ledger.insert(version(2, .retracted, correction: "c-1"))
                    #expect(try ledger.sale("s", of: LedgerRows.shop)?.isRetracted == true)
                    _ = try ledger.insert(LedgerRows.sale("u"))
                    try ledger.insert(version(2, .retracted, sale: "u", lineItem: "u"))
                    func listed(_ standing: SaleStanding?, _ state: SaleFilter.State? = nil) throws -> [SaleId] {
                        var filter = SaleFilter(bundleId: LedgerRows.shop)
                        (filter.standing, filter.state) = (standing, state)
                        return try ledger.sales(matching: filter, LedgerPage()).map(\.sale.saleId)
                    }
                    #expect(try listed(.retracted) == ["s"] && listed(.void) == ["u"] && listed(nil, .void) == ["u"])
                    #expect(try ledger.sales(.replaced(of: LedgerRows.shop), LedgerPage()).isEmpty)
                    try ledger.insert(version(3, .restated, inclusive: 2_000, lineItem: "s.2"))
                    try ledger.insert(version(3, .restored, sale: "u", lineItem: "u"))
                    #expect(try listed(.retracted).isEmpty && listed(.void).isEmpty && listed(nil, .void).isEmpty)
                    let sale = try #require(try ledger.sale("s", of: LedgerRows.shop))
                    #expect(sale.version == 3)
                    #expect(!sale.isRetracted)
                    #expect(sale.lineItemId == "s.2")
                    #expect(try ledger.sales(.replaced(of: LedgerRows.shop), LedgerPage()) == [sale])
                    #expect(try ledger.sales(.replaced(of: LedgerRows.shop), LedgerPage(after: sale.sequence)).isEmpty)
                    #expect(try ledger.sales(.replaced(of: "com.example.other"), LedgerPage()).isEmpty)
                    #expect(sale.sale.purchase?.inclusive == 2_000)
                    #expect(sale.requestIdentifier == LedgerRows.report(1).requestIdentifier)
                    for id in ["s", "s.2"] as [LineItemId] {
                        #expect(try ledger.sale(ofLineItem: id, of: LedgerRows.shop) == "s")
                    }
                    #expect(try ledger.sale(ofLineItem: "s.3", of: LedgerRows.shop) == nil)
                    #expect(try ledger.sale(ofLineItem: "s", of: "com.example.other") == nil)
                    let versions = try ledger.versions(of: "s", app: LedgerRows.shop)
                    #expect(versions.map(\.version) == [1, 2, 3])
                    #expect(versions.map(\.change) == [.arrived, .retracted, .restated])
                    #expect(versions.map(\.lineItemId) == ["s", "s", "s.2"])
                    #expect(versions.map(\.correctionId) == [nil, "c-1", nil])
                    #expect(versions[0].sale == arrival.sale)
                    #expect(try ledger.versions(of: "nothing", app: LedgerRows.shop).isEmpty)
                }
            }
        ),
        LedgerConformanceCase(
            "Versions follow one another, and a line item stays with its sale",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("s"))
                    _ = try ledger.insert(LedgerRows.sale("t"))
                    try ledger.insert(version(2, .restated, lineItem: "s.2"))
                }
                let attempts: [@Sendable (LedgerTransaction) throws -> Void] = [
                    { ledger in try ledger.insert(version(2, .restated)) },
                    { ledger in try ledger.insert(version(4, .restated)) },
                    { ledger in try ledger.insert(version(3, .restated, lineItem: "t")) },
                    { ledger in try ledger.insert(version(3, .restated, correction: "unknown")) },
                    { ledger in try ledger.insert(version(2, .restated, sale: "u")) },
                    { ledger in _ = try ledger.insert(LedgerRows.sale("s.2")) },
                ]
                for attempt in attempts {
                    #expect(await store.refusal(attempt)?.isConflict == true)
                }
            }
        ),
        LedgerConformanceCase(
            "Sales are found by state, token, customer and moment, page by page",
            over: { store in
                try await store.step { ledger throws in
                    let id = try ledger.insert(LedgerRows.token()).token.externalPurchaseId
                    for name in ["a", "b", "c"] { _ = try ledger.insert(LedgerRows.sale(SaleId(name))) }
                    _ = try ledger.insert(LedgerRows.sale("h", on: nil, state: .held))
                    _ = try ledger.insert(LedgerRows.sale("r", on: nil, state: .recorded))
                    _ = try ledger.insert(LedgerRows.report(1), holding: ["b"])
                    func ids(_ query: SaleQuery, _ page: LedgerPage = LedgerPage()) throws -> [SaleId] {
                        try ledger.sales(query, page).map(\.sale.saleId)
                    }
                    #expect(try ids(.state(.planned, of: LedgerRows.shop)) == ["a", "c"])
                    #expect(try ids(.state(.held, of: LedgerRows.shop)) == ["h"])
                    #expect(try ids(.state(.recorded, of: LedgerRows.shop)) == ["r"])
                    #expect(try ids(.token(id, of: LedgerRows.shop), LedgerPage(after: 1, limit: 1)) == ["b"])
                    #expect(try ids(.customer("customer", of: LedgerRows.shop)).count == 5)
                    #expect(try ids(.pendingOnToken(id, of: LedgerRows.shop)) == ["a", "c"])
                    #expect(try ids(.pendingOfCustomer("customer", of: LedgerRows.shop)) == ["a", "c", "h"])
                    #expect(try ids(.heldOfCustomer("customer", of: LedgerRows.shop)) == ["h"])
                    #expect(try ids(.heldOfCustomer("other", of: LedgerRows.shop)).isEmpty)
                    #expect(try ids(.pendingOfCheckout("checkout", of: LedgerRows.shop)) == ["a", "c", "h"])
                    #expect(try ids(.pendingOfCheckout("other", of: LedgerRows.shop)).isEmpty)
                    let second = LedgerPage(after: 1, limit: 1)
                    #expect(try ids(.pendingOfCustomer("customer", of: LedgerRows.shop), second) == ["c"])
                    #expect(try ids(.customer("customer", of: "com.example.other")).isEmpty)
                    #expect(try ids(.subscription("none", of: LedgerRows.shop)).isEmpty)
                    let now = LedgerRows.now
                    let after = TimePage.Position(time: now, sequence: 3)
                    func span(_ from: Timestamp, _ until: Timestamp, _ page: TimePage) throws -> [SaleId] {
                        try ledger.sales(of: LedgerRows.shop, occurredFrom: from, until: until, page)
                            .map(\.sale.saleId)
                    }
                    let next = now + .milliseconds(1)
                    #expect(try span(now, next, TimePage(limit: 2)) == ["a", "b"])
                    #expect(try span(now, next, TimePage(after: after)) == ["h", "r"])
                    #expect(try span(next, Timestamp(milliseconds: .max), TimePage()).isEmpty)
                    #expect(try span(Timestamp(milliseconds: 0), now, TimePage()).isEmpty)
                }
            }
        ),
        LedgerConformanceCase(
            "A sale stands as planned, in a report, reported, held, recorded or handed over",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    for name in ["p", "i", "a"] { _ = try ledger.insert(LedgerRows.sale(SaleId(name))) }
                    for name in ["h", "m"] {
                        _ = try ledger.insert(LedgerRows.sale(SaleId(name), on: nil, state: .held))
                    }
                    _ = try ledger.insert(LedgerRows.sale("r", on: nil, state: .recorded))
                    _ = try ledger.insert(LedgerRows.report(1), holding: ["i"])
                    var accepted = try ledger.insert(LedgerRows.report(2), holding: ["a"])
                    accepted.state = .accepted
                    try ledger.update(accepted, accepting: [LedgerRows.item("a")])
                    _ = try ledger.insert(LedgerRows.export(), holding: ["m"])
                    let standings = try ledger.sales(LedgerPage()).map(\.standing)
                    #expect(standings == [.planned, .inReport, .reported, .held, .handedOver, .recorded])
                }
            }
        ),
    ]

    private static func version(
        _ number: Int,
        _ change: SaleVersion.Change,
        sale: SaleId = "s",
        inclusive: Decimal = 1_490,
        lineItem: LineItemId = "s",
        correction: CorrectionId? = nil
    ) -> SaleVersion {
        let arrival = LedgerRows.sale(sale).sale
        let purchase = arrival.purchase!
        let restated = Purchase(
            productId: purchase.productId,
            quantity: purchase.quantity,
            currency: purchase.currency,
            inclusive: inclusive,
            tax: purchase.tax,
            taxCountry: purchase.taxCountry,
            exchangeRate: purchase.exchangeRate
        )
        return SaleVersion(
            version: number,
            sale: Sale(
                saleId: sale,
                bundleId: arrival.bundleId,
                occurredAt: arrival.occurredAt,
                customerId: arrival.customerId,
                checkoutId: arrival.checkoutId,
                externalPurchaseId: arrival.externalPurchaseId,
                kind: .purchase(restated)
            ),
            lineItemId: lineItem,
            change: change,
            saidAt: LedgerRows.now,
            correctionId: correction
        )
    }
}
