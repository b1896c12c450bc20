import ExternalPurchaseCore
import ReportValidation

/// The accepted history that a correction needs: the newest accepted versions of all affected items, and their tokens.
///
/// A store adds data in rounds until nothing more is needed:
///
/// ```swift
/// var history = CorrectionHistory()
/// while case let needs = history.needs(for: requests), !needs.isEmpty {
///     history.add(try ledger.newestAccepted(needs.lineItemIds), tokens: …, answering: needs)
/// }
/// ```
struct CorrectionHistory: Hashable, Sendable {
    /// The newest accepted version of each item, with the token under which it was accepted.
    private(set) var items: [LineItemId: AcceptedLineItem] = [:]
    /// The tokens of those items and the destinations of moves; tokens of other apps are missing.
    private(set) var tokens: [ExternalPurchaseId: KnownToken] = [:]
    /// Ids of sales that are not reported yet, which new items must not use.
    var takenIds: Set<LineItemId> = []

    private var askedItems: Set<LineItemId> = []
    private var askedTokens: Set<ExternalPurchaseId> = []

    /// Creates an empty history.
    init() {}

    /// Creates a complete history: items that are missing were never accepted.
    ///
    /// - Parameters:
    ///   - items: the newest accepted versions.
    ///   - tokens: the tokens of this app and environment.
    init(items: [LineItemId: AcceptedLineItem], tokens: [ExternalPurchaseId: KnownToken]) {
        self.items = items
        self.tokens = tokens
    }

    /// Adds the result of a query.
    ///
    /// - Parameters:
    ///   - items: the newest accepted versions of the ids, and of the items that reference one of them.
    ///   - tokens: those of the tokens that are known for this app and environment.
    ///   - needs: the query.
    mutating func add(
        _ items: [LineItemId: AcceptedLineItem],
        tokens: [ExternalPurchaseId: KnownToken],
        answering needs: CorrectionNeeds
    ) {
        self.items.merge(items) { $1 }
        self.tokens.merge(tokens) { $1 }
        askedItems.formUnion(needs.lineItemIds)
        askedTokens.formUnion(needs.externalPurchaseIds)
    }

    /// The data that must still be queried before the requests can be planned.
    ///
    /// - Parameter requests: the requests that will be planned together.
    func needs(for requests: [CorrectionRequest]) -> CorrectionNeeds {
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
        // The net of a refund depends on all refunds of the same buy.
        ids.formUnion(ids.compactMap { items[$0]?.item.referenceLineItemId })
        tokens.formUnion(ids.compactMap { items[$0]?.externalPurchaseId })
        return CorrectionNeeds(
            lineItemIds: ids.subtracting(askedItems),
            externalPurchaseIds: tokens.subtracting(askedTokens)
        )
    }

    /// The id of the item that replaces a retracted one, `order-1.2` after `order-1` (RR-81).
    ///
    /// Also returns every id whose use affects this choice.
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
            // A caller's own id such as "2026.11" is not the eleventh version of another item.
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

    /// All items that reference one of the given ones, directly or indirectly.
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

/// The data that a store must query for a correction.
struct CorrectionNeeds: Hashable, Sendable {
    /// Ids whose newest accepted versions are needed, and those of the items that reference them.
    let lineItemIds: Set<LineItemId>
    /// Ids of tokens that are needed.
    let externalPurchaseIds: Set<ExternalPurchaseId>

    /// True when no data are missing.
    var isEmpty: Bool { lineItemIds.isEmpty && externalPurchaseIds.isEmpty }
}
