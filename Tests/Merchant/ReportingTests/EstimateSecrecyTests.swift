import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting
import Testing

@Suite("Estimates are the merchant's own")
struct EstimateSecrecyTests {
    /// The members of a report and of a line item, as Apple's page lists them.
    private static let members: Set = [
        "requestIdentifier", "externalPurchaseId", "status", "lineItems", "lineItemId", "creationDate", "eventType",
        "productType", "productIdentifier", "quantity", "subscriptionEvent", "subscriptionStartDate",
        "subscriptionEndDate", "subscriptionDaysOfPaidService", "referenceLineItemId", "amountTaxExclusive",
        "taxAmount",
        "amountTaxInclusive", "netAmountTaxExclusive", "pricingCurrency", "reportingCurrency", "exchangeRate",
        "taxCountry", "restatement", "erroneouslySubmitted",
    ]

    @Test("A month's estimates are in the export, and no report has a member for one (OB-3)")
    func notSent() async throws {
        let merchant = Merchant(programmes: ["eu-custom-link"])
        let token = Merchant.token()
        merchant.apple.know(token)
        let query = "externalPurchaseToken=\(token.encoded())&bundleId=com.example.shop"
        _ = await merchant.system.visits.receive(query: query, link: "nl")
        merchant.clock.advance(seconds: 60)
        let sale = Merchant.purchase("s", on: token).replacing("T11:00:00Z", with: "T12:00:30Z")
        try await merchant.sell(sale)
        await merchant.system.sender.runUntilIdle()
        let csv = try await merchant.system.exports.text(.csv, MonthChoice("2026-11"))
        let table = csv.components(separatedBy: "\r\n")
        let names = table[0].components(separatedBy: ",")
        let column = try #require(names.firstIndex(of: "estimate"))
        // 15 % of 8.256.
        #expect(table[1].components(separatedBy: ",")[column] == "1.24")

        #expect(merchant.apple.acceptedReports == 1)
        let sent = try #require(merchant.apple.puts.first)
        let report = try #require(try JSONReader().read(sent).objectValue)
        let items = report["lineItems"]?.arrayValue?.compactMap(\.objectValue) ?? []
        #expect(items.count == 1)
        let written = ([report] + items).flatMap { $0.members.map(\.key) }
        #expect(Set(written).isSubset(of: Self.members), "\(written)")
        #expect(items[0]["amountTaxExclusive"]?.int64Value == 8_256)
    }
}
