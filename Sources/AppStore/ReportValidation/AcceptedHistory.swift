package import ExternalPurchaseCore

/// All accepted reports of one app in one environment, indexed for the validation of the next one.
package struct AcceptedHistory: Hashable, Sendable {
    /// The reports in the order of their acceptance.
    package private(set) var reports: [ReceivedReport] = []

    /// The position of the newest accepted version of a line item.
    ///
    /// The item itself is stored once, in its report.
    private struct Position: Hashable {
        let report: Int
        let item: Int
    }

    private var positions: [LineItemId: Position] = [:]
    private var position: [RequestIdentifier: Int] = [:]
    private var referrers: [LineItemId: Set<LineItemId>] = [:]
    private var tokensWithLineItems: Set<ExternalPurchaseId> = []

    /// A history without reports.
    package init() {}

    /// Adds a report that passed every rule.
    ///
    /// Absent members are not indexed.
    package mutating func accept(_ report: ReceivedReport) {
        if let identifier = report.requestIdentifier { position[identifier] = reports.count }
        reports.append(report)
        guard report.status == .lineItem, let token = report.externalPurchaseId else { return }
        tokensWithLineItems.insert(token)
        for (index, item) in (report.lineItems ?? []).enumerated() {
            guard let id = item.lineItemId else { continue }
            if let older = newestVersion(of: id)?.item.referenceLineItemId { removeReferrer(id, of: older) }
            positions[id] = Position(report: reports.count - 1, item: index)
            if let reference = item.referenceLineItemId { referrers[reference, default: []].insert(id) }
        }
    }

    /// Returns the newest accepted version of a line item (RR-7).
    func newestVersion(of id: LineItemId) -> AcceptedLineItem? {
        guard let place = positions[id], let token = reports[place.report].externalPurchaseId,
            let item = reports[place.report].lineItems?[place.item]
        else { return nil }
        return AcceptedLineItem(item: item, externalPurchaseId: token)
    }

    /// The newest accepted version of every line item, collected in time proportional to the size of the history.
    var newest: [LineItemId: AcceptedLineItem] {
        Dictionary(uniqueKeysWithValues: positions.keys.compactMap { id in newestVersion(of: id).map { (id, $0) } })
    }

    /// Returns the report that was accepted under an identifier, as it was received (SA-23).
    package func report(_ identifier: RequestIdentifier) -> ReceivedReport? {
        position[identifier].map { reports[$0] }
    }

    /// Returns the part of the history that a report needs, in time proportional to the size of that part.
    ///
    /// - Parameters:
    ///   - needs: the needs of the report.
    ///   - token: the report's token; nil when this app and environment have no token with that id.
    package func slice(for needs: HistoryNeeds, token: KnownToken?) -> HistorySlice {
        var slice = HistorySlice()
        slice.token = token
        slice.isRequestIdentifierUsed = needs.requestIdentifier.map { position[$0] != nil } ?? false
        slice.hasLineItemReport = needs.externalPurchaseId.map(tokensWithLineItems.contains) ?? false
        for id in needs.lineItemIds {
            if let version = newestVersion(of: id) { slice.newest[id] = version }
            for referrer in referrers[id, default: []] { slice.newest[referrer] = newestVersion(of: referrer) }
        }
        return slice
    }

    private mutating func removeReferrer(_ id: LineItemId, of reference: LineItemId) {
        referrers[reference]?.remove(id)
        if referrers[reference]?.isEmpty == true { referrers[reference] = nil }
    }
}
