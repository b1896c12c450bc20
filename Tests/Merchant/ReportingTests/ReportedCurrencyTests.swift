import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import Reporting

/// A sale whose rate leads into a currency keeps it, whatever the setting or the tax country says later (RR-45, RR-51).
@Suite("Exports show accepted amounts in the currency that Apple has")
struct ReportedCurrencyTests {
    /// What happens after Apple accepted the sale.
    enum Change: CaseIterable, Sendable {
        case setting, country, imported
    }

    private static func sale(_ country: String, to: String? = nil) -> String {
        let target = to.map { #","to":"\#($0)""# } ?? ""
        return """
            {"saleId":"s","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:00:00Z",
            "externalPurchaseId":"\(Merchant.token().externalPurchaseId)","productId":"gems","quantity":1,
            "amount":{"currency":"UAH","inclusive":"990.50","taxRate":"24","taxCountry":"\(country)",
            "exchangeRate":{"rate":"0.0205","source":"bank","asOf":"2026-11-20T10:00:00Z"\(target)}}}
            """
    }

    private static func settings(_ foreign: ForeignCurrency) -> ReportingSettings {
        var settings = ReportingSettings()
        settings.foreignCurrency = foreign
        return settings
    }

    @Test("RR-51: rows, sums and refunds after a change", arguments: Change.allCases, ["ISL", "UKR"])
    func kept(_ change: Change, _ country: String) async throws {
        let (accepted, other) = country == "ISL" ? ("EUR", ForeignCurrency.usDollar) : ("USD", .euro)
        let store = MemoryLedgerStore.empty()
        var merchant = Merchant(store: store)
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.sale(country))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("s")?.reportingCurrency == accepted)
        switch change {
        case .setting:
            merchant = Merchant(
                store: store,
                apple: merchant.apple,
                settings: Self.settings(other),
                clock: merchant.clock
            )
        case .country:
            let fields = #"{"taxCountry":"\#(country == "ISL" ? "UKR" : "ISL")"}"#
            let wish =
                #"{"bundleId":"com.example.shop","saleId":"s","action":"restate","fields":\#(fields),"#
                + #""requestedBy":"maria","reason":"the address was wrong"}"#
            let run = try await merchant.system.planCorrection(body: try JSONReader().read(wish))
            let order = #"{"correctionId":"\#(run.correctionId)","confirm":true,"confirmedBy":"otto"}"#
            _ = try await merchant.system.confirmCorrection(body: try JSONReader().read(order))
            await merchant.system.sender.runUntilIdle()
        case .imported:
            let bodies = try await merchant.reports().map { String(decoding: $0.body, as: UTF8.self) }
            let text = #"{"tokens":["\#(Merchant.token().encoded())"],"reports":[\#(bodies.joined(separator: ","))]}"#
            let restored = Merchant(apple: merchant.apple, settings: Self.settings(other), clock: merchant.clock)
            let apps = [
                Merchant.shop: LedgerImport.App(appAppleId: Merchant.appAppleId, environments: [.production])
            ]
            let work = LedgerImport(
                apps: apps,
                settings: Self.settings(other),
                dependencies: merchant.clock.dependencies
            )
            _ = try await work.run(Array(text.utf8), into: restored.store)
            // The shop sends it again, with the currency of its rate or without; another one contradicts.
            for to in [nil, accepted] { try await restored.sell(Self.sale(country, to: to)) }
            let wrong = Self.sale(country, to: accepted == "EUR" ? "USD" : "EUR")
            await #expect(throws: RequestError.self) { try await restored.sell(wrong) }
            merchant = restored
        }
        try await merchant.sell(Merchant.refund("r", of: "s", "100.10"))
        await merchant.system.sender.runUntilIdle()
        for id in ["s", "r"] as [LineItemId] {
            let item = try #require(merchant.apple.item(id))
            #expect(item.reportingCurrency == accepted)
            let rows: [ExportSale] = try await merchant.system.exports.rows(MonthChoice("2026-11")).compactMap { row in
                guard case .sale(let sale) = row.subject, sale.lineItemId == id else { return nil }
                return sale
            }
            #expect(rows.map { $0.amounts?.reportingCurrency } == [accepted])
            #expect(rows.map { $0.amounts?.taxExclusive.value } == [item.amountTaxExclusive])
        }
        for export in try await merchant.system.exports.make(MonthChoice("2026-11")).exports {
            #expect(export.reconciliation.differences == [])
            #expect(export.reconciliation.sales.money.map(\.currency) == [accepted])
        }
    }
}
