import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@Suite("A sale keeps its content as JSON")
struct SaleJSONTests {
    static let cancelled = SubscriptionCancellation(subscriptionId: "sub", effectiveAt: Samples.day(30))
    static let kinds: [(Sale.Kind, String)] = [
        (
            Samples.charge(from: 0, to: 30),
            #"{"saleId":"s","bundleId":"com.example.shop","type":"subscription","occurredAt":"2026-01-01T00:00:00Z","#
                + #""subscriptionId":"sub","period":{"start":"2026-01-01T00:00:00Z","end":"2026-01-31T00:00:00Z"},"#
                + #""productId":"club.30d","quantity":1,"#
                + #""amount":{"currency":"EUR","inclusive":"6.00","taxRate":"20","taxCountry":"AUT"}}"#
        ),
        (
            Samples.charge(from: 0, to: 30, 0, event: .change),
            #"{"saleId":"s","bundleId":"com.example.shop","type":"subscription","occurredAt":"2026-01-01T00:00:00Z","#
                + #""subscriptionId":"sub","period":{"start":"2026-01-01T00:00:00Z","end":"2026-01-31T00:00:00Z"},"#
                + #""event":"change","productId":"club.30d","quantity":1,"#
                + #""amount":{"currency":"EUR","inclusive":"0.00","taxRate":"20","taxCountry":"AUT"}}"#
        ),
        (
            .cancellation(cancelled),
            #"{"saleId":"s","bundleId":"com.example.shop","type":"cancellation","occurredAt":"2026-01-01T00:00:00Z","#
                + #""subscriptionId":"sub","effectiveAt":"2026-01-31T00:00:00Z"}"#
        ),
        (
            .cancellation(SubscriptionCancellation(subscriptionId: "sub")),
            #"{"saleId":"s","bundleId":"com.example.shop","type":"cancellation","occurredAt":"2026-01-01T00:00:00Z","#
                + #""subscriptionId":"sub"}"#
        ),
        (
            .lapse("sub"),
            #"{"saleId":"s","bundleId":"com.example.shop","type":"lapse","occurredAt":"2026-01-01T00:00:00Z","#
                + #""subscriptionId":"sub"}"#
        ),
        (
            Samples.refund(of: "b", 3, chargeback: true),
            #"{"saleId":"s","bundleId":"com.example.shop","type":"chargeback","occurredAt":"2026-01-01T00:00:00Z","#
                + #""refundOf":"b","amount":{"inclusive":"3"}}"#
        ),
        (
            .chargebackReversal(of: "c"),
            #"{"saleId":"s","bundleId":"com.example.shop","type":"chargebackReversal","#
                + #""occurredAt":"2026-01-01T00:00:00Z","reversalOf":"c"}"#
        ),
    ]

    @Test("Every kind is written with the members of the interface and read back", arguments: kinds)
    func roundTrip(_ kind: Sale.Kind, _ text: String) throws {
        let sale = Samples.sale("s", at: Samples.newYear, kind)
        #expect(String(decoding: sale.json.encoded(), as: UTF8.self) == text)
        let json = try JSONReader().read(text)
        #expect(Sale(stored: json) == sale)
    }

    @Test(
        "Damaged text is no sale",
        arguments: [
            #"{"type":"subscription","subscriptionId":"sub","productId":"p","quantity":1}"#,
            #"{"type":"subscription","subscriptionId":"sub","period":{"start":"2026-01-01T00:00:00Z"}}"#,
            #"{"type":"cancellation"}"#, #"{"type":"cancellation","subscriptionId":"s","effectiveAt":"soon"}"#,
            #"{"type":"lapse"}"#, #"{"type":"chargebackReversal"}"#, #"{"type":"gift"}"#,
        ]
    )
    func damaged(_ members: String) throws {
        let head = #"{"saleId":"s","bundleId":"b","occurredAt":"2026-01-01T00:00:00Z","#
        let json = try JSONReader().read(head + members.dropFirst())
        #expect(Sale(stored: json) == nil)
    }
}
