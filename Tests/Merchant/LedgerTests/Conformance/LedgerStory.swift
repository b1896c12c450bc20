import ExternalPurchaseCore
import Ledger

/// A story that makes every kind of change that a ledger knows, step by step.
enum LedgerStory {
    typealias Step = @Sendable (LedgerTransaction) throws(LedgerError) -> Void

    /// Each step, with the entries that it leaves in the audit log.
    static let steps: [(entries: [String], run: Step)] = [
        (
            ["token-stored"],
            { ledger throws(LedgerError) in
                var token = LedgerRows.token()
                token.text = nil
                _ = try ledger.merge(seen(token, from: .notification))
            }
        ),
        (
            ["token-seen", "customer-seen", "token-completed"],
            { ledger throws(LedgerError) in
                _ = try ledger.merge(seen(LedgerRows.token(customer: "customer"), from: .app))
            }
        ),
        (
            ["token-changed"],
            { ledger throws(LedgerError) in
                guard var token = try ledger.token(id, of: LedgerRows.shop) else { throw .failed("no token") }
                token.state = .confirmed
                token.endpoint = .missing
                try ledger.update(token)
            }
        ),
        (
            ["token-set-aside"],
            { ledger throws(LedgerError) in
                try ledger.quarantine(
                    QuarantinedToken(
                        text: "x",
                        reason: .undecodable,
                        detail: "not a token",
                        firstSeen: FirstSeen(source: .website, time: LedgerRows.now)
                    )
                )
            }
        ),
        (
            ["checkout-tied"],
            { ledger throws(LedgerError) in
                try ledger.put(Checkout(checkoutId: "k", bundleId: LedgerRows.shop, customerId: "customer"))
            }
        ),
        (
            ["link-tapped"],
            { ledger throws(LedgerError) in
                try ledger.record(
                    LinkTap(
                        bundleId: LedgerRows.shop,
                        link: "nl",
                        tappedAt: LedgerRows.now,
                        externalPurchaseId: id,
                        checkoutId: "k"
                    )
                )
            }
        ),
        (["sale-stored"], { ledger throws(LedgerError) in _ = try ledger.insert(LedgerRows.sale("s")) }),
        (
            ["sale-stored"],
            { ledger throws(LedgerError) in _ = try ledger.insert(LedgerRows.sale("m", on: nil, state: .held)) }
        ),
        (
            ["sale-attributed"],
            { ledger throws(LedgerError) in
                let held = Attribution(state: .held, externalPurchaseId: nil, holdCauses: [.noToken])
                try ledger.update(held, of: "m", app: LedgerRows.shop)
            }
        ),
        (
            ["report-written"],
            { ledger throws(LedgerError) in
                _ = try ledger.insert(LedgerRows.report(1, holding: [LedgerRows.item("s")]), holding: ["s"])
            }
        ),
        (
            ["report-changed"],
            { ledger throws(LedgerError) in
                var report = LedgerRows.report(1, holding: [LedgerRows.item("s")])
                report.state = .accepted
                report.answer = ReportAnswer(
                    status: 201,
                    body: [0x7B, 0x7D],
                    receivedAt: LedgerRows.now,
                    conclusion: "accepted"
                )
                try ledger.update(report, accepting: [LedgerRows.item("s")])
            }
        ),
        (
            ["report-imported"],
            { ledger throws(LedgerError) in
                let items = [LedgerRows.item("elsewhere")]
                let report = LedgerRows.report(2, holding: items, state: .accepted, isImported: true)
                _ = try ledger.importAccepted(report, items: items)
            }
        ),
        (["notification-stored"], { ledger throws(LedgerError) in _ = try ledger.insert(LedgerRows.notification()) }),
        (
            ["notification-done"],
            { ledger throws(LedgerError) in
                let effect = NotificationEffect(doneAt: LedgerRows.now, detail: "confirmed")
                try ledger.finish(LedgerRows.notification().uuid, effect)
            }
        ),
        (
            ["notification-set-aside"],
            { ledger throws(LedgerError) in
                try ledger.quarantine(
                    QuarantinedNotification(uuid: "f", reason: "wrong-app", payload: "p", receivedAt: LedgerRows.now)
                )
            }
        ),
        (
            [],
            { ledger throws(LedgerError) in try ledger.countRefusal(of: "signature-invalid", at: LedgerRows.now) }
        ),
        (
            ["history-read"],
            { ledger throws(LedgerError) in
                try ledger.moveHistoryPosition(of: LedgerRows.scope, to: LedgerRows.now)
            }
        ),
        (["attention-opened"], { ledger throws(LedgerError) in _ = try ledger.open(LedgerRows.review()) }),
        (
            ["attention-resolved"],
            { ledger throws(LedgerError) in
                // A store may leave gaps in the numbers where a transaction failed.
                let item = try ledger.openReviewItems(LedgerPage()).first?.sequence ?? 0
                try ledger.resolve(item, ReviewResolution(resolvedAt: LedgerRows.now, by: "kim", note: "done"))
            }
        ),
        (["correction-requested"], { ledger throws(LedgerError) in _ = try ledger.insert(LedgerRows.correction()) }),
        (
            ["correction-changed"],
            { ledger throws(LedgerError) in
                var correction = LedgerRows.correction()
                correction.dryRun = .array([])
                correction.confirmation = CorrectionStep(at: LedgerRows.now, by: "lee")
                try ledger.update(correction)
            }
        ),
        (
            ["sale-corrected"],
            { ledger throws(LedgerError) in
                let version = SaleVersion(
                    version: 2,
                    sale: LedgerRows.sale("s").sale,
                    lineItemId: "s",
                    change: .retracted,
                    saidAt: LedgerRows.now,
                    correctionId: "c-1"
                )
                try ledger.insert(version)
            }
        ),
        (
            ["correction-reported"],
            { ledger throws(LedgerError) in
                let report = CorrectionReport(
                    environment: .sandbox,
                    requestIdentifier: LedgerRows.report(1).requestIdentifier
                )
                try ledger.attach(report, to: "c-1", of: LedgerRows.shop)
            }
        ),
        (["export-made"], { ledger throws(LedgerError) in _ = try ledger.insert(LedgerRows.export(), holding: ["m"]) }),
        (
            ["escalated"],
            { ledger throws(LedgerError) in
                let message = AlertMessage(messageId: "e", madeAt: LedgerRows.now, body: [0x7B, 0x7D])
                try ledger.insertAlerts([AlertMark(eventId: "a-2d", crossedAt: LedgerRows.now)], by: message)
            }
        ),
        (
            ["escalation-delivered"],
            { ledger throws(LedgerError) in
                try ledger.delivered(ledger.undeliveredAlerts(limit: 1).first?.sequence ?? 0, at: LedgerRows.now)
            }
        ),
        (
            ["export-handed-in"],
            { ledger throws(LedgerError) in
                let manualSubmission = ManualSubmission(at: LedgerRows.now, by: "kim", reference: "17")
                try ledger.recordSubmission("e-1", of: LedgerRows.shop, manualSubmission)
            }
        ),
        (
            ["customer-erased"],
            { ledger throws(LedgerError) in _ = try ledger.eraseCustomer("customer", of: LedgerRows.shop) }
        ),
        (
            ["webhook-redelivered"],
            { ledger throws(LedgerError) in
                let delivery = WebhookDelivery(
                    webhook: "erp",
                    eventId: "evt_1",
                    type: "sale.stored",
                    subject: WebhookDelivery.Subject(bundleId: LedgerRows.shop, kind: "sale", id: "s"),
                    body: [0x7B, 0x7D],
                    madeAt: LedgerRows.now
                )
                try ledger.insert([delivery], upTo: "1", of: "erp")
                let sequence = try ledger.deliveries(LedgerPage()).first?.sequence ?? 0
                _ = try ledger.redeliver(sequence, by: "kim", at: LedgerRows.now)
            }
        ),
    ]

    private static let id = LedgerRows.token().token.externalPurchaseId

    private static func seen(_ token: StoredToken, from source: TokenSource) -> StoredToken {
        StoredToken(
            token: token.token,
            text: token.text,
            firstSeen: FirstSeen(source: source, time: LedgerRows.now),
            checkoutId: token.checkoutId,
            customerId: token.customerId
        )
    }
}

extension LedgerRows {
    /// Puts at least one row of every kind into an empty ledger.
    static func fill(_ store: any LedgerStore) async throws(LedgerError) {
        for step in LedgerStory.steps { try await store.write(step.run) }
    }

    /// The same in one transaction.
    static func fillAtOnce(_ store: any LedgerStore) async throws(LedgerError) {
        try await store.write { ledger throws(LedgerError) in
            for step in LedgerStory.steps { try step.run(ledger) }
        }
    }
}
