// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let merging: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A token known from a notification has no text; the delivered one makes both one (NT-62)",
            over: { store in
                try await store.step { ledger throws in
                    let first = try ledger.merge(arrival(from: .notification, at: 0, text: nil))
                    #expect(first.outcome == .new)
                    #expect(first.token.text == nil)
                    #expect(first.token.isKnownFromNotificationsOnly)
                    let second = try ledger.merge(arrival(from: .app, at: 5, customer: "c"))
                    #expect(second.outcome == .completed)
                    #expect(!second.contradicts)
                    let stored = try #require(try ledger.token(id, of: LedgerRows.shop))
                    #expect(stored == second.token)
                    #expect(stored.text == LedgerRows.token().text)
                    #expect(stored.firstSeen == FirstSeen(source: .notification, time: LedgerRows.now))
                    #expect(stored.customerId == "c")
                    #expect(stored.state == .confirmed)
                    #expect(!stored.isKnownFromNotificationsOnly)
                    #expect(try ledger.tokens(of: "c", app: LedgerRows.shop) == [stored])
                    let seen = try ledger.observations(of: id, app: LedgerRows.shop)
                    #expect(
                        seen.map(\.seen) == [FirstSeen(source: .app, time: LedgerRows.now + .milliseconds(5))]
                    )
                    #expect(seen.allSatisfy { $0.contradiction == nil })
                }
            }
        ),
        LedgerConformanceCase(
            "Every later source is kept once; the first text, time and source stay (TK-67)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.merge(arrival(from: .website, at: 0))
                    for time in 1...3 {
                        #expect(try ledger.merge(arrival(from: .app, at: Int64(time))).outcome == .known)
                        _ = try ledger.merge(arrival(from: .website, at: Int64(time)))
                    }
                    let notified = try ledger.merge(arrival(from: .notification, at: 9, text: nil))
                    #expect(notified.token.state == .confirmed)
                    #expect(notified.token.firstSeen.source == .website)
                    let seen = try ledger.observations(of: id, app: LedgerRows.shop)
                    #expect(seen.map(\.seen.source) == [.app, .notification])
                    #expect(seen.first?.seen.time == LedgerRows.now + .milliseconds(1))
                    #expect(try ledger.tokens(LedgerPage()).count == 1)
                }
            }
        ),
        LedgerConformanceCase(
            "What contradicts the first arrival is kept beside it and flagged, never taken over (NT-61)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.merge(arrival(from: .notification, at: 0, text: nil))
                    let other = try ledger.merge(arrival(from: .app, at: 1, type: .acquisition))
                    #expect(other.contradicts)
                    #expect(other.token.token.tokenType == .services)
                    #expect(other.token.text == nil)
                    #expect(other.token.flags.contains(.contentContradiction))
                    _ = try ledger.merge(arrival(from: .app, at: 2, type: .acquisition))
                    let kept = try ledger.observations(of: id, app: LedgerRows.shop)
                    #expect(kept.map(\.contradiction) == [arrival(from: .app, at: 1, type: .acquisition).text])
                    // The right one still completes the token.
                    #expect(try ledger.merge(arrival(from: .website, at: 3)).outcome == .completed)
                }
            }
        ),
        LedgerConformanceCase(
            "A forger cannot fill the ledger with contradictions of one token (TK-74)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.merge(arrival(from: .website, at: 0))
                    for number in 1...40 {
                        let forged = LedgerRows.token(made: LedgerRows.now.advanced(by: .milliseconds(Int64(number))))
                        #expect(try ledger.merge(forged).contradicts)
                    }
                    let kept = try ledger.observations(of: id, app: LedgerRows.shop)
                    #expect(kept.count == TokenObservation.maximumContradictions)
                }
            }
        ),
        LedgerConformanceCase(
            "A second customer is flagged and the first tie stays",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.merge(arrival(from: .website, at: 0))
                    #expect(try ledger.merge(arrival(from: .app, at: 1, customer: "a")).token.customerId == "a")
                    let other = try ledger.merge(arrival(from: .app, at: 2, customer: "b")).token
                    #expect(other.customerId == "a")
                    #expect(other.flags.contains(.customerContradiction))
                }
            }
        ),
        LedgerConformanceCase(
            "A later arrival keeps what was decided about a token, and says that its endpoint is missing",
            over: { store in
                try await store.step { ledger throws in
                    var token = try ledger.merge(arrival(from: .website, at: 0, customer: "a")).token
                    token.customerSource = .sales
                    token.periodChoice = .chosen
                    token.reporting = .onRequest
                    try ledger.update(token)
                    var later = arrival(from: .app, at: 1, customer: "a")
                    later.endpoint = .missing
                    token.endpoint = .missing
                    #expect(try ledger.merge(later).token == token)
                    #expect(try ledger.merge(arrival(from: .notification, at: 2)).token.endpoint == .missing)
                    let stored = try #require(try ledger.token(id, of: LedgerRows.shop))
                    #expect(
                        stored.flags == [.customerFromSale, .chosen, .reportRefused, .noBaseURL]
                    )
                }
            }
        ),
        LedgerConformanceCase(
            "A delivered token has a text, and a stored text never changes",
            over: { store in
                let bare = await store.refusal { ledger throws in
                    _ = try ledger.insert(arrival(from: .app, at: 0, text: nil))
                }
                #expect(bare?.isConflict == true)
                try await store.step { ledger throws in
                    _ = try ledger.insert(arrival(from: .imported, at: 0, text: nil))
                }
            }
        ),
        LedgerConformanceCase(
            "Tokens without an accepted report, and tokens made in a span, come by creation date, page by page",
            over: { store in
                try await store.step { ledger throws in
                    let made: [Int64] = [30, 10, 20, 10]
                    for (number, time) in made.enumerated() {
                        _ = try ledger.insert(
                            LedgerRows.token(
                                ExternalPurchaseId("SANDBOX-\(number)"),
                                made: LedgerRows.now + .milliseconds(time)
                            )
                        )
                    }
                    var forged = try #require(try ledger.token("SANDBOX-2", of: LedgerRows.shop))
                    forged.state = .unknownToApple
                    try ledger.update(forged)
                    func unreported(_ page: TimePage) throws -> [String] {
                        try ledger.tokensUnreported(
                            in: LedgerRows.scope,
                            madeBefore: LedgerRows.now + .milliseconds(31),
                            page
                        ).map(\.token.externalPurchaseId.rawValue)
                    }
                    #expect(try unreported(TimePage()) == ["SANDBOX-1", "SANDBOX-3", "SANDBOX-0"])
                    let place = TimePage.Position(time: LedgerRows.now + .milliseconds(10), sequence: 2)
                    #expect(try unreported(TimePage(after: place, limit: 1)) == ["SANDBOX-3"])
                    let span = try ledger.tokens(
                        in: LedgerRows.scope,
                        madeFrom: LedgerRows.now + .milliseconds(10),
                        until: LedgerRows.now + .milliseconds(30),
                        TimePage()
                    )
                    #expect(span.map(\.token.externalPurchaseId) == ["SANDBOX-1", "SANDBOX-3", "SANDBOX-2"])
                    let production = ReportingScope(bundleId: LedgerRows.shop, environment: .production)
                    #expect(
                        try ledger.tokensUnreported(
                            in: production,
                            madeBefore: Timestamp(milliseconds: .max),
                            TimePage()
                        ).isEmpty
                    )
                }
            }
        ),
        LedgerConformanceCase(
            "A token counts as reported from its first accepted report on, whoever sent it",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    var report = try ledger.insert(LedgerRows.report(1), holding: [])
                    #expect(try ledger.token(id, of: LedgerRows.shop)?.reportedAt == nil)
                    report.state = .accepted
                    report.changedAt = LedgerRows.now + .milliseconds(7)
                    try ledger.update(report, accepting: [])
                    #expect(try ledger.token(id, of: LedgerRows.shop)?.reportedAt == report.changedAt)
                    _ = try ledger.importAccepted(
                        LedgerRows.report(2, holding: [LedgerRows.item("x")], state: .accepted, isImported: true),
                        items: [LedgerRows.item("x")]
                    )
                    #expect(try ledger.token(id, of: LedgerRows.shop)?.reportedAt == report.changedAt)
                    #expect(
                        try ledger.tokensUnreported(
                            in: LedgerRows.scope,
                            madeBefore: Timestamp(milliseconds: .max),
                            TimePage()
                        ).isEmpty
                    )
                }
            }
        ),
        LedgerConformanceCase(
            "The tokens of a customer and period are those of the same type, creation and expiration (RR-62)",
            over: { store in
                try await store.step { ledger throws in
                    let later = LedgerRows.now + .milliseconds(1)
                    _ = try ledger.insert(LedgerRows.token("SANDBOX-1", customer: "c"))
                    _ = try ledger.insert(LedgerRows.token("SANDBOX-2", customer: "c"))
                    _ = try ledger.insert(LedgerRows.token("SANDBOX-3", customer: "c", made: later))
                    _ = try ledger.insert(LedgerRows.token("SANDBOX-4", customer: "d"))
                    let found = try ledger.tokens(
                        of: "c",
                        app: LedgerRows.shop,
                        in: LedgerRows.token("SANDBOX-1").period
                    )
                    #expect(found.map(\.token.externalPurchaseId) == ["SANDBOX-1", "SANDBOX-2"])
                }
            }
        ),
    ]

    private static let id = LedgerRows.token().token.externalPurchaseId

    /// An arrival of the same token, some milliseconds after the first.
    private static func arrival(
        from source: TokenSource,
        at time: Int64,
        text: String? = "",
        type: TokenType = .services,
        customer: CustomerId? = nil
    ) -> StoredToken {
        let base = LedgerRows.token().token
        let token = ExternalPurchaseToken(
            appAppleId: base.appAppleId,
            bundleId: base.bundleId,
            tokenCreationDate: base.tokenCreationDate,
            externalPurchaseId: base.externalPurchaseId,
            tokenType: type,
            tokenExpirationDate: base.tokenExpirationDate
        )
        return StoredToken(
            token: token,
            text: text == nil ? nil : token.encoded(),
            state: source == .notification ? .confirmed : .unconfirmed,
            firstSeen: FirstSeen(source: source, time: LedgerRows.now + .milliseconds(time)),
            checkoutId: "checkout",
            customerId: customer
        )
    }
}
