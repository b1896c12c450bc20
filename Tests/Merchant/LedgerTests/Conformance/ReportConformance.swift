// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let reports: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A report comes back byte for byte, by its UUID in any case, with answer and errors",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    var report = try ledger.insert(LedgerRows.report(1), holding: [])
                    report.state = .needsAttention
                    report.attempts = 2
                    report.changedAt = LedgerRows.now + .milliseconds(5)
                    report.answer = ReportAnswer(
                        status: 400,
                        body: [0xFF, 0x00],
                        receivedAt: LedgerRows.now,
                        conclusion: "refused by Apple"
                    )
                    report.errors = [
                        AttributedReportError(
                            error: ReportError(.omittedField, field: "taxCountry", item: "s"),
                            saleId: "s",
                            isLocal: true
                        )
                    ]
                    try ledger.update(report, accepting: [])
                    let other = RequestIdentifier(report.requestIdentifier.text.lowercased())!
                    let found = try ledger.report(other, in: LedgerRows.scope)
                    #expect(found == report)
                    #expect(found?.requestIdentifier.text == report.requestIdentifier.text)
                    #expect(try ledger.reports(in: LedgerRows.scope, state: [.needsAttention], limit: 9) == [report])
                    #expect(try ledger.reports(in: LedgerRows.scope, state: [.written, .accepted], limit: 9).isEmpty)
                    #expect(try ledger.reports(LedgerPage()) == [report])
                    let production = ReportingScope(bundleId: LedgerRows.shop, environment: .production)
                    #expect(try ledger.report(other, in: production) == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "The reports of a token are summed up by what is accepted, on its way, refused or withdrawn (SA-74)",
            over: { store in
                let id = try await store.step { ledger throws in
                    try ledger.insert(LedgerRows.token()).token.externalPurchaseId
                }
                func summary() async throws -> TokenReportSummary {
                    try await store.step { ledger throws in
                        try ledger.reportSummary(of: id, app: LedgerRows.shop)
                    }
                }
                #expect(try await summary() == TokenReportSummary())
                var report = try await store.step { ledger throws in
                    try ledger.insert(LedgerRows.report(1), holding: [])
                }
                let status = report.status
                let isLineItem = status == .lineItem
                #expect(
                    try await summary()
                        == TokenReportSummary(statuses: [status], holdsSales: isLineItem, hasOpenReport: true)
                )
                for (state, expected) in [
                    (.needsAttention, TokenReportSummary(holdsSales: isLineItem, hasOpenReport: true)),
                    (.withdrawn, TokenReportSummary()),
                ] as [(ReportState, TokenReportSummary)] {
                    report.state = state
                    try await store.step { [report] ledger throws in try ledger.update(report, accepting: []) }
                    #expect(try await summary() == expected)
                }
                try await store.step { ledger throws in
                    var second = try ledger.insert(LedgerRows.report(2), holding: [])
                    second.state = .accepted
                    try ledger.update(second, accepting: [])
                }
                #expect(try await summary() == TokenReportSummary(statuses: [status], holdsSales: isLineItem))
                #expect(
                    try await store.step { ledger throws in
                        try ledger.reportSummary(of: id, app: "com.example.other")
                    } == TokenReportSummary()
                )
            }
        ),
        LedgerConformanceCase(
            "An accepted report and the sales that it holds never change",
            over: { store in
                let report = try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("s"))
                    var report = try ledger.insert(LedgerRows.report(1), holding: ["s"])
                    report.state = .accepted
                    try ledger.update(report, accepting: [LedgerRows.item("s")])
                    return report
                }
                var back = report
                back.state = .written
                let changed = back
                let held = Attribution(state: .held, externalPurchaseId: nil)
                let attempts: [@Sendable (LedgerTransaction) throws -> Void] = [
                    { ledger in try ledger.update(changed, accepting: []) },
                    { ledger in _ = try ledger.insert(LedgerRows.report(1), holding: []) },
                    { ledger in _ = try ledger.insert(LedgerRows.report(2), holding: ["s"]) },
                    { ledger in try ledger.update(held, of: "s", app: LedgerRows.shop) },
                ]
                for attempt in attempts {
                    let error = await ledgerError { try await store.step(attempt) }
                    #expect(error?.isConflict == true)
                }
            }
        ),
        LedgerConformanceCase(
            "The accepted history gives the newest version of an id and of what references it (RR-7, RR-20)",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    let id = LedgerRows.token().token.externalPurchaseId
                    #expect(try ledger.hasAcceptedLineItems(id, of: LedgerRows.scope) == false)
                    let versions = [
                        [LedgerRows.item("buy"), LedgerRows.item("refund", refundOf: "buy"), LedgerRows.item("other")],
                        [LedgerRows.item("buy", excluding: 800), LedgerRows.item("refund", refundOf: "other")],
                        [LedgerRows.item("late", refundOf: "buy")],
                    ]
                    for (index, items) in versions.enumerated() {
                        var report = try ledger.insert(LedgerRows.report(index), holding: [])
                        report.state = .accepted
                        try ledger.update(report, accepting: items)
                    }
                    let newest = try ledger.newestAccepted(["buy"], in: LedgerRows.scope)
                    #expect(Set(newest.keys) == ["buy", "late"])
                    let buy = try #require(newest["buy"])
                    #expect(buy.item == LedgerRows.item("buy", excluding: 800))
                    #expect(buy.externalPurchaseId == id)
                    #expect(buy.requestIdentifier == LedgerRows.report(1).requestIdentifier)
                    #expect(try buy.sequence < #require(newest["late"]).sequence)
                    #expect(try ledger.hasAcceptedLineItems(id, of: LedgerRows.scope))
                    let production = ReportingScope(bundleId: LedgerRows.shop, environment: .production)
                    #expect(try ledger.newestAccepted(["buy"], in: production).isEmpty)
                }
            }
        ),
    ]
}
