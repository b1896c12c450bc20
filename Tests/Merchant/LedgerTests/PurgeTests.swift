// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import LedgerTesting
import Testing

@testable import LedgerSQLite

/// A token with a reported sale and its refund, long ago; some part of it may be open or young.
private struct PurgeCase: Sendable, CustomTestStringConvertible {
    enum Part: String, CaseIterable, Sendable {
        case unreportedToken, expiresLater, unacceptedReport, heldSale, lateRefund, openCorrection, lastingSubscription
        case youngNotification, undoneNotification, openReview, exportNotHandedIn, itemOfYoungReport, recentTap
        case youngEvent, waitingEvent
    }

    static let old = LedgerRows.now
    static let cut = old + .days(1)
    static let young = old + .days(2)
    static let shop = LedgerRows.shop

    let name: String
    let part: Part?
    var testDescription: String { part?.rawValue ?? "all over" }

    var token: ExternalPurchaseId { ExternalPurchaseId("SANDBOX_\(name)") }
    /// A second token, which the refund is reported on.
    var others: ExternalPurchaseId { ExternalPurchaseId("SANDBOX_\(name)-other") }

    private func stored(_ id: ExternalPurchaseId, expires: Timestamp) -> StoredToken {
        let token = ExternalPurchaseToken(
            appAppleId: 12,
            bundleId: Self.shop,
            tokenCreationDate: Self.old,
            externalPurchaseId: id,
            tokenType: .services,
            tokenExpirationDate: expires
        )
        return StoredToken(
            token: token,
            text: token.encoded(),
            firstSeen: FirstSeen(source: .app, time: Self.old),
            checkoutId: CheckoutId("checkout of \(id)"),
            customerId: CustomerId("customer of \(name)")
        )
    }

    private func sale(
        _ id: String,
        kind: Sale.Kind? = nil,
        on token: ExternalPurchaseId?,
        received: Timestamp = old,
        state: SaleState = .planned
    ) -> StoredSale {
        let purchase = Purchase(
            productId: "gems",
            quantity: 1,
            currency: "EUR",
            inclusive: 10,
            tax: .amount(1),
            taxCountry: "NLD"
        )
        let sale = Sale(
            saleId: SaleId("\(name) \(id)"),
            bundleId: Self.shop,
            occurredAt: Self.old,
            customerId: CustomerId("customer of \(name)"),
            kind: kind ?? .purchase(purchase)
        )
        return StoredSale(
            sale: sale,
            lineItemId: LineItemId(sale.saleId.rawValue),
            receivedAt: received,
            attribution: Attribution(state: state, externalPurchaseId: token)
        )
    }

    private func report(_ digit: Int, on token: ExternalPurchaseId, holding sale: StoredSale, buy: SaleId? = nil)
        -> StoredReport
    {
        let id = RequestIdentifier("ABCDEF00-0000-4000-8000-\(number)00\(digit)")!
        var content = ReceivedReport()
        content.requestIdentifier = id
        content.externalPurchaseId = token
        content.status = .lineItem
        content.lineItems = [item(sale, buy)]
        return StoredReport(
            scope: LedgerRows.scope,
            requestIdentifier: id,
            externalPurchaseId: token,
            status: .lineItem,
            body: content.json.encoded(),
            writtenAt: Self.old
        )
    }

    private func item(_ sale: StoredSale, _ buy: SaleId?) -> ReceivedLineItem {
        LedgerRows.item(sale.lineItemId, refundOf: buy.map { LineItemId($0.rawValue) })
    }

    /// Nine digits that belong to the name alone.
    private var number: String {
        let sum = name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 899_999_999 }
        return String(100_000_000 + sum)
    }

    func tell(_ ledger: LedgerTransaction) throws {
        _ = try ledger.insert(stored(token, expires: part == .expiresLater ? Self.young : Self.old))
        let buy = try ledger.insert(sale("buy", on: token))
        var report = report(1, on: token, holding: buy)
        report = try ledger.insert(report, holding: [buy.sale.saleId])
        if part != .unacceptedReport {
            report.state = .accepted
            report.changedAt = Self.old
            try ledger.update(report, accepting: [item(buy, nil)])
        }
        let refund = Refund(refundOf: buy.sale.saleId, inclusive: 1, tax: 0, isChargeback: false)
        let received = part == .lateRefund ? Self.young : Self.old
        _ = try ledger.insert(stored(others, expires: Self.old))
        let taken = try ledger.insert(sale("refund", kind: .refund(refund), on: others, received: received))
        var second = try ledger.insert(
            self.report(2, on: others, holding: taken, buy: buy.sale.saleId),
            holding: [taken.sale.saleId]
        )
        second.state = .accepted
        second.changedAt = part == .itemOfYoungReport ? Self.young : Self.old
        try ledger.update(second, accepting: [item(taken, buy.sale.saleId)])
        try event("paid", about: "session", "payment", state: .applied, sales: [buy.sale.saleId], in: ledger)
        try event("charged", about: "payment", "charge", state: .notUsed, in: ledger)
        let lines = FetchedPaymentObject(
            request: "/lines/\(name)",
            objectId: "\(name) session",
            content: .array([]),
            fetchedAt: Self.old
        )
        try ledger.put(lines, of: .stripe)
        try addPart(ledger, buy: buy)
    }

    private func event(
        _ id: String,
        about objects: String...,
        at received: Timestamp = old,
        state: PaymentEventResult.State,
        sales: [SaleId] = [],
        in ledger: LedgerTransaction
    ) throws {
        let event = StoredPaymentEvent(
            eventId: PaymentEventId("\(name) \(id)"),
            provider: .stripe,
            apps: [Self.shop],
            bundleId: Self.shop,
            type: "charge.succeeded",
            isLive: false,
            createdAt: Self.old,
            arrival: .delivered,
            receivedAt: received,
            content: .object(JSONObject([])),
            customerId: CustomerId("customer of \(name)"),
            objects: Set(objects.map { PaymentObjectName("\(name) \($0)") })
        )
        let stored = try ledger.insert(event).event
        let result = PaymentEventResult(state, detail: nil, sales: sales, decidedAt: Self.old)
        try ledger.setResult(result, of: stored, app: Self.shop)
    }

    private func addPart(_ ledger: LedgerTransaction, buy: StoredSale) throws {
        switch part {
        case nil, .unacceptedReport, .lateRefund, .expiresLater, .itemOfYoungReport: break
        // Two payment objects away from the event of the purchase.
        case .youngEvent: try event("dispute", about: "charge", at: Self.young, state: .notUsed, in: ledger)
        case .waitingEvent: try event("later", about: "charge", state: .waiting, in: ledger)
        case .unreportedToken:
            let third = ExternalPurchaseId("\(others.rawValue)-third")
            _ = try ledger.insert(stored(third, expires: Self.old))
            let refund = Refund(refundOf: buy.sale.saleId, inclusive: 1, tax: 0, isChargeback: false)
            _ = try ledger.insert(sale("again", kind: .refund(refund), on: third, state: .recorded))
        case .heldSale:
            _ = try ledger.insert(sale("held", on: token, state: .held))
        case .openCorrection:
            var correction = LedgerRows.correction(CorrectionId("of \(name)"))
            correction = try ledger.insert(correction)
            try ledger.insert(
                SaleVersion(
                    version: 2,
                    sale: buy.sale,
                    lineItemId: buy.lineItemId,
                    change: .restated,
                    saidAt: Self.old,
                    correctionId: correction.correctionId
                )
            )
        case .lastingSubscription:
            let charge = SubscriptionCharge(
                subscriptionId: SubscriptionId("subscription of \(name)"),
                period: SubscriptionPeriod(start: Self.old, end: Self.young),
                event: nil,
                purchase: buy.sale.purchase!
            )
            let start = try ledger.insert(sale("start", kind: .subscription(charge), on: token))
            var third = try ledger.insert(report(3, on: token, holding: start), holding: [start.sale.saleId])
            third.state = .accepted
            try ledger.update(third, accepting: [item(start, nil)])
        case .youngNotification, .undoneNotification:
            let notification = StoredNotification(
                uuid: NotificationUUID("of \(name)"),
                type: .externalPurchaseToken,
                bundleId: Self.shop,
                environment: .sandbox,
                externalPurchaseId: token,
                signedDate: Self.old,
                payload: "e30.e30.c2ln",
                arrival: .delivered,
                receivedAt: part == .youngNotification ? Self.young : Self.old
            )
            _ = try ledger.insert(notification)
            if part == .youngNotification {
                try ledger.finish(notification.uuid, NotificationEffect(doneAt: Self.old, detail: "done"))
            }
        case .openReview:
            _ = try ledger.open(LedgerRows.review(about: buy.sale.saleId))
        case .exportNotHandedIn:
            let free = try ledger.insert(sale("free", on: token))
            _ = try ledger.insert(LedgerRows.export(ManualExportId("of \(name)")), holding: [free.sale.saleId])
        case .recentTap:
            try ledger.record(
                LinkTap(bundleId: Self.shop, link: "nl", tappedAt: Self.young, externalPurchaseId: token)
            )
        }
    }
}

@Suite("A purge removes what is over, and nothing else (OB-91)")
struct PurgeTests {
    private static func store() throws -> SQLiteLedgerStore {
        try SQLiteLedgerStore(path: temporaryFile(), dependencies: .fixed(at: PurgeCase.old))
    }

    @Test(
        "One part that is open or young keeps its whole story, while another that is over goes wholly (OB-91)",
        arguments: PurgeCase.Part.allCases
    )
    private func keeps(_ part: PurgeCase.Part) async throws {
        let store = try Self.store()
        let kept = PurgeCase(name: "kept", part: part)
        try await store.step { ledger throws in try kept.tell(ledger) }
        var alone = try await store.contents()
        try await store.step { ledger throws in try PurgeCase(name: "over", part: nil).tell(ledger) }
        let plan = try await store.purge(before: PurgeCase.cut, by: "kim")
        let left = try await store.contents()
        let counts = Dictionary(uniqueKeysWithValues: plan.removals.map { ($0.kind, $0.count) })
        #expect(counts["tokens"] == 2)
        #expect(counts["sales"] == 2)
        #expect(counts["reports"] == 2)
        #expect(counts["customers"] == 1)
        #expect(counts["payment_events"] == 2 && counts["payment_event_objects"] == 5)
        #expect(counts["payment_objects"] == 1)
        // Everything of the kept story as it was; the log has grown.
        alone.audit = left.audit
        #expect(left == alone)
        let verdict = try await store.read { ledger throws(LedgerError) in try ledger.verifyAudit() }
        #expect(verdict.broken == nil)
        let last = try #require(left.audit.last)
        #expect(last.kind == "records-purged")
        #expect(last.content.contains("\"by\":\"kim\""))
        #expect(last.content.contains("\"count\":2,\"kind\":\"tokens\""))
        // A second one finds nothing, and writes nothing.
        #expect(try await store.purge(before: PurgeCase.cut, by: "kim").removals.isEmpty)
        #expect(try await store.contents() == left)
    }

    @Test("The dry run beside a running server says what the purge then removes, and changes nothing (OB-91)")
    func dryRun() async throws {
        let path = try temporaryFile()
        let store = try SQLiteLedgerStore(path: path, dependencies: .fixed(at: PurgeCase.old))
        try await store.step { ledger throws in try PurgeCase(name: "over", part: nil).tell(ledger) }
        let before = try await store.contents()
        let plan = try await SQLiteLedgerReader(path: path).purgePlan(before: PurgeCase.cut)
        #expect(plan.removals.contains { $0.kind == "tokens" && $0.count == 2 && $0.oldest == PurgeCase.old })
        #expect(try await store.contents() == before)
        #expect(try await SQLiteLedgerReader(path: path).purgePlan(before: PurgeCase.old).removals.isEmpty)
        #expect(try await store.purge(before: PurgeCase.cut, by: "kim") == plan)
        let after = try await store.contents()
        #expect(after.tokens.isEmpty && after.sales.isEmpty && after.reports.isEmpty && after.customers.isEmpty)
        #expect(after.lineItems.isEmpty && after.audit.count == before.audit.count + 1)
        let (check, finished) = try await store.pool.read { database in
            (
                try String.fetchAll(database, sql: "PRAGMA integrity_check"),
                try Int.fetchOne(database, sql: "SELECT count(*) FROM purges WHERE finished = 1")
            )
        }
        #expect(check == ["ok"])
        #expect(finished == 1)
    }

    @Test("Outside a purge no row can be deleted from any table, not even by SQL (OB-91, NT-67)")
    func triggers() async throws {
        let store = try Self.store()
        try await store.step { ledger throws in try PurgeCase(name: "over", part: nil).tell(ledger) }
        for table in [
            "tokens", "sales", "reports", "customers", "sent_items", "accepted_items", "audit_log", "payment_events",
            "payment_event_objects", "payment_objects",
        ] {
            await #expect(throws: DatabaseError.self, "\(table)") {
                try await store.pool.write { try $0.execute(sql: "DELETE FROM \(table)") }
            }
        }
        // The audit log is not open to a purge either.
        await #expect(throws: DatabaseError.self) {
            try await store.pool.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO purges (cut, purged_at, purged_by, head_sequence, head_hash, removed)
                        VALUES (0, 0, 'x', 0, zeroblob(32), '[]')
                        """
                )
                try database.execute(sql: "DELETE FROM audit_log")
            }
        }
        #expect(try await store.contents().tokens.count == 2)
    }
}
