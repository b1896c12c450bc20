package import ExternalPurchaseCore

/// The ids that must be looked up in the history before a report is validated.
///
/// A store reads the newest accepted version of every id in `lineItemIds`, and the accepted items whose
/// `referenceLineItemId` is one of them. No other part of the history affects the result (RR-7, RR-20).
package struct HistoryNeeds: Hashable, Sendable {
    /// The report's UUID.
    package let requestIdentifier: RequestIdentifier?
    /// The report's token.
    package let externalPurchaseId: ExternalPurchaseId?
    /// The items of the report and the items that they reference.
    package let lineItemIds: Set<LineItemId>

    /// Determines the needs of a report.
    package init(of report: ReceivedReport) {
        requestIdentifier = report.requestIdentifier
        externalPurchaseId = report.externalPurchaseId
        let items = report.lineItems ?? []
        var ids = Set<LineItemId>(minimumCapacity: items.count)
        for item in items {
            if let id = item.lineItemId { ids.insert(id) }
            if let reference = item.referenceLineItemId { ids.insert(reference) }
        }
        lineItemIds = ids
    }
}

/// The newest accepted version of a line item and the token under which it was accepted.
package struct AcceptedLineItem: Hashable, Sendable {
    /// The item as accepted.
    package let item: ReceivedLineItem
    /// The token of the report that contained it.
    package let externalPurchaseId: ExternalPurchaseId

    /// Creates an accepted item.
    package init(item: ReceivedLineItem, externalPurchaseId: ExternalPurchaseId) {
        self.item = item
        self.externalPurchaseId = externalPurchaseId
    }
}

/// The data of the report's token that the rules need.
package struct KnownToken: Hashable, Sendable {
    /// When the token was created.
    package let creationDate: Timestamp
    /// The type; nil for a plain token.
    let tokenType: TokenType?
    /// When the token expires; nil if it does not.
    package let expirationDate: Timestamp?

    /// Creates the data of a token that Apple knows for this app and environment.
    package init(creationDate: Timestamp, tokenType: TokenType?, expirationDate: Timestamp?) {
        self.creationDate = creationDate
        self.tokenType = tokenType
        self.expirationDate = expirationDate
    }
}

/// The part of the accepted history of one app and environment that one report needs.
package struct HistorySlice: Hashable, Sendable {
    /// The report's token; nil when this app and environment have no token with that id (E3).
    package var token: KnownToken?
    /// True when a report was accepted under the report's UUID (E1).
    package var isRequestIdentifierUsed = false
    /// True when a `LINE_ITEM` report of the token was accepted (E8).
    package var hasLineItemReport = false
    /// The newest accepted versions by id: those of ``HistoryNeeds`` and of the items that reference them.
    package var newest: [LineItemId: AcceptedLineItem] = [:]

    /// Creates an empty slice.
    package init() {}
}
