package import ExternalPurchaseCore
package import Ledger
package import Reporting

extension SaleCommand {
    private static let always = [
        "saleId", "bundleId", "type", "occurredAt", "customerId", "checkoutId", "externalPurchaseId",
        "environment",
    ]
    /// The members of each type in addition to the common ones.
    private static let members: [String: [String]] = [
        "purchase": ["productId", "quantity", "amount", "lines", "refundedTotal", "payment", "system"],
        "subscription": [
            "subscriptionId", "period", "event", "productId", "quantity", "amount", "refundedTotal", "payment",
            "system",
        ],
        "cancellation": ["subscriptionId", "effectiveAt"],
        "lapse": ["subscriptionId"],
        "refund": ["refundOf", "amount", "refundedTotal", "refundedTotalMinor"],
        "chargeback": ["refundOf", "amount"],
        "chargebackReversal": ["reversalOf", "refundOf", "amount"],
    ]
    private static let types = [
        "purchase", "subscription", "cancellation", "lapse", "refund", "chargeback", "chargebackReversal",
    ]

    /// The members of an amendment in addition to those of the sale.
    private static let amendment = ["amends", "by", "reason"]

    /// Reads the body of `POST /v1/sales`; ``SaleIntake`` checks a refund against its purchase.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every field that is wrong.
    package init(
        body: JSONValue,
        apps: [BundleId: RegisteredApp],
        caller: Caller
    ) throws(RequestError) {
        let (sale, author) = try Self.split(body, caller: caller.author)
        self = try Self.read(sale, apps: apps, caller: caller, author: author)
    }

    /// Splits a body into the sale and the author of an amendment.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every member of an amendment that is wrong.
    private static func split(
        _ body: JSONValue,
        caller: String?
    ) throws(RequestError) -> (sale: JSONValue, author: SaleAuthor?) {
        guard let object = body.objectValue, let amends = object["amends"] else { return (body, nil) }
        let own = JSONObject(object.members.filter { amendment.containsName($0.key) })
        let sale = JSONValue.object(JSONObject(object.members.filter { !amendment.containsName($0.key) }))
        var fields = try RequestDecoder(.object(own), known: amendment)
        guard let isAmendment = amends.boolValue else {
            throw .invalid([FieldError("/amends", "is neither true nor false")])
        }
        guard isAmendment else {
            for name in ["by", "reason"] where fields.has(name) { fields.fault(name, "belongs to an amendment") }
            try fields.throwFaults()
            return (sale, nil)
        }
        let by = fields.author("by", maximum: 256, caller: caller)
        let reason = fields.optionalString("reason", maximum: 2_000)
        try fields.throwFaults()
        return (sale, by.map { SaleAuthor(by: $0, reason: reason) })
    }

    private static func read(
        _ body: JSONValue,
        apps: [BundleId: RegisteredApp],
        caller: Caller,
        author: SaleAuthor?
    ) throws(RequestError) -> SaleCommand {
        let type = body.objectValue?["type"]?.stringValue ?? ""
        var fields = try RequestDecoder(body, known: always + (members[type] ?? members.values.flatMap { $0 }))
        let saleId = fields.string("saleId", maximum: SaleId.maximumLength)
        let bundleId = fields.app(of: caller, isRequired: true)
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
        let environmentText = fields.optionalString("environment", maximum: .max)
        let environment = environmentText.flatMap(AppStoreEnvironment.init(rawValue:))
        if environmentText != nil, environment == nil {
            fields.fault("environment", "is neither production nor sandbox")
        }
        let payment = fields.payment()
        let system = fields.system()
        let (kind, minorUnits) = fields.kind(type, occurredAt: occurredAt)
        let returned = type == "chargebackReversal" ? fields.returned() : nil
        let isCharge = type == "purchase" || type == "subscription"
        let refunded =
            isCharge
            ? fields.decimal("refundedTotal", digits: 4, below: RequestDecoder.moneyLimit, example: "9.99") : nil
        if let saleId, case .order(let lines)? = kind,
            saleId.unicodeScalars.count + "/\(lines.count)".count > SaleId.maximumLength
        {
            let most = SaleId.maximumLength - "/\(lines.count)".count
            fields.fault(
                "saleId",
                "has more than \(most) characters, with which the ids of its lines would be too long"
            )
        }
        for name in ["refundOf", "reversalOf"] {
            guard let saleId, fields.has(name), body.objectValue?[name]?.stringValue == saleId else { continue }
            let right = type == "chargebackReversal" ? "chargeback" : "purchase"
            fields.fault(name, "is the sale itself; name the \(right)")
        }
        try fields.throwFaults()
        guard let saleId, let bundleId, let occurredAt, let kind else { throw fields.refusal }
        let sale = Sale(
            saleId: SaleId(saleId),
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: customerId.map { CustomerId($0) },
            checkoutId: checkoutId.map { CheckoutId($0) },
            externalPurchaseId: externalPurchaseId.map { ExternalPurchaseId($0) },
            environment: environment,
            payment: payment,
            system: system,
            kind: kind
        )
        return SaleCommand(sale, minorUnits: minorUnits, returned: returned, refundedSoFar: refunded, author: author)
    }
}

extension RequestDecoder {
    /// Reads `system`: the customer's system and its version.
    fileprivate mutating func system() -> SystemRelease? {
        guard let text = optionalString("system", maximum: 64) else { return nil }
        do throws(SystemReleaseError) {
            return try SystemRelease(text)
        } catch {
            fault("system", "\(error.reason); one looks like iOS 26.3")
            return nil
        }
    }

    /// Reads `payment`: a payment of a provider by its id.
    fileprivate mutating func payment() -> PaymentLink? {
        guard has("payment"), var link = object("payment", known: ["provider", "id"]) else { return nil }
        defer { add(link) }
        let name = link.string("provider", maximum: 64)
        let provider = name.flatMap(PaymentProvider.init(rawValue:))
        if let name, provider == nil {
            let known = PaymentProvider.allCases.map(\.rawValue).joined(separator: ", ")
            link.fault("provider", "is none of \(known): \(name.quoted)")
        }
        let id = link.string("id", maximum: 255)
        let isPayment = id.map { id in ["pi_", "ch_", "py_", "in_"].contains { id.hasPrefix($0) && id.utf8.count > 3 } }
        if let id, provider == .stripe, isPayment == false {
            link.fault("id", "is not that of a payment intent (pi_…), charge (ch_…) or invoice (in_…): \(id.quoted)")
        }
        guard let provider, let id else { return nil }
        return PaymentLink(provider: provider, id: id)
    }
}

extension VoidCommand {
    /// Reads the body of `POST /v1/sales/{saleId}/void`.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` with every member that is wrong.
    package init(body: JSONValue, saleId: SaleId, caller: Caller) throws(RequestError) {
        var fields = try RequestDecoder(body, known: RequestMembers.voidRequest)
        let by = fields.author("by", maximum: 256, caller: caller.author)
        let reason = fields.string("reason", maximum: 2_000)
        let bundleId = fields.app(of: caller)
        try fields.throwFaults()
        self.init(saleId, of: bundleId, author: SaleAuthor(by: by ?? "", reason: reason))
    }
}

extension RequestDecoder {
    /// Reads the members of a type.
    fileprivate mutating func kind(
        _ type: String,
        occurredAt: Timestamp?
    ) -> (Sale.Kind?, minorUnits: RefundMinorUnits?) {
        switch type {
        case "purchase" where has("lines"):
            return (lines(occurredAt: occurredAt), nil)
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
            let (refund, minorUnits) = refund(isChargeback: type == "chargeback")
            return (refund.map(Sale.Kind.refund), minorUnits)
        case "chargebackReversal":
            // A caller may name the chargeback in `refundOf`, as in a refund.
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

extension RequestDecoder {
    /// The exclusive limit for amounts in units of the currency; a report's line item then fits into 64 bits.
    static let moneyLimit = Decimal(sign: .plus, exponent: 12, significand: 1)
    /// The exclusive limit for amounts in minor units of any currency.
    static let minorLimit: Int64 = 10_000_000_000_000_000
    static let rateLimit = Decimal(sign: .plus, exponent: 9, significand: 1)
    /// The largest difference between quotation and sale, two days before or after it (RR-45).
    static let rateWindow = Duration.days(2)

    /// The largest number of lines of an order.
    static let maximumLines = 100
    private static let buyAmount = [
        "currency", "inclusive", "inclusiveMinor", "tax", "taxMinor", "taxRate", "taxCountry", "exchangeRate",
    ]

    /// Reads `lines`; a single line gives the same sale as its product and amount without `lines`.
    fileprivate mutating func lines(occurredAt: Timestamp?) -> Sale.Kind? {
        for key in ["productId", "quantity", "amount"] where has(key) {
            fault(key, "stands beside lines; each line has its own")
        }
        guard var elements = objects("lines", known: ["productId", "quantity", "amount"]) else { return nil }
        if elements.isEmpty { fault("lines", "is empty") }
        if elements.count > Self.maximumLines { fault("lines", "has more than \(Self.maximumLines) lines") }
        guard (1...Self.maximumLines).contains(elements.count) else { return nil }
        var lines: [Purchase] = []
        for place in elements.indices {
            if let line = elements[place].purchase(occurredAt: occurredAt) {
                if let first = lines.first, first.currency != line.currency {
                    elements[place].fault(
                        "amount",
                        "is not in \(first.currency), the currency of the lines before; a sale has one currency"
                    )
                }
                lines.append(line)
            }
            add(elements[place])
        }
        guard lines.count == elements.count, let first = lines.first else { return nil }
        return lines.count == 1 ? .purchase(first) : .order(lines)
    }

    /// - Parameter isQuantityOptional: true for a subscription, whose default quantity is 1.
    fileprivate mutating func purchase(occurredAt: Timestamp?, isQuantityOptional: Bool = false) -> Purchase? {
        let productId = string("productId", maximum: 256)
        let quantity = isQuantityOptional && !has("quantity") ? 1 : quantity("quantity")
        guard var amount = object("amount", known: Self.buyAmount) else { return nil }
        let currency = amount.currency(required: true)
        let inclusive = amount.moneyOrMinor("inclusive", in: currency, required: true)
        let tax = amount.tax(of: inclusive, in: currency)
        let taxCountry = amount.country("taxCountry")
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

    /// Reads a country of ISO 3166-1 as an alpha-3 or alpha-2 code in capitals.
    ///
    /// - Returns: the alpha-3 code.
    private mutating func country(_ key: String) -> String? {
        guard let text = optionalString(key, maximum: .max) else { return nil }
        if let country = Country.alpha3(text) ?? Country.alpha2(text) { return country.alpha3 }
        let right = Country.meant(by: text).map { "; \($0.alpha2) or \($0.alpha3) would be right" } ?? ""
        fault(key, "is not a country of ISO 3166-1 such as NLD or NL: \(text.quoted)\(right)")
        return nil
    }

    mutating func currency(required: Bool) -> Currency? {
        let text = required ? string("currency", maximum: .max) : optionalString("currency", maximum: .max)
        guard let text else { return nil }
        let currency = Currency.code(text)
        if currency == nil {
            let right = Currency.code(text.uppercased()).map { "; \($0.code) would be right" } ?? ""
            fault("currency", "is not a currency of ISO 4217 such as EUR: \(text.quoted)\(right)")
        }
        return currency
    }

    mutating func money(_ key: String, in currency: Currency?, required: Bool) -> Decimal? {
        if required, !has(key) { fault(key, "is missing") }
        let digits = currency?.exponent ?? 4
        let example = digits == 0 ? "1490" : "9." + String(repeating: "9", count: min(digits, 2))
        return decimal(key, digits: digits, below: Self.moneyLimit, example: example)
    }

    /// Reads an amount as decimal text, or as a whole number of minor units (ISO 4217).
    ///
    /// The minor units are in the member with the suffix `Minor`.
    mutating func moneyOrMinor(_ key: String, in currency: Currency?, required: Bool) -> Decimal? {
        let minor = "\(key)Minor"
        guard has(minor) else { return money(key, in: currency, required: required) }
        guard let number = minorUnits(key), let currency else { return nil }
        let amount = currency.units(ofMinor: number)
        if amount >= Self.moneyLimit { fault(minor, "is too large") }
        return amount
    }

    /// Reads a non-negative whole number of minor units; the currency need not be known yet.
    mutating func minorUnits(_ key: String) -> Int64? {
        let minor = "\(key)Minor"
        guard has(minor) else { return nil }
        if has(key) { fault(minor, "stands beside \(key); one of the two is needed") }
        guard let number = wholeNumber(minor) else {
            fault(minor, "is not a whole number of the currency's minor units such as 999")
            return nil
        }
        guard number >= 0 else {
            fault(minor, "is negative; amounts, those of refunds too, are written without a minus")
            return nil
        }
        guard number < Self.minorLimit else {
            fault(minor, "is too large")
            return nil
        }
        return number
    }

    private mutating func tax(of inclusive: Decimal?, in currency: Currency?) -> Purchase.Tax? {
        let amount = moneyOrMinor("tax", in: currency, required: false)
        let rate = decimal("taxRate", digits: 6, below: 1_000, example: "21")
        if has("tax") || has("taxMinor"), has("taxRate") {
            fault("taxRate", "stands beside tax; one of the two is needed")
        }
        if let amount, let inclusive, amount > inclusive { fault("tax", "is more than the amount with tax") }
        return amount.map(Purchase.Tax.amount) ?? rate.map(Purchase.Tax.rate)
    }
}
