import ExternalPurchaseCore
import Foundation
import Ledger
import TestSupport
import Testing

@testable import Reporting

/// What Apple accepted stands in one export each, whatever the customers' countries (OB-11, OB-13, OB-61).
@Suite("Month exports together hold what Apple accepted")
struct ExportCompletenessTests {
    /// A configured app and the types of its tokens.
    struct App: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let programmes: [String]
        let types: [TokenType?]
    }

    /// Their programmes, and those that the storefronts below lead to, all count calendar months.
    static let apps = [
        App(testDescription: "European Union", programmes: ["eu-custom-link"], types: [.services, .acquisition, nil]),
        App(testDescription: "Japan", programmes: ["jp-custom-link"], types: [.inApp, .linkOut]),
        App(testDescription: "Japan or Brazil, not configured", programmes: [], types: [.inApp, .linkOut]),
        App(testDescription: "outside the App Store", programmes: ["outside-app-store"], types: [.coreTechnology]),
    ]

    /// Apps with two programmes of one token type and different calendars.
    static let double = [
        App(testDescription: "European Union and Korea", programmes: ["eu-custom-link", "kr-in-app"], types: [nil]),
        App(
            testDescription: "European Union, twice",
            programmes: ["eu-custom-link", "eea-streaming"],
            types: [.services, .acquisition]
        ),
        App(
            testDescription: "dating, music and Korea",
            programmes: ["nl-dating", "eea-streaming", "kr"],
            types: [nil]
        ),
    ]

    /// Among their programmes are such with Apple's fiscal months.
    static let mixed = [
        App(testDescription: "not configured", programmes: [], types: [.services, .acquisition, nil, .coreTechnology]),
        App(testDescription: "Korea", programmes: ["kr-in-app"], types: [nil]),
        App(testDescription: "streaming", programmes: ["eea-streaming"], types: [.services, .acquisition]),
        App(
            testDescription: "another app's tokens",
            programmes: ["br-custom-link"],
            types: [.services, nil, .linkOut]
        ),
    ]

    private static let countries = ["NLD", "DEU", "JPN", "BRA", "USA", "CHE", "UKR", "ISL", "NOR", "KOR", "RUS"]
    private static let storefronts = [nil, nil, nil, "USA", "CHE"]

    /// Sells with tokens of October and November 2026, refunds some of it, and reports it all.
    private func merchant(_ app: App, _ random: inout SplitMix64) async throws -> Merchant {
        let merchant = Merchant(programmes: app.programmes)
        merchant.apple.allowEarlySales()
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        for number in 0..<10 {
            let made = Merchant.noon - .days(Int.random(in: 2...50, using: &random))
            let type = pick(app.types)
            let isLong = type == .services || type == .acquisition
            let token = Merchant.token(
                Character(String(number, radix: 16)),
                type: type,
                made: made,
                expires: isLong ? made + .days(365) : type == .inApp || type == .linkOut ? made + .days(1) : nil
            )
            merchant.apple.know(token)
            let arrival = TokenArrival(
                text: token.encoded(),
                source: .app,
                customerId: CustomerId("c\(number)"),
                storefront: pick(Self.storefronts).flatMap { StorefrontCode($0) }
            )
            _ = try await merchant.system.tokens.receive(arrival)
            for sale in 0..<(isLong ? Int.random(in: 1...4, using: &random) : 1) {
                let id = "s\(number)-\(sale)"
                let later = isLong ? Int.random(in: 0..<30, using: &random) : 0
                let soldAt = min(made + .days(later) + .minutes(1), Merchant.noon - .days(1))
                let cents = Int.random(in: 10_000...99_999, using: &random)
                try await merchant.sell(
                    """
                    {"saleId":"\(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"\(soldAt)",
                    "externalPurchaseId":"\(token.externalPurchaseId)","productId":"gems","quantity":1,
                    "amount":{"currency":"\(pick(["EUR", "USD"]))","inclusive":"\(cents / 100).\(cents % 90 + 10)",
                    "taxRate":"21","taxCountry":"\(pick(Self.countries))"}}
                    """
                )
                guard pick([true, false, false]) else { continue }
                let refundedAt = min(soldAt + .days(Int.random(in: 0..<30, using: &random)), Merchant.noon)
                try await merchant.sell(
                    Merchant.refund("r\(id)", of: id, "\(Int.random(in: 1...99, using: &random)).00")
                        .replacing("2026-11-20T11:30:00Z", with: "\(refundedAt)")
                )
            }
        }
        await merchant.system.sender.runUntilIdle()
        return merchant
    }

    /// A buy as Apple has it, with the net of the newest item of its group.
    private struct Bought {
        let createdAt: Date
        let currency: String
        var net: Decimal
    }

    /// Reads the bodies of the accepted reports with another parser, and sums up by their own members.
    private func accepted(by merchant: Merchant) async throws -> [String: Bought] {
        let reports = try await merchant.store.read { ledger throws(LedgerError) in
            try ledger.reports(LedgerPage(limit: 1_000))
        }
        #expect(reports.allSatisfy { $0.state == .accepted })
        var bought: [String: Bought] = [:]
        for report in reports {
            let body = try JSONSerialization.jsonObject(with: Data(report.body)) as? [String: Any]
            for item in body?["lineItems"] as? [[String: Any]] ?? [] {
                let net = Decimal(try #require(item["netAmountTaxExclusive"] as? Int)) / 1_000
                if item["eventType"] as? String == "REFUND" {
                    bought[try #require(item["referenceLineItemId"] as? String)]?.net = net
                } else {
                    let date = try #require(item["creationDate"] as? Double) / 1_000
                    bought[try #require(item["lineItemId"] as? String)] = Bought(
                        createdAt: Date(timeIntervalSince1970: date),
                        currency: try #require(item["reportingCurrency"] as? String),
                        net: net
                    )
                }
            }
        }
        return bought
    }

    @Test(
        "The exports of a month sum up to the net of the items that Apple accepted and that were created in it",
        arguments: apps,
        1...12
    )
    func sums(_ app: App, _ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let merchant = try await merchant(app, &random)
        let bought = try await accepted(by: merchant)
        let sales = try await merchant.store.read { ledger throws(LedgerError) in
            var sales: [StoredSale] = []
            try ledger.eachSale { sales.append($0) }
            return sales
        }
        // Nothing is open.
        #expect(sales.allSatisfy { $0.standing == .reported })
        #expect(bought.count == sales.count { $0.sale.purchase != nil })
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var lines: [String] = []
        for (month, name) in [(10, "2026-10"), (11, "2026-11")] {
            var expected: [String: Decimal] = [:]
            for buy in bought.values where calendar.component(.month, from: buy.createdAt) == month {
                expected[buy.currency, default: 0] += buy.net
            }
            let exports = try await merchant.system.exports.make(MonthChoice(name)).exports
            var found: [String: Decimal] = [:]
            for money in exports.flatMap(\.reconciliation.sales.money) {
                found[money.currency, default: 0] += money.reportedNet
            }
            // A month with only refunds in a currency has a sum of 0 in it.
            #expect(found.filter { $0.value != 0 } == expected.filter { $0.value != 0 }, "\(name)")
            #expect(exports.flatMap(\.reconciliation.differences) == [])
            lines += try await merchant.system.exports.rows(MonthChoice(name)).map { $0.saleId }
        }
        // Each sale, refunds too, is in one export exactly.
        #expect(lines.sorted() == sales.map(\.sale.saleId.rawValue).sorted())
    }

    @Test(
        "Refunds are in the exports of their purchase's programme, in whatever month (OB-11)",
        arguments: double,
        1...8
    )
    func refundsFollow(_ app: App, _ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let merchant = try await merchant(app, &random)
        var programmes: [String: [String]] = [:]
        for month in ["2026-09", "2026-10", "2026-11", "2026-12"] {
            for row in try await merchant.system.exports.rows(MonthChoice(month)) {
                guard case .sale(let sale) = row.subject else { continue }
                programmes[sale.saleId, default: []].append(row.programme)
            }
        }
        #expect(programmes.values.allSatisfy { $0.count == 1 })
        for (refund, found) in programmes where refund.hasPrefix("r") {
            #expect(found == programmes[String(refund.dropFirst())], "\(refund)")
        }
    }

    @Test(
        "Where calendars differ, each item is in the export of one programme and one month",
        arguments: mixed,
        sample(1...8, 3)
    )
    func once(_ app: App, _ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let merchant = try await merchant(app, &random)
        let bought = try await accepted(by: merchant)
        var expected: [String: Decimal] = [:]
        for buy in bought.values { expected[buy.currency, default: 0] += buy.net }
        var lines: [String] = []
        var found: [String: Decimal] = [:]
        for month in ["2026-08", "2026-09", "2026-10", "2026-11", "2026-12", "2027-01"] {
            let exports = try await merchant.system.exports.make(MonthChoice(month)).exports
            lines += try await merchant.system.exports.rows(MonthChoice(month)).map(\.saleId)
            for money in exports.flatMap(\.reconciliation.sales.money) {
                found[money.currency, default: 0] += money.reportedNet
            }
        }
        #expect(found == expected)
        let sales = try await merchant.store.read { ledger throws(LedgerError) in
            var sales: [String] = []
            try ledger.eachSale { sales.append($0.sale.saleId.rawValue) }
            return sales
        }
        #expect(lines.sorted() == sales.sorted())
    }
}

extension ExportRow {
    /// The id of the sale; empty for a token.
    fileprivate var saleId: String {
        if case .sale(let sale) = subject { sale.saleId } else { "" }
    }
}
