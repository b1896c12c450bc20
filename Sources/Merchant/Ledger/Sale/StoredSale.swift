package import ExternalPurchaseCore

/// A sale as the ledger keeps it: the caller's content, the line item it becomes and the token it goes on.
package struct StoredSale: Hashable, Sendable {
    /// The place in the order of arrival, from 1; 0 before it is stored.
    package var sequence: Int64
    package let sale: Sale
    package let lineItemId: LineItemId
    package let receivedAt: Timestamp
    package var attribution: Attribution
    /// The report that holds the line item, from the moment it is written.
    package var requestIdentifier: RequestIdentifier?
    /// Where that report stands.
    package var reportState: ReportState?
    /// The manual export that holds the sale instead (OB-62).
    package var exportId: ManualExportId?
    /// Which version ``sale`` is: 1 as it arrived, more after corrections.
    package var version: Int
    /// True when its newest version says that it never happened.
    package var isRetracted: Bool
    /// The sale whose line this one is: an order of several products, or the refund or reversal of one.
    ///
    /// Nil for a sale as it was given.
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

    /// The same row with other content.
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

    /// True when it was withdrawn before Apple accepted it: nothing of it is ever reported.
    package var isVoid: Bool { standing == .void }

    /// The `state` of the interface.
    package var stateName: String { isVoid ? "void" : attribution.state.rawValue }

    /// Where the sale stands, from what is stored.
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
    /// What each form shows of a sale.
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

/// Where a sale stands between its arrival and Apple's acceptance.
package enum SaleStanding: String, Hashable, Sendable, CaseIterable {
    /// Goes into the next report of its token.
    case planned
    /// Waits for a token or for a person; the flags say why.
    case held
    /// In a report that Apple has not accepted yet.
    case inReport
    /// In a report that Apple accepted.
    case reported
    /// Submitted by hand with a manual export (OB-62).
    case handedOver
    /// Tells of a subscription only; there is nothing to report.
    case recorded
    /// Apple accepted it, and a correction says that it never happened.
    case retracted
    /// Withdrawn before Apple accepted it.
    case void
}

/// The token that a sale is reported on, and whether it can be reported.
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
    /// What each form shows of the attribution of a sale.
    package static let fields = RecordFields<Attribution>([
        .init("state", in: .audit) { .text($0.state.rawValue) },
        .init("externalPurchaseId", in: .audit) { .text($0.externalPurchaseId?.rawValue) },
        .init("flags", in: .audit) { .texts($0.flags.map(\.rawValue)) },
    ])

    var auditContent: JSONValue { .object(JSONObject(Self.fields.auditMembers(of: self))) }
}

/// Whether a sale is on its way to a report.
package enum SaleState: String, Hashable, Sendable, CaseIterable {
    /// Goes into the next report of its token, or is in one.
    case planned
    /// Waits for a token or for a person; the flags say why.
    case held
    /// Nothing to report by itself: the end of a subscription, a lapse of payment.
    case recorded
}

/// Why a sale is held, or what a person should know of it; unknown flags of newer versions are kept.
package struct SaleFlag: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No token is known to which the sale belongs (RR-66).
    package static let noToken = Self(rawValue: "no-token")
    /// No token that could take the sale is active at its moment (RR-64, RR-66).
    package static let noActiveToken = Self(rawValue: "no-active-token")
    /// The currency cannot be reported and no rate was given (RR-45).
    package static let noExchangeRate = Self(rawValue: "no-exchange-rate")
    /// Neither tax nor tax rate was given (RR-47).
    package static let noTax = Self(rawValue: "no-tax")
    /// No tax country was given (RR-47).
    package static let noTaxCountry = Self(rawValue: "no-tax-country")
    /// What it refers to is not known yet: the buy of a refund, the chargeback of a reversal, the start of an event.
    package static let buyUnknown = Self(rawValue: "buy-unknown")
    /// What it refers to is of a type that it cannot refer to: a refund of no purchase, a reversal of no chargeback.
    package static let wrongReference = Self(rawValue: "wrong-reference")
    /// Another line of the same order is held, and an order is reported whole.
    package static let orderHeld = Self(rawValue: "order-held")
    /// The refund gives another currency than its buy (RR-46).
    package static let refundCurrencyDiffers = Self(rawValue: "refund-currency-differs")
    /// The refund has more digits after the point than the buy's currency (RR-41).
    package static let refundTooPrecise = Self(rawValue: "refund-too-precise")
    /// The stated tax of the refund is further from the buy's share than the tolerance (RR-46).
    package static let refundTaxDiffers = Self(rawValue: "refund-tax-differs")
    /// The reversal is dated before its chargeback.
    package static let reversalBeforeChargeback = Self(rawValue: "reversal-before-chargeback")
    /// What it refers to is being corrected, or has to be before it can be referred to.
    package static let waitsForCorrection = Self(rawValue: "waits-for-correction")
    /// The buy of the refund is held.
    package static let buyHeld = Self(rawValue: "buy-held")
    /// The start of the subscription is held, so that its later events cannot name it.
    package static let startHeld = Self(rawValue: "start-held")
    /// A later charge of the subscription was reported as its start before this one arrived.
    package static let laterStartReported = Self(rawValue: "later-start-reported")
    /// The charge names a token of another environment than that of the subscription's start, where nothing can refer
    /// to the start (SA-90).
    package static let environmentContradiction = Self(rawValue: "environment-contradiction")
    /// The sale was withdrawn before Apple accepted it.
    package static let voided = Self(rawValue: "void")
    /// The buy of the refund was withdrawn.
    package static let buyVoided = Self(rawValue: "buy-voided")
    /// More would be given back than was charged (RR-23).
    package static let refundAboveBuy = Self(rawValue: "refund-above-buy")
    /// The refund is dated before its buy, which Apple refuses (E31).
    package static let refundBeforeBuy = Self(rawValue: "refund-before-buy")
    /// Nothing of it is reported: cancellations, lapses, and a chargeback undone before it was reported.
    package static let noLineItem = Self(rawValue: "no-line-item")
    /// The sale is dated ahead of the server's clock, which Apple refuses until then (E6).
    package static let inFuture = Self(rawValue: "in-future")
    /// Apple takes it no more: a refund or retraction after a year, a sale after three (RR-82).
    package static let tooLateToReport = Self(rawValue: "too-late-to-report")
    /// Apple does not know the token (TK-74).
    package static let tokenUnknownToApple = Self(rawValue: "token-unknown-to-apple")
    /// The token is of a family that external purchases are not reported on.
    package static let tokenNotReportable = Self(rawValue: "token-not-reportable")
    /// The sale and what it names tell different customers; the first tie stays.
    package static let customerContradiction = Self(rawValue: "customer-contradiction")
    /// The checkout carries another token than the sale names; the named one counts.
    package static let checkoutContradiction = Self(rawValue: "checkout-contradiction")
    /// The money does not fit into a report.
    package static let notConvertible = Self(rawValue: "not-convertible")
    /// Apple or the pre-flight refused it: it stays held until a person retries its review item or amends it (SA-73).
    package static let reportRefused = Self(rawValue: "report-refused")
    /// A person closed its review item: it stays held, and is due nowhere, while nothing else comes to hold it.
    package static let reviewClosed = Self(rawValue: "review-closed")
    /// A person retried the sale: it is reported apart from sales that Apple has not refused before.
    package static let sentApart = Self(rawValue: "sent-apart")
    /// Another system reported it, and Apple accepted it there.
    package static let imported = Self(rawValue: "imported")
    /// It looks like the next charge of an imported subscription whose name nobody has said.
    package static let importedSubscription = Self(rawValue: "imported-subscription")
    /// A person said that it begins a subscription, whatever was imported.
    package static let newSubscription = Self(rawValue: "new-subscription")
    /// The buy of the refund was retracted.
    package static let buyRetracted = Self(rawValue: "buy-retracted")
    /// The currency is withdrawn from the standard (RR-52).
    package static let withdrawnCurrency = Self(rawValue: "withdrawn-currency")

    /// The flags of this version.
    package static let known: [SaleFlag] = [
        .noToken, .noActiveToken, .noExchangeRate, .noTax, .noTaxCountry, .buyUnknown, .wrongReference, .orderHeld,
        .refundCurrencyDiffers, .refundTooPrecise, .refundTaxDiffers, .reversalBeforeChargeback, .waitsForCorrection,
        .buyHeld, .startHeld, .laterStartReported, .environmentContradiction, .voided, .buyVoided, .refundAboveBuy,
        .refundBeforeBuy, .noLineItem, .inFuture, .tooLateToReport, .tokenUnknownToApple, .tokenNotReportable,
        .customerContradiction, .checkoutContradiction, .notConvertible, .reportRefused, .reviewClosed, .sentApart,
        .imported, .importedSubscription, .newSubscription, .buyRetracted, .withdrawnCurrency,
    ]
}
