package import ExternalPurchaseCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Sale {
    /// The caller's content in the members of `POST /v1/sales`; decimals as text without trailing zeros.
    package var json: JSONValue {
        var members: [JSONObject.Member] = [
            .init("saleId", .string(saleId.rawValue)), .init("bundleId", .string(bundleId.rawValue)),
            .init("type", .string(typeName)), .init("occurredAt", .string(occurredAt.description)),
        ]
        if let customerId { members.append(.init("customerId", .string(customerId.rawValue))) }
        if let checkoutId { members.append(.init("checkoutId", .string(checkoutId.rawValue))) }
        if let externalPurchaseId {
            members.append(.init("externalPurchaseId", .string(externalPurchaseId.rawValue)))
        }
        switch kind {
        case .purchase(let purchase): members += purchase.members
        case .refund(let refund): members += refund.members
        }
        return .object(JSONObject(members))
    }

    private var typeName: String {
        switch kind {
        case .purchase: "purchase"
        case .refund(let refund): refund.isChargeback ? "chargeback" : "refund"
        }
    }

    /// Reads what ``json`` wrote; nil when the stored text is damaged.
    package init?(stored json: JSONValue) {
        guard let object = json.objectValue,
            let saleId = object["saleId"]?.stringValue, let bundleId = object["bundleId"]?.stringValue,
            let occurredAt = object["occurredAt"]?.stringValue.flatMap(Timestamp.init(rfc3339:)),
            let kind = Kind(stored: object)
        else { return nil }
        self.init(
            saleId: SaleId(saleId),
            bundleId: BundleId(bundleId),
            occurredAt: occurredAt,
            customerId: object["customerId"]?.stringValue.map { CustomerId($0) },
            checkoutId: object["checkoutId"]?.stringValue.map { CheckoutId($0) },
            externalPurchaseId: object["externalPurchaseId"]?.stringValue.map { ExternalPurchaseId($0) },
            kind: kind
        )
    }
}

extension Sale.Kind {
    fileprivate init?(stored object: JSONObject) {
        guard let amount = object["amount"]?.objectValue, let inclusive = amount.decimal("inclusive") else {
            return nil
        }
        let tax = amount.decimal("tax")
        let type = object["type"]?.stringValue
        if type == "refund" || type == "chargeback" {
            guard let refundOf = object["refundOf"]?.stringValue else { return nil }
            self = .refund(
                Refund(refundOf: SaleId(refundOf), inclusive: inclusive, tax: tax, isChargeback: type == "chargeback")
            )
            return
        }
        guard type == "purchase", let productId = object["productId"]?.stringValue,
            let quantity = object["quantity"]?.int64Value, let currency = amount["currency"]?.stringValue
        else { return nil }
        var exchangeRate: QuotedRate?
        if let quote = amount["exchangeRate"]?.objectValue {
            guard let rate = quote["rate"]?.stringValue.flatMap({ ExchangeRate($0) }),
                let source = quote["source"]?.stringValue,
                let asOf = quote["asOf"]?.stringValue.flatMap(Timestamp.init(rfc3339:))
            else { return nil }
            exchangeRate = QuotedRate(rate: rate, source: source, asOf: asOf)
        }
        self = .purchase(
            Purchase(
                productId: productId,
                quantity: quantity,
                currency: currency,
                inclusive: inclusive,
                tax: tax.map(Purchase.Tax.amount) ?? amount.decimal("taxRate").map(Purchase.Tax.rate),
                taxCountry: amount["taxCountry"]?.stringValue,
                exchangeRate: exchangeRate
            )
        )
    }
}

extension Purchase {
    fileprivate var members: [JSONObject.Member] {
        var amount: [JSONObject.Member] = [
            .init("currency", .string(currency)), .init("inclusive", .string(inclusive.description)),
        ]
        switch tax {
        case .amount(let tax): amount.append(.init("tax", .string(tax.description)))
        case .rate(let rate): amount.append(.init("taxRate", .string(rate.description)))
        case nil: break
        }
        if let taxCountry { amount.append(.init("taxCountry", .string(taxCountry))) }
        if let exchangeRate {
            let quote: [JSONObject.Member] = [
                .init("rate", .string(exchangeRate.rate.text)), .init("source", .string(exchangeRate.source)),
                .init("asOf", .string(exchangeRate.asOf.description)),
            ]
            amount.append(.init("exchangeRate", .object(JSONObject(quote))))
        }
        return [
            .init("productId", .string(productId)), .init("quantity", .integer(quantity)),
            .init("amount", .object(JSONObject(amount))),
        ]
    }
}

extension Refund {
    fileprivate var members: [JSONObject.Member] {
        var amount: [JSONObject.Member] = [.init("inclusive", .string(inclusive.description))]
        if let tax { amount.append(.init("tax", .string(tax.description))) }
        return [
            .init("refundOf", .string(refundOf.rawValue)), .init("amount", .object(JSONObject(amount))),
        ]
    }
}

extension JSONObject {
    fileprivate func decimal(_ key: String) -> Decimal? {
        self[key]?.stringValue.flatMap(DecimalText.decimal)
    }
}
