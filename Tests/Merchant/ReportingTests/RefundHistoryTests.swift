import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

/// Refunds stated singly and by totals, and corrections of them and of their purchase, in random sequences.
///
/// The oracle folds what the shop said: a stated refund adds, a total raises the sum to itself (RR-46).
@Suite("Refunds, totals and corrections of one purchase, in any sequence (RR-46, RR-80, RR-84)")
struct RefundHistoryTests {
    /// What the shop said of one refund, in cents.
    private struct Statement {
        let second: Int
        var cents: Int
        var isTotal: Bool
        var isRetracted = false
    }

    private struct Shop {
        var refunds: [String: Statement] = [:]
        var isBuyRetracted = false
        /// True from the correction of a refund to the next total: a total that was reported before keeps its amount.
        var mayFallShort = false

        /// The refunded sum in cents.
        var sum: Int {
            var sum = 0
            let counted = refunds.values.filter { !$0.isRetracted }
            for refund in counted.sorted(by: { $0.second < $1.second }) {
                sum = refund.isTotal ? max(sum, refund.cents) : sum + refund.cents
            }
            return sum
        }

        var latest: Int { refunds.values.map(\.second).max() ?? 0 }
    }

    /// A line item, as a dry run shows it and as Apple receives it.
    private struct Item: Hashable {
        let id: String
        let exclusive: Int64
        let tax: Int64
        let isRetracted: Bool

        init?(_ json: JSONValue) {
            guard let members = json.objectValue, let id = members["lineItemId"]?.stringValue,
                let exclusive = members["amountTaxExclusive"]?.int64Value, let tax = members["taxAmount"]?.int64Value
            else { return nil }
            (self.id, self.exclusive, self.tax) = (id, exclusive, tax)
            isRetracted = members["erroneouslySubmitted"]?.boolValue ?? false
        }
    }

    private static func text(_ cents: Int) -> String {
        let rest = cents % 100
        return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func moment(_ second: Int) -> String {
        (Merchant.noon - .hours(1) + .seconds(Int64(second))).description
    }

    private static func items(_ body: [UInt8]) throws -> [Item] {
        try #require(try JSONReader().read(body).objectValue?["lineItems"]?.arrayValue).compactMap(Item.init)
    }

    /// The sum in cents of the refunds that Apple accepted and that are not retracted.
    private static func accepted(_ shop: Shop, at merchant: Merchant) -> Int {
        var sum: Int64 = 0
        for id in shop.refunds.keys {
            guard let item = merchant.apple.item(LineItemId(id)), item.erroneouslySubmitted != true else { continue }
            sum += item.amountTaxInclusive ?? 0
        }
        return Int(sum / 10)
    }

    @Test(
        "Apple never has more than was stated, less only until the next total, and gets what a dry run showed",
        arguments: 0..<120
    )
    func story(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(
            """
            {"saleId":"s","bundleId":"com.example.shop","type":"purchase","occurredAt":"\(Self.moment(0))",
            "externalPurchaseId":"\(Merchant.token().externalPurchaseId)","productId":"gems.100","quantity":1,
            "amount":{"currency":"EUR","inclusive":"99.99","taxRate":"21","taxCountry":"NLD"}}
            """
        )
        await merchant.system.sender.runUntilIdle()
        var shop = Shop()
        var story: [String] = []
        for step in 1...14 {
            let refund = shop.refunds.keys.sorted().randomElement(using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<2: try await state("r\(step)", isTotal: false, &shop, &story, merchant, &random)
            case 2..<4: try await state("t\(step)", isTotal: true, &shop, &story, merchant, &random)
            case 4..<6: try await correct("retract", refund ?? "s", &shop, &story, merchant)
            case 6..<8: try await correct("undo", refund ?? "s", &shop, &story, merchant)
            case 8:
                guard let refund else { continue }
                let cents = Int.random(in: 1...400, using: &random)
                try await correct("restate", refund, cents: cents, &shop, &story, merchant)
            default: try await correct(shop.isBuyRetracted ? "undo" : "retract", "s", &shop, &story, merchant)
            }
            let sum = Self.accepted(shop, at: merchant)
            let stated = shop.isBuyRetracted ? 0 : shop.sum
            #expect(sum <= stated, "\(story)")
            if !shop.mayFallShort { #expect(sum == stated, "\(story)") }
        }
    }

    /// The shop states a refund, which any moment may have; a total at the latest moment ends a shortfall.
    private func state(
        _ id: String,
        isTotal: Bool,
        _ shop: inout Shop,
        _ story: inout [String],
        _ merchant: Merchant,
        _ random: inout SplitMix64
    ) async throws {
        let second = Bool.random(using: &random) ? shop.latest + 1 : Int.random(in: 1...100, using: &random)
        // A refund of a retracted purchase is refused.
        guard !shop.isBuyRetracted, !shop.refunds.values.contains(where: { $0.second == second }) else { return }
        let cents = Int.random(in: 1...(isTotal ? 1_200 : 400), using: &random)
        let amount = #""\#(isTotal ? "refundedTotal" : "inclusive")":"\#(Self.text(cents))""#
        try await merchant.sell(
            """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"refund","occurredAt":"\(Self.moment(second))",
            "refundOf":"s","amount":{\(amount)}}
            """
        )
        await merchant.system.sender.runUntilIdle()
        shop.refunds[id] = Statement(second: second, cents: cents, isTotal: isTotal)
        story.append("\(id) \(isTotal ? "total" : "of") \(cents) at \(second)")
        if isTotal, second == shop.latest { shop.mayFallShort = false }
    }

    /// A person corrects a refund or the purchase; a refusal because of totals must be necessary.
    private func correct(
        _ action: String,
        _ id: String,
        cents: Int? = nil,
        _ shop: inout Shop,
        _ story: inout [String],
        _ merchant: Merchant
    ) async throws {
        var next = shop
        if id == "s" {
            next.isBuyRetracted = action == "retract"
            if next.isBuyRetracted {
                for refund in shop.refunds.keys where merchant.apple.item(LineItemId(refund)) != nil {
                    next.refunds[refund]?.isRetracted = true
                }
            }
        } else {
            next.refunds[id]?.isRetracted = action == "retract"
            next.mayFallShort = true
            if let cents {
                next.refunds[id]?.cents = cents
                next.refunds[id]?.isTotal = false
            }
        }
        let fields = cents.map { cents in
            let tax = Int((Double(cents) * 21 / 121).rounded())
            return #","fields":{"inclusive":"\#(Self.text(cents))","tax":"\#(Self.text(tax))"}"#
        }
        let wish =
            #"{"bundleId":"com.example.shop","saleId":"\#(id)","action":"\#(action)"\#(fields ?? ""),"#
            + #""requestedBy":"maria","reason":"r"}"#
        let puts = merchant.apple.puts.count
        let run: CorrectionDryRun
        do {
            run = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
        } catch {
            let item = merchant.apple.item(LineItemId(id))
            if "\(error)".contains("by total") {
                let amount = cents ?? Int((item?.amountTaxInclusive ?? 0) / 10)
                let own = item?.erroneouslySubmitted == true ? 0 : Int((item?.amountTaxInclusive ?? 0) / 10)
                #expect(
                    Self.accepted(shop, at: merchant) - own + amount > next.sum,
                    "\(story) \(action) \(id): \(error)"
                )
                story.append("\(action) \(id) \(cents ?? 0) refused")
            } else {
                #expect(item == nil, "\(story) \(action) \(id): \(error)")
            }
            return
        }
        guard run.isAllowed else { return }
        story.append("\(action) \(id) \(cents ?? 0)")
        let dryRun = try #require(try await merchant.system.lists.corrections(LedgerPage()).last?.dryRun?.objectValue)
        let reports = try #require(dryRun["lineItems"]?.arrayValue)
        let expected = reports.flatMap { $0.arrayValue ?? [] }.compactMap { Item($0) }
        let confirmation = #"{"correctionId":"\#(run.correctionId)","confirm":true,"confirmedBy":"otto"}"#
        let confirmed = try await merchant.system.confirmCorrection(body: try JSONReader().read(confirmation))
        guard case .confirmed(_, _, isNew: true) = confirmed else {
            Issue.record("\(story): \(confirmed)")
            return
        }
        await merchant.system.sender.runUntilIdle()
        shop = next
        var sent = try merchant.apple.puts.dropFirst(puts).flatMap(Self.items)
        let shown = sent.prefix(expected.count)
        #expect(Set(shown) == Set(expected), "\(story)")
        sent.removeFirst(shown.count)
        let warnings = run.plan.objectValue?["warnings"]?.arrayValue?.compactMap(\.objectValue) ?? []
        let announced = warnings.filter { $0["code"]?.stringValue == "sent-afterwards" }
        #expect(announced.compactMap { $0["lineItemId"]?.stringValue }.sorted() == sent.map(\.id).sorted(), "\(story)")
        for item in sent {
            let reason = announced.first { $0["lineItemId"]?.stringValue == item.id }?["reason"]?.stringValue ?? ""
            let amount = Decimal(item.exclusive + item.tax) / 1_000
            #expect(reason.contains("with \(Currency.text(of: amount, in: "EUR")) EUR"), "\(story): \(reason)")
        }
        #expect(try await merchant.reports().allSatisfy { $0.state == .accepted }, "\(story)")
    }

    @Test("The purchase whose refund was retracted with it comes back with a total that contained the refund")
    func undoneBuy() async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        let total =
            #"{"saleId":"t","bundleId":"com.example.shop","type":"refund","occurredAt":"2026-11-20T11:31:00Z","#
            + #""refundOf":"s","amount":{"refundedTotal":"4.00"}}"#
        for sale in [Merchant.purchase("s", on: Merchant.token()), Merchant.refund("r", of: "s", "4.00"), total] {
            try await merchant.sell(sale)
            await merchant.system.sender.runUntilIdle()
        }
        #expect(merchant.apple.item("t") == nil)
        var (shop, story) = (Shop(), [String]())
        shop.refunds["r"] = Statement(second: 1, cents: 400, isTotal: false)
        shop.refunds["t"] = Statement(second: 2, cents: 400, isTotal: true)
        try await correct("retract", "s", &shop, &story, merchant)
        try await correct("undo", "s", &shop, &story, merchant)
        #expect(merchant.apple.item("t")?.amountTaxInclusive == 4_000)
        #expect(merchant.apple.item("r")?.erroneouslySubmitted == true)
        // Both would be 8.00.
        try await correct("undo", "r", &shop, &story, merchant)
        #expect(story == ["retract s 0", "undo s 0", "undo r 0 refused"])
        #expect(Self.accepted(shop, at: merchant) == 400)
    }
}
