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
    static let saleChanges: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A change that waits is closed once, and a later one of the sale takes its place",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("s"))
                    let amended = try ledger.insert(change("s", content: LedgerRows.sale("s").sale))
                    let void = try ledger.insert(change("s", content: nil))
                    #expect(try ledger.waitingSaleChanges(LedgerPage()) == [void])
                    let closing = SaleChange.Closing(at: LedgerRows.now, outcome: .superseded)
                    #expect(try ledger.changes(of: "s", app: LedgerRows.shop).map(\.closing) == [closing, nil])
                    #expect(try ledger.changes(of: "s", app: LedgerRows.shop).first?.content == amended.content)
                    try ledger.close(void, as: .needsCorrection)
                    #expect(try ledger.waitingSaleChanges(LedgerPage()).isEmpty)
                }
                let closed = try await store.read { ledger throws(LedgerError) in
                    try ledger.changes(of: "s", app: LedgerRows.shop)[1]
                }
                let closedTwice = await store.refusal { ledger in try ledger.close(closed, as: .applied) }
                #expect(closedTwice?.isConflict == true)
                let unknown = await store.refusal { ledger in _ = try ledger.insert(change("unknown", content: nil)) }
                #expect(unknown?.isConflict == true)
            }
        ),
        LedgerConformanceCase(
            "A sale is found by what its newest version says, and its arrival stays",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("buy"))
                    let arrival = try ledger.insert(LedgerRows.sale("s"))
                    let moment = LedgerRows.now + .seconds(5)
                    let amended = Sale(
                        saleId: "s",
                        bundleId: LedgerRows.shop,
                        occurredAt: moment,
                        customerId: "another",
                        kind: .refund(Refund(refundOf: "buy", inclusive: 490))
                    )
                    try ledger.insert(version(2, amended, by: "kim", reason: "a slip"))
                    func ids(_ sales: [StoredSale]) -> [SaleId] { sales.map(\.sale.saleId) }
                    let shop = LedgerRows.shop
                    let page = LedgerPage()
                    #expect(ids(try ledger.sales(.customer("another", of: shop), page)) == ["s"])
                    #expect(ids(try ledger.sales(.customer("customer", of: shop), page)) == ["buy"])
                    #expect(ids(try ledger.refunds(of: "buy", app: shop)) == ["s"])
                    let after = moment + .milliseconds(1)
                    #expect(
                        ids(try ledger.sales(of: shop, occurredFrom: moment, until: after, TimePage())) == ["s"]
                    )
                    let versions = try ledger.versions(of: "s", app: shop)
                    #expect(versions.map(\.sale) == [arrival.sale, amended])
                    #expect(versions.map(\.by) == [nil, "kim"])
                    #expect(versions.map(\.reason) == [nil, "a slip"])
                    // A correction may move a sale to another moment, and thereby into another month.
                    _ = try ledger.insert(LedgerRows.correction())
                    try ledger.insert(version(3, arrival.sale, correction: "c-1"))
                    #expect(ids(try ledger.sales(.customer("customer", of: shop), page)) == ["buy", "s"])
                    #expect(
                        ids(try ledger.sales(of: shop, occurredFrom: moment, until: after, TimePage())).isEmpty
                    )
                    let arrived = arrival.sale.occurredAt
                    let found = try ledger.sales(
                        of: shop,
                        occurredFrom: arrived,
                        until: arrived + .milliseconds(1),
                        TimePage()
                    )
                    #expect(ids(found).contains("s"))
                }
            }
        ),
        LedgerConformanceCase(
            "Erasing a customer reaches the arrivals of sales that name another one now, and changes that wait (OB-92)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    let arrival = try ledger.insert(LedgerRows.sale("s"))
                    let amended = Sale(
                        saleId: "s",
                        bundleId: LedgerRows.shop,
                        occurredAt: LedgerRows.now,
                        customerId: "another",
                        kind: arrival.sale.kind
                    )
                    try ledger.insert(version(2, amended, by: "kim"))
                    _ = try ledger.insert(change("s", content: arrival.sale))
                    let erased = try #require(try ledger.eraseCustomer("customer", of: LedgerRows.shop))
                    let versions = try ledger.versions(of: "s", app: LedgerRows.shop)
                    #expect(versions.map(\.sale.customerId) == [erased.customerId, "another"])
                    let waiting = try ledger.waitingSaleChanges(LedgerPage())
                    #expect(waiting.map(\.content?.customerId) == [erased.customerId])
                }
            }
        ),
        LedgerConformanceCase(
            "A sale that was withdrawn before Apple had it is void, one that Apple has is retracted",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    for id in ["void", "retracted"] as [SaleId] { _ = try ledger.insert(LedgerRows.sale(id)) }
                    var report = try ledger.insert(LedgerRows.report(1), holding: ["retracted"])
                    report.state = .accepted
                    try ledger.update(report, accepting: [LedgerRows.item("retracted")])
                    for id in ["void", "retracted"] as [SaleId] {
                        let sale = LedgerRows.sale(id).sale
                        try ledger.insert(
                            version(2, sale, lineItem: LineItemId(id.rawValue), change: .retracted, by: "kim")
                        )
                    }
                    let attribution = Attribution(state: .recorded, externalPurchaseId: nil, notes: [.voided])
                    try ledger.update(attribution, of: "void", app: LedgerRows.shop)
                    let sales = try ledger.sales(LedgerPage())
                    #expect(sales.map(\.standing) == [.void, .retracted])
                    #expect(sales.map(\.isVoid) == [true, false])
                    #expect(sales.map(\.stateName) == ["void", "planned"])
                    var open: [LineItemId] = []
                    try ledger.eachOpenSale(of: nil) { open.append($0.lineItemId) }
                    #expect(open.isEmpty)
                }
            }
        ),
    ]

    private static func change(_ sale: SaleId, content: Sale?) -> SaleChange {
        SaleChange(
            bundleId: LedgerRows.shop,
            saleId: sale,
            content: content,
            by: "kim",
            reason: "a slip",
            askedAt: LedgerRows.now
        )
    }

    private static func version(
        _ number: Int,
        _ sale: Sale,
        lineItem: LineItemId = "s",
        change: SaleVersion.Change = .restated,
        correction: CorrectionId? = nil,
        by: String? = nil,
        reason: String? = nil
    ) -> SaleVersion {
        SaleVersion(
            version: number,
            sale: sale,
            lineItemId: lineItem,
            change: change,
            saidAt: LedgerRows.now,
            correctionId: correction,
            by: by,
            reason: reason
        )
    }
}
