package import ExternalPurchaseCore
package import Ledger

/// A payment as the shop tells it: everything that is known of it now.
package struct CustomPayment: Hashable, Sendable {
    struct Line: Hashable, Sendable {
        let id: String
        let productId: String
        let quantity: Int64
        /// In minor units, tax included.
        let amount: Int64
        let tax: Purchase.Tax?
        let taxCountry: String?
        let subscriptionId: SubscriptionId?
        let period: SubscriptionPeriod?
    }

    struct Refund: Hashable, Sendable {
        let id: String
        let occurredAt: Timestamp
        let amount: Int64
        /// The line of which it is; nil for a part of everything that is left.
        let line: String?
    }

    struct Dispute: Hashable, Sendable {
        let id: String
        let occurredAt: Timestamp
        let taken: Int64
        let returned: Int64
    }

    package let bundleId: BundleId
    package let id: String
    /// The state with the highest version counts.
    package let version: Int64
    package let occurredAt: Timestamp
    let currency: Currency
    package let isLive: Bool
    let checkoutId: CheckoutId?
    package let customerId: CustomerId?
    let externalPurchaseId: ExternalPurchaseId?
    /// Sorted by their ids, as are the refunds and the disputes, so that the order in a body says nothing.
    let lines: [Line]
    let refunds: [Refund]
    let disputes: [Dispute]

    /// The id of the event that has this state.
    package var eventId: String { "\(bundleId)/\(id)/\(version)" }
}

// MARK: Reading

extension CustomPayment {
    /// Reads a body, or what ``json`` stored of one.
    ///
    /// - Throws: ``PaymentRefusal/invalid(_:)`` with each member that is wrong.
    package init(_ body: JSONValue) throws(PaymentRefusal) {
        guard let object = body.objectValue else { throw .unreadable("the body is not a JSON object") }
        var fields = StrictObject(
            object,
            known: [
                "bundleId", "id", "version", "occurredAt", "currency", "environment", "checkoutId", "customerId",
                "externalPurchaseId", "lines", "refunds", "disputes",
            ]
        )
        let bundleId = fields.text("bundleId", maximum: 255)
        let id = fields.id("id")
        let version = fields.whole("version", 0...9_007_199_254_740_991)
        let occurredAt = fields.time("occurredAt")
        let currency = fields.currency("currency")
        let environment = fields.text("environment", maximum: 64, isOptional: true)
        if let environment, AppStoreEnvironment(rawValue: environment) == nil {
            fields.fault("environment", "is neither production nor sandbox")
        }
        let checkoutId = fields.text("checkoutId", maximum: 128, isOptional: true)
        let customerId = fields.text("customerId", maximum: 128, isOptional: true)
        let externalPurchaseId = fields.text("externalPurchaseId", maximum: 256, isOptional: true)
        let lines = fields.lines(in: currency)
        let refunds = fields.refunds(in: currency, after: occurredAt)
        let disputes = fields.disputes(in: currency, after: occurredAt)
        if fields.errors.isEmpty, let currency, let id {
            fields.compare(lines, refunds, disputes, of: id, in: currency)
        }
        guard fields.errors.isEmpty, let bundleId, let id, let version, let occurredAt, let currency else {
            throw .invalid(fields.errors)
        }
        self.bundleId = BundleId(bundleId)
        self.id = id
        self.version = version
        self.occurredAt = occurredAt
        self.currency = currency
        isLive = environment != AppStoreEnvironment.sandbox.rawValue
        self.checkoutId = checkoutId.map { CheckoutId($0) }
        self.customerId = customerId.map { CustomerId($0) }
        self.externalPurchaseId = externalPurchaseId.map { ExternalPurchaseId($0) }
        self.lines = lines.sorted { $0.id < $1.id }
        self.refunds = refunds.sorted { $0.id < $1.id }
        self.disputes = disputes.sorted { $0.id < $1.id }
    }
}

extension StrictObject {
    /// Reads an id that becomes a part of that of a sale.
    fileprivate mutating func id(_ key: String) -> String? {
        guard let text = text(key, maximum: 64) else { return nil }
        guard !PaymentReference.isReserved(text) else {
            fault(key, "begins with checkout:, customer: or sale:, which are no ids")
            return nil
        }
        return text
    }

    fileprivate mutating func lines(in currency: Currency?) -> [CustomPayment.Line] {
        let known = [
            "id", "productId", "quantity", "inclusive", "tax", "taxRate", "taxCountry", "subscriptionId", "period",
        ]
        var lines: [CustomPayment.Line] = []
        for var line in objects("lines", 1...100, known: known) {
            let id = line.id("id")
            let productId = line.text("productId", maximum: 256)
            let quantity = line.whole("quantity", 1...Purchase.largestQuantity)
            let amount = line.amount("inclusive", in: currency)
            let tax = line.amount("tax", in: currency, isOptional: true)
            let rate = line.decimal("taxRate", places: 6, below: 1_000, isOptional: true)
            if line.has("tax"), line.has("taxRate") {
                line.fault("taxRate", "stands beside tax; one of the two is needed")
            }
            if let tax, let amount, tax > amount { line.fault("tax", "is more than the amount with tax") }
            let country = line.country("taxCountry")
            let subscriptionId = line.text("subscriptionId", maximum: 128, isOptional: true)
            var period: SubscriptionPeriod?
            if var bounds = line.object("period", known: ["start", "end"]) {
                if let start = bounds.time("start"), let end = bounds.time("end") {
                    if end < start { bounds.fault("end", "is before the start") }
                    period = SubscriptionPeriod(start: start, end: end)
                }
                line.add(bounds)
            }
            if line.has("subscriptionId") != line.has("period") {
                line.fault(
                    line.has("period") ? "subscriptionId" : "period",
                    "is missing; the line of a subscription has its id and the period that it pays"
                )
            }
            add(line)
            guard let id, let productId, let quantity, let amount else { continue }
            let units = tax.flatMap { tax in currency.map { CustomPayment.units(tax, in: $0) } }
            lines.append(
                CustomPayment.Line(
                    id: id,
                    productId: productId,
                    quantity: quantity,
                    amount: amount,
                    tax: units.map(Purchase.Tax.amount) ?? rate.map(Purchase.Tax.rate),
                    taxCountry: country,
                    subscriptionId: subscriptionId.map { SubscriptionId($0) },
                    period: period
                )
            )
        }
        return lines
    }

    /// Reads the time of something that went back.
    private mutating func time(after payment: Timestamp?) -> Timestamp? {
        let time = time("occurredAt")
        if let time, let payment, time < payment { fault("occurredAt", "is before the payment") }
        return time
    }

    fileprivate mutating func refunds(in currency: Currency?, after moment: Timestamp?) -> [CustomPayment.Refund] {
        var refunds: [CustomPayment.Refund] = []
        for var refund in objects("refunds", 0...100, known: ["id", "occurredAt", "inclusive", "line"]) {
            let (id, time) = (refund.id("id"), refund.time(after: moment))
            let amount = refund.amount("inclusive", in: currency)
            if amount == 0 { refund.fault("inclusive", "is 0; a refund that gives nothing back is left out") }
            let line = refund.text("line", maximum: 64, isOptional: true)
            add(refund)
            guard let id, let time, let amount else { continue }
            refunds.append(CustomPayment.Refund(id: id, occurredAt: time, amount: amount, line: line))
        }
        return refunds
    }

    fileprivate mutating func disputes(in currency: Currency?, after moment: Timestamp?) -> [CustomPayment.Dispute] {
        var disputes: [CustomPayment.Dispute] = []
        for var dispute in objects("disputes", 0...20, known: ["id", "occurredAt", "taken", "returned"]) {
            let (id, time) = (dispute.id("id"), dispute.time(after: moment))
            let taken = dispute.amount("taken", in: currency)
            if taken == 0 { dispute.fault("taken", "is 0; a dispute that takes nothing is left out") }
            let returned = dispute.amount("returned", in: currency)
            if let taken, let returned, returned > taken { dispute.fault("returned", "is more than was taken") }
            add(dispute)
            guard let id, let time, let taken, let returned else { continue }
            disputes.append(CustomPayment.Dispute(id: id, occurredAt: time, taken: taken, returned: returned))
        }
        return disputes
    }

    /// Compares the ids and the sums of a payment.
    fileprivate mutating func compare(
        _ lines: [CustomPayment.Line],
        _ refunds: [CustomPayment.Refund],
        _ disputes: [CustomPayment.Dispute],
        of payment: String,
        in currency: Currency
    ) {
        func text(_ amount: Int64) -> String {
            Currency.text(of: CustomPayment.units(amount, in: currency), in: currency.code)
        }
        var seen: Set<String> = []
        let given = lines.enumerated().map { ("lines/\($0)", $1.id) }
        let back =
            refunds.enumerated().map { ("refunds/\($0)", $1.id) }
            + disputes.enumerated().map { ("disputes/\($0)", $1.id) }
        for (place, id) in given + back where !seen.insert(id).inserted {
            fault(at: "\(place)/id", "is the id of something else of the payment: \(id.quoted)")
        }
        func count(_ id: String) -> Int { SaleId.part(id).unicodeScalars.count }
        let longest = lines.map { count($0.id) }.max() ?? 0
        for (place, id) in back {
            // Two slashes, the mark of what is told again, and the ending of a reversal.
            let count = count(payment) + count(id) + longest + 2
            let most = SaleId.maximumLength - "~99".count - (place.hasPrefix("disputes") ? "/reversal".count : 0)
            if count > most {
                fault(
                    at: "\(place)/id",
                    "is too long: with the ids of the payment and of its lines it has \(count) characters, \(most) are possible"
                )
            }
        }
        if count(payment) + longest + 1 + "~99".count > SaleId.maximumLength {
            fault("id", "is too long: with the id of a line it has more than \(SaleId.maximumLength - 4) characters")
        }
        // All sums stay below 2^63: 100 lines of less than 10^16 minor units.
        for (place, refund) in refunds.enumerated() {
            guard let line = refund.line else { continue }
            guard let sold = lines.first(where: { $0.id == line }) else {
                fault(at: "refunds/\(place)/line", "is no line of the payment: \(line.quoted)")
                continue
            }
            let sum = refunds.filter { $0.line == line }.reduce(0) { $0 &+ $1.amount }
            if sum > sold.amount {
                fault(
                    at: "refunds/\(place)/inclusive",
                    "with the line's other refunds gives back \(text(sum)) of \(text(sold.amount))"
                )
            }
        }
        let paid = lines.reduce(0) { $0 &+ $1.amount }
        let repaid = refunds.reduce(0) { $0 &+ $1.amount } &+ disputes.reduce(0) { $0 &+ $1.taken &- $1.returned }
        if repaid > paid {
            fault(
                refunds.isEmpty ? "disputes" : "refunds",
                "refunds and disputes give back \(text(repaid)) of \(text(paid)) that were paid"
            )
        }
    }

    private mutating func fault(at place: String, _ message: String) {
        let parts = place.split(separator: "/").map(String.init)
        var inner = StrictObject(JSONObject(), at: parts.dropLast().reduce(path) { "\($0)/\($1)" }, known: [])
        inner.fault(parts.last ?? "", message)
        add(inner)
    }
}

// MARK: Stored form

extension CustomPayment {
    static func units(_ amount: Int64, in currency: Currency) -> Decimal {
        Decimal(amount) * Decimal(sign: .plus, exponent: -currency.exponent, significand: 1)
    }

    /// What is stored of the payment: all of it, in one order.
    package var json: JSONValue {
        func text(_ amount: Int64) -> JSONValue {
            .string(Currency.text(of: Self.units(amount, in: currency), in: currency.code))
        }
        var members: JSONObject = [
            "bundleId": .string(bundleId.rawValue), "id": .string(id), "version": .integer(version),
            "occurredAt": .string(occurredAt.description), "currency": .string(currency.code),
            "environment": .string((isLive ? AppStoreEnvironment.production : .sandbox).rawValue),
        ]
        if let checkoutId { members["checkoutId"] = .string(checkoutId.rawValue) }
        if let customerId { members["customerId"] = .string(customerId.rawValue) }
        if let externalPurchaseId { members["externalPurchaseId"] = .string(externalPurchaseId.rawValue) }
        members["lines"] = .array(
            lines.map { line in
                var object: JSONObject = [
                    "id": .string(line.id), "productId": .string(line.productId), "quantity": .integer(line.quantity),
                    "inclusive": text(line.amount),
                ]
                switch line.tax {
                case .amount(let tax): object["tax"] = .string(Currency.text(of: tax, in: currency.code))
                case .rate(let rate): object["taxRate"] = .string(rate.description)
                case nil: break
                }
                if let country = line.taxCountry { object["taxCountry"] = .string(country) }
                if let id = line.subscriptionId { object["subscriptionId"] = .string(id.rawValue) }
                if let period = line.period {
                    object["period"] = [
                        "start": .string(period.start.description), "end": .string(period.end.description),
                    ]
                }
                return .object(object)
            }
        )
        members["refunds"] = .array(
            refunds.map { refund in
                var object: JSONObject = [
                    "id": .string(refund.id), "occurredAt": .string(refund.occurredAt.description),
                    "inclusive": text(refund.amount),
                ]
                if let line = refund.line { object["line"] = .string(line) }
                return .object(object)
            }
        )
        members["disputes"] = .array(
            disputes.map { dispute in
                [
                    "id": .string(dispute.id), "occurredAt": .string(dispute.occurredAt.description),
                    "taken": text(dispute.taken), "returned": text(dispute.returned),
                ]
            }
        )
        return .object(members)
    }
}
