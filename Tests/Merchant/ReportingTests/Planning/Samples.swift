// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import Ledger

@testable import Reporting

/// Builders of what the tests plan with.
enum Samples {
    static let app: BundleId = "com.example.shop"
    /// 2026-01-01T00:00:00Z.
    static let newYear = Timestamp(rfc3339: "2026-01-01T00:00:00Z")!
    static let now = Timestamp(rfc3339: "2026-11-20T12:00:00Z")!

    /// Days, fractions allowed, after New Year 2026.
    static func day(_ count: Double) -> Timestamp {
        newYear.advanced(by: .milliseconds(Int64(count * Double(Timestamp.millisecondsPerDay))))
    }

    static func euros(_ inclusive: Decimal, product: String = "gems.100") -> Purchase {
        Purchase(
            productId: product,
            quantity: 1,
            currency: "EUR",
            inclusive: inclusive,
            tax: .rate(20),
            taxCountry: "AUT"
        )
    }

    // MARK: Sales

    static func sale(
        _ id: SaleId,
        at moment: Timestamp,
        customer: CustomerId? = nil,
        checkout: CheckoutId? = nil,
        token: ExternalPurchaseId? = nil,
        _ kind: Sale.Kind
    ) -> Sale {
        Sale(
            saleId: id,
            bundleId: app,
            occurredAt: moment,
            customerId: customer,
            checkoutId: checkout,
            externalPurchaseId: token,
            kind: kind
        )
    }

    static func charge(
        _ subscription: SubscriptionId = "sub",
        from start: Double,
        to end: Double,
        _ inclusive: Decimal = 6,
        product: String = "club.30d",
        event: SubscriptionCharge.Event? = nil
    ) -> Sale.Kind {
        .subscription(
            SubscriptionCharge(
                subscriptionId: subscription,
                period: SubscriptionPeriod(start: day(start), end: day(end)),
                event: event,
                purchase: euros(inclusive, product: product)
            )
        )
    }

    static func refund(of buy: SaleId, _ inclusive: Decimal, chargeback: Bool = false) -> Sale.Kind {
        .refund(Refund(refundOf: buy, inclusive: inclusive, isChargeback: chargeback))
    }

    static func records(_ sales: [Sale]) -> [SaleRecord] {
        sales.enumerated().map { SaleRecord(sequence: Int64($0.offset + 1), sale: $0.element) }
    }

    /// A report that holds a charge, whose item states these figures.
    static func report(
        _ event: SubscriptionEvent,
        _ state: ItemReport.State = .accepted,
        on token: ExternalPurchaseId = "t",
        of start: LineItemId? = nil,
        after days: Int32 = 0,
        keepsFigures: Bool = false
    ) -> ItemReport {
        let figures = SubscriptionFigures(event: event, start: start, daysOfPaidService: days)
        var report = ItemReport(externalPurchaseId: token, state: state, figures: figures)
        report.keepsFigures = keepsFigures
        return report
    }

    // MARK: Tokens

    static func token(
        _ id: ExternalPurchaseId,
        _ type: TokenType? = nil,
        from start: Double = 0,
        to end: Double? = nil,
        received: Double? = nil,
        customer: CustomerId? = nil,
        source: TokenSource = .app,
        state: TokenState = .unconfirmed,
        reported: Set<ReportStatus> = [],
        wasChosen: Bool = false
    ) -> TokenRecord {
        TokenRecord(
            token: ExternalPurchaseToken(
                appAppleId: 1_234_567_890,
                bundleId: app,
                tokenCreationDate: day(start),
                externalPurchaseId: id,
                tokenType: type,
                tokenExpirationDate: end.map(day)
            ),
            receivedAt: day(received ?? start),
            source: source,
            customerId: customer,
            state: state,
            reported: reported,
            wasChosen: wasChosen
        )
    }
}
