import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Testing

@testable import Reporting

/// Refunds, chargebacks and reversals that arrive before what they refer to, over a real store.
@Suite("What refers to a sale that is not known yet is kept and held until it arrives")
struct EarlyRefundTests {
    static func merchant() throws -> Merchant {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("early-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Merchant(store: try SQLiteLedgerStore(path: folder.appendingPathComponent("ledger.sqlite").path))
    }

    @Test("A total told again after an earlier refund was retracted makes up what Apple lacks (RR-46)")
    func totalAfterRetraction() async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        try await merchant.sell(Merchant.refund("first", of: "s", "3.00"))
        try await merchant.sell(Self.total("second", "9.99", at: "11:40"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("second")?.amountTaxInclusive == 6_990)
        let wish =
            #"{"bundleId":"com.example.shop","saleId":"first","action":"retract","requestedBy":"kim","reason":"x"}"#
        let dryRun = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
        let order = #"{"correctionId":"\#(dryRun.correctionId)","confirm":true,"confirmedBy":"kim"}"#
        _ = try await merchant.system.confirmCorrection(body: try JSONReader().read(order))
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Self.total("third", "9.99", at: "11:50"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("third")?.amountTaxInclusive == 3_000)
        #expect(merchant.apple.item("third")?.netAmountTaxExclusive == 0)
    }

    static func sale(_ id: SaleId, of merchant: Merchant) async throws -> StoredSale? {
        try await merchant.system.lists.sales(LedgerPage()).first { $0.sale.saleId == id }
    }

    /// A refund of 3.00 with more in its amount.
    static func refund(_ amount: String, of buy: String = "s", id: String = "r", at: String = "11:30") -> String {
        """
        {"saleId":"\(id)","bundleId":"com.example.shop","type":"refund","occurredAt":"2026-11-20T\(at):00Z",
        "refundOf":"\(buy)","amount":{\(amount)}}
        """
    }

    @Test("A refund before its purchase is held with buy-unknown, and goes out with it (RR-46, RR-65)")
    func refundFirst() async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        let early = try await merchant.sell(Merchant.refund("r", of: "s", "3.00"))
        #expect(early.isNew)
        #expect(early.state == .held)
        #expect(early.flags == [.buyUnknown])
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.isEmpty)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        // 9.99 - 3.00 with 21 %: 8.256 - 2.479 without tax.
        #expect(merchant.apple.item("r")?.amountTaxExclusive == 2_479)
        #expect(merchant.apple.item("s")?.netAmountTaxExclusive == 5_777)
        let again = try await merchant.sell(Merchant.refund("r", of: "s", "3.00"))
        #expect(!again.isNew)
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refund: String
        let flag: SaleFlag
    }

    @Test(
        "What is wrong with an early refund holds it, named by a flag, and it is never sent",
        arguments: [
            Wrong(testDescription: "too much", refund: refund(#""inclusive":"10.00""#), flag: .refundAboveBuy),
            Wrong(
                testDescription: "another currency",
                refund: refund(#""inclusive":"3.00","currency":"USD""#),
                flag: .refundCurrencyDiffers
            ),
            Wrong(testDescription: "more digits", refund: refund(#""inclusive":"3.001""#), flag: .refundTooPrecise),
            Wrong(
                testDescription: "tax beyond the purchase's",
                refund: refund(#""inclusive":"3.00","tax":"2.90""#),
                flag: .refundTaxDiffers
            ),
            Wrong(
                testDescription: "before its purchase",
                refund: refund(#""inclusive":"3.00""#, at: "10:30"),
                flag: .refundBeforeBuy
            ),
            Wrong(
                testDescription: "of a refund",
                refund: refund(#""inclusive":"1.00""#, of: "r0"),
                flag: .wrongReference
            ),
        ]
    )
    func wrong(_ wrong: Wrong) async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        #expect(try await merchant.sell(wrong.refund).flags == [.buyUnknown])
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        if wrong.flag == .wrongReference { try await merchant.sell(Merchant.refund("r0", of: "s", "2.00")) }
        await merchant.system.sender.runUntilIdle()
        let stored = try #require(try await Self.sale("r", of: merchant))
        #expect(stored.standing == .held)
        #expect(stored.attribution.flags == [wrong.flag])
        #expect(merchant.apple.item("r") == nil)
        #expect(merchant.apple.item("s") != nil)
    }

    @Test("A currency that is the purchase's is no other content, whether given before or after it")
    func currency() async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        let named = Self.refund(#""inclusive":"3.00","currency":"EUR""#)
        try await merchant.sell(named)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        for body in [named, Self.refund(#""inclusive":"3.00""#)] {
            #expect(try await merchant.sell(body).isNew == false)
        }
    }

    @Test("Reversal, chargeback and purchase in the wrong order: nothing is given back (RR-80)")
    func reversalFirst() async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        let reversal = """
            {"saleId":"w","bundleId":"com.example.shop","type":"chargebackReversal","occurredAt":"2026-11-20T11:40:00Z",
            "reversalOf":"c"}
            """
        let early = try await merchant.sell(reversal)
        #expect(early.flags == [.buyUnknown])
        let chargeback = Self.refund(#""inclusive":"9.99""#, id: "c").replacing(#""refund""#, with: #""chargeback""#)
        try await merchant.sell(chargeback)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("c") == nil)
        #expect(merchant.apple.item("s")?.netAmountTaxExclusive == 8_256)
        for id in ["c", "w"] as [SaleId] {
            #expect(try await Self.sale(id, of: merchant)?.attribution.state == .recorded)
        }
    }

    @Test("A reversal before the moment of its chargeback waits for a person")
    func reversalBeforeChargeback() async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        let reversal = """
            {"saleId":"w","bundleId":"com.example.shop","type":"chargebackReversal","occurredAt":"2026-11-20T11:20:00Z",
            "reversalOf":"c"}
            """
        try await merchant.sell(reversal)
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        let chargeback = Self.refund(#""inclusive":"9.99""#, id: "c").replacing(#""refund""#, with: #""chargeback""#)
        try await merchant.sell(chargeback)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("c")?.netAmountTaxExclusive == 0)
        #expect(try await Self.sale("w", of: merchant)?.attribution.flags == [.reversalBeforeChargeback])
    }

    // MARK: Minor units

    struct Minor: Sendable {
        let currency: String
        let inclusive: Int64
        let same: String
    }

    @Test(
        "Minor units of ISO 4217 are the same money as decimal text",
        arguments: [
            Minor(currency: "EUR", inclusive: 999, same: "9.99"),
            Minor(currency: "JPY", inclusive: 1_490, same: "1490"),
            Minor(currency: "KWD", inclusive: 1_234, same: "1.234"),
        ]
    )
    func minorUnits(_ minor: Minor) async throws {
        let merchant = try Self.merchant()
        let body = Merchant.purchase("s", on: nil)
            .replacing(
                #""EUR","inclusive":"9.99","taxRate":"21""#,
                with: #""\#(minor.currency)","inclusiveMinor":\#(minor.inclusive),"taxMinor":20"#
            )
        let stored = try await merchant.sell(body).sale.sale.purchase
        #expect(stored?.inclusive == Decimal(string: minor.same))
        let digits = minor.same.split(separator: ".").dropFirst().first?.count ?? 0
        let tax = Decimal(sign: .plus, exponent: -digits, significand: 20)
        #expect(stored?.tax == .amount(tax))
        let text = Merchant.purchase("s", on: nil)
            .replacing(
                #""EUR","inclusive":"9.99","taxRate":"21""#,
                with: #""\#(minor.currency)","inclusive":"\#(minor.same)","tax":"\#(tax)""#
            )
        #expect(try await merchant.sell(text).isNew == false)
    }

    @Test(
        "Minor units are whole numbers, and stand beside no decimal",
        arguments: [
            (#""inclusiveMinor":9.5"#, "/amount/inclusiveMinor"),
            (#""inclusiveMinor":"999""#, "/amount/inclusiveMinor"),
            (#""inclusiveMinor":-1"#, "/amount/inclusiveMinor"),
            (#""inclusive":"9.99","inclusiveMinor":999"#, "/amount/inclusiveMinor"),
            (#""inclusiveMinor":999999999999999999"#, "/amount/inclusiveMinor"),
        ]
    )
    func wrongMinorUnits(_ amount: String, _ path: String) async throws {
        let merchant = try Self.merchant()
        let body = Merchant.purchase("s", on: nil).replacing(#""inclusive":"9.99""#, with: amount)
        #expect(await merchant.faults(of: body).map(\.path) == [path])
    }

    @Test("A refund in minor units takes the purchase's currency, which it names while the purchase is not known")
    func minorRefunds() async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        let bare = Self.refund(#""inclusiveMinor":300"#)
        #expect(await merchant.faults(of: bare).map(\.path) == ["/amount/currency"])
        try await merchant.sell(Self.refund(#""inclusiveMinor":100,"currency":"EUR""#, id: "q", at: "11:20"))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        try await merchant.sell(bare)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r")?.amountTaxInclusive == 3_000)
        #expect(merchant.apple.item("q")?.amountTaxInclusive == 1_000)
    }

    @Test("Tax countries are taken as alpha-2 and kept as alpha-3", arguments: ["NL", "NLD"])
    func taxCountries(_ country: String) async throws {
        let merchant = try Self.merchant()
        let body = Merchant.purchase("s", on: nil).replacing("NLD", with: country)
        #expect(try await merchant.sell(body).sale.sale.purchase?.taxCountry == "NLD")
        #expect(try await merchant.sell(Merchant.purchase("s", on: nil)).isNew == false)
    }

    // MARK: Totals

    static func total(_ id: String, _ total: String, at: String, of buy: String = "s") -> String {
        """
        {"saleId":"\(id)","bundleId":"com.example.shop","type":"refund","occurredAt":"2026-11-20T\(at):00Z",
        "refundOf":"\(buy)","refundedTotal":"\(total)"}
        """
    }

    @Test("Totals arrive before the purchase, shuffled: the sum sent is the last total")
    func totals() async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.total("c", "6.00", at: "11:40"))
        try await merchant.sell(Self.total("a", "1.00", at: "11:10"))
        try await merchant.sell(Self.refund(#""inclusive":"2.00""#, id: "b", at: "11:20"))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        let sent = ["a", "b", "c"].map { merchant.apple.item(LineItemId($0))?.amountTaxInclusive }
        #expect(sent == [1_000, 2_000, 3_000])
    }

    @Test("A smaller total that arrives after a reported later one is recorded, and nothing is sent of it")
    func contained() async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        try await merchant.sell(Self.total("late", "6.00", at: "11:40"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("late")?.amountTaxInclusive == 6_000)
        let early = try await merchant.sell(Self.total("early", "2.00", at: "11:20"))
        #expect(early.state == .recorded)
        #expect(early.flags == [.noLineItem])
        try await merchant.sell(Self.total("last", "9.99", at: "11:50"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("early") == nil)
        #expect(merchant.apple.item("last")?.amountTaxInclusive == 3_990)
        #expect(merchant.apple.item("last")?.netAmountTaxExclusive == 0)
        for body in [Self.total("late", "6.00", at: "11:40"), Self.total("early", "2.00", at: "11:20")] {
            #expect(try await merchant.sell(body).isNew == false)
        }
        #expect(try await merchant.sell(Self.total("more", "10.00", at: "11:55")).flags == [.refundAboveBuy])
    }

    @Test(
        "A total stands instead of the refund's own amount",
        arguments: [
            (#""refundedTotal":"2.00","amount":{"inclusive":"1.00"}"#, "/amount/inclusive"),
            (#""refundedTotal":"2.00","amount":{"tax":"0.10"}"#, "/amount/tax"),
            (#""refundedTotal":2"#, "/refundedTotal"), (#""refundedTotal":"0.00""#, "/refundedTotal"),
            (#""amount":{"refundedTotal":"2.00"}"#, nil),
            (#""amount":{"currency":"EUR"},"refundedTotalMinor":200"#, nil),
            (#""refundedTotalMinor":200"#, nil),
        ] as [(String, String?)]
    )
    func totalFields(_ members: String, _ path: String?) async throws {
        let merchant = try Self.merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        let body = Self.total("r", "2.00", at: "11:20").replacing(#""refundedTotal":"2.00""#, with: members)
        #expect(await merchant.faults(of: body).map(\.path) == (path.map { [$0] } ?? []))
        guard path == nil else { return }
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r")?.amountTaxInclusive == 2_000)
    }
}
