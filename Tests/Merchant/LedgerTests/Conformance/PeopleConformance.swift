import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let people: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "An attention item is open once per kind and subject, and says who resolved it and when",
            over: { store in
                let resolution = ReviewResolution(resolvedAt: LedgerRows.now, by: "kim", note: "told the bank")
                try await store.step { ledger throws in
                    let item = try ledger.open(LedgerRows.review())
                    #expect(try ledger.open(LedgerRows.review()) == item)
                    let other = try ledger.open(LedgerRows.review(.reportRefused))
                    #expect(try ledger.openReviewItems(LedgerPage()) == [item, other])
                    try ledger.resolve(item.sequence, resolution)
                    #expect(try ledger.openReviewItems(LedgerPage()) == [other])
                    let again = try ledger.open(LedgerRows.review())
                    #expect(again.sequence == 3)
                    let all = try ledger.reviewItems(about: .sale("s"), app: LedgerRows.shop)
                    #expect(all.map(\.resolution) == [resolution, nil, nil])
                    #expect(try ledger.reviewItems(about: .sale("t"), app: LedgerRows.shop).isEmpty)
                    #expect(try ledger.openReviewItems(LedgerPage(after: 2)) == [again])
                }
                for sequence in [1, 99] as [Int64] {
                    let refusal = await store.refusal { ledger throws in try ledger.resolve(sequence, resolution) }
                    #expect(refusal?.isConflict == true)
                }
            }
        ),
        LedgerConformanceCase(
            "Open attention items of a kind are found beside others, with the correction that they offer",
            over: { store in
                let resolution = ReviewResolution(resolvedAt: LedgerRows.now, by: "kim", note: "agreed")
                @Sendable func figures(_ sale: SaleId, of app: BundleId = LedgerRows.shop) -> ReviewItem {
                    ReviewItem(
                        bundleId: app,
                        kind: .subscriptionFigures,
                        subject: .sale(sale),
                        detail: "30 days, right are 61",
                        openedAt: LedgerRows.now,
                        correctionId: CorrectionId("recount of \(sale)")
                    )
                }
                try await store.step { ledger throws in
                    _ = try ledger.open(LedgerRows.review())
                    let one = try ledger.open(figures("s"))
                    _ = try ledger.open(figures("s", of: "com.example.other"))
                    let other = try ledger.open(figures("t"))
                    #expect(one.correctionId == "recount of s")
                    #expect(
                        try ledger.openReviewItems(of: .subscriptionFigures, app: LedgerRows.shop) == [one, other]
                    )
                    try ledger.resolve(one.sequence, resolution)
                    #expect(try ledger.openReviewItems(of: .subscriptionFigures, app: LedgerRows.shop) == [other])
                }
            }
        ),
        LedgerConformanceCase(
            "Attention items come back whatever they are about",
            over: { store in
                try await store.step { ledger throws in
                    let subjects: [ReviewSubject] = [
                        .app, .token("SANDBOX-1"), .sale("s"), .report(LedgerRows.report(1).requestIdentifier),
                        .notification("n"),
                    ]
                    for subject in subjects {
                        let item = ReviewItem(
                            bundleId: LedgerRows.shop,
                            kind: .contradiction,
                            subject: subject,
                            detail: "",
                            openedAt: LedgerRows.now
                        )
                        #expect(try ledger.open(item).subject == subject)
                    }
                    #expect(try ledger.reviewItems(LedgerPage()).map(\.subject) == subjects)
                }
            }
        ),
        LedgerConformanceCase(
            "A correction keeps who, why, dry run, confirmation and its reports, and is closed once (RR-84)",
            over: { store in
                let closed = try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    let report = try ledger.insert(LedgerRows.report(1), holding: [])
                    var correction = try ledger.insert(LedgerRows.correction())
                    #expect(try ledger.openCorrections(LedgerPage()) == [correction])
                    correction.dryRun = ["changes": .array([])]
                    try ledger.update(correction)
                    correction.confirmation = CorrectionStep(at: LedgerRows.now, by: "lee")
                    try ledger.update(correction)
                    let attached = CorrectionReport(
                        environment: .sandbox,
                        requestIdentifier: report.requestIdentifier
                    )
                    try ledger.attach(attached, to: "c-1", of: LedgerRows.shop)
                    correction.reports = [attached]
                    #expect(try ledger.correction("c-1", of: LedgerRows.shop) == correction)
                    correction.closing = CorrectionStep(at: LedgerRows.now, by: "sender", note: "accepted")
                    try ledger.update(correction)
                    #expect(try ledger.corrections(LedgerPage()) == [correction])
                    #expect(try ledger.openCorrections(LedgerPage()).isEmpty)
                    _ = try ledger.insert(LedgerRows.correction("c-2"))
                    return correction
                }
                let second = try await store.step { ledger throws in
                    var second = try #require(try ledger.correction("c-2", of: LedgerRows.shop))
                    second.confirmation = CorrectionStep(at: LedgerRows.now, by: "lee")
                    try ledger.update(second)
                    return second
                }
                let attempts: [@Sendable (LedgerTransaction) throws -> Void] = [
                    { ledger in try ledger.update(closed) },
                    { ledger in _ = try ledger.insert(LedgerRows.correction()) },
                    { ledger in try ledger.attach(closed.reports[0], to: "c-2", of: LedgerRows.shop) },
                    { ledger in try ledger.attach(closed.reports[0], to: "c-3", of: LedgerRows.shop) },
                    { ledger in
                        var changed = second
                        changed.confirmation = nil
                        try ledger.update(changed)
                    },
                    { ledger in
                        var changed = second
                        changed.dryRun = .null
                        try ledger.update(changed)
                    },
                ]
                for attempt in attempts {
                    #expect(await store.refusal(attempt)?.isConflict == true)
                }
            }
        ),
        LedgerConformanceCase(
            "A sale is in a report or in a manual export, never in both, and an export is handed in once (OB-62)",
            over: { store in
                let manualSubmission = ManualSubmission(at: LedgerRows.now, by: "kim", reference: "case 17")
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("reported"))
                    _ = try ledger.insert(LedgerRows.sale("by hand"))
                    _ = try ledger.insert(LedgerRows.sale("held", on: nil, state: .held))
                    _ = try ledger.insert(LedgerRows.report(1), holding: ["reported"])
                    let export = try ledger.insert(LedgerRows.export(), holding: ["by hand", "held"])
                    #expect(try ledger.manualExports(LedgerPage()) == [export])
                    #expect(
                        try ledger.sales(in: "e-1", of: LedgerRows.shop).map(\.sale.saleId) == ["by hand", "held"]
                    )
                    #expect(try ledger.heldSales(LedgerPage()).isEmpty)
                    let id = LedgerRows.token().token.externalPurchaseId
                    #expect(try ledger.plannedSales(on: id, of: LedgerRows.shop, limit: 9).isEmpty)
                    try ledger.recordSubmission("e-1", of: LedgerRows.shop, manualSubmission)
                    #expect(try ledger.manualExport("e-1", of: LedgerRows.shop)?.submission == manualSubmission)
                }
                let held = Attribution(state: .held, externalPurchaseId: nil)
                let attempts: [@Sendable (LedgerTransaction) throws -> Void] = [
                    { ledger in _ = try ledger.insert(LedgerRows.export("e-2"), holding: ["reported"]) },
                    { ledger in _ = try ledger.insert(LedgerRows.export("e-2"), holding: ["by hand"]) },
                    { ledger in _ = try ledger.insert(LedgerRows.export(), holding: []) },
                    { ledger in _ = try ledger.insert(LedgerRows.report(2), holding: ["by hand"]) },
                    { ledger in try ledger.update(held, of: "by hand", app: LedgerRows.shop) },
                    { ledger in try ledger.recordSubmission("e-1", of: LedgerRows.shop, manualSubmission) },
                    { ledger in try ledger.recordSubmission("e-2", of: LedgerRows.shop, manualSubmission) },
                ]
                for attempt in attempts {
                    #expect(await store.refusal(attempt)?.isConflict == true)
                }
                try await store.step { ledger throws in
                    #expect(try ledger.manualExport("e-2", of: LedgerRows.shop) == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "A manual export that was handed in is taken back once, with a reason, and frees its sales (OB-62)",
            over: { store in
                let manualSubmission = ManualSubmission(at: LedgerRows.now, by: "kim", reference: "case 17")
                let withdrawal = ExportWithdrawal(at: LedgerRows.now, by: "lee", reason: "wrong month")
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(LedgerRows.sale("by hand"))
                    _ = try ledger.insert(LedgerRows.export(), holding: ["by hand"])
                }
                let early = await store.refusal { ledger in
                    try ledger.withdraw("e-1", of: LedgerRows.shop, withdrawal)
                }
                #expect(early?.isConflict == true)
                try await store.step { ledger throws in
                    try ledger.recordSubmission("e-1", of: LedgerRows.shop, manualSubmission)
                    #expect(try ledger.sale("by hand", of: LedgerRows.shop)?.standing == .handedOver)
                    try ledger.withdraw("e-1", of: LedgerRows.shop, withdrawal)
                    #expect(try ledger.manualExport("e-1", of: LedgerRows.shop)?.withdrawal == withdrawal)
                    #expect(try ledger.manualExport("e-1", of: LedgerRows.shop)?.submission == manualSubmission)
                    #expect(try ledger.sale("by hand", of: LedgerRows.shop)?.standing == .planned)
                    #expect(try ledger.sales(in: "e-1", of: LedgerRows.shop).isEmpty)
                    let last = try #require(try ledger.lastAuditEntry())
                    #expect(last.kind == "export-withdrawn")
                    #expect(last.content.contains("wrong month"))
                    // It can be reported now.
                    _ = try ledger.insert(LedgerRows.report(1), holding: ["by hand"])
                }
                let nobody = ExportWithdrawal(at: LedgerRows.now, by: "lee", reason: "")
                let attempts: [@Sendable (LedgerTransaction) throws -> Void] = [
                    { ledger in try ledger.withdraw("e-1", of: LedgerRows.shop, withdrawal) },
                    { ledger in try ledger.withdraw("e-9", of: LedgerRows.shop, withdrawal) },
                    { ledger in
                        _ = try ledger.insert(LedgerRows.export("e-2"), holding: [])
                        try ledger.recordSubmission("e-2", of: LedgerRows.shop, manualSubmission)
                        try ledger.withdraw("e-2", of: LedgerRows.shop, nobody)
                    },
                ]
                for attempt in attempts {
                    #expect(await store.refusal(attempt)?.isConflict == true)
                }
            }
        ),
        LedgerConformanceCase(
            "Each line of an invoice is entered once and stays as it was entered (OB-80)",
            over: { store in
                try await store.step { ledger throws in
                    let first = try ledger.insert(LedgerRows.invoice())
                    let second = try ledger.insert(LedgerRows.invoice("i-2", amount: -3))
                    #expect(try ledger.invoices(LedgerPage()) == [first, second])
                    #expect(try ledger.invoices(LedgerPage(after: first.sequence)) == [second])
                    #expect(try ledger.lastAuditEntry()?.kind == "invoice-entered")
                }
                let again = await store.refusal { ledger in
                    _ = try ledger.insert(LedgerRows.invoice(amount: 7))
                }
                #expect(again?.isConflict == true)
            }
        ),
    ]
}
