package import ExternalPurchaseCore

extension Sale {
    /// The sale as members of `POST /v1/sales`; amounts are text with the decimal places of their currency.
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
        if let environment { members.append(.init("environment", .string(environment.rawValue))) }
        if let payment {
            let link: JSONObject = [
                "provider": .string(payment.provider.rawValue), "id": .string(payment.id),
            ]
            members.append(.init("payment", .object(link)))
        }
        if let system { members.append(.init("system", .string(system.description))) }
        switch kind {
        case .purchase(let purchase): members += purchase.members
        case .order(let lines):
            members.append(.init("lines", .array(lines.map { .object(JSONObject($0.members)) })))
        case .subscription(let charge): members += charge.members
        case .cancellation(let cancellation):
            members.append(.init("subscriptionId", .string(cancellation.subscriptionId.rawValue)))
            if let moment = cancellation.effectiveAt {
                members.append(.init("effectiveAt", .string(moment.description)))
            }
        case .lapse(let subscriptionId):
            members.append(.init("subscriptionId", .string(subscriptionId.rawValue)))
        case .refund(let refund): members += refund.members
        case .chargebackReversal(let chargeback):
            members.append(.init("reversalOf", .string(chargeback.rawValue)))
        }
        return .object(JSONObject(members))
    }

    /// The `type` of `POST /v1/sales`.
    package var typeName: String {
        switch kind {
        case .purchase, .order: "purchase"
        case .subscription: "subscription"
        case .cancellation: "cancellation"
        case .lapse: "lapse"
        case .refund(let refund): refund.isChargeback ? "chargeback" : "refund"
        case .chargebackReversal: "chargebackReversal"
        }
    }

    /// Every ``typeName``.
    package static let typeNames = [
        "purchase", "subscription", "cancellation", "lapse", "refund", "chargeback", "chargebackReversal",
    ]

    /// Reads the output of ``json``; returns nil when the stored text is invalid.
    package init?(stored json: JSONValue) {
        guard let object = json.objectValue,
            let saleId = object["saleId"]?.stringValue, let bundleId = object["bundleId"]?.stringValue,
            let occurredAt = object["occurredAt"]?.stringValue.flatMap(Timestamp.init(rfc3339:)),
            let kind = Kind(stored: object)
        else { return nil }
        var environment: AppStoreEnvironment?
        if let text = object["environment"]?.stringValue {
            guard let known = AppStoreEnvironment(rawValue: text) else { return nil }
            environment = known
        }
        var payment: PaymentLink?
        if let link = object["payment"]?.objectValue {
            guard let provider = link["provider"]?.stringValue.flatMap(PaymentProvider.init(rawValue:)),
                let id = link["id"]?.stringValue
            else { return nil }
            payment = PaymentLink(provider: provider, id: id)
        }
        var system: SystemRelease?
        if let text = object["system"]?.stringValue {
            guard let known = try? SystemRelease(text) else { return nil }
            system = known
        }
        self.init(
            saleId: SaleId(saleId),
            bundleId: BundleId(bundleId),
            occurredAt: occurredAt,
            customerId: object["customerId"]?.stringValue.map { CustomerId($0) },
            checkoutId: object["checkoutId"]?.stringValue.map { CheckoutId($0) },
            externalPurchaseId: object["externalPurchaseId"]?.stringValue.map { ExternalPurchaseId($0) },
            environment: environment,
            payment: payment,
            system: system,
            kind: kind
        )
    }
}

extension Sale.Kind {
    fileprivate init?(stored object: JSONObject) {
        let subscriptionId = object["subscriptionId"]?.stringValue.map { SubscriptionId($0) }
        switch object["type"]?.stringValue {
        case "purchase" where object["lines"] != nil:
            guard let lines = object["lines"]?.arrayValue else { return nil }
            let read = lines.compactMap { $0.objectValue.flatMap(Purchase.init(stored:)) }
            guard read.count == lines.count, !read.isEmpty else { return nil }
            self = .order(read)
        case "purchase":
            guard let purchase = Purchase(stored: object) else { return nil }
            self = .purchase(purchase)
        case "subscription":
            guard let subscriptionId, let period = object["period"]?.objectValue,
                let start = period.time("start"), let end = period.time("end"),
                let purchase = Purchase(stored: object)
            else { return nil }
            var event: SubscriptionCharge.Event?
            if let text = object["event"]?.stringValue {
                guard let known = SubscriptionCharge.Event(rawValue: text) else { return nil }
                event = known
            }
            let charge = SubscriptionCharge(
                subscriptionId: subscriptionId,
                period: SubscriptionPeriod(start: start, end: end),
                event: event,
                purchase: purchase
            )
            self = .subscription(charge)
        case "cancellation":
            guard let subscriptionId else { return nil }
            let effectiveAt = object.time("effectiveAt")
            if effectiveAt == nil, object["effectiveAt"] != nil { return nil }
            self = .cancellation(SubscriptionCancellation(subscriptionId: subscriptionId, effectiveAt: effectiveAt))
        case "lapse":
            guard let subscriptionId else { return nil }
            self = .lapse(subscriptionId)
        case "refund", "chargeback":
            guard let refund = Refund(stored: object) else { return nil }
            self = .refund(refund)
        case "chargebackReversal":
            guard let chargeback = object["reversalOf"]?.stringValue else { return nil }
            self = .chargebackReversal(of: SaleId(chargeback))
        default:
            return nil
        }
    }
}

extension SubscriptionCharge {
    fileprivate var members: [JSONObject.Member] {
        let period: [JSONObject.Member] = [
            .init("start", .string(period.start.description)), .init("end", .string(period.end.description)),
        ]
        var members: [JSONObject.Member] = [
            .init("subscriptionId", .string(subscriptionId.rawValue)), .init("period", .object(JSONObject(period))),
        ]
        if let event { members.append(.init("event", .string(event.rawValue))) }
        return members + purchase.members
    }
}

extension Purchase {
    fileprivate init?(stored object: JSONObject) {
        guard let amount = object["amount"]?.objectValue, let inclusive = amount.decimal("inclusive"),
            let productId = object["productId"]?.stringValue, let quantity = object["quantity"]?.int64Value,
            let currency = amount["currency"]?.stringValue
        else { return nil }
        var exchangeRate: QuotedRate?
        if let quote = amount["exchangeRate"] {
            guard let known = QuotedRate(stored: quote) else { return nil }
            exchangeRate = known
        }
        self.init(
            productId: productId,
            quantity: quantity,
            currency: currency,
            inclusive: inclusive,
            tax: amount.decimal("tax").map(Tax.amount) ?? amount.decimal("taxRate").map(Tax.rate),
            taxCountry: amount["taxCountry"]?.stringValue,
            exchangeRate: exchangeRate
        )
    }
}

extension Purchase {
    fileprivate var members: [JSONObject.Member] {
        var amount: JSONObject = [
            "currency": .string(currency),
            "inclusive": .string(Currency.text(of: inclusive, in: currency)),
        ]
        switch tax {
        case .amount(let tax): amount["tax"] = .string(Currency.text(of: tax, in: currency))
        case .rate(let rate): amount["taxRate"] = .string(rate.description)
        case nil: break
        }
        if let taxCountry { amount["taxCountry"] = .string(taxCountry) }
        if let exchangeRate { amount["exchangeRate"] = exchangeRate.json }
        return [
            .init("productId", .string(productId)), .init("quantity", .integer(quantity)),
            .init("amount", .object(amount)),
        ]
    }
}

extension Refund {
    fileprivate init?(stored object: JSONObject) {
        guard let amount = object["amount"]?.objectValue, let refundOf = object["refundOf"]?.stringValue else {
            return nil
        }
        let (inclusive, total) = (amount.decimal("inclusive"), amount.decimal("refundedTotal"))
        let isShare = amount["share"]?.boolValue == true
        guard inclusive != nil || total != nil || isShare else { return nil }
        self.init(
            refundOf: SaleId(refundOf),
            inclusive: inclusive ?? 0,
            tax: amount.decimal("tax"),
            isChargeback: object["type"]?.stringValue == "chargeback",
            refundedTotal: total,
            stated: amount.decimal("stated"),
            isShare: isShare,
            currency: amount["currency"]?.stringValue
        )
    }

    fileprivate var members: [JSONObject.Member] {
        // While the purchase is not known, its currency is not either.
        func text(_ amount: Decimal) -> JSONValue {
            .string(currency.map { Currency.text(of: amount, in: $0) } ?? amount.description)
        }
        var amount: [JSONObject.Member] = []
        if let currency { amount.append(.init("currency", .string(currency))) }
        // A derived amount is left out until it is final.
        if inclusive != 0 || refundedTotal == nil && !isShare {
            amount.append(.init("inclusive", text(inclusive)))
        }
        if let tax { amount.append(.init("tax", text(tax))) }
        if let refundedTotal { amount.append(.init("refundedTotal", text(refundedTotal))) }
        if let stated { amount.append(.init("stated", text(stated))) }
        if isShare { amount.append(.init("share", .bool(true))) }
        return [
            .init("refundOf", .string(refundOf.rawValue)), .init("amount", .object(JSONObject(amount))),
        ]
    }
}

extension JSONObject {
    fileprivate func decimal(_ key: String) -> Decimal? {
        self[key]?.stringValue.flatMap(DecimalText.decimal)
    }

    fileprivate func time(_ key: String) -> Timestamp? {
        self[key]?.stringValue.flatMap(Timestamp.init(rfc3339:))
    }
}
