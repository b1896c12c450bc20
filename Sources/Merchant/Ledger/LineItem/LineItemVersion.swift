package import ExternalPurchaseCore

/// One version of a line item as a report sent it (RR-84).
package struct LineItemVersion: Hashable, Sendable {
    /// The sequence number in order of creation, from 1.
    package let sequence: Int64
    package let scope: ReportingScope
    package let externalPurchaseId: ExternalPurchaseId
    package let requestIdentifier: RequestIdentifier
    /// The state of its report; only versions of an `accepted` report count.
    package let reportState: ReportState
    package let writtenAt: Timestamp
    package let item: ReceivedLineItem

    package init(
        sequence: Int64,
        scope: ReportingScope,
        externalPurchaseId: ExternalPurchaseId,
        requestIdentifier: RequestIdentifier,
        reportState: ReportState,
        writtenAt: Timestamp,
        item: ReceivedLineItem
    ) {
        self.sequence = sequence
        self.scope = scope
        self.externalPurchaseId = externalPurchaseId
        self.requestIdentifier = requestIdentifier
        self.reportState = reportState
        self.writtenAt = writtenAt
        self.item = item
    }
}

extension StoredReport {
    /// The line items in the report's body; empty if the body is not a report.
    package var sentItems: [ReceivedLineItem] {
        (try? ReceivedReport.read(body))?.lineItems ?? []
    }
}

/// Queries of line items.
package protocol LineItemQueries {
    /// Every version of a line item that was put into a report, oldest first.
    func lineItemVersions(_ id: LineItemId, in scope: ReportingScope) throws(LedgerError) -> [LineItemVersion]
    /// The versions of line items created in a time range, excluding its end, sorted by creation date.
    ///
    /// Used by the monthly export and the list of deadlines.
    func lineItems(
        in scope: ReportingScope,
        createdFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [LineItemVersion]
    /// Whether Apple accepted a `LINE_ITEM` report of the token (E8).
    func hasAcceptedLineItems(_ token: ExternalPurchaseId, of scope: ReportingScope) throws(LedgerError) -> Bool
    /// The newest accepted versions of the given items and of the items that reference them (RR-7, RR-20).
    func newestAccepted(
        _ ids: Set<LineItemId>,
        in scope: ReportingScope
    ) throws(LedgerError) -> [LineItemId: AcceptedVersion]
}
