import ExternalPurchaseCore
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Sale {
    private static let always = [
        "saleId", "bundleId", "type", "occurredAt", "customerId", "checkoutId", "externalPurchaseId",
    ]
    /// The members of each type beside those of all.
    private static let members: [String: [String]] = [
        "purchase": ["productId", "quantity", "amount"],
        "subscription": ["subscriptionId", "period", "event", "productId", "quantity", "amount"],
        "cancellation": ["subscriptionId", "effectiveAt"],
        "lapse": ["subscriptionId"],
        "refund": ["refundOf", "amount"],
        "chargeback": ["refundOf", "amount"],
        "chargebackReversal": ["reversalOf", "refundOf"],
    ]
    private static let types = [
        "purchase", "subscription", "cancellation", "lapse", "refund", "chargeback", "chargebackReversal",
    ]

    /// Reads the body of `POST /v1/sales`; what a refund says about its buy is left to ``SaleIntake``.
    ///
    /// - Throws: ``RequestRefusal/invalid(_:)`` with every field that is wrong.
    static func read(
        _ body: JSONValue,
        apps: [BundleId: RegisteredApp]
    ) throws(RequestRefusal) -> (sale: Sale, refundCurrency: String?) {
        let type = body.objectValue?["type"]?.stringValue ?? ""
        var fields = try RequestFields(body, known: always + (members[type] ?? members.values.flatMap { $0 }))
        let saleId = fields.string("saleId", maximum: 100)
        let bundleId = fields.string("bundleId", maximum: .max).map { BundleId($0) }
        if let bundleId, apps[bundleId] == nil {
            let known = apps.keys.sorted().map(\.rawValue).joined(separator: ", ")
            fields.fault("bundleId", "is none of the apps registered here: \(known)")
        }
        let typeText = fields.string("type", maximum: .max)
        if let typeText, members[typeText] == nil {
            fields.fault("type", "is none of \(types.joined(separator: ", ")): \(typeText.quoted)")
        }
        let occurredAt = fields.time("occurredAt")
        let customerId = fields.optionalString("customerId", maximum: 128)
        let checkoutId = fields.optionalString("checkoutId", maximum: 128)
        let externalPurchaseId = fields.optionalString("externalPurchaseId", maximum: 256)
        let (kind, refundCurrency) = fields.kind(type, occurredAt: occurredAt)
        try fields.throwFaults()
        guard let saleId, let bundleId, let occurredAt, let kind else { throw fields.refusal }
        let sale = Sale(
            saleId: SaleId(saleId),
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: customerId.map { CustomerId($0) },
            checkoutId: checkoutId.map { CheckoutId($0) },
            externalPurchaseId: externalPurchaseId.map { ExternalPurchaseId($0) },
            kind: kind
        )
        return (sale, refundCurrency)
    }
}

extension RequestFields {
    /// The members that belong to a type.
    fileprivate mutating func kind(_ type: String, occurredAt: Timestamp?) -> (Sale.Kind?, refundCurrency: String?) {
        switch type {
        case "purchase":
            return (purchase(occurredAt: occurredAt).map(Sale.Kind.purchase), nil)
        case "subscription":
            return (subscription(occurredAt: occurredAt).map(Sale.Kind.subscription), nil)
        case "cancellation":
            let subscriptionId = string("subscriptionId", maximum: 128)
            let effectiveAt = has("effectiveAt") ? time("effectiveAt") : nil
            let cancellation = subscriptionId.map {
                SubscriptionCancellation(subscriptionId: SubscriptionId($0), effectiveAt: effectiveAt)
            }
            return (cancellation.map(Sale.Kind.cancellation), nil)
        case "lapse":
            return (string("subscriptionId", maximum: 128).map { .lapse(SubscriptionId($0)) }, nil)
        case "refund", "chargeback":
            let (refund, currency) = refund(isChargeback: type == "chargeback")
            return (refund.map(Sale.Kind.refund), currency)
        case "chargebackReversal":
            // Callers that name it as a refund names its buy mean the chargeback too.
            let name = has("refundOf") && !has("reversalOf") ? "refundOf" : "reversalOf"
            return (string(name, maximum: 100).map { .chargebackReversal(of: SaleId($0)) }, nil)
        default:
            return (nil, nil)
        }
    }

    private mutating func subscription(occurredAt: Timestamp?) -> SubscriptionCharge? {
        let subscriptionId = string("subscriptionId", maximum: 128)
        var event: SubscriptionCharge.Event?
        if let text = optionalString("event", maximum: .max) {
            event = SubscriptionCharge.Event(rawValue: text)
            if event == nil {
                let known = SubscriptionCharge.Event.allCases.map(\.rawValue).joined(separator: ", ")
                fault("event", "is none of \(known): \(text.quoted)")
            }
        }
        var period: SubscriptionPeriod?
        if var bounds = object("period", known: ["start", "end"]) {
            let (start, end) = (bounds.time("start"), bounds.time("end"))
            if let start, let end {
                if end < start { bounds.fault("end", "is before the start") }
                period = SubscriptionPeriod(start: start, end: end)
            }
            add(bounds)
        }
        let purchase = purchase(occurredAt: occurredAt, isQuantityOptional: true)
        guard let subscriptionId, let period, let purchase else { return nil }
        return SubscriptionCharge(
            subscriptionId: SubscriptionId(subscriptionId),
            period: period,
            event: event,
            purchase: purchase
        )
    }
}

extension RequestFields {
    /// Below this many units of the currency, so that no line leaves the 64 bits of a report.
    static let moneyLimit = Decimal(sign: .plus, exponent: 12, significand: 1)
    static let rateLimit = Decimal(sign: .plus, exponent: 9, significand: 1)
    /// The rate may be quoted two days before or after the sale (RR-45).
    static let rateWindow = 2 * Timestamp.day

    /// - Parameter isQuantityOptional: a subscription is one unless it says otherwise.
    fileprivate mutating func purchase(occurredAt: Timestamp?, isQuantityOptional: Bool = false) -> Purchase? {
        let productId = string("productId", maximum: 256)
        let quantity = isQuantityOptional && !has("quantity") ? 1 : quantity("quantity")
        guard
            var amount = object(
                "amount",
                known: ["currency", "inclusive", "tax", "taxRate", "taxCountry", "exchangeRate"]
            )
        else { return nil }
        let currency = amount.currency(required: true)
        let inclusive = amount.money("inclusive", in: currency, required: true)
        let tax = amount.tax(of: inclusive, in: currency)
        let taxCountry = amount.optionalString("taxCountry", maximum: .max)
        if let taxCountry, Country.alpha3(taxCountry) == nil {
            let meant = Country.alpha2(taxCountry.uppercased()) ?? Country.alpha3(taxCountry.uppercased())
            let right = meant.map { "; \($0.alpha3) would be right" } ?? ""
            amount.fault(
                "taxCountry",
                "is not a country of ISO 3166-1 alpha-3 such as NLD: \(taxCountry.quoted)\(right)"
            )
        }
        let exchangeRate = amount.exchangeRate(for: currency, occurredAt: occurredAt)
        add(amount)
        guard let productId, let quantity, let currency, let inclusive else { return nil }
        return Purchase(
            productId: productId,
            quantity: quantity,
            currency: currency.code,
            inclusive: inclusive,
            tax: tax,
            taxCountry: taxCountry,
            exchangeRate: exchangeRate
        )
    }

    /// The digits of the money are counted later, in the currency of the buy.
    fileprivate mutating func refund(isChargeback: Bool) -> (Refund?, currency: String?) {
        let refundOf = string("refundOf", maximum: 100)
        guard var amount = object("amount", known: ["currency", "inclusive", "tax"]) else { return (nil, nil) }
        let currency = amount.currency(required: false)
        let inclusive = amount.money("inclusive", in: currency, required: true)
        let tax = amount.money("tax", in: currency, required: false)
        if let inclusive, inclusive == 0 { amount.fault("inclusive", "is 0; a refund gives something back") }
        if let inclusive, let tax, tax > inclusive { amount.fault("tax", "is more than the amount with tax") }
        add(amount)
        guard let refundOf, let inclusive else { return (nil, nil) }
        let refund = Refund(refundOf: SaleId(refundOf), inclusive: inclusive, tax: tax, isChargeback: isChargeback)
        return (refund, currency?.code)
    }

    private mutating func currency(required: Bool) -> Currency? {
        let text = required ? string("currency", maximum: .max) : optionalString("currency", maximum: .max)
        guard let text else { return nil }
        let currency = Currency.code(text)
        if currency == nil {
            let right = Currency.code(text.uppercased()).map { "; \($0.code) would be right" } ?? ""
            fault("currency", "is not a currency of ISO 4217 such as EUR: \(text.quoted)\(right)")
        }
        return currency
    }

    private mutating func money(_ key: String, in currency: Currency?, required: Bool) -> Decimal? {
        if required, !has(key) { fault(key, "is missing") }
        let digits = currency?.exponent ?? 4
        let example = digits == 0 ? "1490" : "9." + String(repeating: "9", count: min(digits, 2))
        return decimal(key, digits: digits, below: Self.moneyLimit, example: example)
    }

    private mutating func tax(of inclusive: Decimal?, in currency: Currency?) -> Purchase.Tax? {
        let amount = money("tax", in: currency, required: false)
        let rate = decimal("taxRate", digits: 6, below: 1_000, example: "21")
        if has("tax"), has("taxRate") { fault("taxRate", "stands beside tax; one of the two is needed") }
        if let amount, let inclusive, amount > inclusive { fault("tax", "is more than the amount with tax") }
        return amount.map(Purchase.Tax.amount) ?? rate.map(Purchase.Tax.rate)
    }

    private mutating func exchangeRate(for currency: Currency?, occurredAt: Timestamp?) -> QuotedRate? {
        guard has("exchangeRate") else { return nil }
        if let currency, currency.reportable {
            fault("exchangeRate", "is not allowed: \(currency.code) is reported as it is")
        }
        return quotedRate("exchangeRate", occurredAt: occurredAt)
    }

    /// A rate with where and when it was quoted (RR-45).
    ///
    /// - Parameter occurredAt: the moment of the sale; nil where it is compared later.
    mutating func quotedRate(_ key: String, occurredAt: Timestamp? = nil) -> QuotedRate? {
        guard var quote = object(key, known: ["rate", "source", "asOf"]) else { return nil }
        if !quote.has("rate") { quote.fault("rate", "is missing") }
        let rate = quote.decimal("rate", digits: 12, below: Self.rateLimit, example: "0.0069")
        if let rate, rate == 0 { quote.fault("rate", "is 0") }
        let source = quote.string("source", maximum: 256)
        let asOf = quote.time("asOf")
        if let asOf, let occurredAt,
            asOf < occurredAt.advanced(byMilliseconds: -Self.rateWindow)
                || asOf > occurredAt.advanced(byMilliseconds: Self.rateWindow)
        {
            quote.fault("asOf", "is more than 48 hours away from the sale")
        }
        add(quote)
        guard let rate, let source, let asOf, let exact = ExchangeRate(rate.description) else { return nil }
        return QuotedRate(rate: exact, source: source, asOf: asOf)
    }
}
