import ExternalPurchaseCore
import Foundation
import GRDB
import GRDBSQLite
import LedgerTesting
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerSQLite

/// The work is counted in instructions of SQLite's virtual machine, a thousand at a time.
@Suite("What a purge costs is in proportion to the rows of the ledger (OB-91)")
struct PurgeCostTests {
    /// How the old purchases hang together.
    enum Shape: String, CaseIterable, Sendable {
        /// A token, its report, a sale, its refund and their events each.
        case alone
        /// One customer.
        case customer
        /// One token, with a report for each.
        case token
        /// Subscriptions of ten charges each.
        case subscriptions
    }

    private static let old = LedgerRows.now

    private final class Work: Sendable {
        let ticks = Mutex(0)
    }

    /// Inserts purchases that are over, a tenth of them with a report that is not.
    private func insert(_ count: Int, _ shape: Shape, into ledger: LedgerTransaction) throws {
        for number in 0..<count {
            let id = ExternalPurchaseId("SANDBOX_\(shape == .token ? 0 : number)")
            if number == 0 || shape != .token {
                let token = ExternalPurchaseToken(
                    appAppleId: 12,
                    bundleId: LedgerRows.shop,
                    tokenCreationDate: Self.old,
                    externalPurchaseId: id
                )
                _ = try ledger.insert(
                    StoredToken(
                        token: token,
                        text: token.encoded(),
                        firstSeen: FirstSeen(source: .app, time: Self.old),
                        checkoutId: CheckoutId("checkout \(number)"),
                        customerId: CustomerId("customer \(shape == .customer ? 0 : number)")
                    )
                )
            }
            let buy = try ledger.insert(sale(number, shape, on: id))
            let refund = Refund(refundOf: buy.sale.saleId, inclusive: 1, tax: 0, isChargeback: false)
            let taken = try ledger.insert(sale(number, shape, on: id, refund))
            try report(number, on: id, holding: [buy, taken], isOpen: number % 10 == 0, in: ledger)
            for (place, sale) in [buy, taken].enumerated() {
                try event("\(place)", of: number, telling: sale.sale.saleId, in: ledger)
            }
        }
    }

    /// Inserts an event of the payment, which all of them name.
    private func event(_ name: String, of number: Int, telling sale: SaleId, in ledger: LedgerTransaction) throws {
        let event = StoredPaymentEvent(
            eventId: PaymentEventId("event \(name) \(number)"),
            provider: .stripe,
            apps: [LedgerRows.shop],
            bundleId: LedgerRows.shop,
            type: "charge.succeeded",
            isLive: true,
            createdAt: Self.old,
            arrival: .delivered,
            receivedAt: Self.old,
            content: .object([:]),
            customerId: nil,
            objects: [PaymentObjectName("payment \(number)")]
        )
        let stored = try ledger.insert(event).event
        let result = PaymentEventResult(.applied, detail: nil, sales: [sale], decidedAt: Self.old)
        try ledger.setResult(result, of: stored, app: LedgerRows.shop)
    }

    private func sale(_ number: Int, _ shape: Shape, on id: ExternalPurchaseId, _ refund: Refund? = nil) -> StoredSale {
        let purchase = Purchase(
            productId: "gems",
            quantity: 1,
            currency: "EUR",
            inclusive: 10,
            tax: .amount(1),
            taxCountry: "NLD"
        )
        var kind = Sale.Kind.purchase(purchase)
        if shape == .subscriptions {
            kind = .subscription(
                SubscriptionCharge(
                    subscriptionId: SubscriptionId("subscription \(number / 10)"),
                    period: SubscriptionPeriod(start: Self.old - .days(2), end: Self.old - .days(1)),
                    event: nil,
                    purchase: purchase
                )
            )
        }
        let sale = Sale(
            saleId: SaleId("\(refund == nil ? "buy" : "refund") \(number)"),
            bundleId: LedgerRows.shop,
            occurredAt: Self.old,
            customerId: CustomerId("customer \(shape == .customer ? 0 : number)"),
            kind: refund.map { .refund($0) } ?? kind
        )
        return StoredSale(
            sale: sale,
            lineItemId: LineItemId(sale.saleId.rawValue),
            receivedAt: Self.old,
            attribution: Attribution(state: .planned, externalPurchaseId: id)
        )
    }

    private func report(
        _ number: Int,
        on token: ExternalPurchaseId,
        holding sales: [StoredSale],
        isOpen: Bool,
        in ledger: LedgerTransaction
    ) throws {
        let id = try #require(RequestIdentifier("ABCDEF00-0000-4000-8000-\(100_000_000_000 + number)"))
        let items = [
            LedgerRows.item(sales[0].lineItemId, refundOf: nil),
            LedgerRows.item(sales[1].lineItemId, refundOf: sales[0].lineItemId),
        ]
        var content = ReceivedReport()
        content.requestIdentifier = id
        content.externalPurchaseId = token
        content.status = .lineItem
        content.lineItems = items
        var report = try ledger.insert(
            StoredReport(
                scope: LedgerRows.scope,
                requestIdentifier: id,
                externalPurchaseId: token,
                status: .lineItem,
                body: content.json.encoded(),
                writtenAt: Self.old
            ),
            holding: sales.map(\.sale.saleId)
        )
        if isOpen { return }
        report.state = .accepted
        report.changedAt = Self.old
        try ledger.update(report, accepting: items)
    }

    @Test("Each statement reads one table from its beginning, and finds the rows of the others by an index")
    func plans() async throws {
        let removals = PurgeQuery.removals.map { "SELECT count(*) FROM \($0.table) WHERE \($0.condition)" }
        let store = try SQLiteLedgerStore(path: temporaryFile())
        try await store.pool.writeWithoutTransaction { database in
            try database.execute(sql: PurgeQuery.keepTable)
            for sql in PurgeQuery.seeds + PurgeQuery.steps + removals {
                let arguments: StatementArguments = sql.contains("?1") ? [1] : []
                let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
                    .map { row -> String in row["detail"] }
                let others = plan.dropFirst().filter { $0.hasPrefix("SCAN") && !$0.contains("VIRTUAL TABLE") }
                #expect(others.isEmpty, "\(sql)\n\(plan)")
                // An app has most rows of a table.
                #expect(!plan.contains { $0.contains("(bundle_id=?)") }, "\(sql)\n\(plan)")
            }
        }
        try store.close()
    }

    @Test("Ten times the sales are at most twenty times the work", arguments: Shape.allCases)
    func proportional(_ shape: Shape) async throws {
        var costs: [Int] = []
        for count in [100, 1_000] {
            let store = try SQLiteLedgerStore(path: temporaryFile(), dependencies: .fixed(at: Self.old))
            try await store.step { ledger throws in try insert(count, shape, into: ledger) }
            let work = Work()
            try await store.pool.writeWithoutTransaction { database in
                sqlite3_progress_handler(
                    database.sqliteConnection,
                    1_000,
                    { context in
                        context.map { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue() }?.ticks.withLock { $0 += 1 }
                        return 0
                    },
                    Unmanaged.passUnretained(work).toOpaque()
                )
            }
            let plan = try await store.purge(before: Self.old + .days(1), by: "kim")
            try await store.pool.writeWithoutTransaction {
                sqlite3_progress_handler($0.sqliteConnection, 0, nil, nil)
            }
            // One open report keeps what is connected with it: everything on one token.
            #expect(plan.removals.isEmpty == (shape == .token || shape == .subscriptions))
            costs.append(work.ticks.withLock { $0 })
            try store.close()
        }
        #expect(costs[0] > 0 && costs[1] <= costs[0] * 20, "\(costs)")
    }
}
