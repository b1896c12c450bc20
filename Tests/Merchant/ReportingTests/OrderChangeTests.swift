import ExternalPurchaseCore
import Ledger
import Testing

@testable import Reporting

@Suite("A sale of several lines is amended and voided as one")
struct OrderChangeTests {
    static func amended(_ lines: [String]) -> String {
        OrderTests.order(lines).replacing(#""saleId":"o","#, with: #""saleId":"o","amends":true,"by":"maria","#)
    }

    static func void(_ id: SaleId, of merchant: Merchant) async throws -> SaleReceipt {
        try await merchant.system.voidSale(id, body: try JSONReader().read(#"{"by":"maria","reason":"never paid"}"#))
    }

    @Test("More lines, fewer lines, one line, and two again: what is sent is what was said last")
    func lines() async throws {
        let steps: [[(String, String)]] = [
            [("gems", "4.00"), ("map", "3.00"), ("hat", "1.00")], [("gems", "4.00"), ("map", "2.00")],
            [("gems", "4.00")], [("gems", "4.00"), ("map", "3.50")],
        ]
        for count in 1...steps.count {
            let merchant = try EarlyRefundTests.merchant()
            try await merchant.take(Merchant.token())
            try await merchant.sell(OrderTests.two)
            for step in steps.prefix(count) {
                let receipt = try await merchant.sell(Self.amended(step.map { OrderTests.line($0.0, $0.1) }))
                #expect(receipt.isChanged)
                #expect(receipt.state == .planned)
                #expect(receipt.items.count == step.count)
            }
            let last = steps[count - 1]
            let ids: [LineItemId] = last.count == 1 ? ["o"] : (1...last.count).map { LineItemId("o/\($0)") }
            await merchant.system.sender.runUntilIdle()
            for (id, line) in zip(ids, last) {
                #expect(merchant.apple.item(id)?.productIdentifier == line.0, "\(count): \(id)")
                let amount = merchant.apple.item(id)?.amountTaxInclusive
                #expect(amount.map { "\($0)" } == line.1.filter { $0 != "." } + "0", "\(count): \(id)")
            }
            for id in ["o", "o/1", "o/2", "o/3"] as [LineItemId] where !ids.contains(id) {
                #expect(merchant.apple.item(id) == nil, "\(count): \(id)")
            }
            #expect(try await merchant.reports().map(\.state) == [.accepted])
        }
    }

    @Test("A void withdraws every line; the id is used up")
    func voids() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(OrderTests.two)
        await OrderTests.expectImpossible { _ = try await Self.void("o/1", of: merchant) }
        #expect(try await Self.void("o", of: merchant).stateName == "void")
        #expect(try await Self.void("o", of: merchant).isChanged == false)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("o/1") == nil)
        #expect(merchant.apple.item("o/2") == nil)
        await OrderTests.expectConflict { try await merchant.sell(OrderTests.two) }
        #expect(try await merchant.sell(Merchant.refund("r", of: "o", "1.00")).flags == [.buyVoided])
    }

    @Test("While refunds stand, an order keeps its lines and is not voided; a refund of it is amended and voided whole")
    func refunds() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(OrderTests.two)
        let refund = Merchant.refund("r", of: "o", "3.00")
        try await merchant.sell(refund)
        await OrderTests.expectImpossible { _ = try await Self.void("o", of: merchant) }
        #expect(await merchant.faults(of: Self.amended([OrderTests.line("gems", "9.99")])).map(\.path) == ["/lines"])
        let more = refund.replacing(#""saleId":"r","#, with: #""saleId":"r","amends":true,"by":"maria","#)
            .replacing("3.00", with: "4.00")
        #expect(try await merchant.sell(more).items.count == 2)
        await merchant.system.sender.runUntilIdle()
        let sent = ["r/1", "r/2"].compactMap { merchant.apple.item(LineItemId($0))?.amountTaxInclusive }
        #expect(sent.reduce(0, +) == 4_000)
        let other = try EarlyRefundTests.merchant()
        try await other.take(Merchant.token())
        try await other.sell(OrderTests.two)
        try await other.sell(refund)
        #expect(try await Self.void("r", of: other).stateName == "void")
        await other.system.sender.runUntilIdle()
        #expect(other.apple.item("r/1") == nil)
        #expect(other.apple.item("o/1")?.netAmountTaxExclusive == 4_132)
    }

    @Test("Once accepted, each line that changes has its correction, ready to be confirmed")
    func accepted() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(OrderTests.two)
        await merchant.system.sender.runUntilIdle()
        let one = Self.amended([OrderTests.line("gems", "5.00"), OrderTests.line("map", "3.99")])
        await #expect {
            try await merchant.sell(one)
        } throws: { error in
            guard case RequestError.needsCorrection(_, let dryRuns) = error else { return false }
            #expect(dryRuns.members.map(\.key) == ["correctionId", "allowed", "plan", "corrections"])
            return dryRuns.map(\.isAllowed) == [true] && dryRuns[0].plan.encoded().contains(Array("o/2".utf8))
        }
        let more = Self.amended(["gems", "map", "sword"].map { OrderTests.line($0, "4.00") })
        await OrderTests.expectImpossible { try await merchant.sell(more) }
    }

    private static func dryRuns(_ body: () async throws -> Void) async throws -> [CorrectionDryRun] {
        let error = await #expect(throws: RequestError.self) { try await body() }
        guard case .needsCorrection(_, let dryRuns) = error else {
            Issue.record("\(String(describing: error))")
            return []
        }
        #expect(dryRuns.members.map(\.key) == ["corrections"])
        return dryRuns
    }

    private static func confirm(_ dryRun: CorrectionDryRun, of merchant: Merchant) async throws {
        let body = #"{"correctionId":"\#(dryRun.correctionId)","confirm":true,"confirmedBy":"kim"}"#
        let confirmed = try await merchant.system.confirmCorrection(body: try JSONReader().read(body))
        guard case .confirmed = confirmed else {
            Issue.record("\(confirmed)")
            return
        }
        await merchant.system.sender.runUntilIdle()
    }

    @Test("All lines of an accepted sale change by the corrections that one answer offers, in any order")
    func allLines() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(OrderTests.two)
        await merchant.system.sender.runUntilIdle()
        let both = Self.amended([OrderTests.line("gems", "4.00"), OrderTests.line("map", "3.99")])
        let offered = try await Self.dryRuns { _ = try await merchant.sell(both) }
        #expect(offered.count == 2)
        // Asked for again, the same are offered.
        let again = try await Self.dryRuns { _ = try await merchant.sell(both) }
        #expect(again == offered)
        for dryRun in offered.reversed() { try await Self.confirm(dryRun, of: merchant) }
        // 4.00 and 3.99 less 21 %, in thousandths.
        #expect(merchant.apple.item("o/1")?.netAmountTaxExclusive == 3_306)
        #expect(merchant.apple.item("o/2")?.netAmountTaxExclusive == 3_298)
    }

    @Test("A refund of an order of which a line was retracted goes to the other lines (RR-46)")
    func refundAfterRetraction() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(OrderTests.two)
        await merchant.system.sender.runUntilIdle()
        let wish =
            #"{"bundleId":"com.example.shop","saleId":"o/2","action":"retract","requestedBy":"kim","reason":"x"}"#
        let dryRun = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
        try await Self.confirm(dryRun, of: merchant)
        merchant.clock.advance(seconds: 60)
        try await merchant.sell(Merchant.refund("r", of: "o", "1.00"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r/1")?.amountTaxInclusive == 1_000)
        #expect(merchant.apple.item("r/2") == nil)
        #expect(try await merchant.system.lists.review(LedgerPage()).isEmpty)
        #expect(try await merchant.dueEntries().isEmpty)
    }

    @Test("Voiding an accepted sale of several lines offers the retraction of each; fewer lines retract the others")
    func voidedLines() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(OrderTests.two)
        await merchant.system.sender.runUntilIdle()
        let offered = try await Self.dryRuns { _ = try await Self.void("o", of: merchant) }
        #expect(offered.count == 2)
        for dryRun in offered { try await Self.confirm(dryRun, of: merchant) }
        for line in ["o/1", "o/2"] as [LineItemId] {
            #expect(merchant.apple.item(line)?.netAmountTaxExclusive == 0)
        }
    }
}

extension OrderTests {
    static func expectImpossible(_ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            if case RequestError.impossible = error { true } else { false }
        }
    }
}
