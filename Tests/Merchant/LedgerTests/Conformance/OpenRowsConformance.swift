// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

extension LedgerConformanceCase {
    static let openRows: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Open are the tokens that no accepted report names, with the tax countries of their sales (OB-11, TK-74)",
            over: { store in
                let id = LedgerRows.token().token.externalPurchaseId
                try await store.step { ledger throws in
                    var unplaced = LedgerRows.token()
                    unplaced.storefront = nil
                    var unknown = LedgerRows.token("SANDBOX_unknown")
                    unknown.state = .unknownToApple
                    _ = try ledger.insert(unplaced)
                    _ = try ledger.insert(unknown)
                    _ = try ledger.insert(LedgerRows.token(of: "com.example.other"))
                    _ = try ledger.insert(LedgerRows.sale("first"))
                    _ = try ledger.insert(LedgerRows.sale("second"))
                    #expect(try ledger.openTokens().map(\.sequence) == [1, 2, 3])
                    let own = try ledger.openTokens(of: LedgerRows.shop)
                    #expect(own.map(\.externalPurchaseId) == [id, "SANDBOX_unknown"])
                    #expect(own[0] == OpenToken(try ledger.token(id, of: LedgerRows.shop)!, taxCountries: ["ISL"]))
                    #expect(own[1] == OpenToken(try ledger.token("SANDBOX_unknown", of: LedgerRows.shop)!))
                    var report = try ledger.insert(LedgerRows.report(1), holding: ["first"])
                    #expect(try ledger.openTokens(of: LedgerRows.shop).count == 2)
                    report.state = .accepted
                    try ledger.update(report, accepting: [])
                    #expect(try ledger.openTokens().map(\.sequence) == [2, 3])
                }
            }
        ),
        LedgerConformanceCase(
            "An unconfirmed visit is a token that only visits named, unconfirmed and without a sale (TK-74)",
            over: { store in
                let ids = (1...6).map { ExternalPurchaseId("visit-\($0)") }
                try await store.step { ledger throws in
                    for id in ids {
                        var token = LedgerRows.token(id, from: id == ids[1] ? .app : .website)
                        if id == ids[2] { token.state = .confirmed }
                        _ = try ledger.insert(token)
                    }
                    let (app, visit) = (TokenSource.app, TokenSource.website)
                    for (id, source) in [(ids[0], visit), (ids[3], app)] {
                        _ = try ledger.merge(LedgerRows.token(id, from: source))
                    }
                    _ = try ledger.insert(LedgerRows.sale("sold", on: ids[4], state: .held))
                    let open = try ledger.openTokens(of: LedgerRows.shop)
                    #expect(open.map(\.isUnconfirmedVisit) == [true, false, false, false, false, true])
                    for token in open {
                        let id = token.externalPurchaseId
                        #expect(try ledger.isUnconfirmedVisit(id, of: LedgerRows.shop) == token.isUnconfirmedVisit)
                    }
                    #expect(try !ledger.isUnconfirmedVisit("visit-7", of: LedgerRows.shop))
                }
            }
        ),
        LedgerConformanceCase(
            "Open are the sales that still have to be reported: in no accepted report, in no manual export (OB-51)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    for id in ["reported", "refused", "waiting", "exported"] as [SaleId] {
                        _ = try ledger.insert(LedgerRows.sale(id))
                    }
                    _ = try ledger.insert(LedgerRows.sale("held", on: nil, state: .held))
                    _ = try ledger.insert(LedgerRows.sale("recorded", on: nil, state: .recorded))
                    var reports = [
                        try ledger.insert(LedgerRows.report(1), holding: ["reported"]),
                        try ledger.insert(LedgerRows.report(2), holding: ["refused"]),
                    ]
                    reports[0].state = .accepted
                    reports[1].state = .needsAttention
                    for report in reports { try ledger.update(report, accepting: []) }
                    _ = try ledger.insert(LedgerRows.export(), holding: ["exported"])
                    let open = try ledger.openSales()
                    #expect(open.map(\.lineItemId) == ["refused", "waiting", "held"])
                    #expect(open.map(\.reportState) == [.needsAttention, nil, nil])
                    #expect(open.map(\.state) == [.planned, .planned, .held])
                    #expect(open.map(\.taxCountry) == ["ISL", "ISL", "ISL"])
                    #expect(open.map(\.occurredAt) == [LedgerRows.now, LedgerRows.now, LedgerRows.now])
                    #expect(open.map(\.token?.storefront?.alpha3) == ["NLD", "NLD", nil])
                    #expect(open.map(\.token?.type) == [.services, .services, nil])
                    #expect(open.map(\.flags) == Array(repeating: [.withdrawnCurrency], count: 3))
                    #expect(try ledger.openSales(of: LedgerRows.shop) == open)
                    #expect(try ledger.openSales(of: "com.example.other").isEmpty)
                    let sale = try ledger.sale("waiting", of: LedgerRows.shop)!
                    let retraction = SaleVersion(
                        version: 2,
                        sale: sale.sale,
                        lineItemId: "anew",
                        change: .retracted,
                        saidAt: LedgerRows.now
                    )
                    try ledger.insert(retraction)
                    #expect(try ledger.openSales().map(\.lineItemId) == ["refused", "anew", "held"])
                }
            }
        ),
        LedgerConformanceCase(
            "A refund has the tax country of the newest version of what it takes back, also without a token (OB-11)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.refund("early", of: "b", on: nil))
                    _ = try ledger.insert(LedgerRows.sale("b", on: nil, state: .held))
                    _ = try ledger.insert(LedgerRows.refund("late", of: "b", on: nil))
                    _ = try ledger.insert(LedgerRows.refund("lost", of: "none", on: nil))
                    func countries() throws(LedgerError) -> [String?] { try ledger.openSales().map(\.taxCountry) }
                    #expect(try countries() == ["ISL", "ISL", "ISL", nil])
                    let moved = Purchase(
                        productId: "gems/100 ✨",
                        quantity: 3,
                        currency: "ISK",
                        inclusive: 1490,
                        tax: .rate(Decimal(string: "24.5")!),
                        taxCountry: "NLD"
                    )
                    let version = SaleVersion(
                        version: 2,
                        sale: Sale(
                            saleId: "b",
                            bundleId: LedgerRows.shop,
                            occurredAt: LedgerRows.now,
                            kind: .purchase(moved)
                        ),
                        lineItemId: "anew",
                        change: .retracted,
                        saidAt: LedgerRows.now
                    )
                    try ledger.insert(version)
                    #expect(try countries() == ["NLD", "NLD", "NLD", nil])
                }
            }
        ),
    ]
}

extension LedgerQueries {
    fileprivate func openTokens(of bundleId: BundleId? = nil) throws(LedgerError) -> [OpenToken] {
        var tokens: [OpenToken] = []
        try eachOpenToken(of: bundleId) { token throws(LedgerError) in tokens.append(token) }
        return tokens.sorted { $0.sequence < $1.sequence }
    }

    fileprivate func openSales(of bundleId: BundleId? = nil) throws(LedgerError) -> [OpenSale] {
        var sales: [OpenSale] = []
        try eachOpenSale(of: bundleId) { sale throws(LedgerError) in sales.append(sale) }
        return sales.sorted { $0.sequence < $1.sequence }
    }
}
