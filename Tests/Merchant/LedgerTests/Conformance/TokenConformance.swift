// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let tokens: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A text that is no token expires with its age, the oldest first, and the audit log keeps its digest (TK-68)",
            over: { store in
                @Sendable func text(_ name: String, _ seconds: Int64) -> QuarantinedToken {
                    let time = LedgerRows.now + .seconds(seconds)
                    let seen = FirstSeen(source: .website, time: time)
                    return QuarantinedToken(text: name, reason: .undecodable, detail: "is no token", firstSeen: seen)
                }
                func texts() async throws -> [String] {
                    try await store.step { ledger throws in try ledger.quarantinedTokens(LedgerPage()).map(\.text) }
                }
                try await store.step { ledger throws in
                    for (name, seconds) in [("a", 0), ("b", 1), ("c", 9), ("d", 2)] as [(String, Int64)] {
                        try ledger.quarantine(text(name, seconds))
                    }
                }
                let entries = try await store.step { ledger throws in try ledger.auditEntries(LedgerPage()).count }
                let cut = LedgerRows.now + .seconds(2)
                for _ in 1...2 {
                    try await store.step { ledger throws in try ledger.expireQuarantinedTokens(before: cut) }
                    #expect(try await texts() == ["c", "d"])
                }
                let after = try await store.step { ledger throws in try ledger.auditEntries(LedgerPage()) }
                #expect(after.count == entries + 1)
                #expect(after.last?.kind == "tokens-set-aside-expired")
                try await store.step { ledger throws in try ledger.quarantine(text("e", 10)) }
                #expect(try await texts() == ["c", "d", "e"])
            }
        ),
        LedgerConformanceCase(
            "A token comes back as it was stored, and again after a change",
            over: { store in
                let stored = try await store.step { ledger throws in
                    try ledger.insert(LedgerRows.token(customer: "c"))
                }
                #expect(stored.sequence == 1)
                var expected = LedgerRows.token(customer: "c")
                expected.sequence = 1
                #expect(stored == expected)
                expected.state = .confirmed
                expected.notes.insert(TokenNote(rawValue: "of-a-later-version"))
                let changed = expected
                try await store.step { ledger throws in try ledger.update(changed) }
                try await store.step { ledger throws in
                    #expect(try ledger.token(changed.token.externalPurchaseId, of: LedgerRows.shop) == changed)
                    #expect(try ledger.tokens(withId: changed.token.externalPurchaseId) == [changed])
                    #expect(try ledger.tokens(of: "c", app: LedgerRows.shop) == [changed])
                    #expect(try ledger.tokens(of: "other", app: LedgerRows.shop).isEmpty)
                    #expect(try ledger.token(changed.token.externalPurchaseId, of: "com.example.other") == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "The tokens that decide about a customer's sales are found among many (RR-60, TK-76)",
            over: { store in
                @Sendable func token(
                    _ name: String,
                    _ type: TokenType? = .services,
                    from created: Int64 = 0,
                    to end: Int64? = 100,
                    customer: CustomerId = "c",
                    source: TokenSource = .app,
                    state: TokenState = .unconfirmed,
                    isChosen: Bool = false,
                    isFromSales: Bool = false,
                    in environment: AppStoreEnvironment = .production
                ) -> StoredToken {
                    let prefix = environment == .sandbox ? "SANDBOX_" : ""
                    let content = ExternalPurchaseToken(
                        appAppleId: 12,
                        bundleId: LedgerRows.shop,
                        tokenCreationDate: LedgerRows.now + .seconds(created),
                        externalPurchaseId: ExternalPurchaseId(prefix + name),
                        tokenType: type,
                        tokenExpirationDate: end.map { LedgerRows.now + .seconds($0) }
                    )
                    var token = StoredToken(
                        token: content,
                        text: content.encoded(),
                        state: state,
                        firstSeen: FirstSeen(source: source, time: LedgerRows.now),
                        checkoutId: CheckoutId(name),
                        customerId: customer
                    )
                    if isChosen { token.periodChoice = .chosen }
                    if isFromSales { (token.customerSource, token.isCustomerClaimed) = (.sales, false) }
                    return token
                }
                try await store.step { ledger throws in
                    for stored in [
                        token("first", isChosen: true), token("second", source: .website),
                        token("newer", from: 10, to: 50, source: .website), token("longer", from: 10, to: 60),
                        token("forged", from: 20, to: 90, source: .website),
                        token("refused", from: 30, state: .unknownToApple, isChosen: true),
                        token("visited", from: 91, to: 93, source: .website, isFromSales: true),
                        token("confirmed", from: 5, to: 95, source: .website, state: .confirmed),
                        token("endless", to: nil), token("acquired", .acquisition), token("plain", nil, to: nil),
                        token("sold", .linkOut), token("sandbox", in: .sandbox), token("others", customer: "d"),
                        token("taken", nil, to: nil, source: .imported),
                        token("imported", customer: "d", source: .imported),
                    ] {
                        _ = try ledger.insert(stored)
                    }
                    _ = try ledger.merge(token("plain", nil, to: nil, source: .imported))
                    func names(_ query: CustomerTokenQuery, of customer: CustomerId = "c") throws -> Set<String> {
                        Set(
                            try ledger.tokens(query, of: customer, app: LedgerRows.shop)
                                .map(\.token.externalPurchaseId.rawValue)
                        )
                    }
                    func newest(_ at: Int64, atLeast trust: TokenTrust, _ type: TokenType = .services) throws -> Set<
                        String
                    > {
                        let moment = LedgerRows.now + .seconds(at)
                        return try names(
                            .newest(type, .production, createdUntil: moment, endingFrom: moment, atLeast: trust)
                        )
                    }
                    #expect(try names(.customLink(limit: 99)).count == 11)
                    #expect(try names(.customLink(limit: 3)).count == 3)
                    #expect(try names(.customLink(limit: 9), of: "d") == ["others", "imported"])
                    #expect(try names(.customLink(limit: 9), of: "nobody").isEmpty)
                    #expect(try newest(-1, atLeast: .claimed).isEmpty)
                    #expect(try newest(10, atLeast: .claimed) == ["longer"])
                    #expect(try newest(40, atLeast: .claimed) == ["forged"])
                    #expect(try newest(40, atLeast: .vouched) == ["longer"])
                    #expect(try newest(61, atLeast: .vouched) == ["first"])
                    #expect(try newest(61, atLeast: .confirmed) == ["confirmed"])
                    #expect(try newest(92, atLeast: .visited) == ["visited"])
                    #expect(try newest(92, atLeast: .vouched) == ["first"])
                    #expect(try newest(96, atLeast: .claimed).isSubset(of: ["first", "second"]))
                    #expect(try newest(100, atLeast: .vouched) == ["first"])
                    #expect(try newest(101, atLeast: .claimed).isEmpty)
                    #expect(try newest(40, atLeast: .claimed, .acquisition) == ["acquired"])
                    let (first, newer) = (token("first").period, token("newer", from: 10, to: 50).period)
                    let (refused, endless) = (token("refused", from: 30).period, token("endless", to: nil).period)
                    #expect(try names(.ofPeriod(first, .production, .all)) == ["first", "second"])
                    #expect(try names(.ofPeriod(first, .production, .chosen)) == ["first"])
                    #expect(try names(.ofPeriod(first, .production, .trusted(.vouched))) == ["first"])
                    #expect(try names(.ofPeriod(first, .sandbox, .all)) == ["SANDBOX_sandbox"])
                    #expect(try names(.ofPeriod(newer, .production, .trusted(.confirmed))).isEmpty)
                    #expect(try names(.ofPeriod(newer, .production, .trusted(.claimed))) == ["newer"])
                    for member in [.all, .chosen] + TokenTrust.allCases.map(CustomerTokenQuery.Member.trusted) {
                        #expect(try names(.ofPeriod(refused, .production, member)).isEmpty)
                    }
                    #expect(try names(.ofPeriod(endless, .production, .all)) == ["endless"])
                    #expect(try names(.ofPeriod(endless, .production, .chosen)).isEmpty)
                    #expect(try names(.ofPeriod(endless, .production, .trusted(.vouched))) == ["endless"])
                    #expect(try names(.imported) == ["taken", "plain"])
                    #expect(try names(.imported, of: "d") == ["imported"])
                    #expect(try names(.imported, of: "nobody").isEmpty)
                }
            }
        ),
        LedgerConformanceCase(
            "The same id may exist under another app but not twice under one (TK-67)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.token(of: "com.example.other"))
                }
                let error = await ledgerError {
                    try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
                }
                #expect(error?.isConflict == true)
                let tokens = try await store.step { ledger throws in try ledger.tokens(LedgerPage()) }
                #expect(tokens.map(\.sequence) == [1, 2])
            }
        ),
        LedgerConformanceCase(
            "A transaction that throws leaves nothing behind",
            over: { store in
                let error = await ledgerError {
                    try await store.step { ledger throws in
                        _ = try ledger.insert(LedgerRows.token())
                        _ = try ledger.insert(LedgerRows.sale("s"))
                        throw LedgerError.full
                    }
                }
                #expect(error == .full)
                try await store.step { ledger throws in
                    #expect(try ledger.tokens(LedgerPage()).isEmpty)
                    #expect(try ledger.sales(LedgerPage()).isEmpty)
                }
            }
        ),
        LedgerConformanceCase(
            "Text that is no token is kept once",
            over: { store in
                let first = QuarantinedToken(
                    text: "%%%",
                    reason: .undecodable,
                    detail: "not Base64URL",
                    firstSeen: FirstSeen(source: .website, time: LedgerRows.now)
                )
                try await store.step { ledger throws in
                    try ledger.quarantine(first)
                    try ledger.quarantine(first)
                }
                let kept = try await store.step { ledger throws in try ledger.quarantinedTokens(LedgerPage()) }
                #expect(kept.map(\.text) == ["%%%"])
                #expect(kept.first?.firstSeen == first.firstSeen)
            }
        ),
        LedgerConformanceCase(
            "A checkout is stored, changed, and kept from naming an unknown token",
            over: { store in
                try await store.step { ledger throws in
                    let token = try ledger.insert(LedgerRows.token())
                    var checkout = Checkout(checkoutId: "c", bundleId: LedgerRows.shop)
                    try ledger.put(checkout)
                    checkout.externalPurchaseId = token.token.externalPurchaseId
                    checkout.customerId = "someone"
                    try ledger.put(checkout)
                    #expect(try ledger.checkout("c", of: LedgerRows.shop) == checkout)
                    #expect(try ledger.checkout("c", of: "com.example.other") == nil)
                }
                let error = await ledgerError {
                    try await store.step { ledger throws in
                        try ledger.put(
                            Checkout(checkoutId: "d", bundleId: LedgerRows.shop, externalPurchaseId: "nobody's")
                        )
                    }
                }
                #expect(error?.isConflict == true)
            }
        ),
        LedgerConformanceCase(
            "A page begins after a sequence and ends at its limit",
            over: { store in
                try await store.step { ledger throws in
                    for digit in 1...5 { _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("\(digit)"))) }
                }
                try await store.step { ledger throws in
                    #expect(try ledger.tokens(LedgerPage(after: 0, limit: 2)).map(\.sequence) == [1, 2])
                    #expect(try ledger.tokens(LedgerPage(after: 3, limit: 10)).map(\.sequence) == [4, 5])
                    #expect(try ledger.tokens(LedgerPage(after: 5, limit: 10)).isEmpty)
                    #expect(try ledger.tokens(LedgerPage(after: 0, limit: -1)).isEmpty)
                }
            }
        ),
    ]
}
