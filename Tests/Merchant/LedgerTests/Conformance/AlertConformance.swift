import ExternalPurchaseCore
import Testing

@testable import Ledger

extension LedgerConformanceCase {
    static let alerts: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A step is told once, its message waits with its exact bytes until it was delivered once (OB-51)",
            over: { store in
                let message = AlertMessage(messageId: "m-1", madeAt: LedgerRows.now, body: [0x00, 0xFF])
                let marks = ["a-2d", "a-overdue"].map { AlertMark(eventId: $0, crossedAt: LedgerRows.now) }
                try await store.step { ledger throws in
                    #expect(try ledger.recordedAlerts(among: ["a-2d"]).isEmpty)
                    let sequence = try ledger.insertAlerts(marks, by: message)
                    #expect(sequence == 1)
                    #expect(try ledger.recordedAlerts(among: ["a-2d", "b", "a-overdue"]) == ["a-2d", "a-overdue"])
                    var stored = message
                    stored.sequence = 1
                    #expect(try ledger.undeliveredAlerts(limit: 9) == [stored])
                    try ledger.insertAlerts([AlertMark(eventId: "without", crossedAt: LedgerRows.now)], by: nil)
                    let second = AlertMessage(messageId: "m-2", madeAt: LedgerRows.now, body: [1])
                    #expect(try ledger.insertAlerts([], by: second) == 2)
                    #expect(try ledger.undeliveredAlerts(limit: 9).map(\.messageId) == ["m-1", "m-2"])
                    #expect(try ledger.undeliveredAlerts(limit: 1).map(\.messageId) == ["m-1"])
                    #expect(try ledger.counts().undeliveredAlerts == 2)
                    try ledger.delivered(1, at: LedgerRows.now)
                    #expect(try ledger.undeliveredAlerts(limit: 9).map(\.messageId) == ["m-2"])
                    #expect(try ledger.recordedAlerts(among: ["without"]) == ["without"])
                    let mail = AlertMessage(messageId: "m-4", madeAt: LedgerRows.now, channel: .mail, body: [1])
                    try ledger.insertAlerts([], by: mail)
                    #expect(try ledger.undeliveredAlerts(by: .mail, limit: 9).map(\.messageId) == ["m-4"])
                    #expect(try ledger.undeliveredAlerts(by: .webhook, limit: 9).map(\.messageId) == ["m-2"])
                }
                let attempts: [@Sendable (LedgerTransaction) throws -> Void] = [
                    { ledger in try ledger.delivered(1, at: LedgerRows.now) },
                    { ledger in try ledger.delivered(4, at: LedgerRows.now) },
                    { ledger in try ledger.insertAlerts([marks[0]], by: nil) },
                    { ledger in try ledger.insertAlerts([], by: message) },
                    { ledger in
                        try ledger.insertAlerts(
                            [],
                            by: AlertMessage(messageId: "m-3", madeAt: LedgerRows.now, body: [])
                        )
                    },
                ]
                for attempt in attempts { #expect(await store.refusal(attempt)?.isConflict == true) }
            }
        ),
        LedgerConformanceCase(
            "A refused report that is withdrawn stays as evidence and lets go of its sales and its token",
            over: { store in
                let report = try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("s"))
                    var report = try ledger.insert(
                        LedgerRows.report(1, holding: [LedgerRows.item("s")]),
                        holding: ["s"]
                    )
                    report.state = .needsAttention
                    try ledger.update(report, accepting: [])
                    #expect(try Self.tokens(in: ledger).isEmpty)
                    report.state = .withdrawn
                    report.changedAt = LedgerRows.now + .milliseconds(7)
                    try ledger.update(report, accepting: [])
                    #expect(try ledger.report(report.requestIdentifier, in: report.scope) == report)
                    #expect(try ledger.reports(in: report.scope, state: [.withdrawn], limit: 9) == [report])
                    #expect(try ledger.reports(in: report.scope, state: [.needsAttention], limit: 9).isEmpty)
                    #expect(try ledger.sales(in: report.requestIdentifier, of: report.scope).isEmpty)
                    #expect(try ledger.sale("s", of: LedgerRows.shop)?.standing == .planned)
                    #expect(try Self.tokens(in: ledger) == [report.externalPurchaseId])
                    #expect(try ledger.lineItemVersions("s", in: report.scope).map(\.reportState) == [.withdrawn])
                    _ = try ledger.insert(LedgerRows.report(2, holding: [LedgerRows.item("s")]), holding: ["s"])
                    #expect(try ledger.sale("s", of: LedgerRows.shop)?.standing == .inReport)
                    return report
                }
                var back = report
                back.state = .written
                let changed = back
                var other = LedgerRows.report(2)
                other.state = .withdrawn
                let unrefused = other
                let attempts: [@Sendable (LedgerTransaction) throws -> Void] = [
                    { ledger in try ledger.update(changed, accepting: []) },
                    { ledger in try ledger.update(report, accepting: []) },
                    { ledger in try ledger.update(unrefused, accepting: []) },
                ]
                for attempt in attempts { #expect(await store.refusal(attempt)?.isConflict == true) }
            }
        ),
        LedgerConformanceCase(
            "Counting finds every report, held sale and open item where it stands",
            over: { store in
                try await store.step { ledger throws in
                    #expect(try ledger.counts() == LedgerCounts())
                    _ = try ledger.insert(LedgerRows.token())
                    for id in ["a", "b", "c"] as [SaleId] { _ = try ledger.insert(LedgerRows.sale(id)) }
                    _ = try ledger.insert(LedgerRows.sale("lost", on: nil, state: .held))
                    _ = try ledger.insert(LedgerRows.sale("bare", on: nil, state: .held))
                    try ledger.update(
                        Attribution(state: .held, externalPurchaseId: nil),
                        of: "bare",
                        app: LedgerRows.shop
                    )
                    _ = try ledger.insert(LedgerRows.sale("two", state: .held))
                    try ledger.update(
                        Attribution(
                            state: .held,
                            externalPurchaseId: LedgerRows.token().token.externalPurchaseId,
                            holdCauses: [.noTax, .noTaxCountry]
                        ),
                        of: "two",
                        app: LedgerRows.shop
                    )
                    for digit in 1...4 {
                        let sales: [SaleId] = digit == 1 ? ["a"] : []
                        var report = try ledger.insert(LedgerRows.report(digit), holding: sales)
                        if digit == 2 { continue }
                        report.state = digit == 4 ? .accepted : .needsAttention
                        try ledger.update(report, accepting: [])
                        if digit == 3 {
                            report.state = .withdrawn
                            try ledger.update(report, accepting: [])
                        }
                    }
                    _ = try ledger.open(LedgerRows.review())
                    _ = try ledger.open(LedgerRows.review(about: "t"))
                    _ = try ledger.open(LedgerRows.review(.reportRefused))
                    try ledger.resolve(2, ReviewResolution(resolvedAt: LedgerRows.now, by: "kim", note: ""))
                    let counts = try ledger.counts()
                    let scope = LedgerRows.scope
                    #expect(
                        counts.reports == [
                            .init(scope: scope, state: .needsAttention): 1, .init(scope: scope, state: .written): 1,
                            .init(scope: scope, state: .withdrawn): 1, .init(scope: scope, state: .accepted): 1,
                        ]
                    )
                    #expect(counts.plannedSales == [scope: 2])
                    #expect(counts.oldestUnsent == [scope: LedgerRows.now])
                    #expect(
                        counts.heldSales == [
                            .init(bundleId: LedgerRows.shop, environment: .production, flag: .withdrawnCurrency): 1,
                            .init(bundleId: LedgerRows.shop, environment: .production, flag: nil): 1,
                            .init(bundleId: LedgerRows.shop, environment: .sandbox, flag: .noTax): 1,
                            .init(bundleId: LedgerRows.shop, environment: .sandbox, flag: .noTaxCountry): 1,
                        ]
                    )
                    #expect(
                        counts.review == [
                            .init(bundleId: LedgerRows.shop, kind: .contradiction): 1,
                            .init(bundleId: LedgerRows.shop, kind: .reportRefused): 1,
                        ]
                    )
                }
            }
        ),
        LedgerConformanceCase(
            "Withdrawing frees the sales of that report only",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    for id in ["a", "b"] as [SaleId] { _ = try ledger.insert(LedgerRows.sale(id)) }
                    var first = try ledger.insert(LedgerRows.report(1), holding: ["a"])
                    var second = try ledger.insert(LedgerRows.report(2), holding: ["b"])
                    for state in [ReportState.needsAttention, .withdrawn] {
                        first.state = state
                        try ledger.update(first, accepting: [])
                    }
                    second.state = .needsAttention
                    try ledger.update(second, accepting: [])
                    #expect(try ledger.sale("a", of: LedgerRows.shop)?.standing == .planned)
                    #expect(try ledger.sale("b", of: LedgerRows.shop)?.standing == .inReport)
                }
                let held = Attribution(state: .held, externalPurchaseId: nil)
                #expect(
                    await store.refusal { ledger in try ledger.update(held, of: "b", app: LedgerRows.shop) }?.isConflict
                        == true
                )
            }
        ),
    ]

    private static func tokens(in ledger: LedgerQueries) throws(LedgerError) -> [ExternalPurchaseId] {
        try ledger.tokensToReport(
            in: LedgerRows.scope,
            madeUntil: LedgerRows.now,
            soldUntil: LedgerRows.now,
            limit: 9
        )
    }
}
