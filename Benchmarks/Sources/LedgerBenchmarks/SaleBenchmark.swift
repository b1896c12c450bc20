import AppStoreServerClient
import BenchmarkSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Logging
import Reporting

/// What storing one more sale costs when its token, customer or subscription has few and many, beside the bare insert of
/// the same row.
enum SaleBenchmark {
    /// What the sales have in common.
    enum Shared: String, CaseIterable {
        case token = "sale of one token"
        /// Each sale has a token of its own.
        case customer = "sale of one customer with a token for each"
        /// A charge a month.
        case subscription = "charge of one subscription"

        /// The places of the measured sales; no subscription has thousands of charges.
        fileprivate var places: [Int] { self == .subscription ? [1, 10, 100] : [1, 100, 1_000, 10_000] }
    }

    static func run(sales count: Int) async throws {
        for shared in Shared.allCases {
            for isReported in [false, true] {
                try await withFolder { folder in try await measure(count, shared, isReported, in: folder) }
            }
        }
    }

    private static func measure(_ count: Int, _ shared: Shared, _ isReported: Bool, in folder: URL) async throws {
        let store = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        let bare = try SQLiteLedgerStore(path: folder.appending(path: "bare.sqlite").path)
        let begin = Timestamp(Date()).advanced(by: .days(shared == .subscription ? -3_200 : -8))
        let customer: CustomerId? = shared == .customer ? "customer-1" : nil
        func newToken(_ number: Int) async throws -> StoredToken {
            var token = Rows.token(made: begin + .seconds(number))
            token.customerId = customer
            let row = token
            for each in [store, bare] {
                try await each.write { ledger throws(LedgerError) in _ = try ledger.insert(row) }
            }
            return row
        }
        var token = try await newToken(1)
        let app = RegisteredApp(
            bundleId: Rows.shop,
            appAppleId: Rows.appAppleId,
            environments: [.production],
            client: AcceptingEndpoint()
        )
        let system = ReportingSystem(
            store: store,
            apps: [app],
            dependencies: .live,
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        )
        let places = shared.places.filter { $0 <= count }
        var spans: [Int: [(sale: Double, insert: Double)]] = [:]
        for number in 1...(places.last ?? 0) + 5 {
            if number > 1, shared == .customer { token = try await newToken(number) }
            let row = Rows.sale(number, on: token, customer: customer)
            let command = SaleCommand(sale(row, number, shared))
            let sale = try await seconds { _ = try await system.sales.receive(command) }
            let insert = try await seconds {
                try await bare.write { ledger throws(LedgerError) in _ = try ledger.insert(row) }
            }
            // The five before a place and the five from it on.
            if let place = places.first(where: { abs($0 - number) <= 5 }) {
                spans[place, default: []].append((sale, insert))
            }
            if isReported, number % 100 == 0 { await system.sender.runUntilIdle() }
        }
        // The cost beside the bare insert of the row, so that a slower disk or a larger file does not count.
        let costs = places.map { place in
            let measured = spans[place] ?? []
            return (place, median(measured.map(\.sale)) / median(measured.map(\.insert)))
        }
        guard let first = costs.dropFirst(costs.count > 3 ? 1 : 0).first else { return }
        for (place, cost) in costs.drop(while: { $0.0 <= first.0 }) {
            try BenchmarkResult(
                "sales",
                "\(place)th \(shared.rawValue), \(isReported ? "the others reported" : "all waiting")",
                value: cost,
                limit: first.1,
                unit: "inserts of its row",
                of: first.0 == 1 ? "the first one" : "the \(first.0)th",
                goal: .atMost(max(1.5, log10(Double(place)) / max(1, log10(Double(first.0)))))
            ).print()
        }
        try store.close()
        try bare.close()
    }

    /// The sale as its sender names it: with its token.
    private static func sale(_ row: StoredSale, _ number: Int, _ shared: Shared) -> Sale {
        var (kind, occurredAt) = (row.sale.kind, row.sale.occurredAt)
        if shared == .subscription, let purchase = row.sale.purchase {
            let start = occurredAt + .days(30 * (number - 1))
            occurredAt = start
            kind = .subscription(
                SubscriptionCharge(
                    subscriptionId: "subscription-1",
                    period: SubscriptionPeriod(start: start, end: start + .days(30)),
                    purchase: purchase
                )
            )
        }
        return Sale(
            saleId: row.sale.saleId,
            bundleId: row.sale.bundleId,
            occurredAt: occurredAt,
            customerId: row.sale.customerId,
            externalPurchaseId: row.attribution.externalPurchaseId,
            kind: kind
        )
    }
}

/// Takes every report without looking at it.
private struct AcceptingEndpoint: ReportEndpointClient {
    func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
        AppStoreResponse(outcome: .accepted, status: 200, body: [])
    }

    func retrieve(
        _ requestIdentifier: RequestIdentifier,
        environment: AppStoreEnvironment
    ) async -> AppStoreResponse<RetrieveOutcome> {
        AppStoreResponse(outcome: .notFound, status: 404, body: [])
    }
}
