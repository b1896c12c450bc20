import AppStoreServerClient
import BenchmarkSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Logging
import Reporting

/// What storing one more sale costs when its token has few and many, against the bare insert of the same row.
enum SaleBenchmark {
    static func run(sales count: Int) async throws {
        for isReported in [false, true] {
            print("the newest sale of one token\(isReported ? ", the others reported" : ", all waiting")")
            try await withFolder { folder in try await measure(count, isReported, in: folder) }
        }
    }

    private static func measure(_ count: Int, _ isReported: Bool, in folder: URL) async throws {
        let store = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        let bare = try SQLiteLedgerStore(path: folder.appending(path: "bare.sqlite").path)
        let token = Rows.token(made: Timestamp(Date()).advanced(by: .days(-1)))
        for each in [store, bare] {
            try await each.write { ledger throws(LedgerError) in _ = try ledger.insert(token) }
        }
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
        let places = [1, 100, 1_000, 10_000].filter { $0 <= count }
        var spans: [Int: [(sale: Double, insert: Double)]] = [:]
        for number in 1...count {
            let row = Rows.sale(number, on: token)
            let command = SaleCommand(Self.sale(row))
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
        for place in places {
            let (sale, insert) = (
                median((spans[place] ?? []).map(\.sale)), median((spans[place] ?? []).map(\.insert))
            )
            print(
                String(
                    format: "  sale %6d  %6.2f ms   bare insert %6.2f ms   %4.1f times",
                    place,
                    sale * 1e3,
                    insert * 1e3,
                    sale / insert
                )
            )
        }
        try store.close()
        try bare.close()
    }

    /// The sale as its sender names it: with its token.
    private static func sale(_ row: StoredSale) -> Sale {
        Sale(
            saleId: row.sale.saleId,
            bundleId: row.sale.bundleId,
            occurredAt: row.sale.occurredAt,
            externalPurchaseId: row.attribution.externalPurchaseId,
            kind: row.sale.kind
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
