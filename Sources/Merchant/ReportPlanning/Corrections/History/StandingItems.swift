import ExternalPurchaseCore

/// A line item as it stands at Apple, and the token it was accepted under.
struct StandingItem: Hashable {
    var item: LineItem
    var externalPurchaseId: ExternalPurchaseId
}

/// The newest version of every line item that bears on a correction, and the nets that follow from them.
///
/// The nets are this side's own arithmetic; the rules that judge them are never asked.
struct StandingItems {
    private var items: [LineItemId: StandingItem] = [:]
    private var referrers: [LineItemId: Set<LineItemId>] = [:]

    subscript(id: LineItemId) -> StandingItem? { items[id] }

    /// Takes over a version, new or newer.
    mutating func put(_ item: LineItem, on token: ExternalPurchaseId) {
        let id = item.lineItemId
        if let older = items[id]?.item.reference { referrers[older]?.remove(id) }
        items[id] = StandingItem(item: item, externalPurchaseId: token)
        if let reference = item.reference { referrers[reference, default: []].insert(id) }
    }

    /// The items that reference one, retracted or not, by date and id.
    func referrers(of id: LineItemId) -> [StandingItem] {
        referrers[id, default: []].compactMap { items[$0] }.sorted {
            ($0.item.creationDate, $0.item.lineItemId) < ($1.item.creationDate, $1.item.lineItemId)
        }
    }

    /// The items that reference one and were not retracted, by date and id.
    func liveReferrers(of id: LineItemId) -> [StandingItem] { referrers(of: id).filter(\.item.isLive) }

    /// The live refunds of a buy, by date and id.
    func liveRefunds(of id: LineItemId) -> [StandingItem] { liveReferrers(of: id).filter(\.item.isRefund) }

    /// What is left of a buy after its refunds: 0 for a retracted one, below 0 when the refunds exceed it, nil when it is
    /// not known (RR-20, RR-23).
    func net(of buy: LineItemId) -> Int128? {
        guard let item = items[buy]?.item, !item.isRefund else { return nil }
        guard item.isLive else { return 0 }
        return liveRefunds(of: buy).reduce(Int128(item.amounts.taxExclusive.value)) {
            $0 - Int128($1.item.amounts.taxExclusive.value)
        }
    }
}
