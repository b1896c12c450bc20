import ExternalPurchaseCore
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Sale {
    private static let always = [
        "saleId", "bundleId", "type", "occurredAt", "customerId", "checkoutId", "externalPurchaseId", "amount",
    ]
    private static let purchaseOnly = ["productId", "quantity"]
    private static let refundOnly = ["refundOf"]
    /// Types of `POST /v1/sales` that this version does not take.
    private static let later = ["subscription", "cancellation", "lapse", "chargebackReversal"]

    /// Reads the body of `POST /v1/sales`; what a refund says about its buy is left to ``SaleIntake``.
    ///
    /// - Throws: ``RequestRefusal/invalid(_:)`` with every field that is wrong.
    static func read(
        _ body: JSONValue,
        apps: [BundleId: RegisteredApp]
    ) throws(RequestRefusal) -> (sale: Sale, refundCurrency: String?) {
        let type = body.objectValue?["type"]?.stringValue
        if let type, later.contains(type) {
            throw .invalid([FieldFault("/type", "\(type.quoted) is not supported in this version")])
        }
        let isRefund = type == "refund" || type == "chargeback"
        var fields = try RequestFields(body, known: always + (isRefund ? refundOnly : purchaseOnly))
        let saleId = fields.string("saleId", maximum: 100)
        let bundleId = fields.string("bundleId", maximum: .max).map { BundleId($0) }
        if let bundleId, apps[bundleId] == nil {
            let known = apps.keys.sorted().map(\.rawValue).joined(separator: ", ")
            fields.fault("bundleId", "is none of the apps registered here: \(known)")
        }
        let typeText = fields.string("type", maximum: .max)
        if let typeText, !isRefund, typeText != "purchase" {
            fields.fault("type", "is none of purchase, refund, chargeback: \(typeText.quoted)")
        }
        let occurredAt = fields.time("occurredAt")
        let customerId = fields.optionalString("customerId", maximum: 128)
        let checkoutId = fields.optionalString("checkoutId", maximum: 128)
        let externalPurchaseId = fields.optionalString("externalPurchaseId", maximum: 256)
        var refundCurrency: String?
        let kind: Kind?
        if isRefund {
            let (refund, currency) = fields.refund(isChargeback: type == "chargeback")
            refundCurrency = currency
            kind = refund.map(Kind.refund)
        } else {
            kind = fields.purchase(occurredAt: occurredAt).map(Kind.purchase)
        }
        try fields.throwFaults()
        guard let saleId, let bundleId, let occurredAt, let kind else { throw .invalid(fields.faults) }
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
    /// Below this many units of the currency, so that no line leaves the 64 bits of a report.
    static let moneyLimit = Decimal(sign: .plus, exponent: 12, significand: 1)
    static let rateLimit = Decimal(sign: .plus, exponent: 9, significand: 1)
    /// The rate may be quoted two days before or after the sale (RR-45).
    static let rateWindow = 2 * Timestamp.day

    fileprivate mutating func purchase(occurredAt: Timestamp?) -> Purchase? {
        let productId = string("productId", maximum: 256)
        let quantity = quantity("quantity")
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
        guard has("exchangeRate"), var quote = object("exchangeRate", known: ["rate", "source", "asOf"]) else {
            return nil
        }
        if let currency, currency.reportable {
            fault("exchangeRate", "is not allowed: \(currency.code) is reported as it is")
        }
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
