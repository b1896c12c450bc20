import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

/// Every kind of sale as another system reported it, told again by the back end and continued here, over Apple's real rules
/// (RR-46, RR-80, SA-43).
@Suite("What another system reported is told again and goes on")
struct AdoptedHistoryTests {
    private static let start = Merchant.noon - .days(75)
    private static let token = Merchant.token(made: start - .days(1))
    private static let perTransaction = Merchant.token("b", type: .linkOut, made: start)
    private static let unused = Merchant.token("c", made: start)

    private static func day(_ day: Int64) -> Timestamp { start + .days(day) }

    // MARK: What was reported

    private static let former: FormerSystem = {
        var former = FormerSystem(tokens: [token, perTransaction, unused])
        former.sell([("p1", "gems.100", 9_990)], at: day(0), on: token)
        former.sell([("ord/1", "gems", 5_000), ("ord/2", "map", 4_990)], at: day(0), on: token)
        former.charge(
            "s1",
            "SUBSCRIPTION_START",
            "plus",
            9_990,
            from: day(0),
            until: day(30),
            days: 0,
            of: nil,
            on: token
        )
        former.refund([("r1", "p1", 3_000)], at: day(1), on: token)
        former.refund([("r2", "p1", 2_000)], at: day(2), on: token)
        // 3.00 of 5.00 : 4.99, then 1.00 of the second line, then the rest.
        former.refund([("r3/1", "ord/1", 1_500), ("r3/2", "ord/2", 1_500)], at: day(2), on: token)
        former.refund([("r4", "ord/2", 1_000)], at: day(3), on: token)
        former.refund([("r5/1", "ord/1", 3_500), ("r5/2", "ord/2", 2_490)], at: day(4), on: token)
        former.sell([("p2", "gems.200", 20_000)], at: day(1), on: token)
        former.refund([("cb2", "p2", 20_000)], at: day(3), on: token)
        former.retract(["cb2"], on: token)
        former.sell([("p3", "gems.100", 10_000)], at: day(1), on: token)
        former.refund([("cb3", "p3", 4_000)], at: day(3), on: token)
        // Its lines were sent in reports of their own.
        former.sell([("two/1", "gems", 5_000)], at: day(5), on: token)
        former.sell([("two/2", "map", 4_990)], at: day(5), on: token)
        former.refund([("cbo/1", "two/1", 5_000), ("cbo/2", "two/2", 4_990)], at: day(6), on: token)
        former.sell([("three/1", "gems", 5_000), ("three/2", "map", 4_990)], at: day(5), on: token)
        former.sell([("p4", "gems.100", 9_990)], at: day(6), on: token)
        former.restate("p4", "gems.100", with: "gems.101", on: token)
        former.sell([("p5", "gems.100", 9_990)], at: day(6), on: token)
        former.retract(["p5"], on: token)
        former.sell([("p6", "gems.100", 9_990)], at: day(6), on: token)
        former.retract(["p6"], on: token)
        former.sell([("p6.2", "gems.100", 9_990)], at: day(7), on: token)
        former.charge("t1", "SUBSCRIPTION_START", "max", 0, from: day(8), until: day(15), days: 0, of: nil, on: token)
        former.charge("s2", "RENEWAL", "plus", 9_990, from: day(30), until: day(60), days: 30, of: "s1", on: token)
        former.charge(
            "s3",
            "SUBSCRIPTION_CHANGE",
            "pro",
            19_990,
            from: day(40),
            until: day(70),
            days: 40,
            of: "s1",
            on: token
        )
        former.charge(
            "s4",
            "SUBSCRIPTION_PAYMENT",
            "extra",
            4_000,
            from: day(45),
            until: day(70),
            days: 45,
            of: "s1",
            on: token
        )
        former.refund([("r6", "s4", 1_000)], at: day(46), on: token)
        former.sell([("j1", "gems.100", 9_990)], at: day(0), on: perTransaction)
        // UAH 200.01 at 0.0205.
        former.sell(
            [("f1", "gems.100", 4_100)],
            at: day(9),
            on: token,
            currency: #""pricingCurrency":"UAH","exchangeRate":"0.0205""#
        )
        former.answer(unused, "NO_LINE_ITEM")
        return former
    }()

    // MARK: What the back end told the former system

    private static func body(_ id: String, _ type: String, _ moment: Int64, _ more: String) -> String {
        #"{"saleId":"\#(id)","bundleId":"com.example.shop","type":"\#(type)","occurredAt":"\#(day(moment))",\#(more)}"#
    }

    private static func money(_ inclusive: String) -> String {
        #""amount":{"currency":"EUR","inclusive":"\#(inclusive)","taxRate":"21","taxCountry":"NLD"}"#
    }

    private static func purchase(
        _ id: String,
        _ moment: Int64,
        _ inclusive: String,
        _ product: String = "gems.100",
        on token: ExternalPurchaseToken = token
    ) -> String {
        body(
            id,
            "purchase",
            moment,
            """
            "externalPurchaseId":"\(token.externalPurchaseId)","customerId":"anna","productId":"\(product)","quantity":1,
            \(money(inclusive))
            """
        )
    }

    private static func order(_ id: String, _ moment: Int64, second: String = "4.99") -> String {
        let lines = [("gems", "5.00"), ("map", second)].map {
            #"{"productId":"\#($0.0)","quantity":1,\#(money($0.1))}"#
        }
        let named = #""externalPurchaseId":"\#(token.externalPurchaseId)","customerId":"anna""#
        return body(id, "purchase", moment, "\(named),\"lines\":[\(lines.joined(separator: ","))]")
    }

    private static func charge(
        _ id: String,
        _ name: String,
        _ product: String,
        _ inclusive: String,
        _ days: Range<Int64>,
        event: String? = nil
    ) -> String {
        let event = event.map { #""event":"\#($0)","# } ?? ""
        return body(
            id,
            "subscription",
            days.lowerBound,
            """
            "externalPurchaseId":"\(token.externalPurchaseId)","subscriptionId":"\(name)",\(event)"productId":"\(product)",
            "period":{"start":"\(day(days.lowerBound))","end":"\(day(days.upperBound))"},\(money(inclusive))
            """
        )
    }

    private static func refund(
        _ id: String,
        of buy: String,
        _ inclusive: String,
        _ moment: Int64,
        type: String = "refund"
    ) -> String {
        body(id, type, moment, #""refundOf":"\#(buy)","amount":{"inclusive":"\#(inclusive)"}"#)
    }

    private static func total(_ id: String, of buy: String, _ sum: String, _ moment: Int64) -> String {
        body(id, "refund", moment, #""refundOf":"\#(buy)","refundedTotal":"\#(sum)""#)
    }

    private static func reversal(_ id: String, of chargeback: String, _ moment: Int64) -> String {
        body(id, "chargebackReversal", moment, #""reversalOf":"\#(chargeback)""#)
    }

    private static let told = [
        purchase("p1", 0, "9.99"), order("ord", 0), charge("s1", "sub-1", "plus", "9.99", 0..<30),
        refund("r1", of: "p1", "3.00", 1), total("r2", of: "p1", "5.00", 2), refund("r3", of: "ord", "3.00", 2),
        refund("r4", of: "ord/2", "1.00", 3), total("r5", of: "ord", "9.99", 4), purchase("p2", 1, "20.00", "gems.200"),
        refund("cb2", of: "p2", "20.00", 3, type: "chargeback"), purchase("p3", 1, "10.00"),
        refund("cb3", of: "p3", "4.00", 3, type: "chargeback"), order("two", 5),
        refund("cbo", of: "two", "9.99", 6, type: "chargeback"), order("three", 5), purchase("p4", 6, "9.99"),
        purchase("p5", 6, "9.99"), purchase("p6", 6, "9.99"), charge("t1", "sub-2", "max", "0.00", 8..<15),
        charge("s2", "sub-1", "plus", "9.99", 30..<60), charge("s3", "sub-1", "pro", "19.99", 40..<70, event: "change"),
        charge("s4", "sub-1", "extra", "4.00", 45..<70, event: "payment"), refund("r6", of: "s4", "1.00", 46),
        purchase("j1", 0, "9.99", on: perTransaction),
        purchase("f1", 9, "200.01").replacing(
            #""currency":"EUR","inclusive":"200.01""#,
            with:
                #""currency":"UAH","exchangeRate":{"rate":"0.0205","source":"bank","asOf":"\#(day(9))"},"inclusive":"200.01""#
        ),
    ]

    /// The reversal of a chargeback has no line item; the former system retracted the chargeback.
    private static let toldReversal = reversal("rv2", of: "cb2", 5)

    /// What happens after the import, on every kind.
    private static let news = [
        refund("n1", of: "p1", "4.99", 60), reversal("rv3", of: "cb3", 61), refund("n3", of: "p3", "10.00", 62),
        reversal("rvo", of: "cbo", 61), refund("no2", of: "two", "9.99", 62), refund("no3", of: "three", "3.00", 62),
        charge("s5", "sub-1", "pro", "19.99", 70..<100), refund("n4", of: "p4", "5.00", 60),
        refund("nj", of: "j1", "9.99", 60, type: "chargeback"), refund("n6", of: "p6", "9.99", 60),
        charge("t2", "sub-2", "max", "7.00", 15..<45), refund("ns", of: "s3", "19.99", 71),
        total("nf", of: "f1", "200.01", 60),
    ]

    /// What the news add to Apple's figures, in thousandths of a euro.
    private static let change: [String: Int64?] = [
        "n1": 4_990, "cb3": nil, "n3": 10_000, "cbo": nil, "no2": 9_990, "no3": 3_000, "s5": 19_990, "n4": 5_000,
        "nj": 9_990, "n6": 9_990, "t2": 7_000, "ns": 19_990, "nf": 4_100,
    ]

    // MARK: Merchants

    private static func merchant(durable: Bool) throws -> Merchant {
        let merchant = durable ? try EarlyRefundTests.merchant() : Merchant()
        for token in [token, perTransaction, unused] { merchant.apple.know(token) }
        return merchant
    }

    @discardableResult
    private static func take(
        _ former: FormerSystem,
        _ merchant: Merchant,
        reports: Range<Int>? = nil
    ) async throws -> LedgerImport.Summary {
        let apps = [
            Merchant.shop: LedgerImport.App(appAppleId: Merchant.appAppleId, environments: [.production, .sandbox])
        ]
        let work = LedgerImport(
            apps: apps,
            settings: ReportingSettings(),
            dependencies: merchant.clock.dependencies
        )
        let before = merchant.apple.acceptedReports
        let sent = former.reports[reports ?? former.reports.indices]
        for body in sent { _ = await merchant.apple.send(Array(body.utf8), environment: .production) }
        #expect(merchant.apple.acceptedReports == before + sent.count, "Apple refused what the former system reported")
        return try await work.run(former.file(reports), into: merchant.store)
    }

    /// The milli-units of Apple's live items by sale, tax included.
    private static func live(at merchant: Merchant) -> [String: Int64] {
        var sums: [String: Int64] = [:]
        for item in merchant.apple.items where item.erroneouslySubmitted != true {
            let sale = item.lineItemId?.rawValue.prefix { $0 != "/" && $0 != "." } ?? ""
            sums[String(sale), default: 0] += item.amountTaxInclusive ?? 0
        }
        return sums
    }

    private static func expectSettled(_ merchant: Merchant, _ comment: Comment) async throws {
        let held = try await merchant.system.lists.sales(LedgerPage()).filter { $0.standing == .held }
            .map { "\($0.sale.saleId) \($0.attribution.flags)" }
        #expect(held.isEmpty, comment)
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.detail) == [], comment)
        #expect(try await merchant.reports().allSatisfy { $0.state == .accepted }, comment)
        #expect(try await merchant.system.lists.verifyAudit().broken == nil, comment)
    }

    private static func shuffled(_ bodies: [String], _ seed: UInt64) -> [String] {
        var random = SplitMix64(seed: seed)
        return seed == 0 ? bodies : bodies.shuffled(using: &random)
    }

    // MARK: Tests

    @Test("Every request told again is known, in any order, and nothing is reported twice", arguments: 0..<10)
    func toldAgain(_ seed: UInt64) async throws {
        let merchant = try Self.merchant(durable: seed < 2)
        try await Self.take(Self.former, merchant)
        let puts = merchant.apple.puts.count
        for round in 1...2 {
            for body in Self.shuffled(Self.told + [Self.toldReversal], seed) {
                let receipt = try await merchant.sell(body)
                #expect(receipt.isNew == (round == 1 && body == Self.toldReversal), "\(body)")
                #expect(round == 1 || !receipt.isChanged, "\(body)")
                await merchant.system.sender.runUntilIdle()
            }
            #expect(merchant.apple.puts.count == puts)
            #expect(Self.live(at: merchant) == Self.former.live)
            try await Self.expectSettled(merchant, "\(seed)")
        }
        let sales = try await merchant.system.lists.sales(LedgerPage())
        // Reports have neither customers nor subscriptions nor tax rates.
        for sale in sales where sale.sale.purchase != nil || sale.sale.lines != nil {
            if sale.sale.subscriptionCharge == nil { #expect(sale.sale.customerId == "anna", "\(sale.sale.saleId)") }
            let name = sale.sale.subscriptionId?.rawValue
            #expect([nil, "sub-1", "sub-2"].contains(name))
            // What is told again of a sale that was corrected since changes nothing of its figures.
            let isRated = sale.sale.saleId != "p4" && sale.sale.saleId != "p6"
            #expect(sale.sale.purchase.map { ($0.tax == .rate(21)) == isRated } ?? true, "\(sale.sale)")
        }
        for id in ["cb2", "cb3", "cbo", "cbo/1"] as [SaleId] {
            #expect(sales.first { $0.sale.saleId == id }?.sale.refund?.isChargeback == true)
        }
    }

    @Test("What happens next goes on from what was reported, told before or after the repetitions", arguments: 0..<12)
    func goesOn(_ seed: UInt64) async throws {
        let merchant = try Self.merchant(durable: seed < 2)
        try await Self.take(Self.former, merchant)
        for body in Self.shuffled(Self.told + [Self.toldReversal] + Self.news, seed) {
            let receipt = try await merchant.sell(body)
            #expect(receipt.isNew == !Self.told.contains(body), "\(body)")
            await merchant.system.sender.runUntilIdle()
        }
        await merchant.system.sender.runUntilIdle()
        var wanted = Self.former.live
        for (sale, sum) in Self.change { wanted[sale] = sum }
        #expect(Self.live(at: merchant) == wanted, "\(seed)")
        try await Self.expectSettled(merchant, "\(seed)")
        let puts = merchant.apple.puts.count
        for body in Self.told + [Self.toldReversal] + Self.news {
            #expect(try await merchant.sell(body).isNew == false)
        }
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == puts)
        for (renewal, days) in [("s5", 70), ("t2", 0)] as [(LineItemId, Int32)] {
            #expect(merchant.apple.item(renewal)?.subscriptionEvent == .renewal)
            #expect(merchant.apple.item(renewal)?.subscriptionDaysOfPaidService == days)
        }
        for id in ["n1", "n3", "no2/1", "no2/2", "n6", "nf"] as [LineItemId] {
            #expect(merchant.apple.item(id)?.netAmountTaxExclusive == 0, "\(id)")
        }
    }

    @Test("Sales that were told before the import are taken over, each with its own kind", arguments: 0..<4)
    func toldBefore(_ seed: UInt64) async throws {
        let merchant = try Self.merchant(durable: seed < 2)
        for token in [Self.token, Self.perTransaction, Self.unused] { try await merchant.take(token) }
        // What the former system corrected is not what the back end told it.
        let corrected: Set<String> = ["p4", "p5", "p6"]
        let told = Self.told.filter { body in !corrected.contains { body.contains(#""saleId":"\#($0)""#) } }
        for body in Self.shuffled(told + [Self.toldReversal], seed) { try await merchant.sell(body) }
        try await Self.take(Self.former, merchant)
        let puts = merchant.apple.puts.count
        for body in told + [Self.toldReversal] { #expect(try await merchant.sell(body).isNew == false, "\(body)") }
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == puts)
        #expect(Self.live(at: merchant) == Self.former.live)
        try await Self.expectSettled(merchant, "\(seed)")
    }

    struct Difference: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: String
        /// Both figures.
        let words: [String]
    }

    @Test(
        "A request that differs from what Apple accepted is 409 with both figures, and no advice to take another saleId",
        arguments: [
            Difference(
                testDescription: "a line",
                body: order("ord", 0, second: "4.98"),
                words: ["line 2", "4.98", "4.99"]
            ),
            Difference(
                testDescription: "fewer lines",
                body: purchase("ord", 0, "9.99"),
                words: ["lines 1 against the accepted 2"]
            ),
            Difference(testDescription: "more lines", body: order("p1", 0), words: ["lines 2 against the accepted 1"]),
            Difference(
                testDescription: "the refund of an order",
                body: refund("r3", of: "ord", "2.00", 2),
                words: ["2.00", "3.00"]
            ),
            Difference(
                testDescription: "a smaller total",
                body: total("r2", of: "p1", "1.50", 2),
                words: ["refundedTotal 1.5 against the accepted 5"]
            ),
            Difference(
                testDescription: "a total that no part of the refunds is",
                body: total("r2", of: "p1", "4.00", 2),
                words: ["refundedTotal 4 against the accepted 5"]
            ),
        ]
    )
    func differs(_ row: Difference) async throws {
        let merchant = try Self.merchant(durable: false)
        try await Self.take(Self.former, merchant)
        await #expect {
            try await merchant.sell(row.body)
        } throws: { error in
            guard case RequestError.conflict(let detail) = error else { return false }
            return row.words.allSatisfy { detail.contains($0) } && !detail.contains("another saleId")
        }
        await merchant.system.sender.runUntilIdle()
        #expect(Self.live(at: merchant) == Self.former.live)
    }

    @Test("An imported token has the checkout that its delivery to a restored ledger gets (TK-77)")
    func importedCheckout() async throws {
        let imported = try Self.merchant(durable: false)
        try await Self.take(FormerSystem(tokens: [Self.token]), imported)
        let checkout = try await Self.merchant(durable: false).take(Self.token).token.checkoutId
        #expect(try await imported.take(Self.token).token.checkoutId == checkout)
        #expect(try await imported.take(Self.perTransaction).token.checkoutId != checkout)
    }

    @Test("A chargeback told again is no refund any more, and totals do not count it (RR-46)")
    func chargebackStays() async throws {
        let merchant = try Self.merchant(durable: false)
        try await Self.take(Self.former, merchant)
        try await merchant.sell(Self.refund("cb3", of: "p3", "4.00", 3, type: "chargeback"))
        await #expect {
            try await merchant.sell(Self.refund("cb3", of: "p3", "4.00", 3))
        } throws: { error in
            if case RequestError.conflict(let detail) = error { detail.contains("type refund") } else { false }
        }
        try await merchant.sell(Self.total("n", of: "p3", "6.00", 60))
        await merchant.system.sender.runUntilIdle()
        #expect(Self.live(at: merchant)["n"] == 6_000)
    }

    @Test("A total told again that is more than Apple accepted is a refund of the difference, once (RR-46)")
    func greaterTotal() async throws {
        let merchant = try Self.merchant(durable: true)
        try await Self.take(Self.former, merchant)
        for _ in 1...2 {
            #expect(try await merchant.sell(Self.total("r2", of: "p1", "7.50", 2)).isNew == false)
            await merchant.system.sender.runUntilIdle()
            // 3.00 and 2.00 were accepted, and 2.50 is new.
            #expect(Self.live(at: merchant)["r2"] == 4_500)
            #expect(merchant.apple.item("r2/2")?.amountTaxInclusive == 2_500)
        }
        try await Self.expectSettled(merchant, "")
        try await merchant.sell(Self.refund("n", of: "p1", "2.49", 60))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("n")?.netAmountTaxExclusive == 0)
    }

    @Test("The reversal of an imported chargeback waits until the chargeback is told, and says so (SA-43)")
    func earlyReversal() async throws {
        let merchant = try Self.merchant(durable: true)
        try await Self.take(Self.former, merchant)
        let receipt = try await merchant.sell(Self.reversal("rv3", of: "cb3", 61))
        #expect(receipt.isNew && receipt.flags == [.wrongReference])
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        #expect(item.detail.contains("send cb3 again as the chargeback"), "\(item.detail)")
        try await merchant.sell(Self.refund("cb3", of: "p3", "4.00", 3, type: "chargeback"))
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("cb3")?.erroneouslySubmitted == true)
    }

    @Test("A line that another system reported by itself is known by itself, too")
    func lineAlone() async throws {
        let merchant = try Self.merchant(durable: false)
        try await Self.take(Self.former, merchant)
        let bodies = [
            Self.purchase("two/1", 5, "5.00", "gems"), Self.purchase("two/2", 5, "4.99", "map"),
            Self.refund("cbo/1", of: "two/1", "5.00", 6), Self.refund("cbo/2", of: "two/2", "4.99", 6),
        ]
        for body in bodies { #expect(try await merchant.sell(body).isNew == false) }
        await merchant.system.sender.runUntilIdle()
        #expect(Self.live(at: merchant) == Self.former.live)
    }

    @Test("A file twice, and in two parts, is one history", arguments: [false, true])
    func importedTwice(inParts: Bool) async throws {
        let merchant = try Self.merchant(durable: true)
        let count = Self.former.reports.count
        let parts = inParts ? [0..<13, 13..<count] : [0..<count]
        for part in parts { try await Self.take(Self.former, merchant, reports: part) }
        let before = try await merchant.system.lists.sales(LedgerPage())
        let apps = [
            Merchant.shop: LedgerImport.App(appAppleId: Merchant.appAppleId, environments: [.production, .sandbox])
        ]
        let work = LedgerImport(apps: apps, settings: ReportingSettings(), dependencies: merchant.clock.dependencies)
        let again = try await work.run(Self.former.file(), into: merchant.store)
        #expect(again.newSales == 0 && again.newReports == 0)
        #expect(try await merchant.system.lists.sales(LedgerPage()) == before)
        #expect(try await merchant.sell(Self.order("two", 5)).lines.count == 2)
    }
}
