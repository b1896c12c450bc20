// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let customers: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A customer is known from the first row that names it, with one pseudonym per app",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token(customer: "c"))
                    _ = try ledger.insert(LedgerRows.token(of: "com.example.other", customer: "c"))
                    try ledger.put(Checkout(checkoutId: "k", bundleId: LedgerRows.shop, customerId: "c"))
                    _ = try ledger.insert(LedgerRows.sale("s"))
                    let known = try ledger.customers(LedgerPage())
                    #expect(known.map(\.customerId) == ["c", "c", "customer"])
                    #expect(known.map(\.pseudonym) == ["pseudonym-1", "pseudonym-2", "pseudonym-3"])
                    #expect(known.map(\.firstSeen) == Array(repeating: LedgerRows.now, count: 3))
                    #expect(try ledger.customer("c", of: "com.example.other") == known[1])
                }
            }
        ),
        LedgerConformanceCase(
            "Erasure takes a customer's id out of everything, keeps the figures and the ties, and the chain stays whole (OB-92)",
            over: { store in
                let before = try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token(customer: "customer"))
                    try ledger.put(Checkout(checkoutId: "k", bundleId: LedgerRows.shop, customerId: "customer"))
                    let sale = try ledger.insert(LedgerRows.sale("s"))
                    try ledger.insert(
                        SaleVersion(
                            version: 2,
                            sale: sale.sale,
                            lineItemId: "s",
                            change: .restated,
                            saidAt: LedgerRows.now
                        )
                    )
                    _ = try ledger.insert(LedgerRows.report(1), holding: ["s"])
                    let other = try ledger.insert(LedgerRows.token("SANDBOX-other", customer: "another"))
                    let erased = try ledger.eraseCustomer("customer", of: LedgerRows.shop)
                    #expect(erased?.customerId == "pseudonym-1")
                    #expect(erased?.erasedAt == LedgerRows.now)
                    #expect(try ledger.token("SANDBOX-other", of: LedgerRows.shop) == other)
                    return sale
                }
                try await store.step { ledger throws in
                    #expect(try ledger.customer("customer", of: LedgerRows.shop) == nil)
                    #expect(try ledger.tokens(of: "customer", app: LedgerRows.shop).isEmpty)
                    #expect(try ledger.sales(.customer("customer", of: LedgerRows.shop), LedgerPage()).isEmpty)
                    #expect(try ledger.tokens(of: "pseudonym-1", app: LedgerRows.shop).count == 1)
                    #expect(try ledger.checkout("k", of: LedgerRows.shop)?.customerId == "pseudonym-1")
                    let sale = try #require(try ledger.sale("s", of: LedgerRows.shop))
                    #expect(sale.sale.customerId == "pseudonym-1")
                    #expect(sale.sale.kind == before.sale.kind)
                    #expect(sale.version == 2)
                    #expect(try ledger.sales(.customer("pseudonym-1", of: LedgerRows.shop), LedgerPage()) == [sale])
                    let versions = try ledger.versions(of: "s", app: LedgerRows.shop)
                    #expect(versions.map(\.sale.customerId) == ["pseudonym-1", "pseudonym-1"])
                    try ledger.eachAuditEntry { entry in
                        #expect(!entry.content.contains("\"customer\":\"customer\""))
                        #expect(!entry.content.contains("customerId"))
                    }
                    #expect(try ledger.verifyAudit().broken == nil)
                    #expect(try ledger.auditEntries(LedgerPage()).last?.kind == "customer-erased")
                    // The same id later is somebody new.
                    try ledger.put(Checkout(checkoutId: "n", bundleId: LedgerRows.shop, customerId: "customer"))
                    #expect(try ledger.customer("customer", of: LedgerRows.shop)?.pseudonym == "pseudonym-3")
                    #expect(try ledger.eraseCustomer("nobody", of: LedgerRows.shop) == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "Taps of a customer are found by its tokens and its checkouts, both ends of the span included (OB-31, OB-32)",
            over: { store in
                try await store.step { ledger throws in
                    let id = try ledger.insert(LedgerRows.token(customer: "c")).token.externalPurchaseId
                    try ledger.put(Checkout(checkoutId: "k", bundleId: LedgerRows.shop, customerId: "c"))
                    try ledger.put(Checkout(checkoutId: "other", bundleId: LedgerRows.shop, customerId: "d"))
                    func tap(_ time: Int64, _ token: ExternalPurchaseId?, _ checkout: CheckoutId?) throws {
                        try ledger.record(
                            LinkTap(
                                bundleId: LedgerRows.shop,
                                link: "nl",
                                tappedAt: LedgerRows.now + .milliseconds(time),
                                externalPurchaseId: token,
                                checkoutId: checkout
                            )
                        )
                    }
                    try tap(30, id, "k")
                    try tap(10, id, nil)
                    try tap(20, nil, "k")
                    try tap(20, nil, "other")
                    try tap(31, id, nil)
                    let found = try ledger.taps(ofEach: ["nobody", "c"], app: LedgerRows.shop)
                    #expect(found.map { $0.map(\.sequence) } == [[], [2, 3, 1, 5]])
                    #expect(Set(found[1].map(\.link)) == ["nl"])
                    let onTokens = try ledger.taps(onEach: [id, "SANDBOX-nobody", id], of: LedgerRows.shop)
                    #expect(onTokens.map { $0.map(\.sequence) } == [[2, 1, 5], [], [2, 1, 5]])
                    #expect(try ledger.taps(LedgerPage(after: 3, limit: 1)).map(\.sequence) == [4])
                }
                for (token, checkout) in [(nil, nil), ("SANDBOX-nobody", "k")] as [(ExternalPurchaseId?, CheckoutId?)] {
                    let refusal = await store.refusal { ledger throws in
                        try ledger.record(
                            LinkTap(
                                bundleId: LedgerRows.shop,
                                link: "nl",
                                tappedAt: LedgerRows.now,
                                externalPurchaseId: token,
                                checkoutId: checkout
                            )
                        )
                    }
                    #expect(refusal?.isConflict == true)
                }
            }
        ),
    ]
}
