import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

/// Sales of several lines over a real store.
@Suite("A sale of several products is one sale with one line item per line")
struct OrderTests {
    static func line(_ product: String, _ inclusive: String, tax: String = #""taxRate":"21","#) -> String {
        """
        {"productId":"\(product)","quantity":1,"amount":{"currency":"EUR","inclusive":"\(inclusive)",\(tax)"taxCountry":"NLD"}}
        """
    }

    static func order(
        _ lines: [String],
        id: String = "o",
        on token: ExternalPurchaseToken? = Merchant.token()
    ) -> String {
        let named = token.map { #""externalPurchaseId":"\#($0.externalPurchaseId)","# } ?? ""
        return """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:00:00Z",\(named)
            "lines":[\(lines.joined(separator: ","))]}
            """
    }

    static let two = order([line("gems", "5.00"), line("map", "4.99")])

    @Test(
        "A correction of the whole order names the lines that can be corrected",
        arguments: CorrectionCommand.Action.allCases
    )
    func correction(_ action: CorrectionCommand.Action) async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.two)
        func refusal(_ id: String) async throws -> [String] {
            let fields: [CorrectionCommand.Action: String] = [
                .restate: #""fields":{"inclusive":"4.00"},"#,
                .move: #""fields":{"occurredAt":"2026-11-20T11:30:00Z"},"#,
            ]
            let body = """
                {"bundleId":"com.example.shop","saleId":"\(id)","action":"\(action.rawValue)",\(fields[action] ?? "")
                "requestedBy":"kim","reason":"wrong"}
                """
            do {
                _ = try await merchant.system.planCorrection(body: try JSONReader().read(body))
                return []
            } catch RequestError.invalid(let errors) {
                return errors.map(\.description)
            }
        }
        let notYet = "/saleId: is not accepted by Apple yet; only what was reported is corrected"
        #expect(try await refusal("o") == [notYet])
        #expect(try await refusal("o/1") == [notYet])
        await merchant.system.sender.runUntilIdle()
        #expect(
            try await refusal("o") == [
                "/saleId: is reported by its lines, and each is corrected by itself: name one of \"o/1\", \"o/2\""
            ]
        )
        if action != .recount { #expect(try await refusal("o/1").isEmpty) }
    }

    @Test("Each line is a line item; the same order again is known, another is a conflict")
    func lineItems() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        let receipt = try await merchant.sell(Self.two)
        #expect(receipt.isNew)
        #expect(receipt.items.map(\.lineItemId) == ["o/1", "o/2"])
        #expect(receipt.state == .planned)
        #expect(receipt.flags.isEmpty)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().count == 1)
        #expect(merchant.apple.item("o/1")?.amountTaxInclusive == 5_000)
        #expect(merchant.apple.item("o/2")?.productIdentifier == "map")
        #expect(merchant.apple.item("o") == nil)
        let again = try await merchant.sell(Self.two)
        #expect(!again.isNew)
        #expect(again.standing == .reported)
        #expect(
            try await merchant.system.lists.sales(matching: ListFilter(), LedgerPage()).map(\.receipt.sale.sale.saleId)
                == [
                    "o"
                ]
        )
        let others = [
            Self.order([Self.line("gems", "5.00"), Self.line("map", "4.98")]), Self.order([Self.line("gems", "5.00")]),
            Self.order([Self.line("map", "4.99"), Self.line("gems", "5.00")]),
            Merchant.purchase("o", on: Merchant.token()), Merchant.purchase("o/1", on: Merchant.token()),
        ]
        for other in others { await Self.expectConflict { try await merchant.sell(other) } }
    }

    static func expectConflict(_ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            if case RequestError.conflict = error { true } else { false }
        }
    }

    @Test("A single line is the sale itself")
    func singleLine() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        let receipt = try await merchant.sell(Self.order([Self.line("gems.100", "9.99")], id: "s"))
        #expect(receipt.lines.isEmpty)
        #expect(receipt.sale.lineItemId == "s")
        #expect(try await merchant.sell(Merchant.purchase("s", on: Merchant.token())).isNew == false)
    }

    @Test("A saleId that is another sale's line item id is a conflict, in either order")
    func ids() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.sell(Merchant.purchase("o/2", on: nil))
        await Self.expectConflict { try await merchant.sell(Self.two) }
        try await merchant.sell(Merchant.purchase("o", on: nil))
        #expect(try await merchant.system.lists.sales(matching: ListFilter(), LedgerPage()).count == 2)
    }

    @Test("A line that lacks something holds the whole order, and completing it sends all lines in one report")
    func held() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        let receipt = try await merchant.sell(
            Self.order([Self.line("gems", "5.00", tax: ""), Self.line("map", "4.99")])
        )
        #expect(receipt.state == .held)
        #expect(receipt.flags == [.noTax, .orderHeld])
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.isEmpty)
        let completed = try await merchant.sell(Self.two)
        #expect(!completed.isNew)
        #expect(completed.state == .planned)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().count == 1)
        #expect(merchant.apple.item("o/1")?.taxAmount == 868)
    }

    @Test("An order goes into one report whole, whatever the limit of line items cuts")
    func reports() async throws {
        var settings = ReportingSettings()
        settings.limits.lineItems = 3
        let merchant = Merchant(settings: settings)
        try await merchant.take(Merchant.token())
        for id in ["a", "b", "c"] {
            try await merchant.sell(Self.order([Self.line("gems", "5.00"), Self.line("map", "4.99")], id: id))
        }
        await merchant.system.sender.runUntilIdle()
        let reports = try await merchant.reports()
        #expect(reports.map(\.state) == [.accepted, .accepted, .accepted])
        for report in reports {
            let items = try #require(try ReceivedReport.read(report.body).lineItems)
            #expect(Set(items.compactMap { $0.lineItemId?.rawValue.first }).count == 1)
            #expect(items.count == 2)
        }
    }

    @Test("A refund of the order is shared among its lines, also when it comes first", arguments: [true, false])
    func refunds(_ isEarly: Bool) async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        let refund = Merchant.refund("r", of: "o", "3.00")
        if isEarly { #expect(try await merchant.sell(refund).flags == [.buyUnknown]) }
        try await merchant.sell(Self.two)
        let receipt = try await merchant.sell(refund)
        #expect(receipt.isNew == !isEarly)
        #expect(receipt.items.map(\.lineItemId) == ["r/1", "r/2"])
        #expect(receipt.state == .planned)
        await merchant.system.sender.runUntilIdle()
        // 3.00 by 5.00 : 4.99 is 1.5015… : 1.4984….
        #expect(merchant.apple.item("r/1")?.amountTaxInclusive == 1_500)
        #expect(merchant.apple.item("r/2")?.amountTaxInclusive == 1_500)
        #expect(merchant.apple.item("r/1")?.referenceLineItemId == "o/1")
        // One line, then the rest of the order by its total.
        try await merchant.sell(Merchant.refund("line", of: "o/2", "3.49").replacing("11:30", with: "11:35"))
        try await merchant.sell(EarlyRefundTests.total("rest", "9.99", at: "11:45", of: "o"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("rest/1")?.amountTaxInclusive == 3_500)
        #expect(merchant.apple.item("rest/2") == nil)
        for line in ["o/1", "o/2"] as [LineItemId] {
            #expect(merchant.apple.item(line)?.netAmountTaxExclusive != nil)
        }
        #expect(merchant.apple.item("rest/1")?.netAmountTaxExclusive == 0)
        #expect(merchant.apple.item("line")?.netAmountTaxExclusive == 0)
        let more = Merchant.refund("x", of: "o", "0.01").replacing("11:30", with: "11:50")
        #expect(try await merchant.sell(more).flags == [.refundAboveBuy])
        #expect(try await merchant.sell(refund).isNew == false)
    }

    @Test("A chargeback of an order that is won back retracts the refund of every line (RR-80)")
    func chargeback() async throws {
        let merchant = try EarlyRefundTests.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.two)
        let chargeback = Merchant.refund("c", of: "o", "9.99").replacing(#""refund""#, with: #""chargeback""#)
        try await merchant.sell(chargeback)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("c/1")?.amountTaxInclusive == 5_000)
        let reversal = """
            {"saleId":"w","bundleId":"com.example.shop","type":"chargebackReversal","occurredAt":"2026-11-20T11:40:00Z",
            "reversalOf":"c"}
            """
        try await merchant.sell(reversal)
        await merchant.system.sender.runUntilIdle()
        for id in ["c/1", "c/2"] as [LineItemId] { #expect(merchant.apple.item(id)?.erroneouslySubmitted == true) }
        #expect(try await merchant.reports().allSatisfy { $0.state == .accepted })
    }

    struct Wrong: Sendable {
        let lines: String
        let path: String
    }

    @Test(
        "A wrong line is named by its place",
        arguments: [
            Wrong(lines: "[]", path: "/lines"), Wrong(lines: "{}", path: "/lines"),
            Wrong(lines: "[1]", path: "/lines/0"),
            Wrong(lines: "[\(line("a", "1.00")),\(line("b", "1.001"))]", path: "/lines/1/amount/inclusive"),
            Wrong(lines: "[\(line("a", "1.00")),{}]", path: "/lines/1/productId"),
            Wrong(
                lines: "[\(line("a", "1.00")),\(line("b", "1.00").replacing("EUR", with: "USD"))]",
                path: "/lines/1/amount"
            ),
            Wrong(lines: #"[\#(line("a", "1.00"))],"productId":"p""#, path: "/productId"),
        ]
    )
    func wrongLines(_ wrong: Wrong) async throws {
        let merchant = Merchant()
        let body = Self.order([]).replacing("[]", with: wrong.lines)
        #expect(await merchant.faults(of: body).map(\.path).first == wrong.path)
        #expect(try await merchant.system.lists.sales(LedgerPage()).isEmpty)
    }
}
