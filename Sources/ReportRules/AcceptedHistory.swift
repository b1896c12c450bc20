package import ExternalPurchaseCore

/// All accepted reports of one app in one environment, indexed for the judgement of the next one.
package struct AcceptedHistory: Hashable, Sendable {
    /// The reports in the order of their acceptance.
    package private(set) var reports: [ReceivedReport] = []
    /// The newest accepted version of every line item (RR-7).
    package private(set) var newest: [LineItemId: AcceptedLineItem] = [:]

    private var position: [RequestIdentifier: Int] = [:]
    private var referrers: [LineItemId: Set<LineItemId>] = [:]
    private var tokensWithLineItems: Set<ExternalPurchaseId> = []

    /// A history without reports.
    package init() {}

    /// Keeps a report that passed every rule; members that are missing are not indexed.
    package mutating func accept(_ report: ReceivedReport) {
        if let identifier = report.requestIdentifier { position[identifier] = reports.count }
        reports.append(report)
        guard report.status == .lineItem, let token = report.externalPurchaseId else { return }
        tokensWithLineItems.insert(token)
        for item in report.lineItems ?? [] {
            guard let id = item.lineItemId else { continue }
            if let older = newest[id]?.item.referenceLineItemId { removeReferrer(id, of: older) }
            newest[id] = AcceptedLineItem(item: item, externalPurchaseId: token)
            if let reference = item.referenceLineItemId { referrers[reference, default: []].insert(id) }
        }
    }

    /// The report that was accepted under an identifier, as it was received (SA-23).
    package func report(_ identifier: RequestIdentifier) -> ReceivedReport? {
        position[identifier].map { reports[$0] }
    }

    /// What a report needs of this history, in time proportional to what it needs.
    ///
    /// - Parameters:
    ///   - needs: the needs of the report.
    ///   - token: the report's token, nil when this app and environment have none of that id.
    package func slice(for needs: HistoryNeeds, token: KnownToken?) -> HistorySlice {
        var slice = HistorySlice()
        slice.token = token
        slice.isRequestIdentifierUsed = needs.requestIdentifier.map { position[$0] != nil } ?? false
        slice.hasLineItemReport = needs.externalPurchaseId.map(tokensWithLineItems.contains) ?? false
        for id in needs.lineItemIds {
            slice.newest[id] = newest[id]
            for referrer in referrers[id, default: []] { slice.newest[referrer] = newest[referrer] }
        }
        return slice
    }

    private mutating func removeReferrer(_ id: LineItemId, of reference: LineItemId) {
        referrers[reference]?.remove(id)
        if referrers[reference]?.isEmpty == true { referrers[reference] = nil }
    }
}
