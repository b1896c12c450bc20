import ExternalPurchaseCore

// Compares what Apple accepted with the expected data.
extension ReferenceModel {
    /// Checks a report that Apple accepted against the payments of customers.
    mutating func accept(_ received: ReceivedReport, app: Int, at now: Timestamp) {
        guard let token = received.externalPurchaseId, let identifier = received.requestIdentifier else { return }
        // The reporting system may not know a former report before it is imported.
        if formerReports[identifier.key] != nil { return }
        accepted(report: identifier.key)
        guard tokens[token]?.app == app else {
            report(.onItsToken, now, "a report is on \(token), which is no token of the app")
            return
        }
        answered(token, at: now)
        guard received.status == .lineItem else {
            checkStatus(received.status, of: token, at: now)
            return
        }
        let items = received.lineItems ?? []
        var known: [(item: ReceivedLineItem, sale: Sale)] = []
        for item in items {
            let id = item.lineItemId?.rawValue ?? ""
            guard let (number, isAnew) = self.sale(of: id), let sale = sales[number], sale.app == app,
                sale.arrival != nil
            else {
                report(.onlyWhatWasSold, now, "\(id) was accepted, which the merchant was never told")
                continue
            }
            if sale.isAccepted, item.restatement == true, item.erroneouslySubmitted == true, !sale.isRetracted,
                isReversed(number, knowing: knowledge), sale.acceptedOn == token
            {
                retracted(sale: number)
                known.append((item, sale))
                continue
            }
            if sale.isAccepted, !isAnew, item.restatement == true, item.erroneouslySubmitted != true,
                sale.acceptedOn == token, case .paid(let payment) = sale.kind, payment.charge != nil
            {
                restated(item, of: sale, at: now)
                checkMoney(item, of: sale, at: now)
                continue
            }
            if sale.isAccepted, sale.isCorrected, isAnew || item.restatement == true {
                // This report is part of a correction; the final state is checked later.
                sales[number]?.acceptedOn = token
                continue
            }
            if sale.isAccepted || isAnew {
                let first = sale.acceptedOn?.rawValue ?? "?"
                report(.soldOnce, now, "\(id) was accepted on \(first) and again on \(token)")
                continue
            }
            accepted(sale: number, on: token)
            known.append((item, sale))
        }
        settleReturns(known.map(\.item), at: now)
        checkOrders(in: Set(known.map(\.sale.number)), at: now)
        for (item, sale) in known {
            checkToken(token, of: sale, at: now)
            checkMoney(item, of: sale, at: now)
            checkFacts(item, of: sale, at: now)
        }
        // Done last, so that reported figures are not compared with themselves.
        for (item, sale) in known where item.eventType == .buy { sales[sale.number]?.figures = Figures(item) }
    }

    /// Checks a restatement of a charge: it must change the figures to ones that were correct at some time.
    private mutating func restated(_ item: ReceivedLineItem, of sale: Sale, at now: Timestamp) {
        let (before, told) = (sale.figures, Figures(item))
        let right = permissibleFigures(of: sale)
        sales[sale.number]?.figures = told
        guard told != before else {
            report(.figuresFollowEvents, now, "\(sale.lineItemId) is restated and says the same")
            return
        }
        if !(told.map(right.contains) ?? false) {
            let words = told.map { "\($0)" } ?? "nothing"
            report(.figuresFollowEvents, now, "\(sale.lineItemId) is restated as \(words), not \(right)")
        }
    }

    /// The sale of a line item, and whether it was reported under a new id (RR-81).
    func sale(of id: String) -> (number: Int, isAnew: Bool)? {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        let places = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard id.first == "s", parts.count <= 2, places.count <= 2, let number = Int(places[0].dropFirst()),
            places[0] == "s\(number)", parts.count == 1 || Int(parts[1]).map({ $0 > 1 }) == true
        else { return nil }
        guard places.count == 2 else { return (number, parts.count == 2) }
        guard let place = Int(places[1]), places[1] == "\(place)", let whole = sales[number],
            whole.parts.indices.contains(place - 1)
        else { return nil }
        return (whole.parts[place - 1], parts.count == 2)
    }

    private mutating func settleReturns(_ items: [ReceivedLineItem], at now: Timestamp) {
        var told: [Int: [Int: PaidMoney]] = [:]
        for item in items where item.eventType == .refund && item.restatement != true {
            guard let buy = item.referenceLineItemId.flatMap({ self.sale(of: $0.rawValue)?.number }),
                let number = item.lineItemId.flatMap({ self.sale(of: $0.rawValue)?.number })
            else { continue }
            let money = PaidMoney(inclusive: item.amountTaxInclusive ?? -1, tax: item.taxAmount ?? -1)
            told[buy, default: [:]][number] = money
            derive(number, told: money, at: now)
        }
        for (buy, returns) in told { settle(returns, of: buy) }
    }

    private mutating func checkToken(_ token: ExternalPurchaseId, of sale: Sale, at now: Timestamp) {
        let right: Set<ExternalPurchaseId>
        switch sale.kind {
        case .paid: right = permissibleTokens(for: sale)
        // A refund uses the token of its buy (RR-65).
        case .givenBack(let buy, _, _): right = Set([sales[buy]?.acceptedOn].compactMap { $0 })
        case .ended, .reversed, .ordered: right = []
        }
        if !right.contains(token) {
            let names = right.map(\.rawValue).sorted().joined(separator: " or ")
            report(.onItsToken, now, "\(sale.lineItemId) is on \(token), not on \(names.isEmpty ? "none" : names)")
        }
    }

    private mutating func checkMoney(_ item: ReceivedLineItem, of sale: Sale, at now: Timestamp) {
        guard let paid = money(of: sale) else {
            report(.moneyAsPaid, now, "\(sale.lineItemId) was reported although its money cannot be known")
            return
        }
        let told = [item.amountTaxInclusive, item.taxAmount, item.amountTaxExclusive]
        let right = [paid.inclusive, paid.tax, paid.exclusive]
        if told != right.map({ $0 }) {
            let texts = told.map { $0.map(String.init) ?? "nothing" }
            report(
                .moneyAsPaid,
                now,
                "\(sale.lineItemId) says \(texts), paid were \(right) (inclusive, tax, exclusive)"
            )
        }
        let buy = if case .givenBack(let buy, _, _) = sale.kind { buy } else { sale.number }
        if item.netAmountTaxExclusive != net(of: buy) {
            let (says, left) = (item.netAmountTaxExclusive ?? -1, net(of: buy) ?? -1)
            report(.netAsLeft, now, "\(sale.lineItemId) says \(says), left of s\(buy) are \(left)")
        }
    }

    private mutating func checkFacts(_ item: ReceivedLineItem, of sale: Sale, at now: Timestamp) {
        let market = market(of: sale)
        var wrong: [String] = []
        func hold(_ name: String, _ isRight: Bool) { if !isRight { wrong.append(name) } }
        hold("creationDate", item.creationDate == sale.at.milliseconds)
        hold("pricingCurrency", item.pricingCurrency == market.currency)
        hold("reportingCurrency", item.reportingCurrency == market.foreignCurrency ?? market.currency)
        hold("taxCountry", item.taxCountry == market.country)
        let isRetracted = sales[sale.number]?.isRetracted == true
        hold("restatement", (item.restatement == true) == isRetracted)
        hold("erroneouslySubmitted", (item.erroneouslySubmitted == true) == isRetracted)
        switch sale.kind {
        case .paid(let payment):
            hold("eventType", item.eventType == .buy)
            hold("productType", item.productType == (payment.charge == nil ? .oneTimeBuy : .subscription))
            hold("productIdentifier", item.productIdentifier == sale.product)
            hold("quantity", item.quantity == payment.quantity)
            hold("exchangeRate", Self.millionths(item.exchangeRate) == payment.rate)
            guard let charge = payment.charge else {
                hold("referenceLineItemId", item.referenceLineItemId == nil)
                break
            }
            let right = permissibleFigures(of: sale)
            let told = Figures(item)
            hold("subscription: \(told.map { "\($0)" } ?? "nothing"), not \(right)", told.map(right.contains) ?? false)
            let zero = SimulatedWorld.start.milliseconds
            hold("subscriptionStartDate", item.subscriptionStartDate == zero + charge.start)
            hold("subscriptionEndDate", item.subscriptionEndDate == zero + charge.end)
        case .givenBack(let buy, _, _):
            hold("eventType", item.eventType == .refund)
            let reference = item.referenceLineItemId.flatMap { self.sale(of: $0.rawValue) }
            let isBuy = reference?.number == buy && (reference?.isAnew == false || sales[buy]?.isCorrected == true)
            hold("referenceLineItemId", isBuy)
            if let bought = sales[buy], case .paid(let payment) = bought.kind {
                hold("exchangeRate", Self.millionths(item.exchangeRate) == payment.rate)
            }
        case .ended, .reversed, .ordered:
            hold("kind", false)
        }
        if !wrong.isEmpty {
            report(.factsAsSold, now, "\(sale.lineItemId) has a wrong \(wrong.joined(separator: ", "))")
        }
    }

    /// A decimal text as a whole number of millionths; -1 for any other text.
    private static func millionths(_ rate: ExchangeRate?) -> Int64? {
        guard let rate else { return nil }
        let parts = rate.text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = Int64(parts[0]), parts.count <= 2 else { return -1 }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 6 else { return -1 }
        let padded = fraction + String(repeating: "0", count: 6 - fraction.utf8.count)
        return Int64(padded).map { whole * 1_000_000 + $0 } ?? -1
    }
}
