import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

@Suite("What an arrival costs does not depend on what its customer has settled")
struct CustomerHistoryCostTests {
    enum Store: String, CaseIterable, Sendable {
        case memory
        case sqlite

        func open() throws -> any LedgerStore {
            switch self {
            case .memory: return MemoryLedgerStore.empty()
            case .sqlite:
                let folder = FileManager.default.temporaryDirectory.appending(path: "cost-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                return try SQLiteLedgerStore(path: folder.appending(path: "l.sqlite").path)
            }
        }
    }

    /// How the purchases of one customer come in.
    enum History: String, CaseIterable, Sendable {
        /// A plain token for each purchase, whose sale names the token and the customer, as in Japan and Brazil.
        case tokenPerPurchase
        /// The same with tokens that arrive with their customer and a checkout, by which the sale finds them.
        case checkoutPerPurchase
        /// One `SERVICES` token.
        case oneServicesToken
        /// A `SERVICES` token of the same period for each purchase, of which one is reported (RR-62).
        case tokensOfOnePeriod
        /// A `SERVICES` token of a period of its own for each purchase.
        case periods
        /// A subscription for each purchase: start, upgrade, renewal and refund.
        case subscriptions
        /// Tokens of visits and publishable keys that name the customer, and a purchase of the customer.
        case visits
    }

    /// Rows and statements of the transactions of one purchase, and the plans that they make.
    private struct Cost {
        var rows = 0
        var statements = 0
        var plans = 0

        func isWithin(_ earlier: Cost, and more: Int) -> Bool {
            rows <= earlier.rows + more && statements <= earlier.statements + more && plans <= earlier.plans + more
        }
    }

    @Test("The cost of the 10th, 30th and 100th purchase", arguments: Store.allCases, History.allCases)
    func cost(_ kind: Store, _ history: History) async throws {
        try await expectEvenCosts(kind, history, [10, 30, 100], isReported: true)
    }

    /// Not with tokens of periods of their own: each newer one takes all open sales.
    @Test(
        "The cost of the 300th purchase while nothing is sent",
        arguments: [
            History.tokenPerPurchase, .checkoutPerPurchase, .oneServicesToken, .tokensOfOnePeriod, .subscriptions,
        ]
    )
    func waiting(_ history: History) async throws {
        try await expectEvenCosts(.sqlite, history, [10, 100, 300], isReported: false)
    }

    @Test("The cost of the 1,000th purchase")
    func thousand() async throws {
        try await expectEvenCosts(.sqlite, .tokenPerPurchase, [10, 100, 1_000], isReported: false)
    }

    @Test("The cost of the 1,000th visit")
    func thousandVisits() async throws {
        try await expectEvenCosts(.sqlite, .visits, [10, 100, 1_000], isReported: true)
    }

    private func expectEvenCosts(
        _ kind: Store,
        _ history: History,
        _ numbers: [Int],
        isReported: Bool
    ) async throws {
        let counting = FaultyLedgerStore(try kind.open(), LedgerFaultScript())
        let merchant = Merchant(store: counting)
        merchant.apple.allowEarlySales()
        if history == .oneServicesToken { try await merchant.take(Self.token(0, .services), customer: "c") }
        var costs: [Int: Cost] = [:]
        for number in 1...(numbers.last ?? 1) {
            let (rows, statements) = (counting.rows, counting.statements)
            try await purchase(number, history, by: merchant)
            let plans = numbers.contains(number) ? try await plans(number, at: merchant) : 0
            if isReported, history != .visits || number % 10 == 0 { await merchant.system.sender.runUntilIdle() }
            costs[number] = Cost(
                rows: counting.rows - rows,
                statements: counting.statements - statements,
                plans: plans
            )
        }
        // The few tokens of a usual customer are read at once, so that the cost may rise at first.
        let more = [.tokensOfOnePeriod, .periods, .visits].contains(history) ? 4 * CustomerPeriods.few : 4
        let first = try #require(costs[numbers[0]])
        for number in numbers.dropFirst() {
            let cost = try #require(costs[number])
            #expect(cost.isWithin(first, and: more), "\(history) \(number): \(cost), \(numbers[0]): \(first)")
        }
        let states = try await counting.read { ledger throws(LedgerError) in
            try ledger.sales(LedgerPage(limit: 10_000)).map(\.standing)
        }
        #expect(states.allSatisfy { $0 == (isReported ? .reported : .planned) })
    }

    /// A change of what the customer has settled or waits for.
    enum Change: String, CaseIterable, Sendable {
        /// A purchase is voided whose token has its customer from that sale alone.
        case void
        /// A purchase is voided on a token whose customer several sales name.
        case voidOfMany
        /// The sale is amended to another customer.
        case amend
        /// A person sets another customer of a token.
        case setCustomer
        /// The same for a token that moves from one period of the customer to another customer.
        case setCustomerOfPeriod

        var history: History {
            switch self {
            case .void, .amend, .setCustomer: .tokenPerPurchase
            case .voidOfMany: .oneServicesToken
            case .setCustomerOfPeriod: .periods
            }
        }
    }

    @Test(
        "The cost of a void, an amendment and another customer after 10, 100 and 300 purchases",
        arguments: Change.allCases
    )
    func changes(_ change: Change) async throws {
        let counting = FaultyLedgerStore(try Store.sqlite.open(), LedgerFaultScript())
        let merchant = Merchant(store: counting)
        merchant.apple.allowEarlySales()
        if change == .voidOfMany { try await merchant.take(Self.token(0, .services)) }
        var costs: [Int: Cost] = [:]
        let numbers = [10, 100, 300]
        for number in 1...300 {
            if change == .voidOfMany {
                let named = #""customerId":"c","#
                try await merchant.sell(Merchant.purchase("s\(number)", on: Self.token(0, .services), more: named))
            } else {
                try await purchase(number, change.history, by: merchant)
            }
            guard numbers.contains(number) else {
                await merchant.system.sender.runUntilIdle()
                continue
            }
            let (rows, statements) = (counting.rows, counting.statements)
            try await make(change, number, at: merchant)
            costs[number] = Cost(rows: counting.rows - rows, statements: counting.statements - statements)
            await merchant.system.sender.runUntilIdle()
        }
        let first = try #require(costs[numbers[0]])
        for number in numbers.dropFirst() {
            let cost = try #require(costs[number])
            #expect(cost.isWithin(first, and: 4 * CustomerPeriods.few), "\(number): \(cost), 10: \(first)")
        }
    }

    private func make(_ change: Change, _ number: Int, at merchant: Merchant) async throws {
        let id = SaleId("s\(number)")
        switch change {
        case .void, .voidOfMany:
            let body = JSONValue.object(["by": "kim", "reason": "a test"])
            _ = try await merchant.system.voidSale(id, body: body)
        case .amend:
            let more = #""customerId":"d","amends":true,"by":"kim","reason":"a test","#
            try await merchant.sell(Merchant.purchase(id.rawValue, on: Self.token(number), more: more))
        case .setCustomer, .setCustomerOfPeriod:
            let body = try JSONReader().read(#"{"customerId":"d","by":"kim","reason":"a test"}"#)
            _ = try await merchant.system.setCustomer(of: Self.token(number).externalPurchaseId, body: body)
        }
    }

    /// The number of sales and tokens that the arrivals of a purchase plan.
    private func plans(_ number: Int, at merchant: Merchant) async throws -> Int {
        let (settings, now) = (merchant.system.settings, merchant.clock.now)
        return try await merchant.store.read { ledger throws(LedgerError) in
            var count = 0
            func add(_ keys: [PlanningKey], _ extent: ConnectedRecords.Extent) throws(LedgerError) {
                let planned = try MerchantPlanner.plan(
                    settings,
                    touching: keys,
                    of: Merchant.shop,
                    extent: extent,
                    in: ledger,
                    now: now
                )
                count += planned.plan.sales.count + planned.plan.tokens.count
            }
            for name in ["s\(number)", "s\(number)-refund"] {
                guard let sale = try ledger.sale(SaleId(name), of: Merchant.shop) else { continue }
                try add([.sale(SaleId(name))] + sale.sale.keys, .touched)
            }
            let token = Self.token(number).externalPurchaseId
            if try ledger.token(token, of: Merchant.shop) != nil { try add([.token(token)], .pending) }
            return count
        }
    }

    private static func token(
        _ number: Int,
        _ type: TokenType? = nil,
        made: Timestamp = Merchant.noon - .days(1)
    ) -> ExternalPurchaseToken {
        ExternalPurchaseToken(
            appAppleId: Merchant.appAppleId,
            bundleId: Merchant.shop,
            tokenCreationDate: made,
            externalPurchaseId: ExternalPurchaseId("4d3f0000-0000-4000-8000-\(100_000_000_000 + number)"),
            tokenType: type,
            tokenExpirationDate: type == nil ? nil : made + .days(300)
        )
    }

    private func purchase(_ number: Int, _ history: History, by merchant: Merchant) async throws {
        let (id, customer) = ("s\(number)", #""customerId":"c","#)
        switch history {
        case .tokenPerPurchase:
            try await merchant.take(Self.token(number))
            try await merchant.sell(Merchant.purchase(id, on: Self.token(number), more: customer))
        case .checkoutPerPurchase:
            try await merchant.take(Self.token(number), customer: "c", checkout: "k\(number)")
            let more = customer + #""checkoutId":"k\#(number)","#
            try await merchant.sell(Merchant.purchase(id, on: nil, more: more))
        case .oneServicesToken:
            try await merchant.sell(Merchant.purchase(id, on: nil, more: customer))
            try await merchant.sell(Merchant.refund("\(id)-refund", of: id, "1.00"))
        case .tokensOfOnePeriod:
            try await merchant.take(Self.token(number, .services), customer: "c")
            try await merchant.sell(Merchant.purchase(id, on: nil, more: customer))
        case .periods:
            let made = Merchant.noon - .days(100) + .minutes(Int64(number))
            try await merchant.take(Self.token(number, .services, made: made), customer: "c")
            try await merchant.sell(Merchant.purchase(id, on: nil, more: customer))
        case .subscriptions:
            try await merchant.take(Self.token(number), customer: "c")
            let on = #""externalPurchaseId":"\#(Self.token(number).externalPurchaseId)",\#(customer)"#
            try await merchant.sell(charge(id, of: id, hour: 1, "club", on))
            try await merchant.sell(charge("\(id)-up", of: id, hour: 2, "club+", on))
            try await merchant.sell(charge("\(id)-renewal", of: id, hour: 3, "club+", customer))
            try await merchant.sell(Merchant.refund("\(id)-refund", of: "\(id)-up", "1.00"))
        case .visits:
            // Of the tokens that anybody makes, few are used.
            let made = Merchant.noon - .days(100) + .minutes(Int64(number))
            for type in [TokenType.services, .acquisition] {
                let token = Self.token(number + (type == .services ? 0 : 500_000), type, made: made)
                merchant.apple.know(token)
                let visit = TokenArrival(text: token.encoded(), source: .website, customerId: "c")
                _ = try await merchant.system.tokens.receive(visit)
            }
            guard number % 10 == 0 else { return }
            try await merchant.sell(Merchant.purchase(id, on: nil, more: customer))
        }
    }

    private func charge(_ id: String, of subscription: String, hour: Int64, _ product: String, _ more: String) -> String
    {
        let at = Merchant.noon - .hours(10 - hour)
        return """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"subscription","occurredAt":"\(at)",\(more)
            "subscriptionId":"\(subscription)","period":{"start":"\(at)","end":"\(at + .days(30))"},
            "productId":"\(product)","quantity":1,
            "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
            """
    }

    @Test("A long subscription takes as many statements as a short one, and reads each of its records once")
    func longSubscription() async throws {
        let counting = FaultyLedgerStore(try Store.sqlite.open(), LedgerFaultScript())
        let merchant = Merchant(store: counting)
        merchant.apple.allowEarlySales()
        try await merchant.take(Self.token(0), customer: "c")
        let on = #""externalPurchaseId":"\#(Self.token(0).externalPurchaseId)","customerId":"c","#
        var costs: [Int: Cost] = [:]
        for number in 1...100 {
            let (rows, statements) = (counting.rows, counting.statements)
            let at = Merchant.noon - .hours(110 - Int64(number))
            let end = at + .hours(1)
            try await merchant.sell(
                """
                {"saleId":"s\(number)","bundleId":"com.example.shop","type":"subscription","occurredAt":"\(at)",\(on)
                "subscriptionId":"sub","period":{"start":"\(at)","end":"\(end)"},"productId":"club","quantity":1,
                "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
                """
            )
            costs[number] = Cost(rows: counting.rows - rows, statements: counting.statements - statements)
            await merchant.system.sender.runUntilIdle()
        }
        let (short, long) = (try #require(costs[10]), try #require(costs[100]))
        #expect(long.statements == short.statements)
        // The charge itself, its accepted item, and what references the item of the start.
        #expect(long.rows <= short.rows + 90 * 3)
    }
}
