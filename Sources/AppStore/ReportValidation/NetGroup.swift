import ExternalPurchaseCore

/// A buy and its refunds.
///
/// Their net amounts must equal what remains of the buy (RR-20).
struct NetGroup {
    private let buy: ValidatedLineItem
    private let id: LineItemId
    private var checked: [ValidatedLineItem] = []
    /// Later items of this report with the id of the buy, which make the buy ambiguous (RR-22).
    private var copies: [ValidatedLineItem] = []

    private static let reads: LineItemFieldSet = [
        .lineItemId, .amountTaxExclusive, .netAmountTaxExclusive, .erroneouslySubmitted,
    ]

    /// Returns the error codes of the checked items by their position in the report.
    static func violations(in context: ValidationContext) -> [Int: ReportErrorCode] {
        var violations: [Int: ReportErrorCode] = [:]
        // Each buy is a group of its own, as in most reports.
        guard context.hasReferences || context.hasCopies else {
            for item in context.items {
                guard let position = item.position, let code = violation(ofUnreferenced: item) else { continue }
                violations[position] = code
            }
            return violations
        }
        for group in groups(in: context) {
            guard let code = group.violation(in: context) else { continue }
            for position in group.checked.compactMap(\.position) { violations[position] = code }
        }
        return violations
    }

    private static func violation(ofUnreferenced item: ValidatedLineItem) -> ReportErrorCode? {
        guard item.kind?.isBuy == true, item.item.lineItemId != nil, item.isUsable(reads),
            let net = item.item.netAmountTaxExclusive
        else { return nil }
        let remaining = item.item.isLive ? item.item.amountTaxExclusive ?? 0 : 0
        return net == remaining ? nil : .incorrectNetAmount
    }

    private static func groups(in context: ValidationContext) -> [NetGroup] {
        var groups: [LineItemId: NetGroup] = [:]
        for item in context.items {
            guard let kind = item.kind else { continue }
            let id = kind.isBuy ? item.item.lineItemId : item.item.referenceLineItemId
            guard let id, kind.isBuy || item.isUsable(.referenceLineItemId),
                let buy = context.overlay(id), buy.kind?.isBuy == true
            else { continue }
            // Appended in place: a copy of the group would make many refunds of one buy quadratic.
            if kind.isBuy, item.position != buy.position {
                groups[id, default: NetGroup(buy: buy, id: id)].copies.append(item)
            } else {
                groups[id, default: NetGroup(buy: buy, id: id)].checked.append(item)
            }
        }
        return Array(groups.values)
    }

    private init(buy: ValidatedLineItem, id: LineItemId) {
        self.buy = buy
        self.id = id
    }

    private func violation(in context: ValidationContext) -> ReportErrorCode? {
        guard buy.isUsable(Self.reads), checked.allSatisfy({ $0.isUsable(Self.reads) }),
            copies.allSatisfy({ $0.isUsable(Self.reads) })
        else { return nil }
        var stated: Int64?
        for item in checked {
            guard let net = item.item.netAmountTaxExclusive else { continue }
            if let stated, stated != net { return .netAmountMismatch }
            stated = net
        }
        guard let stated else { return nil }
        return Int128(stated) == expectedNet(in: context) ? nil : .incorrectNetAmount
    }

    // 128 bits, because the sum of a thousand refunds of 2^63 milli-units must not overflow (RR-23).
    private func expectedNet(in context: ValidationContext) -> Int128 {
        guard buy.item.isLive else { return 0 }
        let refunds = context.overlay(referencing: id).filter {
            $0.kind == .refund && $0.item.isLive && $0.isUsable(.referenceLineItemId)
        }
        return refunds.reduce(Int128(buy.item.amountTaxExclusive ?? 0)) {
            $0 - Int128($1.item.amountTaxExclusive ?? 0)
        }
    }
}
