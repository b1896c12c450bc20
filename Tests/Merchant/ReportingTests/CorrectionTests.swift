import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

@Suite("Corrections of what Apple accepted")
struct CorrectionTests {
    private func merchant(
        _ sales: String...,
        store: any LedgerStore = MemoryLedgerStore.empty()
    ) async throws -> Merchant {
        let merchant = Merchant(store: store)
        try await merchant.take(Merchant.token())
        try await merchant.take(Merchant.token("b"))
        for sale in sales {
            try await merchant.sell(sale)
            await merchant.system.sender.runUntilIdle()
        }
        #expect(try await merchant.reports().allSatisfy { $0.state == .accepted })
        return merchant
    }

    private static let buy = Merchant.purchase("s", on: Merchant.token())
    private static let refund = Merchant.refund("r", of: "s", "3.00")

    private static func wish(_ action: String, _ sale: String = "s", _ fields: String? = nil) -> String {
        let fields = fields.map { #","fields":\#($0)"# } ?? ""
        return """
            {"bundleId":"com.example.shop","saleId":"\(sale)","action":"\(action)"\(fields),"requestedBy":"maria",
            "reason":"the till was wrong"}
            """
    }

    private func plan(_ body: String, at merchant: Merchant) async throws -> CorrectionDryRun {
        try await merchant.system.planCorrection(body: try JSONReader().read(body))
    }

    private func confirm(_ run: CorrectionDryRun, at merchant: Merchant) async throws -> CorrectionConfirmation {
        let body = #"{"correctionId":"\#(run.correctionId)","confirm":true,"confirmedBy":"otto"}"#
        return try await merchant.system.confirmCorrection(body: try JSONReader().read(body))
    }

    /// Plans, confirms and sends.
    private func correct(_ body: String, at merchant: Merchant) async throws {
        let run = try await plan(body, at: merchant)
        #expect(run.isAllowed, "\(run.plan.formatted())")
        guard case .confirmed(_, _, isNew: true) = try await confirm(run, at: merchant) else {
            Issue.record("not confirmed")
            return
        }
        await merchant.system.sender.runUntilIdle()
        let correction = try #require(try await merchant.system.lists.corrections(LedgerPage()).last)
        #expect(correction.closing != nil)
    }

    private func sale(_ id: SaleId, at merchant: Merchant) async throws -> StoredSale {
        try #require(try await merchant.system.lists.sales(LedgerPage()).first { $0.sale.saleId == id })
    }

    @Test("A dry run keeps who, why and what, and sends nothing (RR-84)")
    func dryRun() async throws {
        let merchant = try await merchant(Self.buy)
        let run = try await plan(Self.wish("restate", "s", #"{"inclusive":"12.10"}"#), at: merchant)
        #expect(run.isAllowed)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == 1)
        let correction = try #require(try await merchant.system.lists.corrections(LedgerPage()).first)
        #expect(correction.requestedBy == "maria")
        #expect(correction.reason == "the till was wrong")
        #expect(correction.confirmation == nil)
        #expect(correction.reports.isEmpty)
        #expect(try await sale("s", at: merchant).version == 1)
        let reports = try #require(run.plan.objectValue?["reports"]?.arrayValue)
        let item = try #require(reports.first?.objectValue?["items"]?.arrayValue?.first?.objectValue)
        #expect(item["net"]?.objectValue?["old"]?.int64Value == 8_256)
        #expect(item["net"]?.objectValue?["new"]?.int64Value == 10_000)
    }

    @Test(
        "A restatement reports all members again under the same id, with the net after its refunds (RR-80, RR-20)",
        arguments: [
            (#"{"inclusive":"12.10"}"#, 12_100, 2_100, 10_000 - 2_479),
            (#"{"taxExclusive":"11.00","tax":"1.50"}"#, 12_500, 1_500, 11_000 - 2_640),
            (#"{"productId":"gems.200"}"#, 9_990, 1_734, 8_256 - 2_479),
        ]
    )
    func restate(fields: String, inclusive: Int64, tax: Int64, net: Int64) async throws {
        let merchant = try await merchant(Self.buy, Self.refund)
        try await correct(Self.wish("restate", "s", fields), at: merchant)
        let item = try #require(merchant.apple.item("s"))
        #expect(item.restatement == true)
        #expect(item.amountTaxInclusive == inclusive)
        #expect(item.taxAmount == tax)
        #expect(item.netAmountTaxExclusive == net)
        #expect(item.taxCountry == "NLD")
        let sale = try await sale("s", at: merchant)
        #expect(sale.version == 2)
        #expect(sale.lineItemId == "s")
        #expect(!sale.isRetracted)
    }

    @Test("A later refund is judged against the corrected buy (RR-20, RR-46)")
    func refundAfterwards() async throws {
        let merchant = try await merchant(Self.buy)
        try await correct(Self.wish("restate", "s", #"{"inclusive":"12.10"}"#), at: merchant)
        try await merchant.sell(Merchant.refund("r", of: "s", "12.10"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r")?.amountTaxInclusive == 12_100)
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 0)
    }

    struct Converted: Sendable, CustomTestStringConvertible {
        let currency: String
        let price: String
        let rate: String
        var testDescription: String { currency }
    }

    @Test(
        "Where a buy gets another currency, ledger and export say of its refunds what Apple was told (RR-46, RR-83, OB-80)",
        arguments: [
            Converted(currency: "UAH", price: "199.99", rate: "0.0205"),
            // One krona is several thousandths of a euro: no whole number of them is the refund's share.
            Converted(currency: "ISK", price: "1490", rate: "0.0067"),
        ],
        [#""amount":{"inclusive":"3.00"}"#, #""refundedTotal":"3.00""#, #""amount":{"inclusive":"3.00","tax":"0.52"}"#]
    )
    func convertedRefund(_ other: Converted, _ amount: String) async throws {
        let refund = Self.refund.replacing(#""amount":{"inclusive":"3.00"}"#, with: amount)
        let merchant = try await merchant(Self.buy, refund)
        let rate = #"{"rate":"\#(other.rate)","source":"bank","asOf":"2026-11-20T00:00:00Z"}"#
        let fields = #"{"currency":"\#(other.currency)","inclusive":"\#(other.price)","exchangeRate":\#(rate)}"#
        try await correct(Self.wish("restate", "s", fields), at: merchant)
        let buy = try #require(merchant.apple.item("s")?.amountTaxInclusive)
        let share = try #require(merchant.apple.item("r")?.amountTaxInclusive)
        #expect(share == (buy * 3_000 + 4_995) / 9_990)
        #expect(merchant.apple.item("r")?.pricingCurrency == other.currency)
        try await expectAgreement(at: merchant)
        // What is left is left in the new currency.
        let more = Merchant.refund("more", of: "s", other.price)
        #expect(try await merchant.sell(more).flags == [.refundAboveBuy])
        let reason = try JSONReader().read(#"{"by":"kim","reason":"it never went back"}"#)
        _ = try await merchant.system.voidSale("more", body: reason)
        try await merchant.sell(
            Merchant.refund("r2", of: "s", "0")
                .replacing(#""amount":{"inclusive":"0"}"#, with: #""refundedTotal":"\#(other.price)""#)
        )
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r2")?.amountTaxInclusive == buy - share)
        #expect(merchant.apple.item("r2")?.netAmountTaxExclusive == 0)
        try await expectAgreement(at: merchant)
    }

    @Test(
        "A corrected rate leads into the currency in which the corrected sale is reported (RR-45, RR-51)",
        arguments: [
            ("KWT", nil, "USD"), ("KWT", "USD", "USD"), ("KWT", "EUR", nil), ("NLD", nil, "EUR"), ("NLD", "USD", nil),
        ] as [(String, String?, String?)]
    )
    func rateTarget(_ country: String, _ to: String?, _ reported: String?) async throws {
        let merchant = try await merchant(Self.buy)
        let target = to.map { #","to":"\#($0)""# } ?? ""
        let rate = #"{"rate":"3.2511","source":"bank","asOf":"2026-11-20T00:00:00Z"\#(target)}"#
        let fields = #"{"currency":"KWD","inclusive":"10","taxCountry":"\#(country)","exchangeRate":\#(rate)}"#
        guard let reported else {
            do {
                _ = try await plan(Self.wish("restate", "s", fields), at: merchant)
                Issue.record("taken")
            } catch RequestError.invalid(let faults) {
                #expect(faults.map(\.path) == ["/fields/exchangeRate/to"])
            }
            return
        }
        try await correct(Self.wish("restate", "s", fields), at: merchant)
        #expect(merchant.apple.item("s")?.amountTaxInclusive == 32_511)
        #expect(merchant.apple.item("s")?.reportingCurrency == reported)
        #expect(merchant.apple.item("s")?.pricingCurrency == "KWD")
        #expect(try await sale("s", at: merchant).sale.purchase?.exchangeRate?.to == reported)
    }

    /// Every row of the export has the figures of the item that Apple has.
    private func expectAgreement(at merchant: Merchant) async throws {
        for export in try await merchant.system.exports.make(MonthChoice("2026-11")).exports {
            #expect(export.reconciliation.differences == [])
        }
        for row in try await merchant.system.exports.rows(MonthChoice("2026-11")) {
            guard case .sale(let sale) = row.subject, let item = merchant.apple.item(sale.lineItemId) else { continue }
            #expect(sale.amounts?.taxExclusive.value == item.amountTaxExclusive, "\(sale.saleId)")
            #expect(sale.amounts?.tax.value == item.taxAmount, "\(sale.saleId)")
            #expect(sale.amounts?.pricingCurrency == item.pricingCurrency)
        }
    }

    @Test("A corrected tax country leaves amounts and totals of refunds, and the tax that Apple was told (RR-46)")
    func countryOfRefund() async throws {
        let refund = Self.refund.replacing(#""inclusive":"3.00""#, with: #""inclusive":"3.00","tax":"0.51""#)
        let merchant = try await merchant(Self.buy, refund)
        let fields = #"{"taxCountry":"AUT","inclusive":"9.99","taxRate":"20"}"#
        try await correct(Self.wish("restate", "s", fields), at: merchant)
        #expect(merchant.apple.item("r")?.taxAmount == 500)
        let kept = try #require(try await sale("r", at: merchant).sale.refund)
        #expect(kept.inclusive == 3 && kept.tax == Decimal(string: "0.5"))
        try await expectAgreement(at: merchant)
    }

    @Test("A retracted buy takes its refunds along, an undo raises it again (RR-80, RR-83)", arguments: [false, true])
    func retract(onDisk: Bool) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
        let store: any LedgerStore = onDisk ? try SQLiteLedgerStore(path: path) : MemoryLedgerStore.empty()
        let merchant = try await merchant(Self.buy, Self.refund, store: store)
        try await correct(Self.wish("retract"), at: merchant)
        for id in ["s", "r"] as [LineItemId] {
            #expect(merchant.apple.item(id)?.erroneouslySubmitted == true)
            #expect(merchant.apple.item(id)?.netAmountTaxExclusive == 0)
        }
        #expect(try await sale("s", at: merchant).isRetracted)
        #expect(try await sale("r", at: merchant).isRetracted)
        try await correct(Self.wish("undo"), at: merchant)
        #expect(merchant.apple.item("s")?.erroneouslySubmitted != true)
        #expect(merchant.apple.item("s")?.netAmountTaxExclusive == 8_256)
        #expect(merchant.apple.item("r")?.erroneouslySubmitted == true)
        #expect(try await sale("s", at: merchant).isRetracted == false)
        #expect(try await sale("s", at: merchant).version == 3)
        // The retracted refund gave nothing back, so the whole can be refunded.
        try await merchant.sell(Merchant.refund("r2", of: "s", "9.99"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r2")?.netAmountTaxExclusive == 0)
        #expect(try await merchant.reports().allSatisfy { $0.state == .accepted })
    }

    @Test("A wrong date is cured by a retraction and a new id, which the sale has from then on (RR-81)")
    func moveDate() async throws {
        let merchant = try await merchant(Self.buy, Self.refund)
        try await correct(Self.wish("move", "s", #"{"occurredAt":"2026-11-20T10:00:00Z"}"#), at: merchant)
        #expect(merchant.apple.item("s")?.erroneouslySubmitted == true)
        #expect(merchant.apple.item("r")?.erroneouslySubmitted == true)
        let moved = try #require(merchant.apple.item("s.2"))
        #expect(moved.creationDate == 1_795_168_800_000)
        #expect(moved.netAmountTaxExclusive == 5_777)
        #expect(merchant.apple.item("r.2")?.referenceLineItemId == "s.2")
        let sale = try await sale("s", at: merchant)
        #expect(sale.lineItemId == "s.2")
        #expect(sale.sale.occurredAt == Timestamp(milliseconds: 1_795_168_800_000))
        #expect(!sale.isRetracted)
        #expect(try await self.sale("r", at: merchant).lineItemId == "r.2")
        // A later refund names the new id.
        try await merchant.sell(Merchant.refund("r3", of: "s", "6.99"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r3")?.referenceLineItemId == "s.2")
        #expect(merchant.apple.item("r3")?.netAmountTaxExclusive == 0)
    }

    private static let moveToB = wish(
        "move",
        "s",
        #"{"externalPurchaseId":"\#(Merchant.token("b").externalPurchaseId)"}"#
    )

    @Test("The second report leaves after the first was accepted; one that is refused stops it (RR-83)")
    func order() async throws {
        let merchant = try await merchant(Self.buy)
        let run = try await plan(Self.moveToB, at: merchant)
        guard case .confirmed(_, let reports, isNew: true) = try await confirm(run, at: merchant) else {
            Issue.record("not confirmed")
            return
        }
        #expect(reports.count == 2)
        merchant.apple.fail(.answer(.serverError(status: 503)))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == 2)
        #expect(try await merchant.reports().map(\.state) == [.accepted, .unknown, .written])
        let error = ReportError(ReportErrorCode(rawValue: 36), field: "creationDate", item: "s")
        merchant.apple.fail(.answer(.rejected([error])))
        merchant.clock.advance(seconds: 600)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted, .needsAttention, .written])
        merchant.clock.advance(seconds: 600)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.count == 3)
        #expect(try await merchant.system.lists.corrections(LedgerPage()).first?.closing == nil)
    }

    @Test("A moved item is accepted on the other token, in the order of the plan (RR-81, RR-83)")
    func moveToken() async throws {
        let merchant = try await merchant(Self.buy)
        try await correct(Self.moveToB, at: merchant)
        let tokens = try merchant.apple.puts.map { try ReceivedReport.read($0).externalPurchaseId }
        let (a, b) = (Merchant.token().externalPurchaseId, Merchant.token("b").externalPurchaseId)
        #expect(tokens == [a, a, b])
        #expect(merchant.apple.item("s.2")?.netAmountTaxExclusive == 8_256)
        // Lists go by the token where the sale is now.
        for (token, found) in [(a, 0), (b, 1)] {
            let filter = ListFilter([
                .externalPurchaseId: token.rawValue, .bundleId: Merchant.token().bundleId.rawValue,
            ])
            let sales = try await merchant.system.lists.sales(matching: filter, LedgerPage(limit: 1))
            #expect(sales.count == found, "\(token)")
        }
    }

    @Test("A refund that arrives while its buy is corrected waits until the correction is accepted (SA-74)")
    func waits() async throws {
        let merchant = try await merchant(Self.buy)
        let run = try await plan(Self.moveToB, at: merchant)
        _ = try await confirm(run, at: merchant)
        merchant.apple.fail(.answer(.serverError(status: 503)))
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Self.refund)
        #expect(try await sale("r", at: merchant).attribution.flags.contains(.waitsForCorrection))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r") == nil)
        merchant.clock.advance(seconds: 600)
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r")?.referenceLineItemId == "s.2")
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 5_777)
    }

    @Test("A dry run that is out of date is not sent: the new one is shown and can be confirmed (RR-84)")
    func stale() async throws {
        let merchant = try await merchant(Self.buy)
        let run = try await plan(Self.wish("restate", "s", #"{"inclusive":"12.10"}"#), at: merchant)
        try await merchant.sell(Self.refund)
        await merchant.system.sender.runUntilIdle()
        guard case .stale(_, let newer) = try await confirm(run, at: merchant) else {
            Issue.record("confirmed what was not shown")
            return
        }
        #expect(newer.plan != run.plan)
        #expect(merchant.apple.puts.count == 2)
        guard case .confirmed(_, let reports, isNew: true) = try await confirm(newer, at: merchant) else {
            Issue.record("not confirmed")
            return
        }
        // The same again changes nothing.
        #expect(
            try await confirm(newer, at: merchant)
                == .confirmed(newer.correctionId, reports: reports, isNew: false)
        )
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("s")?.netAmountTaxExclusive == 7_521)
    }

    @Test("A correction does not overtake an open report of its token (SA-74)")
    func openReport() async throws {
        let merchant = try await merchant(Self.buy)
        let run = try await plan(Self.wish("restate", "s", #"{"productId":"gems.200"}"#), at: merchant)
        merchant.apple.fail(.answer(.serverError(status: 503)))
        try await merchant.sell(Merchant.purchase("other", on: Merchant.token()))
        await merchant.system.sender.runUntilIdle()
        guard case .stale = try await confirm(run, at: merchant) else {
            Issue.record("confirmed beside an open report")
            return
        }
        merchant.clock.advance(seconds: 600)
        await merchant.system.sender.runUntilIdle()
        guard case .confirmed = try await confirm(run, at: merchant) else {
            Issue.record("not confirmed")
            return
        }
    }

    @Test("After a year Apple takes no correction: it is kept, refused and says why (RR-82)")
    func tooLate() async throws {
        let merchant = try await merchant(Self.buy)
        merchant.clock.advance(by: .days(366))
        let run = try await plan(Self.wish("retract"), at: merchant)
        #expect(!run.isAllowed)
        #expect(run.plan.formatted().contains("too-late-to-report"))
        guard case .stale = try await confirm(run, at: merchant) else {
            Issue.record("confirmed")
            return
        }
        #expect(try await merchant.system.lists.corrections(LedgerPage()).count == 1)
    }

    @Test(
        "Wrong fields are refused by path",
        arguments: [
            (wish("restate"), "/fields"),
            (wish("restate", "s", #"{}"#), "/fields"),
            (wish("restate", "s", #"{"inclusive":12}"#), "/fields/inclusive"),
            (wish("restate", "s", #"{"inclusive":"12.101"}"#), "/fields/inclusive"),
            (wish("restate", "s", #"{"taxExclusive":"11"}"#), "/fields/tax"),
            (wish("restate", "s", #"{"inclusive":"1","tax":"2"}"#), "/fields/tax"),
            (wish("restate", "s", #"{"occurredAt":"2026-11-20T10:00:00Z"}"#), "/fields/occurredAt"),
            (wish("restate", "s", #"{"event":"renewal"}"#), "/fields/event"),
            (wish("restate", "s", #"{"colour":"red"}"#), "/fields/colour"),
            (wish("restate", "s", #"{"currency":"ISK"}"#), "/fields/exchangeRate"),
            (wish("restate", "r", #"{"taxCountry":"DEU"}"#), "/fields/taxCountry"),
            (wish("restate", "r", #"{"inclusive":"2.00"}"#), "/fields/tax"),
            (wish("move", "s", #"{"productId":"gems"}"#), "/fields"),
            (wish("retract", "s", #"{"productId":"gems"}"#), "/fields/productId"),
            (wish("explain"), "/action"),
            (wish("retract", "nobody"), "/saleId"),
            (wish("retract", "new"), "/saleId"),
        ]
    )
    func wrongFields(body: String, path: String) async throws {
        let merchant = try await merchant(Self.buy, Self.refund)
        try await merchant.sell(Merchant.purchase("new", on: nil))
        do {
            _ = try await plan(body, at: merchant)
            Issue.record("taken")
        } catch RequestError.invalid(let faults) {
            #expect(faults.map(\.path) == [path])
        }
        #expect(try await merchant.system.lists.corrections(LedgerPage()).isEmpty)
    }
}
