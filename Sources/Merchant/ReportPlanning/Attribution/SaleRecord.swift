package import ExternalPurchaseCore
package import Ledger

/// What planning needs to know of a sale: its newest content, its arrival, and what was reported of it.
package struct SaleRecord: Hashable, Sendable {
    /// The place in the order of arrival.
    package var sequence: Int64
    /// The newest content, corrections included.
    package var sale: Sale
    /// The line item that the sale is, or becomes.
    package var lineItemId: LineItemId
    /// Where the line item was reported; nil while no report holds it.
    package var report: ItemReport?
    /// True while a manual export holds it: then no report does, nor anything that would refer to it (OB-62).
    package var isHandedOver = false
    /// The sale whose line this one is (see ``StoredSale/partOf``).
    package var partOf: SaleId?
    /// The flags that the sale is held with; none for a sale that is not held.
    ///
    /// `report-refused` and `not-convertible` hold it until a person or another content takes them away.
    package var heldFlags: Set<SaleFlag> = []

    package init(
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

    /// A sale as the ledger keeps it.
    ///
    /// - Parameters:
    ///   - accepted: the newest version of its line item that Apple accepted.
    ///   - sent: its line item in the report that holds it and is not accepted yet.
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
        if stored.standing == .held { heldFlags = stored.attribution.flags }
    }
}

/// Where and how a line item was reported; planning never moves it.
package struct ItemReport: Hashable, Sendable {
    package var externalPurchaseId: ExternalPurchaseId
    package var state: State
    /// Event, start and paid days that the item states, where they are known; nil for other items.
    package var figures: SubscriptionFigures?
    /// True when the item keeps its figures although later knowledge gives others: a person decided so.
    package var keepsFigures = false

    package enum State: String, Hashable, Sendable, CaseIterable {
        /// In a report that was written, whose fate is open.
        case written
        /// Apple keeps it.
        case accepted
        /// Apple keeps it as an item that never happened.
        case retracted
    }

    package init(externalPurchaseId: ExternalPurchaseId, state: State, figures: SubscriptionFigures? = nil) {
        self.externalPurchaseId = externalPurchaseId
        self.state = state
        self.figures = figures
    }

    /// The event that the item states, where it is known.
    package var event: SubscriptionEvent? { figures?.event }
}
