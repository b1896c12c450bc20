import ExternalPurchaseCore

/// One line item in one report of a correction, before its place among the reports is known.
struct CorrectionOperation {
    let action: ItemCorrection.Action
    let cause: ItemCorrection.Cause
    let externalPurchaseId: ExternalPurchaseId
    /// The version that stands before, nil for a new id.
    let previous: LineItem?
    /// The version that a person compares with: of a new id the item it replaces.
    let shownBefore: LineItem
    /// The version to report.
    let item: LineItem

    var lineItemId: LineItemId { item.lineItemId }

    /// True when the item stood and is retracted.
    var retracts: Bool { previous?.isLive == true && !item.isLive }

    /// True when the item did not stand and does now.
    var raises: Bool { previous?.isLive != true && item.isLive }

    /// By how much the operation changes what is left of each buy (RR-20).
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
