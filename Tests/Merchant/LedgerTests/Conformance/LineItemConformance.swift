// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let lineItems: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Every version of a line item that was sent is kept with what became of its report (RR-84)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    var first = try ledger.insert(
                        LedgerRows.report(1, holding: [item("a", 10), item("b", 20)]),
                        holding: []
                    )
                    _ = try ledger.insert(LedgerRows.report(2, holding: [item("a", 10, excluding: 800)]), holding: [])
                    first.state = .accepted
                    try ledger.update(first, accepting: [item("a", 10), item("b", 20)])
                    let versions = try ledger.lineItemVersions("a", in: LedgerRows.scope)
                    #expect(versions.map(\.item) == [item("a", 10), item("a", 10, excluding: 800)])
                    #expect(versions.map(\.reportState) == [.accepted, .written])
                    #expect(versions.map(\.requestIdentifier.text).map(\.last) == ["1", "2"])
                    #expect(versions.map(\.externalPurchaseId) == Array(repeating: first.externalPurchaseId, count: 2))
                    #expect(try ledger.lineItemVersions("c", in: LedgerRows.scope).isEmpty)
                    #expect(try ledger.newestAccepted(["a"], in: LedgerRows.scope)["a"]?.item == item("a", 10))
                }
            }
        ),
        LedgerConformanceCase(
            "The line items of a month come by creation date, the end of the span excluded, page by page",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(
                        LedgerRows.report(1, holding: [item("d", 40), item("c", 30), item("a", 10)]),
                        holding: []
                    )
                    _ = try ledger.insert(LedgerRows.report(2, holding: [item("b", 30)]), holding: [])
                    func ids(_ page: TimePage) throws -> [LineItemId?] {
                        try ledger.lineItems(
                            in: LedgerRows.scope,
                            createdFrom: LedgerRows.now + .milliseconds(10),
                            until: LedgerRows.now + .milliseconds(40),
                            page
                        ).map(\.item.lineItemId)
                    }
                    #expect(try ids(TimePage()) == ["a", "c", "b"])
                    let place = TimePage.Position(time: LedgerRows.now + .milliseconds(30), sequence: 2)
                    #expect(try ids(TimePage(after: place)) == ["b"])
                    #expect(try ids(TimePage(limit: 1)) == ["a"])
                    var streamed: [LineItemId?] = []
                    try ledger.eachLineItem(
                        in: LedgerRows.scope,
                        createdFrom: LedgerRows.now,
                        until: Timestamp(milliseconds: .max)
                    ) { streamed.append($0.item.lineItemId) }
                    #expect(streamed == ["a", "c", "b", "d"])
                }
            }
        ),
        LedgerConformanceCase(
            "A report accepted elsewhere is taken over as accepted and never changes or waits to be sent",
            over: { store in
                let imported = LedgerRows.report(1, holding: [item("s", 10)], state: .accepted, isImported: true)
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("s"))
                    let stored = try ledger.importAccepted(imported, holding: ["s"], items: [item("s", 10)])
                    #expect(try ledger.report(imported.requestIdentifier, in: LedgerRows.scope) == stored)
                    #expect(stored.isImported)
                    #expect(try ledger.sale("s", of: LedgerRows.shop)?.standing == .reported)
                    #expect(try ledger.newestAccepted(["s"], in: LedgerRows.scope)["s"]?.item == item("s", 10))
                    #expect(
                        try ledger.reports(
                            in: LedgerRows.scope,
                            state: [.written, .sending, .unknown, .needsAttention],
                            limit: 9
                        ).isEmpty
                    )
                    #expect(
                        try ledger.tokensToReport(
                            in: LedgerRows.scope,
                            madeUntil: LedgerRows.now,
                            soldUntil: LedgerRows.now,
                            limit: 9
                        ).isEmpty
                    )
                    #expect(try ledger.reports(on: stored.externalPurchaseId, of: LedgerRows.shop) == [stored])
                }
                let attempts: [@Sendable (LedgerTransaction) throws -> Void] = [
                    { ledger in _ = try ledger.importAccepted(imported, items: []) },
                    { ledger in try ledger.update(imported, accepting: []) },
                    { ledger in
                        let open = LedgerRows.report(2, holding: [], state: .written, isImported: true)
                        _ = try ledger.importAccepted(open, items: [])
                    },
                    { ledger in
                        let marked = LedgerRows.report(2, holding: [], state: .accepted, isImported: true)
                        _ = try ledger.insert(marked, holding: [])
                    },
                ]
                for attempt in attempts {
                    #expect(await store.refusal(attempt)?.isConflict == true)
                }
            }
        ),
    ]

    private static func item(_ id: LineItemId, _ time: Int64, excluding: Int64 = 1_000) -> ReceivedLineItem {
        var item = ReceivedLineItem()
        item.lineItemId = id
        item.creationDate = LedgerRows.now.advanced(by: .milliseconds(time)).milliseconds
        item.eventType = .buy
        item.amountTaxExclusive = excluding
        return item
    }
}
