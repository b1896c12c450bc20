import ExternalPurchaseCore
import Ledger

/// A correction command applied to its sale: the requests to the planner, and the next content of the sale.
struct CorrectedSale: Hashable, Sendable {
    /// The requests, which are planned together as one correction.
    let requests: [CorrectionRequest]
    /// The sale after the correction.
    let sale: Sale

    /// Creates a correction that restates subscription figures and leaves the sale itself unchanged.
    init(recounting requests: [CorrectionRequest], of sale: Sale) {
        self.requests = requests
        self.sale = sale
    }

    /// Applies a command that changes the sale itself.
    ///
    /// - Parameters:
    ///   - wish: the command.
    ///   - stored: the newest version of the sale that the command names.
    ///   - buy: the purchase of a refund.
    ///   - foreign: decides the currency into which a rate must lead (RR-51).
    /// - Throws: ``RequestError/invalid(_:)`` with every field that does not fit the sale.
    init(
        _ wish: CorrectionCommand,
        of stored: StoredSale,
        buy: Sale?,
        foreign: ForeignCurrency
    ) throws(RequestError) {
        var work = Work(wish: wish, old: stored.sale, foreign: foreign)
        let kind: Sale.Kind
        switch stored.sale.kind {
        case .purchase(let purchase):
            work.refuse(["event", "periodStart", "periodEnd", "daysOfPaidService"], "belongs to subscriptions only")
            kind = .purchase(work.corrected(purchase))
        case .subscription(let charge):
            kind = .subscription(work.corrected(charge))
        case .refund(let refund):
            let ofTheBuy = [
                "currency", "taxRate", "taxCountry", "exchangeRate", "productId", "quantity", "event", "periodStart",
                "periodEnd",
                "daysOfPaidService",
            ]
            work.refuse(ofTheBuy, "is that of the purchase; correct sale \(refund.refundOf)")
            kind = .refund(work.corrected(refund, of: buy?.purchase))
        case .order:
            let line = "\(stored.sale.saleId)/1"
            throw .invalid([
                FieldError("/saleId", "is a sale of several line items; correct each by its id, such as \(line)")
            ])
        case .chargebackReversal, .cancellation, .lapse:
            throw .invalid([FieldError("/saleId", "is of a type that is not reported by itself")])
        }
        if !work.faults.isEmpty { throw .invalid(work.faults) }
        let fields = wish.fields
        var corrected = stored.sale
        corrected.occurredAt = fields.occurredAt ?? corrected.occurredAt
        corrected.externalPurchaseId = fields.externalPurchaseId ?? corrected.externalPurchaseId
        corrected.kind = kind
        sale = corrected
        let id = stored.lineItemId
        requests =
            switch wish.action {
            case .restate: [.restate(id, work.changes)]
            case .retract: [.retract(id)]
            case .undo: [.undo(id, work.changes)]
            case .move:
                [
                    .move(
                        id,
                        Relocation(
                            creationDate: fields.occurredAt,
                            externalPurchaseId: fields.externalPurchaseId,
                            fields: work.changes
                        )
                    )
                ]
            case .recount: []
            }
    }

    private struct Work {
        let wish: CorrectionCommand
        let old: Sale
        let foreign: ForeignCurrency
        var changes = CorrectedFields()
        var faults: [FieldError] = []

        init(wish: CorrectionCommand, old: Sale, foreign: ForeignCurrency) {
            self.wish = wish
            self.old = old
            self.foreign = foreign
            changes.taxCountry = wish.fields.taxCountry
            changes.productIdentifier = wish.fields.productId
            changes.quantity = wish.fields.quantity
            changes.daysOfPaidService = wish.fields.daysOfPaidService
        }

        mutating func fault(_ name: String, _ message: String) {
            faults.append(FieldError("/fields/\(name)", message))
        }

        mutating func refuse(_ names: [String], _ message: String) {
            for name in names where wish.fields.names.contains(name) { fault(name, message) }
        }

        mutating func corrected(_ charge: SubscriptionCharge) -> SubscriptionCharge {
            let fields = wish.fields
            let period = SubscriptionPeriod(
                start: fields.periodStart ?? charge.period.start,
                end: fields.periodEnd ?? charge.period.end
            )
            if period.end < period.start {
                fault(fields.periodEnd == nil ? "periodStart" : "periodEnd", "puts the end before the start")
            }
            changes.periodStart = fields.periodStart
            changes.periodEnd = fields.periodEnd
            changes.subscriptionEvent =
                switch fields.event {
                case .renewal?: .renewal
                case .change?: .change
                case .payment?: .payment
                case nil: nil
                }
            return SubscriptionCharge(
                subscriptionId: charge.subscriptionId,
                period: period,
                event: fields.event ?? charge.event,
                purchase: corrected(charge.purchase)
            )
        }

        /// Computes the corrected purchase and the amounts of its line item (RR-40 to RR-45).
        mutating func corrected(_ purchase: Purchase) -> Purchase {
            let fields = wish.fields
            let stated = fields.taxExclusive.flatMap { exclusive in fields.tax.map { exclusive + $0 } }
            let inclusive = stated ?? fields.inclusive
            let currency = Currency.code(fields.currency ?? purchase.currency)
            let needsRate = currency?.reportable != true
            if fields.exchangeRate != nil, !needsRate {
                fault("exchangeRate", "is not allowed: \(currency?.code ?? "the currency") is reported as it is")
            }
            if fields.currency != nil, fields.currency != purchase.currency, needsRate, fields.exchangeRate == nil {
                fault("exchangeRate", "is missing; \(currency?.code ?? "the currency") is not reported as it is")
            }
            if inclusive != nil, fields.tax == nil, fields.taxRate == nil, case .amount? = purchase.tax {
                fault("tax", "is missing; the tax of the sale was stated as an amount")
            }
            countDigits(in: currency)
            let knownRate = inclusive == nil ? purchase.exchangeRate : purchase.exchangeRate?.besideBilledAmount
            let corrected = Purchase(
                productId: fields.productId ?? purchase.productId,
                quantity: fields.quantity ?? purchase.quantity,
                currency: fields.currency ?? purchase.currency,
                inclusive: inclusive ?? purchase.inclusive,
                tax: fields.tax.map(Purchase.Tax.amount) ?? fields.taxRate.map(Purchase.Tax.rate) ?? purchase.tax,
                taxCountry: fields.taxCountry ?? purchase.taxCountry,
                exchangeRate: needsRate ? fields.exchangeRate ?? knownRate : nil
            )
            if let tax = fields.tax, tax > corrected.inclusive { fault("tax", "is more than the amount with tax") }
            if fields.exchangeRate != nil, !corrected.hasRate(for: fields.occurredAt ?? old.occurredAt) {
                fault("exchangeRate/asOf", "is more than 48 hours away from the sale")
            }
            if fields.exchangeRate != nil, let message = corrected.rateTargetFault(foreign: foreign) {
                fault("exchangeRate/to", message)
            }
            guard fields.changesMoney else { return corrected }
            setMoney(LineMoney(corrected))
            if let currency = fields.currency {
                changes.pricingCurrency = currency
                changes.reportingCurrency = needsRate ? nil : currency
            }
            guard let rate = fields.exchangeRate else { return corrected }
            // The new rate leads into the currency that the corrected sale is reported in.
            changes.exchangeRate = rate.rate
            let to = corrected.reportingCurrency(foreign: foreign)
            changes.reportingCurrency = to
            return Purchase(
                productId: corrected.productId,
                quantity: corrected.quantity,
                currency: corrected.currency,
                inclusive: corrected.inclusive,
                tax: corrected.tax,
                taxCountry: corrected.taxCountry,
                exchangeRate: rate.into(to)
            )
        }

        mutating func corrected(_ refund: Refund, of buy: Purchase?) -> Refund {
            let fields = wish.fields
            let stated = fields.taxExclusive.flatMap { exclusive in fields.tax.map { exclusive + $0 } }
            guard let buy else {
                faults.append(FieldError("/saleId", "is a refund of a purchase that is not known here"))
                return refund
            }
            countDigits(in: Currency.code(buy.currency))
            let inclusive = stated ?? fields.inclusive ?? refund.inclusive
            // A refund that is restored has its share of the purchase as it is now.
            let isOutdated =
                wish.action == .undo && !fields.changesMoney
                && RefundTax.deviation(of: refund, from: buy, after: []) != nil
            let tax = fields.tax ?? (isOutdated ? nil : refund.tax)
            if fields.changesMoney {
                if fields.tax == nil { fault("tax", "is missing; say the tax of the corrected refund") }
                if inclusive == 0 {
                    fault(stated == nil ? "inclusive" : "taxExclusive", "is 0; a refund that gave nothing is retracted")
                }
                if let tax, tax > inclusive { fault("tax", "is more than the amount with tax") }
                let line = Purchase(
                    productId: buy.productId,
                    quantity: buy.quantity,
                    currency: buy.currency,
                    inclusive: inclusive,
                    tax: .amount(tax ?? 0),
                    taxCountry: buy.taxCountry,
                    exchangeRate: buy.exchangeRate
                )
                setMoney(LineMoney(line))
            }
            // An amount that a person states no longer follows from a total.
            let isSame = inclusive == refund.inclusive
            return Refund(
                refundOf: refund.refundOf,
                inclusive: inclusive,
                tax: tax,
                isChargeback: refund.isChargeback,
                refundedTotal: isSame ? refund.refundedTotal : nil,
                stated: isSame ? refund.stated : nil,
                isShare: isSame && refund.isShare
            )
        }

        private mutating func setMoney(_ money: LineMoney?) {
            guard let money else {
                if faults.isEmpty { fault("inclusive", "cannot be reported with what is known of tax and rate") }
                return
            }
            changes.taxExclusive = money.taxExclusive
            changes.tax = money.tax
        }

        private mutating func countDigits(in currency: Currency?) {
            guard let currency else { return }
            let fields = wish.fields
            for (name, value) in [
                ("inclusive", fields.inclusive), ("taxExclusive", fields.taxExclusive), ("tax", fields.tax),
            ] {
                guard let value, value.exponent < -currency.exponent else { continue }
                fault(
                    name,
                    "has more than \(currency.exponent) digits after the point, which \(currency.code) lacks"
                )
            }
        }
    }
}
