import ExternalPurchaseCore
import Foundation
import Ledger

/// The rows that are measured: plain tokens of one app with random ids, and buys in euro on them.
enum Rows {
    static let shop: BundleId = "com.example.shop"
    static let appAppleId: Int64 = 1_234_567_890

    static func token(
        of app: BundleId = shop,
        appAppleId: Int64 = appAppleId,
        id: ExternalPurchaseId = ExternalPurchaseId(UUID().uuidString.lowercased()),
        made: Timestamp
    ) -> StoredToken {
        let token = ExternalPurchaseToken(
            appAppleId: appAppleId,
            bundleId: app,
            tokenCreationDate: made,
            externalPurchaseId: id
        )
        return StoredToken(
            token: token,
            text: token.encoded(),
            firstSeen: FirstSeen(source: .app, time: made + .seconds(1)),
            checkoutId: CheckoutId(UUID().uuidString.lowercased()),
            storefront: StorefrontCode("NLD")
        )
    }

    static func sale(_ number: Int, on token: StoredToken, customer: CustomerId? = nil) -> StoredSale {
        let purchase = Purchase(
            productId: "com.example.shop.gems.100",
            quantity: 1,
            currency: "EUR",
            inclusive: Decimal(499 + number % 2_000) / 100,
            tax: .rate(21),
            taxCountry: "NLD"
        )
        let sale = Sale(
            saleId: SaleId("sale-\(number)-of-\(token.token.externalPurchaseId)"),
            bundleId: token.token.bundleId,
            occurredAt: token.token.tokenCreationDate + .minutes(1),
            customerId: customer,
            externalPurchaseId: token.token.externalPurchaseId,
            kind: .purchase(purchase)
        )
        return StoredSale(
            sale: sale,
            lineItemId: LineItemId(UUID().uuidString.lowercased()),
            receivedAt: sale.occurredAt,
            attribution: Attribution(state: .planned, externalPurchaseId: token.token.externalPurchaseId)
        )
    }

    /// The report of a token that Apple has accepted, as the sender leaves it.
    static func report(on token: StoredToken) -> StoredReport {
        let id = RequestIdentifier(UUID())
        let report = Report(
            requestIdentifier: id,
            externalPurchaseId: token.token.externalPurchaseId,
            content: .status(.noLineItem)
        )
        return StoredReport(
            scope: token.scope,
            requestIdentifier: id,
            externalPurchaseId: token.token.externalPurchaseId,
            status: .noLineItem,
            body: report.body,
            writtenAt: token.firstSeen.time,
            state: .sending,
            attempts: 1
        )
    }
}
