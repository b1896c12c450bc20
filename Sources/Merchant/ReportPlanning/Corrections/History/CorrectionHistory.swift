package import ExternalPurchaseCore
package import ReportValidation

/// What a correction must know of the past: the newest accepted versions of the items that bear on it, and the tokens.
///
/// A store fills it in rounds, until nothing is needed any more:
///
/// ```swift
/// var history = CorrectionHistory()
/// while case let needs = history.needs(for: requests), !needs.isEmpty {
///     history.add(try ledger.newestAccepted(needs.lineItemIds), tokens: …, answering: needs)
/// }
/// ```
package struct CorrectionHistory: Hashable, Sendable {
    /// The newest accepted version of each item, with the token under which it was accepted.
    package private(set) var items: [LineItemId: AcceptedLineItem] = [:]
    /// The tokens of those items, and those to which items are moved; a token that is not ours is missing.
    package private(set) var tokens: [ExternalPurchaseId: KnownToken] = [:]
    /// Ids that no new item may take although no item was accepted under them: those of sales not yet reported.
    package var takenIds: Set<LineItemId> = []

    private var askedItems: Set<LineItemId> = []
    private var askedTokens: Set<ExternalPurchaseId> = []

    /// A history of which nothing is known yet.
    package init() {}

    /// A history that is wholly known: nothing else was accepted.
    ///
    /// - Parameters:
    ///   - items: the newest accepted versions.
    ///   - tokens: the tokens of this app and environment.
    package init(items: [LineItemId: AcceptedLineItem], tokens: [ExternalPurchaseId: KnownToken]) {
        self.items = items
        self.tokens = tokens
    }

    /// Adds what a store found.
    ///
    /// - Parameters:
    ///   - items: the newest accepted versions of the ids, and of the items that reference one of them.
    ///   - tokens: those of the tokens that are known for this app and environment.
    ///   - needs: what was looked up.
    package mutating func add(
        _ items: [LineItemId: AcceptedLineItem],
        tokens: [ExternalPurchaseId: KnownToken],
        answering needs: CorrectionNeeds
    ) {
        self.items.merge(items) { $1 }
        self.tokens.merge(tokens) { $1 }
        askedItems.formUnion(needs.lineItemIds)
        askedTokens.formUnion(needs.externalPurchaseIds)
    }

    /// What is still to be looked up before the requests can be planned.
    ///
    /// - Parameter requests: the requests that will be planned together.
    package func needs(for requests: [CorrectionRequest]) -> CorrectionNeeds {
        var ids: Set<LineItemId> = []
        var tokens: Set<ExternalPurchaseId> = []
        var moved: Set<LineItemId> = []
        for request in requests {
            ids.insert(request.lineItemId)
            if let reference = request.fields.reference { ids.insert(reference) }
            guard case .move(let id, let place) = request else { continue }
            moved.insert(id)
            if let token = place.externalPurchaseId { tokens.insert(token) }
        }
        ids.formUnion(dependants(of: ids))
        for id in dependants(of: moved).union(moved) { ids.formUnion(successor(of: id).candidates) }
        // The siblings of a refund decide its net.
        ids.formUnion(ids.compactMap { items[$0]?.item.referenceLineItemId })
        tokens.formUnion(ids.compactMap { items[$0]?.externalPurchaseId })
        return CorrectionNeeds(
            lineItemIds: ids.subtracting(askedItems),
            externalPurchaseIds: tokens.subtracting(askedTokens)
        )
    }

    /// The id of the item that follows a retracted one, `order-1.2` after `order-1` (RR-81), and every id whose being
    /// taken or not decided about it.
    func successor(
        of id: LineItemId,
        avoiding planned: Set<LineItemId> = []
    ) -> (id: LineItemId, candidates: Set<LineItemId>) {
        var base = id.rawValue
        var number = 2
        var candidates: Set<LineItemId> = []
        if let point = base.lastIndex(of: "."), let last = Int(base[base.index(after: point)...]), last >= 2,
            last < Int.max, base[base.index(after: point)...].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        {
            let origin = LineItemId(String(base[..<point]))
            candidates.insert(origin)
            // A caller's own "2026.11" is no eleventh version of anything.
            if items[origin] != nil {
                base = origin.rawValue
                number = last + 1
            }
        }
        while true {
            let candidate = LineItemId("\(base).\(number)")
            candidates.insert(candidate)
            if items[candidate] == nil, !takenIds.contains(candidate), !planned.contains(candidate) {
                return (candidate, candidates)
            }
            number += 1
        }
    }

    /// The items that reference one of those, and so on.
    private func dependants(of ids: Set<LineItemId>) -> Set<LineItemId> {
        var referrers: [LineItemId: [LineItemId]] = [:]
        for (id, accepted) in items {
            if let reference = accepted.item.referenceLineItemId { referrers[reference, default: []].append(id) }
        }
        var found: Set<LineItemId> = []
        var open = Array(ids)
        while let id = open.popLast() {
            for referrer in referrers[id, default: []] where found.insert(referrer).inserted { open.append(referrer) }
        }
        return found
    }
}

/// What a store is to look up for a correction.
package struct CorrectionNeeds: Hashable, Sendable {
    /// The newest accepted versions of these, and of the items that reference one of these.
    package let lineItemIds: Set<LineItemId>
    /// What is known of these tokens.
    package let externalPurchaseIds: Set<ExternalPurchaseId>

    /// True when everything is known.
    package var isEmpty: Bool { lineItemIds.isEmpty && externalPurchaseIds.isEmpty }
}
