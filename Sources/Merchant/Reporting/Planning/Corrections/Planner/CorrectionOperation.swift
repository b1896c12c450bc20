import ExternalPurchaseCore

/// The change of one line item in one report of a correction, before it is assigned to a report.
struct CorrectionOperation {
    let action: ItemCorrection.Action
    let cause: ItemCorrection.Cause
    let externalPurchaseId: ExternalPurchaseId
    /// The current version; nil for a new id.
    let previous: LineItem?
    /// The version shown for comparison; for a new id, the item that it replaces.
    let shownBefore: LineItem
    /// The version to report.
    let item: LineItem

    var lineItemId: LineItemId { item.lineItemId }

    /// True when the operation retracts a live item.
    var retracts: Bool { previous?.isLive == true && !item.isLive }

    /// True when the operation adds an item or restores a retracted one.
    var raises: Bool { previous?.isLive != true && item.isLive }

    /// The change of each buy's remainder (RR-20).
    var netEffects: [LineItemId: Int128] {
        var effects: [LineItemId: Int128] = [:]
        func add(_ item: LineItem?, _ sign: Int128) {
            guard let item, item.isLive else { return }
            let amount = Int128(item.amounts.taxExclusive.value) * (item.isRefund ? -1 : 1)
            effects[item.buyOfNet, default: 0] += sign * amount
        }
        add(previous, -1)
        add(item, 1)
        return effects.filter { $0.value != 0 }
    }
}
