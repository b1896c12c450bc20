package import ExternalPurchaseCore

/// What a report needs to know of the past: the ids to look up before it is judged.
///
/// A store reads the accepted newest version of every id in `lineItemIds`, and the accepted items whose
/// `referenceLineItemId` is one of them; nothing else of the history decides (RR-7, RR-20).
package struct HistoryNeeds: Hashable, Sendable {
    /// The report's UUID.
    package let requestIdentifier: RequestIdentifier?
    /// The report's token.
    package let externalPurchaseId: ExternalPurchaseId?
    /// The items of the report and what they reference.
    package let lineItemIds: Set<LineItemId>

    /// The needs of a report.
    package init(of report: ReceivedReport) {
        requestIdentifier = report.requestIdentifier
        externalPurchaseId = report.externalPurchaseId
        let items = report.lineItems ?? []
        lineItemIds = Set(items.compactMap(\.lineItemId) + items.compactMap(\.referenceLineItemId))
    }
}

/// The newest accepted version of a line item and the token under which it was accepted.
package struct AcceptedLineItem: Hashable, Sendable {
    /// The item as accepted.
    package let item: ReceivedLineItem
    /// The token of the report that held it.
    package let externalPurchaseId: ExternalPurchaseId

    /// An accepted item.
    package init(item: ReceivedLineItem, externalPurchaseId: ExternalPurchaseId) {
        self.item = item
        self.externalPurchaseId = externalPurchaseId
    }
}

/// What the judge knows of the report's token.
package struct KnownToken: Hashable, Sendable {
    /// When it was made.
    package let creationDate: Timestamp
    /// Its type, nil for a plain token.
    package let tokenType: TokenType?
    /// When it expires, nil if it does not.
    package let expirationDate: Timestamp?

    /// A token that Apple knows for this app and environment.
    package init(creationDate: Timestamp, tokenType: TokenType?, expirationDate: Timestamp?) {
        self.creationDate = creationDate
        self.tokenType = tokenType
        self.expirationDate = expirationDate
    }
}

/// The slice of one app's and environment's accepted history that one report needs.
package struct HistorySlice: Hashable, Sendable {
    /// The report's token; nil when no token of this app and environment has that id (E3).
    package var token: KnownToken?
    /// True when a report was accepted under the report's UUID (E1).
    package var isRequestIdentifierUsed = false
    /// True when a `LINE_ITEM` report of the token was accepted (E8).
    package var hasLineItemReport = false
    /// The newest accepted version by id, for the ids of ``HistoryNeeds`` and the referrers.
    package var newest: [LineItemId: AcceptedLineItem] = [:]

    /// An empty history.
    package init() {}
}
