package import ExternalPurchaseCore
package import Ledger

/// The data of a sale that planning needs: its newest content, its arrival, and its report.
package struct SaleRecord: Hashable, Sendable {
    /// The sequence number in order of arrival.
    var sequence: Int64
    /// The newest content, corrections included.
    package var sale: Sale
    /// The line item of the sale, reported or not.
    var lineItemId: LineItemId
    /// The report of the line item; nil while no report contains it.
    var report: ItemReport?
    /// True while a manual export contains the sale; then neither it nor a sale that refers to it is in a report
    /// (OB-62).
    var isHandedOver = false
    /// The sale of which this is one line (see ``StoredSale/partOf``).
    var partOf: SaleId?
    /// The stored causes of a held sale; empty for other sales.
    ///
    /// `report-refused` and `not-convertible` hold the sale until a person or a change of its content removes them.
    var holdCauses: Set<HoldCause> = []
    /// Whether a person closed the review item of a held sale; open for other sales.
    var review: SaleReview = .open
    /// The token of the report that Apple refused because it has the sale (E1, E30); nil for other sales (RR-85).
    var reportedAlreadyOn: ExternalPurchaseId?
    /// True for an unreported chargeback that Apple may have, because it has its purchase by a report of another ledger.
    ///
    /// Its reversal does not drop it: it is reported and then retracted, whereby Apple is asked (RR-85).
    var mayBeAtApple = false
    /// True if the sale was imported from an accepted report, which does not tell a chargeback from a refund (SA-43).
    var isImported = false

    /// The imported refund whose total may contain this unreported one, or one before it; nil for other sales (RR-46).
    var mayBeContainedIn: SaleId?

    init(
        sequence: Int64,
        sale: Sale,
        lineItemId: LineItemId? = nil,
        report: ItemReport? = nil,
        partOf: SaleId? = nil
    ) {
        self.sequence = sequence
        self.sale = sale
        self.lineItemId = lineItemId ?? LineItemId(sale.saleId.rawValue)
        self.report = report
        self.partOf = partOf
    }

    /// Creates a record from a stored sale.
    ///
    /// - Parameters:
    ///   - accepted: the newest accepted version of its line item.
    ///   - sent: its line item in a report that is not accepted yet.
    package init(_ stored: StoredSale, accepted: AcceptedVersion? = nil, sent: ReceivedLineItem? = nil) {
        var report: ItemReport?
        if let accepted {
            report = ItemReport(
                externalPurchaseId: accepted.externalPurchaseId,
                state: accepted.item.erroneouslySubmitted == true ? .retracted : .accepted,
                figures: SubscriptionFigures(accepted.item)
            )
        } else if stored.requestIdentifier != nil, let token = stored.attribution.externalPurchaseId {
            report = ItemReport(
                externalPurchaseId: token,
                state: .written,
                figures: sent.flatMap { SubscriptionFigures($0) }
            )
        }
        self.init(
            sequence: stored.sequence,
            sale: stored.sale,
            lineItemId: stored.lineItemId,
            report: report,
            partOf: stored.partOf
        )
        isHandedOver = stored.standing == .handedOver
        isImported = stored.attribution.origin == .imported
        guard stored.standing == .held else { return }
        holdCauses = stored.attribution.holdCauses
        if holdCauses.contains(.reportedAlready) { reportedAlreadyOn = stored.attribution.externalPurchaseId }
        review = stored.attribution.review
    }
}

/// The report of a line item; planning never moves a reported item.
package struct ItemReport: Hashable, Sendable {
    var externalPurchaseId: ExternalPurchaseId
    var state: State
    /// The event, start and paid days that the item states; nil for other items or when unknown.
    var figures: SubscriptionFigures?
    /// True when a person decided that the item keeps its figures although the complete history gives others.
    var keepsFigures = false

    package enum State: String, Hashable, Sendable, CaseIterable {
        /// In a written report that is not accepted yet.
        case written
        /// Accepted by Apple.
        case accepted
        /// Accepted by Apple, then retracted.
        case retracted
    }

    init(externalPurchaseId: ExternalPurchaseId, state: State, figures: SubscriptionFigures? = nil) {
        self.externalPurchaseId = externalPurchaseId
        self.state = state
        self.figures = figures
    }

    /// The event that the item states, if known.
    var event: SubscriptionEvent? { figures?.event }
}
