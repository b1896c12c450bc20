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
}

extension StoredReport {
    /// The line items in the report's body; empty if the body is not a report.
    package var sentItems: [ReceivedLineItem] {
        (try? ReceivedReport.read(body))?.lineItems ?? []
    }
}
