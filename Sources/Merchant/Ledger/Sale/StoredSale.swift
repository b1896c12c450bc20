package import ExternalPurchaseCore

/// A sale in the ledger: the caller's content, its line item and its attribution to a token.
package struct StoredSale: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let sale: Sale
    package let lineItemId: LineItemId
    package let receivedAt: Timestamp
    package var attribution: Attribution
    /// The report that contains the line item, from its creation on.
    package var requestIdentifier: RequestIdentifier?
    /// The state of that report.
    package var reportState: ReportState?
    /// The manual export that contains the sale instead (OB-62).
    package var exportId: ManualExportId?
    /// The number of the version in ``sale``: 1 for the arrival, higher after changes.
    package var version: Int
    /// True when the newest version retracts the sale.
    package var isRetracted: Bool
    /// The sale of which this row is one line: an order, or the refund or reversal of an order.
    ///
    /// Nil for a sale as the caller submitted it.
    package let partOf: SaleId?

    package init(
        sequence: Int64 = 0,
        sale: Sale,
        lineItemId: LineItemId,
        receivedAt: Timestamp,
        attribution: Attribution,
        requestIdentifier: RequestIdentifier? = nil,
        reportState: ReportState? = nil,
        exportId: ManualExportId? = nil,
        version: Int = 1,
        isRetracted: Bool = false,
        partOf: SaleId? = nil
    ) {
        self.sequence = sequence
        self.sale = sale
        self.lineItemId = lineItemId
        self.receivedAt = receivedAt
        self.attribution = attribution
        self.requestIdentifier = requestIdentifier
        self.reportState = reportState
        self.exportId = exportId
        self.version = version
        self.isRetracted = isRetracted
        self.partOf = partOf
    }

    /// Returns the same row with other content.
    package func with(_ sale: Sale) -> StoredSale {
        StoredSale(
            sequence: sequence,
            sale: sale,
            lineItemId: lineItemId,
            receivedAt: receivedAt,
            attribution: attribution,
            requestIdentifier: requestIdentifier,
            reportState: reportState,
            exportId: exportId,
            version: version,
            isRetracted: isRetracted,
            partOf: partOf
        )
    }

    /// True when the sale was withdrawn before Apple accepted it; a void sale is never reported.
    package var isVoid: Bool { standing == .void }

    /// The member `state` in the HTTP interface.
    package var stateName: String { isVoid ? "void" : attribution.state.rawValue }

    /// The standing of the sale, derived from the stored columns.
    package var standing: SaleStanding {
        if exportId != nil { return .handedOver }
        if isRetracted, reportState == nil || reportState == .accepted {
            return reportState == nil ? .void : .retracted
        }
        return switch (reportState, attribution.state) {
        case (.accepted, _): .reported
        case (_?, _): .inReport
        case (nil, .planned): .planned
        case (nil, .held): .held
        case (nil, .recorded): .recorded
        }
    }
}

extension StoredSale {
    /// The fields of a sale, with their name in each record form.
    package static let fields = RecordFields<StoredSale>([
        .init("sale", in: .audit) { .sale($0.sale) },
        .init("saleId", in: .archive) { .text($0.sale.saleId.rawValue) },
        .init("lineItemId", in: .audit, .archive) { .text($0.lineItemId.rawValue) },
        .init("partOf", in: .audit, .archive) { .text($0.partOf?.rawValue) },
        .init("type", in: .archive) { .text($0.sale.typeName) },
        .init("occurredAt", in: .archive) { .time($0.sale.occurredAt) },
        .init("receivedAt", in: .audit, .archive) { .time($0.receivedAt) },
        .init("customer", in: .archive) { .customer($0.sale.customerId) },
        .init("attribution", in: .audit) { .json($0.attribution.auditContent) },
        .init("standing", in: .archive) { .text($0.standing.rawValue) },
        .init("flags", in: .archive) { .texts($0.attribution.flags.map(\.rawValue)) },
        .init("externalPurchaseId", in: .archive) { .text($0.attribution.externalPurchaseId?.rawValue) },
        .init("requestIdentifier", in: .archive) { .text($0.requestIdentifier?.text) },
        .init("exportId", in: .archive) { .text($0.exportId?.rawValue) },
        .init("version", in: .archive) { .integer(Int64($0.version)) },
        .init("retracted", in: .archive) { .flag($0.isRetracted) },
    ])
}

/// The standing of a sale between its arrival and Apple's acceptance.
package enum SaleStanding: String, Hashable, Sendable, CaseIterable {
    /// Goes into the next report of its token.
    case planned
    /// Waits for a token or for a person; the flags say why.
    case held
    /// In a report that Apple has not accepted yet.
    case inReport
    /// In an accepted report.
    case reported
    /// Submitted by hand with a manual export (OB-62).
    case handedOver
    /// Records an event of a subscription; there is nothing to report.
    case recorded
    /// Accepted by Apple and then retracted by a correction.
    case retracted
    /// Withdrawn before Apple accepted it.
    case void
}

/// The token on which a sale is reported, and whether it can be reported.
package struct Attribution: Hashable, Sendable {
    package var state: SaleState
    package var externalPurchaseId: ExternalPurchaseId?
    package var flags: Set<SaleFlag>

    package init(state: SaleState, externalPurchaseId: ExternalPurchaseId?, flags: Set<SaleFlag> = []) {
        self.state = state
        self.externalPurchaseId = externalPurchaseId
        self.flags = flags
    }
}

extension Attribution {
    /// The fields of the attribution of a sale, with their name in each record form.
    package static let fields = RecordFields<Attribution>([
        .init("state", in: .audit) { .text($0.state.rawValue) },
        .init("externalPurchaseId", in: .audit) { .text($0.externalPurchaseId?.rawValue) },
        .init("flags", in: .audit) { .texts($0.flags.map(\.rawValue)) },
    ])

    var auditContent: JSONValue { .object(JSONObject(Self.fields.auditMembers(of: self))) }
}

/// Whether a sale can go into a report.
package enum SaleState: String, Hashable, Sendable, CaseIterable {
    /// Goes into the next report of its token, or is already in a report.
    case planned
    /// Waits for a token or for a person; the flags say why.
    case held
    /// Not reported by itself: the end of a subscription or a failed payment.
    case recorded
}

/// The reason why a sale is held, or a note about it; unknown flags of newer versions are preserved.
package struct SaleFlag: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No token of the sale's customer or checkout is known (RR-66).
    package static let noToken = Self(rawValue: "no-token")
    /// No token on which the sale can be reported is active at the time of the sale (RR-64, RR-66).
    package static let noActiveToken = Self(rawValue: "no-active-token")
    /// The currency cannot be reported and no rate was given (RR-45).
    package static let noExchangeRate = Self(rawValue: "no-exchange-rate")
    /// Neither tax nor tax rate was given (RR-47).
    package static let noTax = Self(rawValue: "no-tax")
    /// No tax country was given (RR-47).
    package static let noTaxCountry = Self(rawValue: "no-tax-country")
    /// The sale refers to an unknown one: the buy of a refund, the chargeback of a reversal, or the start of an event.
    package static let buyUnknown = Self(rawValue: "buy-unknown")
    /// The sale refers to one of the wrong kind: a refund to a sale that is no buy, or a reversal to no chargeback.
    package static let wrongReference = Self(rawValue: "wrong-reference")
    /// Another line of the same order is held, and all lines of an order are reported together.
    package static let orderHeld = Self(rawValue: "order-held")
    /// The refund states another currency than its buy (RR-46).
    package static let refundCurrencyDiffers = Self(rawValue: "refund-currency-differs")
    /// The refund has more decimal places than the buy's currency (RR-41).
    package static let refundTooPrecise = Self(rawValue: "refund-too-precise")
    /// The stated tax of the refund differs from the buy's share by more than the tolerance (RR-46).
    package static let refundTaxDiffers = Self(rawValue: "refund-tax-differs")
    /// The reversal is dated before its chargeback.
    package static let reversalBeforeChargeback = Self(rawValue: "reversal-before-chargeback")
    /// The sale refers to one that is being corrected, or that must be corrected first.
    package static let waitsForCorrection = Self(rawValue: "waits-for-correction")
    /// The buy of the refund is held.
    package static let buyHeld = Self(rawValue: "buy-held")
    /// The start of the subscription is held, so that later events cannot reference it.
    package static let startHeld = Self(rawValue: "start-held")
    /// A later charge of the subscription was reported as its start before this charge arrived.
    package static let laterStartReported = Self(rawValue: "later-start-reported")
    /// The charge names a token of another environment than the subscription's start.
    ///
    /// A line item cannot reference the start in another environment (SA-90).
    package static let environmentContradiction = Self(rawValue: "environment-contradiction")
    /// The sale was withdrawn before Apple accepted it.
    package static let voided = Self(rawValue: "void")
    /// The buy of the refund was withdrawn.
    package static let buyVoided = Self(rawValue: "buy-voided")
    /// The refunds would exceed the charged amount (RR-23).
    package static let refundAboveBuy = Self(rawValue: "refund-above-buy")
    /// The refund is dated before its buy, which Apple refuses (E31).
    package static let refundBeforeBuy = Self(rawValue: "refund-before-buy")
    /// Nothing is reported: a cancellation, a lapse, or a chargeback that was reversed before it was reported.
    package static let noLineItem = Self(rawValue: "no-line-item")
    /// The sale is dated after the server's current time; Apple refuses it until then (E6).
    package static let inFuture = Self(rawValue: "in-future")
    /// Apple's time limit has passed: one year for a refund or retraction, three years for a sale (RR-82).
    package static let tooLateToReport = Self(rawValue: "too-late-to-report")
    /// Apple does not know the token (TK-74).
    package static let tokenUnknownToApple = Self(rawValue: "token-unknown-to-apple")
    /// The token belongs to a family on which external purchases are not reported.
    package static let tokenNotReportable = Self(rawValue: "token-not-reportable")
    /// The sale and the token or checkout it names have different customers; the first link stays.
    package static let customerContradiction = Self(rawValue: "customer-contradiction")
    /// The checkout has another token than the sale names; the named token counts.
    package static let checkoutContradiction = Self(rawValue: "checkout-contradiction")
    /// The amount cannot be represented in a report.
    package static let notConvertible = Self(rawValue: "not-convertible")
    /// Apple or the pre-flight refused the sale; it is held until a person retries its review item or amends it
    /// (SA-73).
    package static let reportRefused = Self(rawValue: "report-refused")
    /// A person closed the sale's review item: it stays held and has no deadline, unless another reason holds it.
    package static let reviewClosed = Self(rawValue: "review-closed")
    /// A person retried the sale: it is reported separately from sales that Apple has not refused.
    package static let sentApart = Self(rawValue: "sent-apart")
    /// Another system reported the sale, and Apple accepted it there.
    package static let imported = Self(rawValue: "imported")
    /// The sale looks like the next charge of an imported subscription whose id is unknown.
    package static let importedSubscription = Self(rawValue: "imported-subscription")
    /// A person decided that the sale starts a new subscription, despite imported data.
    package static let newSubscription = Self(rawValue: "new-subscription")
    /// The buy of the refund was retracted.
    package static let buyRetracted = Self(rawValue: "buy-retracted")
    /// The currency was withdrawn from ISO 4217 (RR-52).
    package static let withdrawnCurrency = Self(rawValue: "withdrawn-currency")

    /// All flags of this version.
    package static let known: [SaleFlag] = [
        .noToken, .noActiveToken, .noExchangeRate, .noTax, .noTaxCountry, .buyUnknown, .wrongReference, .orderHeld,
        .refundCurrencyDiffers, .refundTooPrecise, .refundTaxDiffers, .reversalBeforeChargeback, .waitsForCorrection,
        .buyHeld, .startHeld, .laterStartReported, .environmentContradiction, .voided, .buyVoided, .refundAboveBuy,
        .refundBeforeBuy, .noLineItem, .inFuture, .tooLateToReport, .tokenUnknownToApple, .tokenNotReportable,
        .customerContradiction, .checkoutContradiction, .notConvertible, .reportRefused, .reviewClosed, .sentApart,
        .imported, .importedSubscription, .newSubscription, .buyRetracted, .withdrawnCurrency,
    ]
}
