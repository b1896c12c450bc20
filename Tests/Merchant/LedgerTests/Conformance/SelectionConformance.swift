// swift-format-ignore-file: NeverForceUnwrap
// The literals below are the suite's own.

import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    private static let app = LedgerRows.shop
    /// Begins at ``LedgerRows/now``.
    private static let span = LedgerRows.now..<(LedgerRows.now + .days(10))
    private static let (before, within, after) = (
        LedgerRows.now - .seconds(1), LedgerRows.now + .days(9), LedgerRows.now + .days(10)
    )

    private static func id(_ letter: Character) -> ExternalPurchaseId {
        ExternalPurchaseId("SANDBOX_00000000-0000-4000-8000-00000000000\(letter)")
    }

    private static func sale(
        _ id: SaleId,
        _ moment: Timestamp,
        on token: ExternalPurchaseId,
        of customer: CustomerId? = nil
    ) -> StoredSale {
        StoredSale(
            sale: moved(id, moment, customer),
            lineItemId: LineItemId(id.rawValue),
            receivedAt: LedgerRows.now,
            attribution: Attribution(state: .planned, externalPurchaseId: token)
        )
    }

    private static func moved(_ id: SaleId, _ moment: Timestamp, _ customer: CustomerId? = nil) -> Sale {
        let kind = LedgerRows.sale(id).sale.kind
        return Sale(saleId: id, bundleId: app, occurredAt: moment, customerId: customer, kind: kind)
    }

    private static func version(of id: SaleId, _ moment: Timestamp) -> SaleVersion {
        SaleVersion(
            version: 2,
            sale: moved(id, moment),
            lineItemId: LineItemId(id.rawValue),
            change: .restated,
            saidAt: LedgerRows.now,
            by: "kim"
        )
    }

    private static func report(
        _ digit: Int,
        on token: ExternalPurchaseId,
        written: Timestamp,
        answered: Timestamp
    ) -> StoredReport {
        StoredReport(
            scope: LedgerRows.scope,
            requestIdentifier: LedgerRows.report(digit).requestIdentifier,
            externalPurchaseId: token,
            status: .noLineItem,
            body: [0x7B, 0x7D],
            writtenAt: written,
            state: .unknown,
            answer: ReportAnswer(status: 500, body: [], receivedAt: answered, conclusion: "try again")
        )
    }

    private static func notification(
        _ digit: Int,
        about token: ExternalPurchaseId,
        at moment: Timestamp,
        of bundleId: BundleId = app
    ) -> StoredNotification {
        StoredNotification(
            uuid: NotificationUUID("00000000-0000-4000-8000-0000000000b\(digit)"),
            type: .externalPurchaseToken,
            bundleId: bundleId,
            environment: .sandbox,
            externalPurchaseId: token,
            signedDate: LedgerRows.now,
            payload: "e30.e30.c2ln",
            arrival: .delivered,
            receivedAt: moment
        )
    }

    private static func event(
        _ id: PaymentEventId,
        at moment: Timestamp,
        of bundleId: BundleId? = app,
        apps: [BundleId] = [app]
    ) -> StoredPaymentEvent {
        StoredPaymentEvent(
            eventId: id,
            provider: .stripe,
            apps: apps,
            bundleId: bundleId,
            type: "invoice.paid",
            isLive: true,
            createdAt: moment,
            arrival: .delivered,
            receivedAt: LedgerRows.now,
            content: ["id": .string(id.rawValue)],
            customerId: nil,
            objects: [PaymentObjectName(id.rawValue)]
        )
    }

    private static func fill(_ ledger: LedgerTransaction) throws {
        // One made in the span, one of a sale in it, one of a report answered in it, one of none, and another app's.
        let customers: [CustomerId?] = ["of a", nil, "of c", "of d", "of a"]
        for (letter, customer) in zip("abcde", customers) {
            let made = "ae".contains(letter) ? within : before
            let bundleId = letter == "e" ? "com.example.other" : app
            _ = try ledger.insert(LedgerRows.token(id(letter), of: bundleId, customer: customer, made: made))
        }
        let sales = [
            sale("moved out", within, on: id("d")), sale("first", LedgerRows.now, on: id("b"), of: "buyer"),
            sale("moved in", after, on: id("b")), sale("old", before, on: id("d"), of: "of d"),
            sale("next", after, on: id("d")),
        ]
        for sale in sales { _ = try ledger.insert(sale) }
        try ledger.insert(version(of: "moved out", before))
        try ledger.insert(version(of: "moved in", within))
        _ = try ledger.insert(report(1, on: id("c"), written: before, answered: within), holding: [])
        _ = try ledger.insert(report(2, on: id("d"), written: before, answered: after), holding: [])
        _ = try ledger.insert(report(3, on: id("a"), written: after, answered: after), holding: [])
        for (letter, moment) in [("d", before), ("b", after), ("d", within)] as [(Character, Timestamp)] {
            try ledger.record(LinkTap(bundleId: app, link: "nl", tappedAt: moment, externalPurchaseId: id(letter)))
        }
        try ledger.record(
            LinkTap(bundleId: app, link: "nl", tappedAt: before, externalPurchaseId: nil, checkoutId: "k")
        )
        let notifications = [
            notification(1, about: id("a"), at: after), notification(2, about: id("d"), at: after),
            notification(3, about: "unknown", at: within),
            notification(4, about: id("e"), at: within, of: "com.example.other"),
        ]
        for notification in notifications { _ = try ledger.insert(notification) }
        let events: [(StoredPaymentEvent, SaleId)] = [
            (event("evt_1", at: before), "old"),
            (event("evt_2", at: within, of: nil, apps: [app, "com.example.other"]), "old"),
            (event("evt_3", at: within, of: nil, apps: ["com.example.other", app]), "moved in"),
            (event("evt_4", at: before), "moved in"), (event("evt_5", at: within, of: "com.example.other"), "old"),
        ]
        for (event, sale) in events {
            let told = PaymentEventResult(
                .applied,
                detail: "a sale",
                sales: [sale, "unknown"],
                decidedAt: LedgerRows.now
            )
            try ledger.setResult(told, of: try ledger.insert(event).event, app: event.bundleId)
        }
    }

    static let selections: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A selection has an app's rows of a time range and what they refer to, in order of arrival (OB-93)",
            over: { store in
                try await store.step { ledger throws in
                    try fill(ledger)
                    let selection = try ledger.selection(of: app, in: span)
                    func numbers(_ rows: RowNumbers) -> [Int64] { Array(rows.pages(of: 2).joined()) }
                    func names(_ letters: String) -> [ExternalPurchaseId] { letters.map { id($0) } }
                    let tokens = try ledger.tokens(at: numbers(selection.tokens))
                    #expect(tokens.map(\.token.externalPurchaseId) == names("abc"))
                    let customers = try ledger.customers(at: numbers(selection.customers))
                    #expect(customers.map(\.customerId) == ["of a", "of c", "buyer"])
                    let sales = try ledger.sales(at: numbers(selection.sales).reversed())
                    #expect(sales.map(\.sale.saleId) == ["first", "moved in"])
                    let versions = try ledger.versions(ofSalesAt: sales.map(\.sequence))
                    #expect(versions.map(\.sale.saleId) == ["first", "moved in", "moved in"])
                    #expect(versions.map(\.version) == [1, 1, 2])
                    #expect(try versions.last == ledger.versions(of: "moved in", app: app).last)
                    let reports = try ledger.reports(at: numbers(selection.reports))
                    #expect(reports.map(\.externalPurchaseId) == names("ca"))
                    let taps = try ledger.taps(at: numbers(selection.taps))
                    #expect(taps.compactMap(\.externalPurchaseId) == names("bd"))
                    let notifications = try ledger.notifications(at: numbers(selection.notifications))
                    #expect(notifications.compactMap(\.externalPurchaseId) == [id("a"), "unknown"])
                    let events = try ledger.paymentEvents(at: numbers(selection.paymentEvents))
                    #expect(events.map(\.eventId) == ["evt_2", "evt_4"])
                    #expect(selection.paymentEvents.count == 2)
                    let uuids = Set((1...5).map { NotificationUUID("00000000-0000-4000-8000-0000000000b\($0)") })
                    #expect(try ledger.notifications(uuids, of: app).count == 3)
                }
            }
        )
    ]
}

@Suite("Numbers of rows")
struct RowNumbersTests {
    @Test("come in ascending order and once, however far they are apart", arguments: [1, 3, 1_000])
    func pages(_ limit: Int) {
        var numbers = RowNumbers()
        let all: [Int64] = [1, 2, 63, 64, 65_535, 65_536, 65_600, 9_000_000_000, .max]
        for number in all.reversed() + all { numbers.insert(number) }
        #expect(numbers.count == all.count)
        let pages = Array(numbers.pages(of: limit))
        #expect(Array(pages.joined()) == all)
        #expect(pages.allSatisfy { $0.count <= limit })
        #expect(numbers.contains(65_536) && !numbers.contains(65_537) && !numbers.contains(131_072))
        #expect(Array(RowNumbers().pages(of: limit)).isEmpty)
    }
}
