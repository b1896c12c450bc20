package import ExternalPurchaseCore

/// All accepted reports of one app in one environment, indexed for the judgement of the next one.
package struct AcceptedHistory: Hashable, Sendable {
    /// The reports in the order of their acceptance.
    package private(set) var reports: [ReceivedReport] = []

    /// Where the newest accepted version of a line item stands; the item itself is kept once, in its report.
    private struct Place: Hashable {
        let report: Int
        let item: Int
    }

    private var places: [LineItemId: Place] = [:]
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
        for (index, item) in (report.lineItems ?? []).enumerated() {
            guard let id = item.lineItemId else { continue }
            if let older = newestVersion(of: id)?.item.referenceLineItemId { removeReferrer(id, of: older) }
            places[id] = Place(report: reports.count - 1, item: index)
            if let reference = item.referenceLineItemId { referrers[reference, default: []].insert(id) }
        }
    }

    /// The newest accepted version of a line item (RR-7).
    package func newestVersion(of id: LineItemId) -> AcceptedLineItem? {
        guard let place = places[id], let token = reports[place.report].externalPurchaseId,
            let item = reports[place.report].lineItems?[place.item]
        else { return nil }
        return AcceptedLineItem(item: item, externalPurchaseId: token)
    }

    /// The newest accepted version of every line item, gathered in time proportional to the whole history.
    package var newest: [LineItemId: AcceptedLineItem] {
        Dictionary(uniqueKeysWithValues: places.keys.compactMap { id in newestVersion(of: id).map { (id, $0) } })
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
            slice.newest[id] = newestVersion(of: id)
            for referrer in referrers[id, default: []] { slice.newest[referrer] = newestVersion(of: referrer) }
        }
        return slice
    }

    private mutating func removeReferrer(_ id: LineItemId, of reference: LineItemId) {
        referrers[reference]?.remove(id)
        if referrers[reference]?.isEmpty == true { referrers[reference] = nil }
    }
}
