import ExternalPurchaseCore
import Ledger

/// A paid invoice on its way to sales.
struct InvoiceDraft {
    typealias Line = (line: StripeInvoiceLine, inclusive: Int64, tax: Int64)

    let id: StripeObjectId
    let occurredAt: Timestamp
    let metadata: StripeMetadata
    let pricing: Pricing
    /// Credits have negative amounts.
    let lines: [Line]
    /// Why the invoice was made, such as `subscription_cycle`.
    let billingReason: String?

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
        for line in try draft.lines.afterCredits(of: draft.id.rawValue) {
            if let purchase = try purchase(line, of: draft) { purchases.append(purchase) }
        }
        if purchases.isEmpty { throw .notUsed(.unreported, "the configuration leaves out what \(draft.id) sold") }
        return draft.sale(draft.id.rawValue, try .lines(purchases, of: draft.id.rawValue))
    }

    /// The charges of a subscription's invoice: one for each line, and one for all prorations together.
    ///
    /// A credit is a discount of the other lines: an invoice item below 0, and prorations that only give credit, as when the
    /// next plan is charged in full or the plan before was dearer.
    mutating func charges(_ draft: InvoiceDraft, _ subscription: StripeObjectId) throws(NoSale) -> [Sale] {
        let subscriptionId = SubscriptionId(subscription.rawValue)
        // A subscription that begins between two dates of its billing charges a part of the period.
        let isFirst = draft.billingReason == "subscription_create"
        let prorations = draft.lines.filter { $0.line.isProration && !isFirst }
        let prorated = try prorations.map(\.inclusive).sum(of: draft.id.rawValue)
        let isCredit = prorated < 0
        var others = draft.lines.filter { !$0.line.isProration || isFirst }
        if let line = prorations.first?.line, isCredit {
            others.append((line, prorated, try prorations.map(\.tax).sum(of: draft.id.rawValue)))
        }
        let lines = try others.afterCredits(of: draft.id.rawValue, isRestGivenBack: isCredit)
        let plan = planLine(of: draft, subscription, isFirst: isFirst)
        let planned = lines.filter(\.line.isPlanned).sorted { left, right in
            if left.line.id == plan || right.line.id == plan { return right.line.id != plan }
            return StripeInvoiceLine.isBefore(left.line, right.line)
        }
        let isChange =
            isCredit && draft.billingReason != "subscription_cycle"
            && !prorations.contains { $0.line.price.id == planned.first?.line.price.id }
        var sales: [Sale] = []
        var isPlanLeftOut = false
        for line in planned {
            guard let purchase = try purchase(line, of: draft) else {
                isPlanLeftOut = isPlanLeftOut || line.line.id == plan
                continue
            }
            // The history decides about the plan's own line (RR-32); further items are payments beside it.
            let isPlan = line.line.id == plan || isPlanLeftOut && sales.isEmpty
            // Nothing charged for a further item is no payment (E35).
            if !isPlan, line.inclusive == 0, standing[SaleId(line.line.saleId(in: draft.id))] == nil { continue }
            let charge = SubscriptionCharge(
                subscriptionId: subscriptionId,
                period: try Self.period(line.line),
                event: !isPlan ? .payment : isChange ? .change : nil,
                purchase: purchase
            )
            sales.append(draft.sale(line.line.saleId(in: draft.id), .subscription(charge)))
        }
        for line in lines where line.line.isInvoiceItem && !line.line.isProration {
            guard let purchase = try purchase(line, of: draft) else { continue }
            guard line.line.subscription != nil else {
                sales.append(draft.sale(line.line.saleId(in: draft.id), .purchase(purchase)))
                continue
            }
            let charge = SubscriptionCharge(
                subscriptionId: subscriptionId,
                period: try Self.period(planned.first?.line ?? line.line),
                event: .payment,
                purchase: purchase
            )
            sales.append(draft.sale(line.line.saleId(in: draft.id), .subscription(charge)))
        }
        if !prorations.isEmpty, !isCredit, let change = try change(prorations, of: draft, subscriptionId) {
            sales.append(change)
        }
        if sales.isEmpty, draft.lines.allSatisfy({ $0.inclusive == 0 }) {
            throw .notUsed(.nothingPaid, "\(draft.id) is about further items of the subscription, and charges nothing")
        }
        if sales.isEmpty { throw .notUsed(.unreported, "the configuration leaves out what \(draft.id) sold") }
        return sales
    }

    /// The change of a plan or of its quantity: credits for what was paid and debits for what takes its place.
    ///
    /// Product, quantity and period are those of the largest debit.
    private mutating func change(
        _ prorations: [InvoiceDraft.Line],
        of draft: InvoiceDraft,
        _ subscriptionId: SubscriptionId
    ) throws(NoSale) -> Sale? {
        let name = "\(draft.id.rawValue)/change"
        let debits = prorations.filter { $0.line.net >= 0 }
        let credits = prorations.filter { $0.line.net < 0 }
        let main = debits.min { ($1.line.net, $0.line.id) < ($0.line.net, $1.line.id) }
        guard let main else { throw .held(.amount, "the prorations of \(draft.id) only give credit") }
        let account = draft.pricing.account
        guard let productId = try productId(of: main.line.price, account: account, name: main.line.id.rawValue) else {
            return nil
        }
        let purchase = try draft.pricing.purchase(
            productId,
            quantity: main.line.quantity,
            inclusive: prorations.map(\.inclusive).sum(of: name),
            tax: prorations.map(\.tax).sum(of: name),
            country: main.line.rateCountry,
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

    /// - Returns: nil for a product that the configuration leaves out.
    private mutating func purchase(_ line: InvoiceDraft.Line, of draft: InvoiceDraft) throws(NoSale) -> Purchase? {
        let name = line.line.id.rawValue
        guard let productId = try productId(of: line.line.price, account: draft.pricing.account, name: name) else {
            return nil
        }
        return try draft.pricing.purchase(
            productId,
            quantity: line.line.quantity,
            inclusive: line.inclusive,
            tax: line.tax,
            country: line.line.rateCountry,
            name: name
        )
    }

    /// The line of the plan in an invoice; nil for an invoice about further items.
    private mutating func planLine(
        of draft: InvoiceDraft,
        _ subscription: StripeObjectId,
        isFirst: Bool
    ) -> StripeObjectId? {
        let account = draft.pricing.account
        func reported(_ lines: [StripeInvoiceLine]) -> [StripeInvoiceLine] {
            lines.filter { !$0.price.isExcluded(by: account) }
        }
        if plans[subscription] == nil {
            var (plan, before) = (StripePlan(), [StripeObjectId: StripePlan]())
            let invoices = paidInvoices(of: subscription)
            // Without the invoice that began it nothing says which item is the plan: each invoice decides for itself.
            let isBeginningKnown = invoices.contains(where: \.beginsSubscription)
            for invoice in isBeginningKnown ? invoices : [] {
                guard let id = invoice.id("id"), let currency = try? StripeCurrency(of: invoice) else { continue }
                before[id] = plan
                let lines = invoice.data(of: "lines").compactMap { try? StripeInvoiceLine($0, currency: currency) }
                _ = plan.line(of: reported(lines), isFirst: invoice.beginsSubscription)
            }
            plans[subscription] = before
        }
        var plan = plans[subscription]?[draft.id] ?? StripePlan()
        return plan.line(of: reported(draft.lines.map(\.line)), isFirst: isFirst)?.id
    }

    private static func period(_ line: StripeInvoiceLine) throws(NoSale) -> SubscriptionPeriod {
        guard let period = line.period else { throw .held(.member, "\(line.id) has no period") }
        return period
    }
}

extension StripeObject {
    fileprivate var beginsSubscription: Bool { self["billing_reason"]?.stringValue == "subscription_create" }
}

extension [InvoiceDraft.Line] {
    /// The lines that charge something or nothing, each with its share of the credits.
    ///
    /// - Parameter isRestGivenBack: true if what is left of the credits is given back.
    fileprivate func afterCredits(of name: String, isRestGivenBack: Bool = false) throws(NoSale) -> Self {
        let charged = filter { $0.inclusive >= 0 }
        var total = try map(\.inclusive).sum(of: name)
        if isRestGivenBack { total = Swift.max(0, total) }
        guard charged.count < count else { return self }
        guard !charged.isEmpty, total >= 0 else {
            throw .held(.amount, "the credits of \(name) are more than its other lines by \(total.magnitude)")
        }
        let amounts = SharedAmounts(lines: charged.map { ($0.inclusive, $0.tax) }, other: 0)
        let shared = try amounts.scaled(to: total, tax: Swift.max(0, map(\.tax).sum(of: name)), of: name)
        return zip(charged, shared.lines).map { (line: $0.line, inclusive: $1.inclusive, tax: $1.tax) }
    }
}
