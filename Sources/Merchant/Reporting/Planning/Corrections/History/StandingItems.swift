import ExternalPurchaseCore

/// The current version of a line item at Apple, and the token under which it was accepted.
struct StandingItem: Hashable {
    var item: LineItem
    var externalPurchaseId: ExternalPurchaseId
}

/// The newest version of every line item that affects a correction, and the net amounts computed from them.
///
/// The nets are computed independently of the validation rules that check them.
struct CurrentItems {
    private var items: [LineItemId: StandingItem] = [:]
    private var referrers: [LineItemId: Set<LineItemId>] = [:]

    subscript(id: LineItemId) -> StandingItem? { items[id] }

    /// Adds or replaces the version of an item.
    mutating func put(_ item: LineItem, on token: ExternalPurchaseId) {
        let id = item.lineItemId
        if let older = items[id]?.item.reference { referrers[older]?.remove(id) }
        items[id] = StandingItem(item: item, externalPurchaseId: token)
        if let reference = item.reference { referrers[reference, default: []].insert(id) }
    }

    /// The items that reference the given one, retracted or not, by date and id.
    func referrers(of id: LineItemId) -> [StandingItem] {
        referrers[id, default: []].compactMap { items[$0] }.sorted {
            ($0.item.creationDate, $0.item.lineItemId) < ($1.item.creationDate, $1.item.lineItemId)
        }
    }

    /// The items that reference the given one and are not retracted, by date and id.
    func liveReferrers(of id: LineItemId) -> [StandingItem] { referrers(of: id).filter(\.item.isLive) }

    /// The refunds of a buy that are not retracted, by date and id.
    func liveRefunds(of id: LineItemId) -> [StandingItem] { liveReferrers(of: id).filter(\.item.isRefund) }

    /// The remainder of a buy after its refunds (RR-20, RR-23).
    ///
    /// 0 for a retracted buy, negative when the refunds exceed it, nil when the buy is unknown.
    func net(of buy: LineItemId) -> Int128? {
        guard let item = items[buy]?.item, !item.isRefund else { return nil }
        guard item.isLive else { return 0 }
        return liveRefunds(of: buy).reduce(Int128(item.amounts.taxExclusive.value)) {
            $0 - Int128($1.item.amounts.taxExclusive.value)
        }
    }
}
