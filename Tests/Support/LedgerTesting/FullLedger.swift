package import ExternalPurchaseCore
package import Ledger
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A ledger with rows of every kind, in which every field of a kind has a value in at least one row.
///
/// Tests of record forms and stores use it to detect missing fields.
package enum FullLedger {
    package static let app: BundleId = "com.example.shop"
    private static let id: ExternalPurchaseId = "SANDBOX_00000000-0000-4000-8000-00000000000a"
    private static let other: ExternalPurchaseId = "SANDBOX_00000000-0000-4000-8000-00000000000b"
    private static let scope = ReportingScope(bundleId: app, environment: .sandbox)

    /// A distinct time for every use, so that exchanged fields are detected.
    private static func at(_ minute: Int64) -> Timestamp {
        Timestamp(milliseconds: 1_795_176_000_000 + minute * 60_000)
    }

    /// A fixed clock, and pseudonyms with consecutive numbers.
    package static var dependencies: LedgerDependencies {
        let counter = Counter()
        return LedgerDependencies(now: { at(1_000) }, pseudonym: { "pseudonym-\(counter.next())" })
    }

    /// Fills an empty ledger.
    package static func fill(_ store: any LedgerStore) async throws(LedgerError) {
        try await store.write { ledger throws(LedgerError) in
            try fillTokens(ledger)
            try fillSales(ledger)
            try fillReports(ledger)
            try fillDecisions(ledger)
            try fillExports(ledger)
            try fillPaymentEvents(ledger)
            try fillDeliveries(ledger)
        }
    }

    /// A delivered event, a parked one and one that waits behind it.
    private static func fillDeliveries(_ ledger: LedgerTransaction) throws(LedgerError) {
        let subject = WebhookDelivery.Subject(bundleId: app, kind: "sale", id: "s")
        let events = ["evt_1", "evt_2", "evt_3"].map { id in
            WebhookDelivery(
                webhook: "erp",
                eventId: id,
                type: "sale.planned",
                subject: subject,
                body: [0x7B, 0x7D],
                madeAt: at(44)
            )
        }
        try ledger.insert(events, upTo: "7.1.00000000", of: "erp")
        try ledger.record([(1, WebhookAttempt(at: at(45), status: 204, error: nil), .delivered)])
        try ledger.record([(2, WebhookAttempt(at: at(46), status: nil, error: "no answer"), .parked)])
    }

    private static func fillPaymentEvents(_ ledger: LedgerTransaction) throws(LedgerError) {
        let stored = try ledger.insert(
            StoredPaymentEvent(
                eventId: "evt_1",
                provider: .stripe,
                apps: [app, "com.example.second"],
                bundleId: app,
                type: "invoice.paid",
                isLive: true,
                createdAt: at(41),
                arrival: .delivered,
                receivedAt: at(42),
                content: ["id": "evt_1"],
                customerId: "customer",
                objects: ["in_1", "pi_1"]
            )
        ).event
        let result = PaymentEventResult(
            .applied,
            detail: "one sale",
            sales: ["il_1"],
            decidedAt: at(43),
            reference: .referenced,
            payment: .init(id: "in_1", currency: "EUR", amount: MilliUnits(9_990)),
            interpretation: 1
        )
        try ledger.setResult(result, of: stored, app: app)
    }

    private static func fillTokens(_ ledger: LedgerTransaction) throws(LedgerError) {
        let named = ExternalPurchaseToken(
            appAppleId: 1_000_000_001,
            bundleId: app,
            tokenCreationDate: at(1),
            externalPurchaseId: id,
            tokenType: .services,
            tokenExpirationDate: at(2)
        )
        var token = try ledger.insert(
            StoredToken(
                token: named,
                text: "text, with a comma",
                firstSeen: FirstSeen(source: .website, time: at(3)),
                checkoutId: "checkout",
                customerId: "customer",
                storefront: StorefrontCode("NLD"),
                notes: [.repeatedParameter, .bundleMismatch]
            )
        )
        token.state = .confirmed
        try ledger.update(token)
        let bare = ExternalPurchaseToken(
            appAppleId: 1_000_000_001,
            bundleId: app,
            tokenCreationDate: at(4),
            externalPurchaseId: other,
            tokenType: nil,
            tokenExpirationDate: nil
        )
        _ = try ledger.insert(
            StoredToken(
                token: bare,
                text: nil,
                firstSeen: FirstSeen(source: .notification, time: at(5)),
                checkoutId: "other"
            )
        )
        try ledger.record(
            LinkTap(bundleId: app, link: "nl", tappedAt: at(6), externalPurchaseId: id, checkoutId: "checkout")
        )
        let contradicting = ExternalPurchaseToken(
            appAppleId: 1_000_000_001,
            bundleId: app,
            tokenCreationDate: at(24),
            externalPurchaseId: id,
            tokenType: .services,
            tokenExpirationDate: at(2)
        )
        _ = try ledger.merge(
            StoredToken(
                token: contradicting,
                text: "another text",
                firstSeen: FirstSeen(source: .app, time: at(25)),
                checkoutId: "checkout"
            )
        )
        try ledger.put(
            Checkout(
                checkoutId: "checkout",
                bundleId: app,
                externalPurchaseId: id,
                customerId: "customer",
                isTokenFromSale: true,
                isCustomerFromSale: true,
                tokenClaim: .replaced
            )
        )
        try ledger.record(CheckoutClaim(bundleId: app, checkoutId: "checkout", externalPurchaseId: id))
        try ledger.put(Checkout(checkoutId: "gone", bundleId: app, customerId: "gone"))
        _ = try ledger.eraseCustomer("gone", of: app)
        try ledger.quarantine(
            QuarantinedToken(
                text: "foreign",
                reason: .foreign,
                detail: "names another app",
                firstSeen: FirstSeen(source: .website, time: at(26))
            )
        )
    }

    private static func sale(_ id: SaleId, inclusive: Decimal, at moment: Timestamp) -> Sale {
        Sale(
            saleId: id,
            bundleId: app,
            occurredAt: moment,
            customerId: "customer",
            checkoutId: "checkout",
            externalPurchaseId: Self.id,
            kind: .purchase(
                Purchase(
                    productId: "gems",
                    quantity: 3,
                    currency: "ISK",
                    inclusive: inclusive,
                    tax: .rate(Decimal(24)),
                    taxCountry: "ISL",
                    exchangeRate: nil
                )
            )
        )
    }

    private static func fillSales(_ ledger: LedgerTransaction) throws(LedgerError) {
        for (name, state) in [("s", SaleState.planned), ("h", .held), ("x", .held)] as [(SaleId, SaleState)] {
            _ = try ledger.insert(
                StoredSale(
                    sale: sale(name, inclusive: 1490, at: at(7)),
                    lineItemId: LineItemId("item of \(name.rawValue)"),
                    receivedAt: at(8),
                    attribution: Attribution(
                        state: state,
                        externalPurchaseId: state == .held ? nil : id,
                        holdCauses: state == .held ? [.noToken] : [],
                        notes: state == .held ? [.customerContradiction] : []
                    ),
                    partOf: state == .held ? "s" : nil
                )
            )
        }
    }

    private static func fillReports(_ ledger: LedgerTransaction) throws(LedgerError) {
        guard let identifier = RequestIdentifier("ABCDEF00-0000-4000-8000-000000000001") else {
            throw .failed("no identifier")
        }
        var item = ReceivedLineItem()
        item.lineItemId = "item of s"
        item.creationDate = at(7).milliseconds
        item.eventType = .buy
        item.amountTaxExclusive = 1_000
        var content = ReceivedReport()
        content.requestIdentifier = identifier
        content.externalPurchaseId = id
        content.status = .lineItem
        content.lineItems = [item]
        var report = try ledger.insert(
            StoredReport(
                scope: scope,
                requestIdentifier: identifier,
                externalPurchaseId: id,
                status: .lineItem,
                body: content.json.encoded(),
                writtenAt: at(9)
            ),
            holding: ["s"]
        )
        report.state = .accepted
        report.changedAt = at(10)
        report.attempts = 2
        report.answer = ReportAnswer(status: 201, body: [0x7B, 0x7D], receivedAt: at(11), conclusion: "accepted")
        report.errors = [
            AttributedReportError(
                error: ReportError(.notFound, field: "externalPurchaseId"),
                saleId: "s",
                isLocal: true
            )
        ]
        try ledger.update(report, accepting: [item])
        let uuid: NotificationUUID = "00000000-0000-4000-8000-0000000000aa"
        _ = try ledger.insert(
            StoredNotification(
                uuid: uuid,
                type: .externalPurchaseToken,
                subtype: "CREATED",
                bundleId: app,
                environment: .sandbox,
                externalPurchaseId: id,
                signedDate: at(12),
                payload: "e30.e30.c2ln",
                arrival: .history,
                receivedAt: at(13)
            )
        )
        try ledger.finish(uuid, NotificationEffect(doneAt: at(14), detail: "confirmed"))
        try ledger.quarantine(
            QuarantinedNotification(uuid: "f", reason: "wrong-app", payload: "p", receivedAt: at(27))
        )
        try ledger.countRefusal(of: "signature-invalid", at: at(28))
        try ledger.moveHistoryPosition(of: scope, to: at(29))
    }

    private static func fillDecisions(_ ledger: LedgerTransaction) throws(LedgerError) {
        var correction = StoredCorrection(
            correctionId: "c-1",
            bundleId: app,
            requestedBy: "kim",
            reason: "the tax was wrong",
            requestedAt: at(15),
            request: ["saleId": "s"]
        )
        _ = try ledger.insert(correction)
        correction.dryRun = .array([])
        correction.confirmation = CorrectionStep(at: at(16), by: "lee", note: "go")
        try ledger.update(correction)
        try ledger.insert(
            SaleVersion(
                version: 2,
                sale: sale("s", inclusive: 1500, at: at(7)),
                lineItemId: "item of s",
                change: .restated,
                saidAt: at(17),
                correctionId: "c-1"
            )
        )
        if let identifier = RequestIdentifier("ABCDEF00-0000-4000-8000-000000000001") {
            let report = CorrectionReport(environment: .sandbox, requestIdentifier: identifier)
            try ledger.attach(report, to: "c-1", of: app)
        }
        correction.closing = CorrectionStep(at: at(18), by: "max", note: "accepted")
        try ledger.update(correction)
        _ = try ledger.open(
            ReviewItem(
                bundleId: app,
                kind: .contradiction,
                subject: .sale("s"),
                detail: "two prices were told",
                openedAt: at(30),
                correctionId: "c-1"
            )
        )
        try ledger.resolve(1, ReviewResolution(resolvedAt: at(31), by: "kim", note: "done"))
    }

    private static func fillExports(_ ledger: LedgerTransaction) throws(LedgerError) {
        try ledger.insert(
            SaleVersion(
                version: 2,
                sale: sale("h", inclusive: 1520, at: at(36)),
                lineItemId: "item of h",
                change: .restated,
                saidAt: at(37),
                by: "kim",
                reason: "a typo"
            )
        )
        _ = try ledger.insert(
            ManualExport(exportId: "e-1", bundleId: app, programme: "jp", month: "2026-11", madeAt: at(19)),
            holding: ["h"]
        )
        try ledger.recordSubmission("e-1", of: app, ManualSubmission(at: at(20), by: "kim", reference: "17"))
        _ = try ledger.insert(
            ManualExport(exportId: "e-2", bundleId: app, programme: "jp", month: "2026-10", madeAt: at(35)),
            holding: ["x"]
        )
        try ledger.withdraw("e-1", of: app, ExportWithdrawal(at: at(21), by: "lee", reason: "wrong month"))
        _ = try ledger.insert(
            StoredInvoice(
                bundleId: app,
                invoiceId: "i-1",
                programme: "jp",
                month: "2026-11",
                issuedOn: "2026-12-10",
                dueOn: "2027-01-09",
                purchaseOrder: "PO-7",
                currency: "JPY",
                amount: Decimal(12),
                surcharge: Decimal(1),
                tax: Decimal(2),
                enteredAt: at(22),
                enteredBy: "kim"
            )
        )
        let message = AlertMessage(messageId: "e", madeAt: at(32), body: [0x7B, 0x7D])
        try ledger.insertAlerts([AlertMark(eventId: "a-2d", crossedAt: at(33))], by: message)
        let change = SaleChange(
            bundleId: app,
            saleId: "s",
            content: sale("s", inclusive: 1510, at: at(7)),
            by: "kim",
            reason: "the price was wrong",
            askedAt: at(34)
        )
        try ledger.close(try ledger.insert(change), as: .applied)
        var generator = SplitMix64(seed: 15)
        let key = StoredAPIKey(
            APIKey(scope: .sales, using: &generator),
            keyId: "key_1",
            bundleId: app,
            name: "till",
            createdAt: at(40),
            createdBy: "kim",
            expiresAt: at(90)
        )
        _ = try ledger.insert(key)
        _ = try ledger.revokeKey(key.keyId, StoredAPIKey.Revocation(at: at(41), by: "lee"))
        _ = try ledger.setPassword(
            "a hash",
            ofUser: "kim",
            role: .finance,
            apps: .only([app]),
            by: "root",
            at: at(42)
        )
        for var lease in try ledger.lockLeases([.maintenance]) {
            (lease.holder, lease.epoch, lease.expiresAt, lease.detail) = ("a", 7, at(43), .string("a detail"))
            try ledger.setLease(lease)
        }
        for token in try ledger.tokens(matching: ListFilter(), LedgerPage(limit: 1)) {
            try ledger.requestReport(of: token.token.externalPurchaseId, in: token.scope)
        }
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
