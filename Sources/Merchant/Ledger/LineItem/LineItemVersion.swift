package import ExternalPurchaseCore

/// One version of a line item as a report sent it (RR-84).
package struct LineItemVersion: Hashable, Sendable {
    /// The place in the order of writing, from 1.
    package let sequence: Int64
    package let scope: ReportingScope
    package let externalPurchaseId: ExternalPurchaseId
    package let requestIdentifier: RequestIdentifier
    /// Where its report stands; only `accepted` versions count.
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
    /// The line items of the bytes; none where the bytes are no report.
    package var sentItems: [ReceivedLineItem] {
        (try? ReceivedReport.read(body))?.lineItems ?? []
    }
}

/// What can be asked about line items.
package protocol LineItemQueries {
    /// Every version of a line item that was put into a report, the first one first.
    func lineItemVersions(_ id: LineItemId, in scope: ReportingScope) throws(LedgerError) -> [LineItemVersion]
    /// The versions of line items created in a span of time, the end excluded, by that date: what a month's export
    /// and due list read.
    func lineItems(
        in scope: ReportingScope,
        createdFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [LineItemVersion]
    /// True when a `LINE_ITEM` report of the token was accepted (E8).
    func hasAcceptedLineItems(_ token: ExternalPurchaseId, of scope: ReportingScope) throws(LedgerError) -> Bool
    /// The newest accepted versions of those ids, and of the items that reference one of them (RR-7, RR-20).
    func newestAccepted(
        _ ids: Set<LineItemId>,
        in scope: ReportingScope
    ) throws(LedgerError) -> [LineItemId: AcceptedVersion]
}
