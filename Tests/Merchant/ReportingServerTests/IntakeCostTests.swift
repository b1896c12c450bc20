import ExternalPurchaseCore
import Foundation
import GRDB
import GRDBSQLite
import HTTPTypes
import HummingbirdTesting
import Ledger
import Payments
import Synchronization
import Testing

@testable import LedgerSQLite

@Suite("What an arrival costs in a ledger with many open records")
struct IntakeCostTests {
    /// What arrives, by itself: nothing that came before belongs to it.
    enum Arrival: String, CaseIterable, Sendable {
        case token
        case sale
        case event
        /// It waits for the token of its checkout.
        case waitingEvent

        fileprivate func send(_ number: Int, to client: any TestClientProtocol) async throws {
            let status =
                switch self {
                case .token: try await GroupedIntakeTests.Kind.token.send(number, to: client)
                case .sale: try await GroupedIntakeTests.Kind.sale.send(number, to: client)
                case .event: try await GroupedIntakeTests.Kind.event.send(number, to: client)
                case .waitingEvent:
                    try await CustomDelivery.post(
                        CustomDelivery.body("w\(number)", checkout: "basket-\(number)"),
                        to: client
                    ).status
                }
            #expect(status.kind == .successful, "\(status)")
        }
    }

    private final class Work: Sendable {
        let ticks = Mutex(0)
    }

    /// Hundreds of instructions of SQLite that the writing connection runs meanwhile.
    private static func work(
        of store: SQLiteLedgerStore,
        _ body: () async throws -> Void
    ) async throws -> Int {
        let work = Work()
        try await store.pool.writeWithoutTransaction { database in
            sqlite3_progress_handler(
                database.sqliteConnection,
                100,
                { context in
                    context.map { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue() }?.ticks.withLock { $0 += 1 }
                    return 0
                },
                Unmanaged.passUnretained(work).toOpaque()
            )
        }
        try await body()
        try await store.pool.writeWithoutTransaction {
            sqlite3_progress_handler($0.sqliteConnection, 0, nil, nil)
        }
        return work.ticks.withLock(\.self)
    }

    @Test("The 500th costs what the 50th costs", arguments: Arrival.allCases)
    func many(_ arrival: Arrival) async throws {
        let source = CustomDelivery.source(take: arrival == .waitingEvent ? .referenced : .all)
        let server = try ServerFixture(payments: [source])
        let store = try #require(server.store as? SQLiteLedgerStore)
        let costs = Mutex<[Int]>([])
        try await server.application.test(.router) { client in
            for number in 0..<30 { try await arrival.send(number, to: client) }
            let first = try await Self.work(of: store) {
                for number in 30..<50 { try await arrival.send(number, to: client) }
            }
            for number in 50..<480 { try await arrival.send(number, to: client) }
            let last = try await Self.work(of: store) {
                for number in 480..<500 { try await arrival.send(number, to: client) }
            }
            costs.withLock { $0 = [first, last] }
        }
        if arrival == .waitingEvent {
            let states = try await store.read { ledger throws(LedgerError) in
                try ledger.paymentEvents(matching: ListFilter(), LedgerPage(limit: 1_000)).map(\.result.state)
            }
            #expect(states == Array(repeating: .waiting, count: 500))
        }
        let (first, last) = costs.withLock { ($0[0], $0[1]) }
        #expect(first > 0 && Double(last) <= Double(first) * 1.5, "\(first) and \(last)")
    }
}
