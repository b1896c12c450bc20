import ExternalPurchaseCore
import Ledger

/// A line of an invoice.
struct StripeInvoiceLine: Hashable, Sendable {
    /// The `unique_id` of versions before 2019-12-03, whose `id` is that of a subscription or of an item, else the `id`.
    let id: StripeObjectId
    /// The amount after discounts and credits, without the taxes that come on top.
    let net: Int64
    let quantity: Int64
    let price: StripePrice
    let period: SubscriptionPeriod?
    let subscription: StripeObjectId?
    let subscriptionItem: StripeObjectId?
    let isProration: Bool
    /// True for an invoice item, which a plan does not charge by itself.
    let isInvoiceItem: Bool
    let tax: StripeTaxEntries
    /// The country of its tax rate, ISO 3166-1 alpha-3.
    let rateCountry: String?
    let metadata: StripeObject?

    /// Reads a line in the shape of any API version.
    ///
    /// Since 2025-03-31 subscription, item and proration are under `parent`.
    init(_ line: StripeObject, currency: StripeCurrency) throws(NoSale) {
        guard let id = line.id("unique_id") ?? line.id("id") else { throw .held(.member, "a line has no id") }
        self.id = id
        if line["currency"] != nil, try StripeCurrency(of: line) != currency {
            throw .held(.currency, "the line \(id) is not in \(currency.code), the currency of its invoice")
        }
        let parent = line.object("parent")
        let details = parent?.object("subscription_item_details") ?? parent?.object("invoice_item_details")
        isInvoiceItem =
            if let parent {
                try parent.text("type") == "invoice_item_details"
            } else {
                try line.text("type") == "invoiceitem"
            }
        isProration = try (details ?? line).flag("proration")
        subscription = details?.id("subscription") ?? line.id("subscription")
        subscriptionItem = details?.id("subscription_item") ?? line.id("subscription_item")
        metadata = line.object("metadata")
        price = try StripePrice(of: line)
        quantity = try line.integer("quantity") ?? 1
        tax = try StripeTaxEntries(line: line)
        rateCountry = line.rateCountry
        net = try Self.net(of: line)
        period = try Self.period(of: line)
    }

    /// The id of the line's sale: `il_…`, which no other line has, else the invoice's with the line's own.
    func saleId(in invoice: StripeObjectId) -> String {
        id.rawValue.hasPrefix("il_") ? id.rawValue : "\(invoice)/\(id)"
    }

    private static func net(of line: StripeObject) throws(NoSale) -> Int64 {
        var reductions: [Int64] = []
        for discount in try line.objects("discount_amounts") {
            reductions.append(try discount.requiredInteger("amount"))
        }
        // This list repeats the discounts.
        for credit in try line.objects("pretax_credit_amounts")
        where try credit.text("type") == "credit_balance_transaction" {
            reductions.append(try credit.requiredInteger("amount"))
        }
        let amount = try line.requiredInteger("amount")
        let (net, overflow) = amount.subtractingReportingOverflow(try reductions.sum(of: line.name))
        if overflow { throw .held(.amount, "the discounts of \(line.name) are too large") }
        return net
    }

    private static func period(of line: StripeObject) throws(NoSale) -> SubscriptionPeriod? {
        guard let period = line.object("period"), let start = try period.time("start"), let end = try period.time("end")
        else { return nil }
        guard start <= end else { throw .held(.member, "the period of \(line.name) ends before it starts") }
        return SubscriptionPeriod(start: start, end: end)
    }
}
