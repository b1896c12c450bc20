// swift-format-ignore-file: NeverForceUnwrap
// A suite of tests: a missing value is a failed claim.

import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let sales: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Sales come back with all that the caller said, refunds by their buy",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    let buy = try ledger.insert(LedgerRows.sale("buy"))
                    let refund = try ledger.insert(LedgerRows.refund("refund", of: "buy"))
                    #expect(try ledger.sale("buy", of: LedgerRows.shop) == buy)
                    #expect(buy.sale == LedgerRows.sale("buy").sale)
                    #expect(try ledger.refunds(of: "buy", app: LedgerRows.shop) == [refund])
                    #expect(refund.sale == LedgerRows.refund("refund", of: "buy").sale)
                    #expect(try ledger.sales(LedgerPage()) == [buy, refund])
                }
                let error = await ledgerError {
                    try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.sale("buy")) }
                }
                #expect(error?.isConflict == true)
            }
        ),
        LedgerConformanceCase(
            "A sale is found by the payment that it names, and its events are opened again",
            over: { store in
                try await store.step { ledger throws in
                    let payment = PaymentLink(provider: .stripe, id: "pi_1")
                    let row = LedgerRows.sale("named", on: nil, state: .held)
                    var sale = row.sale
                    sale.payment = payment
                    let stored = try ledger.insert(
                        StoredSale(
                            sale: sale,
                            lineItemId: row.lineItemId,
                            receivedAt: row.receivedAt,
                            attribution: row.attribution
                        )
                    )
                    _ = try ledger.insert(LedgerRows.sale("other", on: nil, state: .held))
                    let page = LedgerPage(limit: 10)
                    #expect(try ledger.sales(.payment("pi_1", of: LedgerRows.shop), page) == [stored])
                    #expect(stored.sale.payment == payment)
                    #expect(try ledger.sales(.payment("pi_2", of: LedgerRows.shop), page).isEmpty)
                    #expect(try ledger.sales(.payment("pi_1", of: "com.example.other"), page).isEmpty)
                    for (id, state) in [("evt_1", .held), ("evt_2", .applied), ("evt_3", .dismissed)]
                        as [(PaymentEventId, PaymentEventResult.State)]
                    {
                        let event = try ledger.insert(
                            StoredPaymentEvent(
                                eventId: id,
                                provider: .stripe,
                                apps: [LedgerRows.shop],
                                bundleId: LedgerRows.shop,
                                type: "refund.created",
                                isLive: true,
                                createdAt: LedgerRows.now,
                                arrival: .delivered,
                                receivedAt: LedgerRows.now,
                                content: .object(JSONObject([])),
                                customerId: nil,
                                objects: ["pi_1"]
                            )
                        ).event
                        let result = PaymentEventResult(state, detail: "x", decidedAt: LedgerRows.now)
                        try ledger.setResult(result, of: event, app: LedgerRows.shop)
                    }
                    try ledger.reopenPaymentEvents(of: payment)
                    let states = try ledger.paymentEvents(about: ["pi_1"], of: .stripe).map(\.result.state)
                    #expect(states == [.received, .received, .dismissed])
                }
            }
        ),
        LedgerConformanceCase(
            "A planned sale needs a stored token; a held one waits without",
            over: { store in
                for sale in [LedgerRows.sale("a"), LedgerRows.sale("b", on: nil)] {
                    let error = await ledgerError {
                        try await store.step { ledger throws in _ = try ledger.insert(sale) }
                    }
                    #expect(error?.isConflict == true)
                }
                let id = LedgerRows.token().token.externalPurchaseId
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.sale("c", on: nil, state: .held))
                    #expect(try ledger.heldSales(LedgerPage()).map(\.sale.saleId) == ["c"])
                    _ = try ledger.insert(LedgerRows.token())
                    try ledger.update(
                        Attribution(state: .planned, externalPurchaseId: id),
                        of: "c",
                        app: LedgerRows.shop
                    )
                    #expect(try ledger.heldSales(LedgerPage()).isEmpty)
                    #expect(try ledger.plannedSales(on: id, of: LedgerRows.shop, limit: 9).map(\.sale.saleId) == ["c"])
                    #expect(try ledger.plannedSales(on: id, of: LedgerRows.shop, limit: 0).isEmpty)
                }
            }
        ),
        LedgerConformanceCase(
            "A token is up for a report until one holds its sales and Apple has accepted it (SA-74)",
            over: { store in
                let id = LedgerRows.token().token.externalPurchaseId
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    _ = try ledger.insert(
                        LedgerRows.token("SANDBOX_later", made: LedgerRows.now + .milliseconds(1))
                    )
                    _ = try ledger.insert(LedgerRows.token("00000000-in-production"))
                    _ = try ledger.insert(LedgerRows.sale("later", on: "SANDBOX_later"))
                    _ = try ledger.insert(LedgerRows.sale("first"))
                    _ = try ledger.insert(LedgerRows.sale("production", on: "00000000-in-production"))
                    #expect(
                        try ledger.tokensToReport(
                            in: LedgerRows.scope,
                            madeUntil: LedgerRows.now,
                            soldUntil: LedgerRows.now,
                            limit: 9
                        ) == [
                            id
                        ]
                    )
                    let future = LedgerRows.now + .milliseconds(1)
                    #expect(
                        try ledger.tokensToReport(
                            in: LedgerRows.scope,
                            madeUntil: future,
                            soldUntil: LedgerRows.now,
                            limit: 9
                        ) == [
                            "SANDBOX_later", id,
                        ]
                    )
                    var report = try ledger.insert(LedgerRows.report(1), holding: ["first"])
                    _ = try ledger.insert(LedgerRows.sale("second"))
                    #expect(
                        try ledger.tokensToReport(
                            in: LedgerRows.scope,
                            madeUntil: LedgerRows.now,
                            soldUntil: LedgerRows.now,
                            limit: 9
                        )
                            == []
                    )
                    #expect(
                        try ledger.plannedSales(on: id, of: LedgerRows.shop, limit: 9).map(\.sale.saleId) == ["second"]
                    )
                    #expect(
                        try ledger.sales(in: report.requestIdentifier, of: LedgerRows.scope).map(\.sale.saleId) == [
                            "first"
                        ]
                    )
                    report.state = .accepted
                    try ledger.update(report, accepting: [])
                    #expect(
                        try ledger.tokensToReport(
                            in: LedgerRows.scope,
                            madeUntil: LedgerRows.now,
                            soldUntil: LedgerRows.now,
                            limit: 9
                        ) == [
                            id
                        ]
                    )
                }
            }
        ),
        LedgerConformanceCase(
            "A refund may come before its buy; a line belongs to a stored sale; filters go by what was said last",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    let refund = try ledger.insert(LedgerRows.refund("refund", of: "late"))
                    #expect(try ledger.refunds(of: "late", app: LedgerRows.shop) == [refund])
                    let whole = try ledger.insert(LedgerRows.sale("late"))
                    let row = LedgerRows.sale("late/1", partOf: "late")
                    let line = try ledger.insert(row)
                    #expect(try ledger.sales(.lines("late", of: LedgerRows.shop), LedgerPage()) == [line])
                    #expect(try ledger.sale("late/1", of: LedgerRows.shop)?.partOf == "late")
                    #expect(try ledger.sales(.given, LedgerPage()) == [refund, whole])
                    var filter = SaleFilter(bundleId: LedgerRows.shop)
                    filter.productId = row.sale.purchase?.productId
                    #expect(try ledger.sales(matching: filter, LedgerPage()) == [line])
                    filter.checkoutId = "other"
                    #expect(try ledger.sales(matching: filter, LedgerPage()).isEmpty)
                    let moved = Sale(
                        saleId: "late/1",
                        bundleId: LedgerRows.shop,
                        occurredAt: LedgerRows.now + .milliseconds(5),
                        checkoutId: "other",
                        kind: row.sale.kind
                    )
                    try ledger.insert(
                        SaleVersion(
                            version: 2,
                            sale: moved,
                            lineItemId: row.lineItemId,
                            change: .restated,
                            saidAt: LedgerRows.now
                        )
                    )
                    #expect(try ledger.sales(matching: filter, LedgerPage()).map(\.sale) == [moved])
                    filter.until = LedgerRows.now
                    #expect(try ledger.sales(matching: filter, LedgerPage()).isEmpty)
                }
                let row = LedgerRows.sale("none/1")
                let error = await ledgerError {
                    try await store.step { ledger throws in
                        _ = try ledger.insert(
                            StoredSale(
                                sale: row.sale,
                                lineItemId: row.lineItemId,
                                receivedAt: row.receivedAt,
                                attribution: row.attribution,
                                partOf: "none"
                            )
                        )
                    }
                }
                #expect(error?.isConflict == true)
            }
        ),
        LedgerConformanceCase(
            "A sale is found by the type of its newest version",
            over: { store in
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token())
                    let arrival = try ledger.insert(LedgerRows.sale("s"))
                    _ = try ledger.insert(LedgerRows.sale("other"))
                    func found(_ kind: String) throws(LedgerError) -> [SaleId] {
                        var filter = SaleFilter(bundleId: LedgerRows.shop)
                        filter.kind = kind
                        return try ledger.sales(matching: filter, LedgerPage()).map(\.sale.saleId)
                    }
                    let kinds: [Sale.Kind] = [
                        .refund(Refund(refundOf: "other", inclusive: 1)), .chargebackReversal(of: "other"),
                        arrival.sale.kind,
                    ]
                    for (number, kind) in kinds.enumerated() {
                        try ledger.insert(
                            SaleVersion(
                                version: number + 2,
                                sale: Sale(
                                    saleId: "s",
                                    bundleId: LedgerRows.shop,
                                    occurredAt: LedgerRows.now,
                                    kind: kind
                                ),
                                lineItemId: arrival.lineItemId,
                                change: .restated,
                                saidAt: LedgerRows.now
                            )
                        )
                        #expect(try found("refund") == (number == 0 ? ["s"] : []))
                        #expect(try found("chargebackReversal") == (number == 1 ? ["s"] : []))
                        #expect(try found("purchase") == (number == 2 ? ["s", "other"] : ["other"]))
                    }
                }
            }
        ),
    ]
}
