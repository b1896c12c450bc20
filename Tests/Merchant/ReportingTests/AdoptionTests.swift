import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Testing

@testable import Reporting

@Suite("What another system reported goes on here")
struct AdoptionTests {
    private static let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
    private static let start = Merchant.noon - .days(40)
    private static let token = Merchant.token(made: start - .days(1))

    private static func merchant(store: (any LedgerStore)? = nil) throws -> Merchant {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let sqlite = try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
        let merchant = Merchant(store: store ?? sqlite)
        merchant.apple.know(token)
        return merchant
    }

    private static func day(_ day: Int64) -> Timestamp { start + .days(day) }

    private static func item(_ members: String) -> String {
        """
        {"pricingCurrency":"EUR","reportingCurrency":"EUR","taxCountry":"NLD",\(members)}
        """
    }

    /// A purchase of EUR 9.99 with 21 % tax; written by hand, not by the code that is tested.
    private static func buy(_ id: String, more: String = "") -> String {
        item(
            """
            "lineItemId":"\(id)","creationDate":\(day(0).milliseconds),"eventType":"BUY","productType":"ONE_TIME_BUY",
            "productIdentifier":"gems.100","quantity":1,"amountTaxExclusive":8256,"taxAmount":1734,
            "amountTaxInclusive":9990,"netAmountTaxExclusive":8256\(more)
            """
        )
    }

    private static func charge(_ id: String, day from: Int64, event: String, days: Int, of start: String?) -> String {
        let reference = start.map { #","referenceLineItemId":"\#($0)""# } ?? ""
        return item(
            """
            "lineItemId":"\(id)","creationDate":\(day(from).milliseconds),"eventType":"BUY",
            "productType":"SUBSCRIPTION","productIdentifier":"plus","quantity":1,"subscriptionEvent":"\(event)",
            "subscriptionStartDate":\(day(from).milliseconds),"subscriptionEndDate":\(day(from + 30).milliseconds),
            "subscriptionDaysOfPaidService":\(days),"amountTaxExclusive":8256,"taxAmount":1734,
            "amountTaxInclusive":9990,"netAmountTaxExclusive":8256\(reference)
            """
        )
    }

    private static func report(_ number: Int, _ items: [String]) -> String {
        """
        {"requestIdentifier":"20000000-0000-4000-8000-00000000000\(number)",
        "externalPurchaseId":"\(token.externalPurchaseId)","status":"LINE_ITEM","lineItems":[\(items.joined(separator: ","))]}
        """
    }

    private static func file(_ reports: [String], subscriptions: String = "{}") -> [UInt8] {
        Array(
            """
            {"tokens":["\(token.encoded())"],"reports":[\(reports.joined(separator: ","))],"subscriptions":\(subscriptions)}
            """.utf8
        )
    }

    private static let started = report(1, [charge("order-1", day: 0, event: "SUBSCRIPTION_START", days: 0, of: nil)])

    @discardableResult
    private static func take(_ file: [UInt8], _ merchant: Merchant) async throws -> LedgerImport.Summary {
        let apps = [
            Merchant.shop: LedgerImport.App(appAppleId: Merchant.appAppleId, environments: [.production, .sandbox])
        ]
        let work = LedgerImport(
            apps: apps,
            settings: ReportingSettings(),
            dependencies: merchant.clock.dependencies
        )
        // What Apple accepted before: its history is Apple's too.
        let object = try #require(try JSONReader().read(file).objectValue)
        for body in object["reports"]?.arrayValue ?? [] {
            _ = await merchant.apple.send(body.encoded(), environment: .production)
        }
        return try await work.run(file, into: merchant.store)
    }

    private static func renewal(
        _ id: String,
        day from: Int64,
        of subscription: String,
        token: Bool = true
    ) -> String {
        let named = token ? #""externalPurchaseId":"\#(Self.token.externalPurchaseId)","# : ""
        return """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"subscription","occurredAt":"\(day(from))",\(named)
            "subscriptionId":"\(subscription)","period":{"start":"\(day(from))","end":"\(day(from + 30))"},
            "productId":"plus","amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
            """
    }

    private static func sale(_ id: String, at merchant: Merchant) async throws -> StoredSale? {
        try await merchant.store.read { ledger throws(LedgerError) in try ledger.sale(SaleId(id), of: Merchant.shop) }
    }

    @Test("Imported line items stand as accepted sales: listed, exported, due nowhere, refundable once (RR-46)")
    func standsAsSale() async throws {
        let merchant = try Self.merchant()
        let file = Self.file([Self.report(1, [Self.buy("order-1")])])
        let first = try await Self.take(file, merchant)
        #expect(first.newSales == 1)
        let stored = try #require(try await Self.sale("order-1", at: merchant))
        #expect(stored.standing == .reported)
        #expect(stored.sale.occurredAt == Self.day(0))
        let purchase = try #require(stored.sale.purchase)
        #expect(purchase.productId == "gems.100" && purchase.quantity == 1 && purchase.currency == "EUR")
        #expect(purchase.inclusive == Decimal(string: "9.99") && purchase.taxCountry == "NLD")
        #expect(try await merchant.dueEntries().isEmpty)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        let again = try await Self.take(file, merchant)
        #expect(again.newSales == 0 && again.newReports == 0)
        await merchant.system.sender.runUntilIdle()
        let puts = merchant.apple.puts.count
        try await merchant.sell(Merchant.refund("r", of: "order-1", "3.00"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == puts + 1)
        #expect(merchant.apple.item("r")?.referenceLineItemId == "order-1")
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 5_777)
        #expect(try await merchant.sell(Merchant.refund("r2", of: "order-1", "7.00")).flags == [.refundAboveBuy])
        #expect(try await merchant.system.lists.verifyAudit().broken == nil)
    }

    @Test("An imported sale is corrected like every other (RR-80)")
    func corrected() async throws {
        let merchant = try Self.merchant()
        try await Self.take(Self.file([Self.report(1, [Self.buy("order-1")])]), merchant)
        let wish = """
            {"bundleId":"com.example.shop","saleId":"order-1","action":"restate",
            "fields":{"inclusive":"12.10","tax":"2.10"},"requestedBy":"maria","reason":"wrong price"}
            """
        let run = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
        let id = try #require(run.json.objectValue?["correctionId"]?.stringValue)
        let order = #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"otto"}"#
        _ = try await merchant.system.confirmCorrection(body: try JSONReader().read(order))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("order-1")?.amountTaxInclusive == 12_100)
    }

    enum Order: CaseIterable {
        case importFirst
        case saleFirst
        case linkLater
        case linkBySale
    }

    @Test(
        "Renewals of an imported subscription are RENEWAL with its paid days, whatever came first",
        arguments: Order.allCases
    )
    func renewals(_ order: Order) async throws {
        let merchant = try Self.merchant()
        let linked = Self.file([Self.started], subscriptions: #"{"order-1":"sub-1"}"#)
        let renewal = Self.renewal("order-2", day: 30, of: "sub-1")
        switch order {
        case .importFirst:
            try await Self.take(linked, merchant)
            try await merchant.sell(renewal)
        case .saleFirst:
            // As with reporting.send off: stored, and not sent before the import.
            try await merchant.sell(renewal)
            try await Self.take(linked, merchant)
        case .linkLater, .linkBySale:
            try await Self.take(Self.file([Self.started]), merchant)
            try await merchant.sell(renewal)
            await merchant.system.sender.runUntilIdle()
            // It looks like a continuation: no second start is sent.
            #expect(merchant.apple.item("order-2") == nil)
            let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
            #expect(item.kind == .saleHeld && item.detail.contains("order-1"), "\(item)")
            if order == .linkLater {
                try await Self.take(Self.file([], subscriptions: #"{"order-1":"sub-1"}"#), merchant)
            } else {
                try await merchant.sell(Self.renewal("order-1", day: 0, of: "sub-1"))
            }
            #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        }
        await merchant.system.sender.runUntilIdle()
        let item = try #require(merchant.apple.item("order-2"))
        #expect(item.subscriptionEvent == .renewal)
        #expect(item.referenceLineItemId == "order-1")
        #expect(item.subscriptionDaysOfPaidService == 30)
        // One that names nothing but its subscription finds it too.
        merchant.clock.advance(seconds: 30 * 86_400)
        try await merchant.sell(Self.renewal("order-3", day: 60, of: "sub-1", token: false))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("order-3")?.subscriptionDaysOfPaidService == 60)
    }

    @Test("A charge that looks like a continuation is sent as a start when a person says that it is new")
    func newSubscription() async throws {
        let merchant = try Self.merchant()
        try await Self.take(Self.file([Self.started]), merchant)
        try await merchant.sell(Self.renewal("order-2", day: 30, of: "another"))
        await merchant.system.sender.runUntilIdle()
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        let decision = ReviewDecision(.retry, by: "kim", note: "a second plan")
        _ = try await merchant.system.review.decide(decision, on: item.sequence)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("order-2")?.subscriptionEvent == .start)
    }

    struct Posted: Sendable, CustomTestStringConvertible {
        let name: String
        var change: [String: String] = [:]
        var differs: [String] = []
        var testDescription: String { name }
    }

    @Test(
        "A saleId that equals an imported line item is the same sale: 200 where it agrees, 409 with both figures",
        arguments: [
            Posted(name: "the same"),
            Posted(name: "with a customer", change: ["\"productId\"": "\"customerId\":\"c-1\",\"productId\""]),
            Posted(name: "amount", change: ["9.99": "10.99"], differs: ["10.99", "9.99"]),
            Posted(name: "product", change: ["gems.100": "gems.500"], differs: ["gems.500", "gems.100"]),
            Posted(name: "tax country", change: ["NLD": "DEU"], differs: ["DEU", "NLD"]),
            Posted(name: "tax", change: ["\"21\"": "\"19\""], differs: ["1595", "1734"]),
        ],
        [true, false]
    )
    func sameSale(_ row: Posted, importFirst: Bool) async throws {
        let merchant = try Self.merchant()
        var body = Merchant.purchase("order-1", on: Self.token)
            .replacing("2026-11-20T11:00:00Z", with: Self.day(0).description)
        for (old, new) in row.change { body = body.replacing(old, with: new) }
        let file = Self.file([Self.report(1, [Self.buy("order-1")])])
        var words = ""
        if importFirst {
            try await Self.take(file, merchant)
            do {
                #expect(try await merchant.sell(body).isNew == false)
            } catch let RequestError.conflict(detail) {
                words = detail
            }
        } else {
            try await merchant.sell(body)
            do {
                try await Self.take(file, merchant)
            } catch let ImportRefusal.contradictions(list) {
                words = list.joined()
            }
        }
        #expect(words.isEmpty == row.differs.isEmpty, "\(words)")
        for figure in row.differs { #expect(words.contains(figure), "\(words)") }
        guard row.differs.isEmpty else { return }
        #expect(try await Self.sale("order-1", at: merchant)?.standing == .reported)
        let puts = merchant.apple.puts.count
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == puts)
        if row.name == "with a customer" {
            #expect(try await Self.sale("order-1", at: merchant)?.sale.customerId == "c-1")
        }
    }

    @Test("A refund and a restatement in the file are sales and versions; their reports hold nothing twice")
    func restated() async throws {
        let merchant = try Self.merchant()
        let refund = Self.item(
            """
            "lineItemId":"r","creationDate":\(Self.day(1).milliseconds),"eventType":"REFUND",
            "referenceLineItemId":"order-1","amountTaxExclusive":2479,"taxAmount":521,"amountTaxInclusive":3000,
            "netAmountTaxExclusive":5777
            """
        )
        let restated = Self.buy("order-1", more: #","restatement":true"#)
            .replacing("gems.100", with: "gems.101").replacing(
                "\"netAmountTaxExclusive\":8256",
                with: "\"netAmountTaxExclusive\":5777"
            )
        let file = Self.file([
            Self.report(1, [Self.buy("order-1")]), Self.report(2, [refund]), Self.report(3, [restated]),
        ])
        let summary = try await Self.take(file, merchant)
        #expect(summary.newSales == 2 && summary.newReports == 3)
        let buy = try #require(try await Self.sale("order-1", at: merchant))
        #expect(buy.sale.purchase?.productId == "gems.101" && buy.version == 2)
        #expect(try await Self.sale("r", at: merchant)?.sale.refund?.inclusive == 3)
        try await merchant.sell(Merchant.refund("r2", of: "order-1", "6.99"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r2")?.netAmountTaxExclusive == 0)
    }

    @Test("A converted price is the one that its rate makes the accepted amount of")
    func foreignCurrency() async throws {
        let merchant = try Self.merchant()
        // 4990 AMD at 0.0025 is EUR 12.475; with 27 % tax.
        let buy = Self.buy("order-1").replacing(
            "\"pricingCurrency\":\"EUR\"",
            with: "\"pricingCurrency\":\"AMD\",\"exchangeRate\":\"0.0025\""
        )
        .replacing("8256", with: "9823").replacing("1734", with: "2652")
        .replacing("9990", with: "12475")
        try await Self.take(Self.file([Self.report(1, [buy])]), merchant)
        let purchase = try #require(try await Self.sale("order-1", at: merchant)?.sale.purchase)
        #expect(purchase.currency == "AMD" && purchase.inclusive == 4990)
    }

    @Test("What the server reports of an imported sale is newer than the import, whatever the clocks said (OB-80)")
    func exportAfterRefund() async throws {
        let merchant = try Self.merchant()
        merchant.clock.advance(seconds: 3_600)
        try await Self.take(Self.file([Self.report(1, [Self.buy("order-1")])]), merchant)
        merchant.clock.advance(seconds: -3_600)
        try await merchant.sell(Merchant.refund("r", of: "order-1", "3.00"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 5_777)
        let exports = try await merchant.system.exports.make(MonthChoice("2026-10")).exports
        #expect(exports.map(\.rowCount) == [1])
        #expect(exports.flatMap(\.reconciliation.differences) == [])
        #expect(exports.flatMap(\.reconciliation.sales.money).map { "\($0.reportedNet)" } == ["5.777"])
    }

    /// 4.10 euros at a rate of 0.0205, which is what UAH 199.98 to 200.02 convert to; with 20 % tax.
    private static func hryvnia(_ id: String, more: String = "") -> String {
        buy(id, more: more)
            .replacing(
                "\"pricingCurrency\":\"EUR\"",
                with: "\"pricingCurrency\":\"UAH\",\"exchangeRate\":\"0.0205\""
            )
            .replacing("8256", with: "3417").replacing("1734", with: "683").replacing("9990", with: "4100")
    }

    private static func sale(hryvnia amount: String, rated: Bool = true) -> String {
        let rate = #","exchangeRate":{"rate":"0.0205","source":"bank","asOf":"\#(day(0))"}"#
        return Merchant.purchase("order-1", on: token).replacing("2026-11-20T11:00:00Z", with: day(0).description)
            .replacing(
                #""currency":"EUR","inclusive":"9.99","taxRate":"21""#,
                with: #""currency":"UAH","inclusive":"\#(amount)","taxRate":"20"\#(rated ? rate : "")"#
            )
    }

    @Test(
        "Whatever converts to the accepted amount refunds an imported sale whole, and nothing beyond it does (RR-46)",
        arguments: [["200"], ["200.01"], ["199.99"], ["200.02"], ["100.00", "100.01"], ["0.10", "199.92"]],
        [false, true]
    )
    func convertedRefund(_ amounts: [String], asTotals: Bool) async throws {
        let merchant = try Self.merchant()
        try await Self.take(Self.file([Self.report(1, [Self.hryvnia("order-1")])]), merchant)
        #expect(try await merchant.sell(Merchant.refund("more", of: "order-1", "200.03")).flags == [.refundAboveBuy])
        var total: Decimal = 0
        for (number, amount) in amounts.enumerated() {
            total += try #require(Decimal(string: amount))
            let body = Merchant.refund("r\(number)", of: "order-1", amount)
            let ofTotal = body.replacing(#""amount":{"inclusive":"\#(amount)"}"#, with: #""refundedTotal":"\#(total)""#)
            try await merchant.sell(asTotals ? ofTotal : body)
            await merchant.system.sender.runUntilIdle()
        }
        let last = try #require(merchant.apple.item(LineItemId("r\(amounts.count - 1)")))
        #expect(last.netAmountTaxExclusive == 0)
        let sent = amounts.indices.compactMap { merchant.apple.item(LineItemId("r\($0)")) }
        #expect(sent.compactMap(\.amountTaxInclusive).reduce(0, +) == 4_100)
        #expect(sent.compactMap(\.taxAmount).reduce(0, +) == 683)
    }

    @Test("A POST that agrees completes an imported sale with the amount as billed, once", arguments: [true, false])
    func billedAmount(rated: Bool) async throws {
        let merchant = try Self.merchant()
        try await Self.take(Self.file([Self.report(1, [Self.hryvnia("order-1")])]), merchant)
        await #expect(throws: RequestError.self) { try await merchant.sell(Self.sale(hryvnia: "200.03")) }
        for _ in 1...2 {
            #expect(try await merchant.sell(Self.sale(hryvnia: "200.01", rated: rated)).isNew == false)
            let stored = try #require(try await Self.sale("order-1", at: merchant))
            #expect(stored.sale.purchase?.inclusive == Decimal(string: "200.01"))
            #expect(stored.sale.purchase?.tax == .rate(20))
            #expect(stored.version == 2 && stored.standing == .reported)
        }
        await #expect {
            try await merchant.sell(Self.sale(hryvnia: "200.02"))
        } throws: { error in
            guard case RequestError.conflict(let detail) = error else { return false }
            return detail.contains("200.02") && detail.contains("200.01")
        }
        // A newer version of the same amount leaves what was billed.
        let restated = Self.hryvnia("order-1", more: #","restatement":true"#).replacing("gems.100", with: "gems.101")
        try await Self.take(Self.file([Self.report(2, [restated])]), merchant)
        let purchase = try #require(try await Self.sale("order-1", at: merchant)?.sale.purchase)
        #expect(purchase.productId == "gems.101" && purchase.inclusive == Decimal(string: "200.01"))
        // What was billed for the version before is known, too.
        #expect(try await merchant.sell(Self.sale(hryvnia: "200.01", rated: rated)).isNew == false)
        #expect(try await Self.sale("order-1", at: merchant)?.version == 3)
        await #expect(throws: RequestError.self) { try await merchant.sell(Self.sale(hryvnia: "200.02")) }
        #expect(try await merchant.sell(Merchant.refund("more", of: "order-1", "200.02")).flags == [.refundAboveBuy])
        try await merchant.sell(Merchant.refund("r", of: "order-1", "200.01"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r")?.amountTaxInclusive == 4_100)
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 0)
    }

    @Test("An imported refund is the one that the merchant sends where both convert to the accepted amount")
    func billedRefund() async throws {
        let merchant = try Self.merchant()
        let refund = Self.item(
            """
            "lineItemId":"r","creationDate":\(Self.day(1).milliseconds),"eventType":"REFUND","exchangeRate":"0.0205",
            "referenceLineItemId":"order-1","amountTaxExclusive":1709,"taxAmount":342,"amountTaxInclusive":2051,
            "netAmountTaxExclusive":1708
            """
        )
        .replacing("\"pricingCurrency\":\"EUR\"", with: "\"pricingCurrency\":\"UAH\"")
        try await Self.take(
            Self.file([Self.report(1, [Self.hryvnia("order-1")]), Self.report(2, [refund])]),
            merchant
        )
        // Both 100.05 and 100.04 convert to 2051; the second is not what is computed back.
        let same = Merchant.refund("r", of: "order-1", "100.04")
            .replacing("2026-11-20T11:30:00Z", with: Self.day(1).description)
        #expect(try await merchant.sell(same).isNew == false)
        #expect(try await Self.sale("r", at: merchant)?.sale.refund?.inclusive == Decimal(string: "100.04"))
        // Once an amount was stated, another one that converts to the same is no repetition.
        for other in ["101", "100.05"] {
            await #expect {
                try await merchant.sell(same.replacing("100.04", with: other))
            } throws: { error in
                guard case RequestError.conflict(let detail) = error else { return false }
                return detail.contains(Currency.text(of: Decimal(string: other) ?? 0, in: "UAH"))
                    && detail.contains("100.04")
            }
        }
        #expect(try await merchant.sell(same).isNew == false)
    }

    @Test(
        "All of a file or none of it, subscriptions too",
        arguments: [
            (#"{"order-9":"sub-1"}"#, "order-9"), (#"{"order-1":""}"#, "order-1"), (#"{"order-1":7}"#, "order-1"),
        ]
    )
    func allOrNothing(_ subscriptions: String, _ names: String) async throws {
        let merchant = try Self.merchant()
        await #expect {
            try await Self.take(Self.file([Self.started], subscriptions: subscriptions), merchant)
        } throws: { error in
            "\(error)".contains("subscriptions.\(names)")
        }
        #expect(try await merchant.system.lists.sales(LedgerPage()).isEmpty)
        #expect(try await merchant.reports().isEmpty)
    }
}
