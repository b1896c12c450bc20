import ExternalPurchaseCore
import Ledger

/// Which item of a subscription is its plan, invoice by invoice.
///
/// An invoice without the plan's line is about further items, whose charges are payments (RR-32): a monthly item beside a yearly
/// plan, usage up to a threshold, the last usage after the end.
struct StripePlan {
    private var item: StripeObjectId?
    private var period: SubscriptionPeriod?
    private var isPaid = false
    private var furtherItems: Set<StripeObjectId> = []

    /// Reads the next invoice.
    ///
    /// - Parameters:
    ///   - lines: all lines that are reported.
    ///   - isFirst: true for the invoice that began the subscription, whose prorations are a part of a period.
    /// - Returns: the line of the plan; nil if the invoice has none.
    mutating func line(of lines: [StripeInvoiceLine], isFirst: Bool) -> StripeInvoiceLine? {
        let prorations = lines.filter { $0.isProration && !isFirst }
        replaceItem(by: prorations)
        let charged = lines.filter { $0.isPlanned && (!$0.isProration || isFirst) && $0.net >= 0 }
            .sorted(by: StripeInvoiceLine.isBefore)
        guard let first = charged.first else { return nil }
        let credited = Set(prorations.filter { $0.net < 0 }.compactMap(\.subscriptionItem))
        let line: StripeInvoiceLine?
        if let item, isPaid || first.net == 0 {
            line = charged.first { $0.subscriptionItem == item } ?? charged.first { takesPlace(of: item, $0, credited) }
        } else {
            // Which item of a trial is the plan is known once something is charged.
            line = first
        }
        furtherItems.formUnion(charged.filter { $0.id != line?.id }.compactMap(\.subscriptionItem))
        guard let line else { return nil }
        if let own = line.subscriptionItem { furtherItems.remove(own) }
        (item, period, isPaid) = (line.subscriptionItem, line.period ?? period, isPaid || line.net > 0)
        return line
    }

    /// A plan that is exchanged within its period has a credit, and the new item the largest debit.
    private mutating func replaceItem(by prorations: [StripeInvoiceLine]) {
        guard let item, prorations.contains(where: { $0.net < 0 && $0.subscriptionItem == item }) else { return }
        let debits = prorations.filter { $0.net >= 0 }
        guard !debits.contains(where: { $0.subscriptionItem == item }) else { return }
        let next = debits.filter { $0.subscriptionItem.map { !furtherItems.contains($0) } ?? false }
            .min { ($1.net, $0.id) < ($0.net, $1.id) }
        guard let next else { return }
        (self.item, period) = (next.subscriptionItem, next.period ?? period)
    }

    /// Whether the line of another item is the plan from now on: it begins after the plan's period, the plan's item got credit, or what was
    /// taken for the plan is much shorter, because earlier invoices are not known.
    private func takesPlace(
        of item: StripeObjectId,
        _ line: StripeInvoiceLine,
        _ credited: Set<StripeObjectId>
    ) -> Bool {
        guard let other = line.subscriptionItem, let next = line.period, let period else { return true }
        if furtherItems.contains(other) { return false }
        return next.start >= period.end || credited.contains(item) || next.length / 3 > period.length / 2
    }
}

extension StripeInvoiceLine {
    /// False for an invoice item, which no plan charges.
    var isPlanned: Bool { !isInvoiceItem || isProration }

    /// The line of the latest period first, because metered lines are about the period before; then what is charged, then the
    /// longest period, then the first item.
    static func isBefore(_ left: StripeInvoiceLine, _ right: StripeInvoiceLine) -> Bool {
        let (starts, ends) = (left.period?.start ?? .never, right.period?.start ?? .never)
        if starts != ends { return starts > ends }
        if (left.net > 0) != (right.net > 0) { return left.net > 0 }
        let (length, other) = (left.period?.length ?? 0, right.period?.length ?? 0)
        if length != other { return length > other }
        let (item, second) = (left.subscriptionItem?.rawValue ?? "", right.subscriptionItem?.rawValue ?? "")
        return (item, left.id.rawValue) < (second, right.id.rawValue)
    }
}

extension SubscriptionPeriod {
    fileprivate var length: Int64 { end.milliseconds - start.milliseconds }
}

extension Timestamp {
    fileprivate static var never: Timestamp { Timestamp(milliseconds: .min) }
}
