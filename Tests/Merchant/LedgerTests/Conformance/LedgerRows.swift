// swift-format-ignore-file: NeverForceUnwrap
// The literals below are the suite's own.

import ExternalPurchaseCore
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Rows of one story, for tests over a ledger: a token of `com.example.shop`, a purchase on it, its refund, a report.
enum LedgerRows {
    static let shop: BundleId = "com.example.shop"
    static let scope = ReportingScope(bundleId: shop, environment: .sandbox)
    static let now = Timestamp(milliseconds: 1_795_176_000_000)

    static func token(
        _ id: ExternalPurchaseId = "SANDBOX_00000000-0000-4000-8000-00000000000a",
        of app: BundleId = shop,
        customer: CustomerId? = nil,
        from source: TokenSource = .website,
        made: Timestamp = now
    ) -> StoredToken {
        let token = ExternalPurchaseToken(
            appAppleId: 9_007_199_254_740_993,
            bundleId: app,
            tokenCreationDate: made,
            externalPurchaseId: id,
            tokenType: .services,
            tokenExpirationDate: now + .days(1)
        )
        return StoredToken(
            token: token,
            text: token.encoded(),
            firstSeen: FirstSeen(source: source, time: now),
            checkoutId: CheckoutId("checkout of \(id)"),
            customerId: customer,
            storefront: StorefrontCode("NLD"),
            notes: [.repeatedParameter]
        )
    }

    static func sale(
        _ id: SaleId,
        on token: ExternalPurchaseId? = "SANDBOX_00000000-0000-4000-8000-00000000000a",
        state: SaleState = .planned,
        partOf whole: SaleId? = nil
    ) -> StoredSale {
        let purchase = Purchase(
            productId: "gems/100 ✨",
            quantity: 3,
            currency: "ISK",
            inclusive: 1490,
            tax: .rate(Decimal(string: "24.5")!),
            taxCountry: "ISL",
            exchangeRate: QuotedRate(rate: ExchangeRate("0.0069")!, source: "Bloomberg", asOf: now)
        )
        let sale = Sale(
            saleId: id,
            bundleId: shop,
            occurredAt: now,
            customerId: "customer",
            checkoutId: "checkout",
            externalPurchaseId: token,
            kind: .purchase(purchase)
        )
        return stored(sale, on: token, state: state, partOf: whole)
    }

    static func refund(
        _ id: SaleId,
        of buy: SaleId,
        on token: ExternalPurchaseId? = "SANDBOX_00000000-0000-4000-8000-00000000000a"
    ) -> StoredSale {
        let refund = Refund(refundOf: buy, inclusive: 490, tax: 12, isChargeback: true)
        let sale = Sale(saleId: id, bundleId: shop, occurredAt: now, kind: .refund(refund))
        return stored(sale, on: token, state: token == nil ? .held : .planned)
    }

    private static func stored(
        _ sale: Sale,
        on token: ExternalPurchaseId?,
        state: SaleState,
        partOf whole: SaleId? = nil
    ) -> StoredSale {
        StoredSale(
            sale: sale,
            lineItemId: LineItemId(sale.saleId.rawValue),
            receivedAt: now,
            attribution: Attribution(state: state, externalPurchaseId: token, notes: [.withdrawnCurrency]),
            partOf: whole
        )
    }

    static func report(_ digit: Int, state: ReportState = .written) -> StoredReport {
        StoredReport(
            scope: scope,
            requestIdentifier: RequestIdentifier("ABCDEF00-0000-4000-8000-00000000000\(digit)")!,
            externalPurchaseId: "SANDBOX_00000000-0000-4000-8000-00000000000a",
            status: .lineItem,
            body: [0x7B, 0x00, 0xFF, 0x7D],
            writtenAt: now,
            state: state
        )
    }

    static func item(_ id: LineItemId, refundOf buy: LineItemId? = nil, excluding: Int64 = 1_000)
        -> ReceivedLineItem
    {
        var item = ReceivedLineItem()
        item.lineItemId = id
        item.referenceLineItemId = buy
        item.eventType = buy == nil ? .buy : .refund
        item.amountTaxExclusive = excluding
        item.exchangeRate = ExchangeRate("0.00690", isString: true)
        return item
    }

    /// A report whose bytes hold items.
    static func report(
        _ digit: Int,
        holding items: [ReceivedLineItem],
        state: ReportState = .written,
        isImported: Bool = false
    ) -> StoredReport {
        let bare = report(digit, state: state)
        var content = ReceivedReport()
        content.requestIdentifier = bare.requestIdentifier
        content.externalPurchaseId = bare.externalPurchaseId
        content.status = bare.status
        content.lineItems = items
        return StoredReport(
            scope: bare.scope,
            requestIdentifier: bare.requestIdentifier,
            externalPurchaseId: bare.externalPurchaseId,
            status: bare.status,
            body: content.json.encoded(),
            writtenAt: bare.writtenAt,
            state: state,
            isImported: isImported
        )
    }

    static func notification(
        _ uuid: NotificationUUID = "00000000-0000-4000-8000-0000000000aa",
        type: NotificationType = .externalPurchaseToken,
        signed: Timestamp = now,
        received: Timestamp = now
    ) -> StoredNotification {
        StoredNotification(
            uuid: uuid,
            type: type,
            subtype: "CREATED",
            bundleId: shop,
            environment: .sandbox,
            externalPurchaseId: token().token.externalPurchaseId,
            signedDate: signed,
            payload: "e30.e30.c2ln",
            arrival: .delivered,
            receivedAt: received
        )
    }

    static func review(_ kind: ReviewKind = .contradiction, about sale: SaleId = "s") -> ReviewItem {
        ReviewItem(bundleId: shop, kind: kind, subject: .sale(sale), detail: "two prices were told", openedAt: now)
    }

    static func correction(_ id: CorrectionId = "c-1") -> StoredCorrection {
        StoredCorrection(
            correctionId: id,
            bundleId: shop,
            requestedBy: "kim",
            reason: "the tax was wrong",
            requestedAt: now,
            request: ["saleId": "s"]
        )
    }

    static func export(_ id: ManualExportId = "e-1") -> ManualExport {
        ManualExport(exportId: id, bundleId: shop, programme: "jp", month: "2026-11", madeAt: now)
    }

    static func invoice(_ id: String = "i-1", amount: Int = 12) -> StoredInvoice {
        StoredInvoice(
            bundleId: shop,
            invoiceId: id,
            programme: "jp",
            month: "2026-11",
            issuedOn: "2026-12-10",
            dueOn: nil,
            purchaseOrder: nil,
            currency: "JPY",
            amount: Decimal(amount),
            surcharge: nil,
            tax: nil,
            enteredAt: now,
            enteredBy: "kim"
        )
    }
}
