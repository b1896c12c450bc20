import Dispatch
import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import Payments
import Synchronization
import Testing

@testable import LedgerPostgres
@testable import Reporting

@Suite(
    "Requests that PostgreSQL stores together",
    .enabled(if: ProcessInfo.processInfo.environment["EXTERNAL_PURCHASE_TEST_POSTGRES"] != nil)
)
struct GroupedIntakeTests {
    /// What a shop sends.
    enum Kind: String, CaseIterable, Sendable {
        case token
        case sale
        /// A sale of a checkout whose token is stored.
        case attributed
        case order
        /// A refund that arrives before its purchase.
        case refund
        case subscription
        case event
        /// An event of a payment of several lines.
        case basket

        /// The largest number of answers that one waits for in a group of a connection beside the server.
        var mostWaits: Int {
            switch self {
            case .token, .sale, .order: 0
            // The other refunds of its purchase.
            case .refund: 1
            // The token of the checkout, its reports, and whether its deadline moves.
            case .attributed: 3
            // The whole subscription, and its refunds.
            case .subscription: 2
            // The sale whose id the payment gives.
            case .event, .basket: 1
            }
        }

        /// Numbers as part of ids, of which two at a time are equivalent and not equal (SA-45).
        private func name(_ number: Int) -> String {
            "\(number / 2)\(number.isMultiple(of: 2) ? "\u{E9}" : "e\u{301}")"
        }

        func send(_ number: Int, to client: any TestClientProtocol) async throws -> HTTPResponse.Status {
            let name = name(number)
            switch self {
            case .token:
                let token = ServerFixture.token("SANDBOX_7b1e6c1a-3f52-4d0b-9c77-\(100_000_000_000 + number)")
                let body: [String: Any] = ["token": token, "customerId": "c\(name)", "checkoutId": "k\(name)"]
                return try await client.send(.post, "/v1/tokens", body: body).status
            case .event, .basket:
                let lines = (self == .event ? ["a"] : ["a", "b", "c"]).map {
                    #"{"id":"\#($0)","productId":"gems.100","quantity":1,"inclusive":"9.99","tax":"1.73"}"#
                }
                let body = CustomDelivery.body("o\(name)", checkout: nil, lines: lines.joined(separator: ","))
                return try await CustomDelivery.post(body, to: client).status
            case .sale, .attributed, .order, .refund, .subscription:
                let body =
                    #"{"saleId":"s\#(name)","bundleId":"com.example.shop","customerId":"c\#(name)","#
                    + #""occurredAt":"2026-11-20T13:00:00Z",\#(content(name))}"#
                return try await client.execute(
                    uri: "/v1/sales",
                    method: .post,
                    headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: body)
                ).status
            }
        }

        /// The fields by which sales differ.
        private func content(_ name: String) -> String {
            let amount = #""amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}"#
            let product = #""productId":"gems.100","quantity":1,\#(amount)"#
            return switch self {
            case .order: #""type":"purchase","lines":[{\#(product)},{\#(product)},{\#(product)}]"#
            case .refund: #""type":"refund","refundOf":"p\#(name)","amount":{"currency":"EUR","inclusive":"9.99"}"#
            case .subscription:
                #""type":"subscription","subscriptionId":"b\#(name)","productId":"club",\#(amount),"#
                    + #""period":{"start":"2026-11-20T13:00:00Z","end":"2026-12-20T13:00:00Z"}"#
            case .attributed: #""type":"purchase","checkoutId":"k\#(name)",\#(product)"#
            case .sale, .token, .event, .basket: #""type":"purchase",\#(product)"#
            }
        }
    }

    private static func store(speculates: Bool = true) async throws -> PostgresLedgerStore {
        let server = try #require(ProcessInfo.processInfo.environment["EXTERNAL_PURCHASE_TEST_POSTGRES"])
        let schema = "grouped_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
        try PostgresConnection(PostgresSettings(connection: server)).execute("CREATE SCHEMA \(schema)")
        var settings = PostgresSettings(connection: "\(server) options=-csearch_path=\(schema)", readers: 2)
        settings.speculates = speculates
        return try await PostgresLedgerStore(settings, limits: .init(duration: .seconds(600)))
    }

    /// Sends requests that wait for the connection together, and returns how many answers it waited for.
    private static func group(
        _ numbers: Range<Int>,
        of kind: Kind,
        to client: any TestClientProtocol,
        _ store: PostgresLedgerStore,
        as numbered: @escaping @Sendable (Int) -> Int = { $0 }
    ) async throws -> Int {
        if kind == .attributed {
            for number in numbers { #expect(try await Kind.token.send(number, to: client) == .created) }
        }
        let hasBegun = Mutex(false)
        let gate = DispatchSemaphore(value: 0)
        let before = try await store.roundTrips()
        async let first: Void = store.write { _ throws(LedgerError) in
            hasBegun.withLock { $0 = true }
            gate.wait()
        }
        while !hasBegun.withLock({ $0 }) { await Task.yield() }
        try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for number in numbers { group.addTask { try await kind.send(numbered(number), to: client) } }
            while store.waitingCount < numbers.count { await Task.yield() }
            gate.signal()
            for try await status in group { #expect([.ok, .created].contains(status)) }
        }
        try await first
        return try await store.roundTrips() - before
    }

    @Test(
        "The connection waits as often for 256 of a kind as for two, and stores what a file would",
        arguments: Kind.allCases
    )
    func roundTrips(kind: Kind) async throws {
        let store = try await Self.store()
        let sizes = [2, 2, 16, 16, 2, 16, 256]
        let count = sizes.reduce(0, +)
        let counts = Mutex<[Int]>([])
        let source = CustomDelivery.source(take: .all)
        let server = try ServerFixture(store: store, payments: [source])
        try await server.application.test(.router) { client in
            var next = 0
            for size in sizes {
                let waits = try await Self.group(next..<next + size, of: kind, to: client, store)
                counts.withLock { $0.append(waits) }
                next += size
            }
        }
        // The first groups prepare the statements. Many rows are numbered together.
        let waits = counts.withLock(\.self)
        let last = waits.suffix(3)
        #expect(last.allSatisfy { $0 <= waits[4] + 2 }, "\(waits)")
        #expect(store.speculatedGroups >= sizes.count - 1, "\(store.speculatedGroups)")

        let file = try ServerFixture(payments: [source])
        try await file.application.test(.router) { client in
            for number in 0..<count {
                if kind == .attributed { _ = try await Kind.token.send(number, to: client) }
                _ = try await kind.send(number, to: client)
            }
        }
        #expect(try await Self.facts(store) == Self.facts(file.store))
        try await store.write { ledger throws(LedgerError) in
            let broken = try ledger.verifyAudit(expecting: nil).broken
            #expect(broken == nil)
        }
    }

    @Test("Beside the server, where each closure asks for itself, it asks a few times", arguments: Kind.allCases)
    func nearby(kind: Kind) async throws {
        let store = try await Self.store(speculates: false)
        let server = try ServerFixture(store: store, payments: [CustomDelivery.source(take: .all)])
        let waits = Mutex<[Int]>([])
        try await server.application.test(.router) { client in
            for range in [0..<16, 16..<32, 32..<96] {
                let count = try await Self.group(range, of: kind, to: client, store)
                waits.withLock { $0.append(count) }
            }
        }
        // The first group prepares the statements. Numbers of rows are reserved a few times.
        let more = waits.withLock { $0[2] - $0[1] }
        #expect(more <= 48 * kind.mostWaits + 4, "\(more) of 48")
        #expect(store.speculatedGroups == 0)
    }

    @Test(
        "What is sent several times at once is stored once, with its lines",
        arguments: [Kind.order, .refund, .subscription, .basket],
        [true, false]
    )
    func repeated(kind: Kind, speculates: Bool) async throws {
        let store = try await Self.store(speculates: speculates)
        let source = CustomDelivery.source(take: .all)
        let server = try ServerFixture(store: store, payments: [source])
        try await server.application.test(.router) { client in
            for _ in 0..<2 { _ = try await Self.group(0..<16, of: kind, to: client, store) { $0 % 4 } }
        }
        let file = try ServerFixture(payments: [source])
        try await file.application.test(.router) { client in
            for number in 0..<4 { _ = try await kind.send(number, to: client) }
        }
        #expect(try await Self.facts(store) == Self.facts(file.store))
    }

    @Test("The plan of held sales and a month's export wait as often for 32 customers as for eight")
    func plansOfMany() async throws {
        let store = try await Self.store()
        let server = try ServerFixture(store: store)
        let attribution = SaleAttribution(
            store: store,
            apps: server.merchant.apps,
            planner: MerchantPlanner(settings: server.merchant.settings, uuid: UUID.init),
            dependencies: .live
        )
        let exporter = LedgerExport(rules: server.merchant.due.rules, settings: server.merchant.settings)
        let waits = Mutex<[[Int]]>([])
        try await server.application.test(.router) { client in
            var sent = 0
            for size in [8, 8, 32] {
                for _ in 0..<size {
                    #expect(try await Kind.sale.send(sent, to: client) == .created)
                    sent += 1
                }
                let before = try await store.roundTrips()
                #expect(try await attribution.attribute() == sent)
                let planned = try await store.roundTrips()
                let rows = try await store.write { [sent] ledger throws(LedgerError) in
                    var rows: Set<SaleId> = []
                    _ = try exporter.exports(
                        ofMonth: "2026-11",
                        of: ServerFixture.bundleId,
                        now: Timestamp(milliseconds: 1_796_000_000_000),
                        in: ledger
                    ) { row throws(LedgerError) in rows.insert(SaleId(row.name)) }
                    return rows.count == sent
                }
                #expect(rows)
                let exported = try await store.roundTrips()
                waits.withLock { $0.append([planned - before, exported - planned]) }
            }
        }
        // The first round prepares the statements.
        let counts = waits.withLock(\.self)
        #expect(zip(counts[2], counts[1]).allSatisfy { $0 <= $1 + 1 }, "\(counts)")
    }

    /// What a ledger holds, without numbers and times of this test.
    private static func facts(_ store: any LedgerStore) async throws -> Set<String> {
        try await store.read { ledger throws(LedgerError) in
            let page = LedgerPage(limit: 10_000)
            var facts: Set<String> = []
            for token in try ledger.tokens(matching: ListFilter(), page) {
                facts.insert("\(token.token.externalPurchaseId) \(token.customerId?.rawValue ?? "-")")
            }
            for sale in try ledger.sales(matching: SaleFilter(bundleId: ServerFixture.bundleId), page) {
                facts.insert("listed: \(sale.sale.saleId)")
            }
            for sale in try ledger.sales(page) {
                let (whole, token) = (
                    sale.partOf?.rawValue ?? "-", sale.attribution.externalPurchaseId?.rawValue ?? "-"
                )
                facts.insert("\(sale.sale.json.text) \(whole) \(sale.attribution.state) \(token)")
            }
            for event in try ledger.paymentEvents(matching: ListFilter(), page) {
                facts.insert("\(event.eventId) \(event.result.state) \(event.result.sales.map(\.rawValue).sorted())")
            }
            var kinds: [String: Int] = [:]
            for entry in try ledger.auditEntries(matching: ListFilter(), page) {
                kinds["\(entry.kind)", default: 0] += 1
            }
            for (kind, count) in kinds { facts.insert("\(kind): \(count)") }
            return facts
        }
    }
}
