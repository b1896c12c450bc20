import ExternalPurchaseCore
import Ledger
import Reporting
import ReportingServer

// The shop's requests, as bodies of `POST /v1/sales`.
extension SimulatedWorld {
    /// The first body of a sale or refund; nil when its buy was removed from the scenario.
    func body(of sale: ReferenceModel.Sale) -> JSONValue? {
        if let told = sale.told { return told }
        let body = newBody(of: sale)
        referenceModel.with { $0.sales[sale.number]?.told = body }
        return body
    }

    private func newBody(of sale: ReferenceModel.Sale) -> JSONValue? {
        var members: [JSONObject.Member] = [
            .init("saleId", .string(sale.lineItemId)),
            .init("bundleId", .string(Self.bundleId(sale.app).rawValue)),
            .init("occurredAt", .string(sale.at.description)),
        ]
        let market = scenario.world.customers[sale.customer].market
        switch sale.kind {
        case .paid(let payment):
            members.append(.init("type", .string(payment.charge == nil ? "purchase" : "subscription")))
            members += names(of: payment, sale)
            if let charge = payment.charge { members += self.members(of: charge) }
            members += [
                .init("productId", .string(sale.product)), .init("quantity", .integer(payment.quantity)),
                .init("amount", .object(JSONObject(amount(of: payment, in: market, at: sale.at)))),
            ]
        case .ordered(let payment):
            members.append(.init("type", .string("purchase")))
            members += names(of: payment, sale)
            members.append(.init("lines", .array(lines(of: sale, in: market))))
        case .givenBack(let buy, let given, let isChargeback):
            let refundOf = referenceModel.with { $0.sales[buy]?.lineItemId } ?? "s\(buy)"
            members += [
                .init("type", .string(isChargeback ? "chargeback" : "refund")), .init("refundOf", .string(refundOf)),
            ]
            members += self.members(of: given, sale, in: market)
        case .ended(let ending):
            members += [
                .init("type", .string(ending.isLapse ? "lapse" : "cancellation")),
                .init("subscriptionId", .string("subscription\(ending.subscription)")),
            ]
            if let effectiveAt = ending.effectiveAt {
                let moment = Self.start + .milliseconds(effectiveAt)
                members.append(.init("effectiveAt", .string(moment.description)))
            }
        case .reversed(let chargeback):
            members += [
                .init("type", .string("chargebackReversal")), .init("reversalOf", .string("s\(chargeback)")),
            ]
        }
        return .object(JSONObject(members))
    }

    private func lines(of order: ReferenceModel.Sale, in market: Market) -> [JSONValue] {
        let lines = referenceModel.with { referenceModel in order.parts.compactMap { referenceModel.sales[$0] } }
        return lines.compactMap { line in
            guard case .paid(let payment) = line.kind else { return nil }
            return [
                "productId": .string(line.product), "quantity": .integer(payment.quantity),
                "amount": .object(JSONObject(amount(of: payment, in: market, at: line.at))),
            ]
        }
    }

    /// The amount of a refund, in one of the possible forms.
    private func members(
        of given: PaidMoney.GivenBack,
        _ sale: ReferenceModel.Sale,
        in market: Market
    ) -> [JSONObject.Member] {
        if let total = sale.total {
            return [.init("refundedTotal", .string(Self.decimal(total, market.digits)))]
        }
        var amount: [JSONObject.Member] = []
        if sale.isInMinorUnits {
            // The currency is required while the purchase is unknown, and allowed later.
            amount = [.init("currency", .string(market.currency)), .init("inclusiveMinor", .integer(given.minor))]
            if let tax = given.tax { amount.append(.init("taxMinor", .integer(tax))) }
        } else {
            amount = [.init("inclusive", .string(Self.decimal(given.minor, market.digits)))]
            if let tax = given.tax { amount.append(.init("tax", .string(Self.decimal(tax, market.digits)))) }
        }
        return [.init("amount", .object(JSONObject(amount)))]
    }

    private func members(of charge: Action.Charge) -> [JSONObject.Member] {
        func moment(_ milliseconds: Int64) -> JSONValue {
            .string(Self.start.advanced(by: .milliseconds(milliseconds)).description)
        }
        let period: JSONObject = ["start": moment(charge.start), "end": moment(charge.end)]
        var members: [JSONObject.Member] = [
            .init("subscriptionId", .string("subscription\(charge.subscription)")), .init("period", .object(period)),
        ]
        // The event is stated where products and periods do not determine it.
        if charge.event == .change || charge.event == .payment {
            members.append(.init("event", .string(charge.event.rawValue)))
        }
        return members
    }

    private func names(of payment: Action.Payment, _ sale: ReferenceModel.Sale) -> [JSONObject.Member] {
        let checkout = referenceModel.with { referenceModel in
            sale.checkout.flatMap { referenceModel.checkoutNames[$0] }
        }
        var members: [JSONObject.Member] = []
        if let token = sale.named { members.append(.init("externalPurchaseId", .string(token.rawValue))) }
        if let checkout { members.append(.init("checkoutId", .string(checkout))) }
        if payment.saysCustomer { members.append(.init("customerId", .string("customer\(payment.customer)"))) }
        return members
    }

    private func amount(of payment: Action.Payment, in market: Market, at moment: Timestamp) -> [JSONObject.Member] {
        var members: [JSONObject.Member] = [
            .init("currency", .string(market.currency)),
            .init("inclusive", .string(Self.decimal(payment.price, market.digits))),
        ]
        switch payment.tax {
        case .amount(let minor): members.append(.init("tax", .string(Self.decimal(minor, market.digits))))
        case .rate(let hundredths): members.append(.init("taxRate", .string(Self.decimal(hundredths, 2))))
        case nil: break
        }
        if payment.hasCountry { members.append(.init("taxCountry", .string(market.country))) }
        if let rate = payment.rate {
            let asOf = moment - .hours(1)
            var quote: JSONObject = [
                "rate": .string(Self.decimal(rate, 6)), "source": .string("table of the day"),
                "asOf": .string(asOf.description),
            ]
            if rate.isMultiple(of: 2), let to = market.foreignCurrency { quote["to"] = .string(to) }
            members.append(.init("exchangeRate", .object(quote)))
        }
        return members
    }

    /// Formats minor units as decimal text: 999 with two decimal places is 9.99.
    static func decimal(_ value: Int64, _ digits: Int) -> String {
        guard digits > 0 else { return String(value) }
        let text = String(value)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.utf8.count)) + text
        return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }

    /// Sends an impossible request, which must be refused.
    func submit(_ nonsense: Action.Nonsense, app: Int, sale number: Int) async {
        guard let merchant else { return }
        var amount = ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"]
        var members: [String: JSONValue] = [
            "saleId": .string("nonsense\(nonsense.rawValue)"),
            "bundleId": .string(Self.bundleId(app).rawValue), "type": "purchase",
            "occurredAt": .string(clock.merchantNow.description), "productId": "gems",
            "quantity": .integer(1),
        ]
        var isNumber = false
        switch nonsense {
        case .unknownCurrency: amount["currency"] = "GEM"
        case .unknownCountry: amount["taxCountry"] = "XX"
        case .unknownApp: members["bundleId"] = .string("com.example.other")
        case .tooManyDigits: amount["inclusive"] = "9.999"
        case .negativeAmount: amount["inclusive"] = "-9.99"
        case .binaryNumber: isNumber = true
        case .future:
            members["occurredAt"] = .string(clock.merchantNow.advanced(by: .hours(1)).description)
        case .refundOfNothing, .refundAboveTheBuy:
            members["type"] = .string("refund")
            members["productId"] = nil
            members["quantity"] = nil
            let isAbove = nonsense == .refundAboveTheBuy
            members["refundOf"] = .string(isAbove ? "s\(number)" : "nothing")
            amount = ["inclusive": "99999999"]
        case .unknownMember: members["colour"] = .string("red")
        }
        var money = amount.mapValues { JSONValue.string($0) }
        if isNumber { money["inclusive"] = .number(JSONNumber(unchecked: "9.99")) }
        members["amount"] = .object(JSONObject(money.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }))
        let body = JSONValue.object(JSONObject(members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }))
        do {
            let receipt = try await merchant.sales.receive(
                SaleCommand(body: body, apps: merchant.apps, caller: .anybody)
            )
            // A refund is stored whatever is known of its purchase, and never reported while it does not fit.
            let mayBeStored = [.refundOfNothing, .refundAboveTheBuy].contains(nonsense)
            if mayBeStored, receipt.sale.attribution.state != .planned { return }
            report(.nonsenseIsRefused, "a sale with \(nonsense.rawValue) was taken")
        } catch {
            // Both a refusal and a lost request are valid.
        }
    }
}
