import ExternalPurchaseCore
import Ledger
import Testing

/// Claims about the claims of public arrivals (TK-78).
extension LedgerConformanceCase {
    static let checkoutClaims: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A checkout and a token keep who named their token and customer",
            over: { store in
                let id = LedgerRows.token().token.externalPurchaseId
                for claim in Checkout.TokenClaim.allCases {
                    try await store.step { ledger throws in
                        if try ledger.token(id, of: LedgerRows.shop) == nil {
                            let claimed = try ledger.insert(LedgerRows.token(customer: "a"))
                            #expect(claimed.isCustomerClaimed)
                        }
                        var checkout = Checkout(checkoutId: "basket", bundleId: LedgerRows.shop)
                        checkout.externalPurchaseId = id
                        checkout.tokenClaim = claim
                        try ledger.put(checkout)
                    }
                    try await store.step { ledger throws in
                        #expect(try ledger.checkout("basket", of: LedgerRows.shop)?.tokenClaim == claim)
                        var token = try #require(try ledger.token(id, of: LedgerRows.shop))
                        token.isCustomerClaimed.toggle()
                        try ledger.update(token)
                        #expect(try ledger.token(id, of: LedgerRows.shop) == token)
                    }
                }
                try await store.step { ledger throws in
                    let other = try ledger.insert(LedgerRows.token("SANDBOX_b", customer: "a", from: .app))
                    #expect(!other.isCustomerClaimed)
                    let set = try ledger.setCustomer("b", of: LedgerRows.token("SANDBOX_b"), by: "kim", reason: nil)
                    #expect(!set.isCustomerClaimed)
                    // A person's word that it is nobody's holds against public arrivals, not against the back end.
                    let nobody = try ledger.setCustomer(nil, of: set, by: "kim", reason: nil)
                    #expect(nobody.customerSource == .removed)
                    let publicly = try ledger.merge(LedgerRows.token("SANDBOX_b", customer: "c")).token
                    #expect(publicly.customerId == nil)
                    #expect(!publicly.isCustomerClaimed)
                    let stated = try ledger.merge(LedgerRows.token("SANDBOX_b", customer: "d", from: .app)).token
                    #expect(stated.customerId == "d")
                    #expect(stated.customerSource == .stated)
                }
            }
        ),
        LedgerConformanceCase(
            "Of a customer's tokens those are found that only public arrivals named and that Apple has answered",
            over: { store in
                let rows: [(id: ExternalPurchaseId, customer: CustomerId, state: TokenState, source: CustomerSource)] =
                    [
                        ("SANDBOX_1", "a", .confirmed, .stated), ("SANDBOX_2", "a", .unconfirmed, .stated),
                        ("SANDBOX_3", "a", .unknownToApple, .stated), ("SANDBOX_4", "a", .confirmed, .sales),
                        ("SANDBOX_5", "b", .confirmed, .stated),
                    ]
                try await store.step { ledger throws in
                    for row in rows {
                        var token = try ledger.insert(LedgerRows.token(row.id, customer: row.customer))
                        (token.state, token.customerSource) = (row.state, row.source)
                        try ledger.update(token)
                    }
                    var vouched = try ledger.insert(LedgerRows.token("SANDBOX_6", customer: "a", from: .app))
                    vouched.state = .confirmed
                    try ledger.update(vouched)
                    let found = try ledger.claimedTokens(of: "a", app: LedgerRows.shop)
                    #expect(found.map(\.token.externalPurchaseId) == ["SANDBOX_1", "SANDBOX_3"])
                    #expect(try ledger.claimedTokens(of: "a", app: "com.example.other").isEmpty)
                }
            }
        ),
        LedgerConformanceCase(
            "Of the claims on a checkout those of confirmed tokens come first and those that Apple refuses last",
            over: { store in
                let ids: [ExternalPurchaseId] = ["SANDBOX_1", "SANDBOX_2", "SANDBOX_3", "SANDBOX_4"]
                try await store.step { ledger throws in
                    for id in ids {
                        _ = try ledger.insert(LedgerRows.token(id))
                        let claim = CheckoutClaim(
                            bundleId: LedgerRows.shop,
                            checkoutId: "basket",
                            externalPurchaseId: id
                        )
                        try ledger.record(claim)
                        // A repetition changes nothing.
                        try ledger.record(claim)
                    }
                    try ledger.record(
                        CheckoutClaim(bundleId: LedgerRows.shop, checkoutId: "other", externalPurchaseId: "SANDBOX_2")
                    )
                }
                func claims(_ limit: Int = 10) async throws -> [ExternalPurchaseId] {
                    try await store.read { ledger throws(LedgerError) in
                        try ledger.claims(on: "basket", of: LedgerRows.shop, in: .sandbox, limit: limit)
                    }
                }
                #expect(try await claims() == ids)
                try await store.step { ledger throws in
                    for (id, state) in [("SANDBOX_1", TokenState.unknownToApple), ("SANDBOX_3", .confirmed)] {
                        var token = try #require(try ledger.token(ExternalPurchaseId(id), of: LedgerRows.shop))
                        token.state = state
                        try ledger.update(token)
                    }
                }
                #expect(try await claims() == ["SANDBOX_3", "SANDBOX_2", "SANDBOX_4", "SANDBOX_1"])
                #expect(try await claims(2) == ["SANDBOX_3", "SANDBOX_2"])
                try await store.step { ledger throws in
                    #expect(try ledger.claims(on: "basket", of: LedgerRows.shop, in: .production, limit: 10).isEmpty)
                    #expect(try ledger.claims(on: "basket", of: "com.example.other", in: .sandbox, limit: 10).isEmpty)
                    #expect(try ledger.claimedCheckouts(of: "SANDBOX_2", app: LedgerRows.shop) == ["basket", "other"])
                    #expect(try ledger.claimedCheckouts(of: "SANDBOX_4", app: LedgerRows.shop) == ["basket"])
                    #expect(try ledger.isNamedForSeveralCheckouts("SANDBOX_2", app: LedgerRows.shop))
                    #expect(try !ledger.isNamedForSeveralCheckouts("SANDBOX_9", app: LedgerRows.shop))
                    #expect(try ledger.claimedCheckouts(of: "SANDBOX_9", app: LedgerRows.shop).isEmpty)
                }
                let refusal = await store.refusal { ledger throws in
                    try ledger.record(
                        CheckoutClaim(bundleId: LedgerRows.shop, checkoutId: "basket", externalPurchaseId: "SANDBOX_9")
                    )
                }
                #expect(refusal != nil)
            }
        ),
    ]
}
