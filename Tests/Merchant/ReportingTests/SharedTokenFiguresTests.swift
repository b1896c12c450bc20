import ExternalPurchaseCore
import Foundation
import Ledger
import ReportingServer
import Testing

@testable import Reporting

@Suite("Late charges of several subscriptions on one token")
struct SharedTokenFiguresTests {
    private static let token = Merchant.token(
        type: .services,
        made: Merchant.noon - .days(80),
        expires: Merchant.noon + .days(285)
    )

    private static func charge(_ name: String, _ number: Int64) -> String {
        let start = Merchant.noon - .days(70) + .days(30) * Int(number - 1)
        return """
            {"saleId":"\(name)-\(number)","bundleId":"com.example.shop","type":"subscription","occurredAt":"\(start)",
            "externalPurchaseId":"\(token.externalPurchaseId)","subscriptionId":"\(name)","productId":"plus","quantity":1,
            "period":{"start":"\(start)","end":"\(start + .days(30))"},
            "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
            """
    }

    @Test(
        "RR-30: by setting the figures of each are restated, one correction after the other, and nothing is left open",
        arguments: [false, true],
        [false, true]
    )
    func automatic(isBatch: Bool, hasOther: Bool) async throws {
        var settings = ReportingSettings()
        settings.subscriptionFigures = .automatic
        let merchant = Merchant(settings: settings)
        try await merchant.take(Self.token)
        let names = ["h", "i", "j"]
        for name in names { try await merchant.sell(Self.charge(name, 2)) }
        await merchant.system.sender.runUntilIdle()
        for name in names { #expect(merchant.apple.item(LineItemId("\(name)-2"))?.subscriptionEvent == .start) }
        // A purchase is on its way when the late charges arrive.
        if hasOther { try await merchant.sell(Merchant.purchase("p", on: Self.token)) }
        if isBatch {
            let items = try names.map { name in
                let body = try JSONReader().read(Self.charge(name, 1))
                return BatchIntake.Item.sale(
                    try SaleCommand(body: body, apps: merchant.system.apps, caller: .anybody)
                )
            }
            _ = try await merchant.system.batches.receive(items)
        } else {
            for name in names { try await merchant.sell(Self.charge(name, 1)) }
        }
        await merchant.system.sender.runUntilIdle()
        for name in names {
            let (first, second) = (LineItemId("\(name)-1"), LineItemId("\(name)-2"))
            #expect(merchant.apple.item(first)?.subscriptionEvent == .start)
            #expect(merchant.apple.item(second)?.subscriptionEvent == .renewal)
            #expect(merchant.apple.item(second)?.referenceLineItemId == first)
            #expect(merchant.apple.item(second)?.subscriptionDaysOfPaidService == 30)
        }
        #expect(try await merchant.system.lists.review(LedgerPage()).map(\.detail) == [])
        #expect(try await merchant.reports().allSatisfy { $0.state == .accepted })
    }
}
