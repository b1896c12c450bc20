import ExternalPurchaseCore
import Ledger

/// A paid invoice on its way to sales.
struct InvoiceDraft {
    typealias Line = (line: StripeInvoiceLine, inclusive: Int64, tax: Int64)

    let id: StripeObjectId
    let occurredAt: Timestamp
    let metadata: StripeMetadata
    let pricing: Pricing
    let lines: [Line]

    func sale(_ saleId: String, _ kind: Sale.Kind) -> Sale {
        Sale(
            saleId: SaleId(saleId),
            bundleId: pricing.account.bundleId,
            occurredAt: occurredAt,
            customerId: metadata.customerId,
            checkoutId: metadata.checkoutId,
            externalPurchaseId: metadata.externalPurchaseId,
            kind: kind
        )
    }
}

extension GroupInterpretation {
    /// An invoice without a subscription: a purchase with its lines.
    mutating func purchase(_ draft: InvoiceDraft) throws(NoSale) -> Sale {
        guard draft.lines.contains(where: { $0.inclusive != 0 }) else {
            throw .notUsed(.nothingPaid, "the invoice is about nothing and belongs to no subscription")
        }
        var purchases: [Purchase] = []
        for line in draft.lines { purchases.append(try purchase(line, of: draft)) }
        return draft.sale(draft.id.rawValue, try .lines(purchases, of: draft.id.rawValue))
    }

    /// The charges of a subscription's invoice: one for each line, and one for all prorations together.
    mutating func charges(_ draft: InvoiceDraft, _ subscription: StripeObjectId) throws(NoSale) -> [Sale] {
        let subscriptionId = SubscriptionId(subscription.rawValue)
        let planned = draft.lines.filter { !$0.line.isProration && !$0.line.isInvoiceItem }
            .sorted { Self.isBefore($0.line, $1.line) }
        var sales: [Sale] = []
        for (place, line) in planned.enumerated() {
            let charge = SubscriptionCharge(
                subscriptionId: subscriptionId,
                period: try Self.period(line.line),
                // The history decides about the plan's own line (RR-32); further items are payments beside it.
                event: place == 0 ? nil : .payment,
                purchase: try purchase(line, of: draft)
            )
            sales.append(draft.sale(line.line.id.rawValue, .subscription(charge)))
        }
        for line in draft.lines where !line.line.isProration && line.line.isInvoiceItem {
            let purchase = try purchase(line, of: draft)
            guard line.line.subscription != nil else {
                sales.append(draft.sale(line.line.id.rawValue, .purchase(purchase)))
                continue
            }
            let charge = SubscriptionCharge(
                subscriptionId: subscriptionId,
                period: try Self.period(planned.first?.line ?? line.line),
                event: .payment,
                purchase: purchase
            )
            sales.append(draft.sale(line.line.id.rawValue, .subscription(charge)))
        }
        let prorations = draft.lines.filter(\.line.isProration)
        if !prorations.isEmpty { sales.append(try change(prorations, of: draft, subscriptionId)) }
        return sales
    }

    /// The change of a plan or of its quantity: credits for what was paid and debits for what takes its place.
    ///
    /// Product, quantity and period are those of the largest debit.
    private mutating func change(
        _ prorations: [InvoiceDraft.Line],
        of draft: InvoiceDraft,
        _ subscriptionId: SubscriptionId
    ) throws(NoSale) -> Sale {
        let name = "\(draft.id.rawValue)/change"
        let debits = prorations.filter { $0.line.net >= 0 }
        let credits = prorations.filter { $0.line.net < 0 }
        let main = debits.min { ($1.line.net, $0.line.id) < ($0.line.net, $1.line.id) }
        guard let main else { throw .held(.amount, "the prorations of \(draft.id) only give credit") }
        let account = draft.pricing.account
        let productId = try productId(of: main.line.price, account: account, name: main.line.id.rawValue)
        let purchase = try draft.pricing.purchase(
            productId,
            quantity: main.line.quantity,
            inclusive: prorations.map(\.inclusive).sum(of: name),
            tax: prorations.map(\.tax).sum(of: name),
            name: name
        )
        let isSamePrice = credits.contains { $0.line.price.id == main.line.price.id } || credits.isEmpty
        let charge = SubscriptionCharge(
            subscriptionId: subscriptionId,
            period: try Self.period(main.line),
            event: isSamePrice ? .payment : .change,
            purchase: purchase
        )
        return draft.sale(name, .subscription(charge))
    }

    private mutating func purchase(_ line: InvoiceDraft.Line, of draft: InvoiceDraft) throws(NoSale) -> Purchase {
        let name = line.line.id.rawValue
        let productId = try productId(of: line.line.price, account: draft.pricing.account, name: name)
        return try draft.pricing.purchase(
            productId,
            quantity: line.line.quantity,
            inclusive: line.inclusive,
            tax: line.tax,
            name: name
        )
    }

    /// The line of the latest period first: metered lines are about the period before.
    private static func isBefore(_ left: StripeInvoiceLine, _ right: StripeInvoiceLine) -> Bool {
        let (starts, ends) = (left.period?.start ?? .never, right.period?.start ?? .never)
        if starts != ends { return starts > ends }
        let (item, other) = (left.subscriptionItem?.rawValue ?? "", right.subscriptionItem?.rawValue ?? "")
        return (item, left.id.rawValue) < (other, right.id.rawValue)
    }

    private static func period(_ line: StripeInvoiceLine) throws(NoSale) -> SubscriptionPeriod {
        guard let period = line.period else { throw .held(.member, "\(line.id) has no period") }
        return period
    }
}

extension Timestamp {
    fileprivate static var never: Timestamp { Timestamp(milliseconds: .min) }
}
