import ExternalPurchaseCore

// Reports that a former system sent to Apple, and their import.
extension ReferenceModel {
    /// The report of a sale by the former system.
    ///
    /// - Returns: nil for a sale without its token, or a later charge without its start.
    func formerBody(of sale: Sale, as identifier: String) -> JSONValue? {
        guard case .paid(let payment) = sale.kind, let token = sale.named, let paid = money(of: sale) else {
            return nil
        }
        let market = market(of: sale)
        var item: JSONObject = [
            "lineItemId": .string(sale.lineItemId), "creationDate": .integer(sale.at.milliseconds),
            "eventType": "BUY", "productIdentifier": .string(sale.product),
            "quantity": .integer(payment.quantity), "pricingCurrency": .string(market.currency),
            "reportingCurrency": .string(market.currency), "taxCountry": .string(market.country),
            "amountTaxInclusive": .integer(paid.inclusive), "taxAmount": .integer(paid.tax),
            "amountTaxExclusive": .integer(paid.exclusive),
            "netAmountTaxExclusive": .integer(paid.exclusive),
            "productType": .string(payment.charge == nil ? "ONE_TIME_BUY" : "SUBSCRIPTION"),
        ]
        if let charge = payment.charge {
            guard let figures = formerFigures(of: sale, charge) else { return nil }
            let zero = SimulatedWorld.start.milliseconds
            item["subscriptionEvent"] = .string(figures.start == nil ? "SUBSCRIPTION_START" : "RENEWAL")
            item["subscriptionStartDate"] = .integer(zero + charge.start)
            item["subscriptionEndDate"] = .integer(zero + charge.end)
            item["subscriptionDaysOfPaidService"] = .integer(figures.days)
            if let start = figures.start { item["referenceLineItemId"] = .string("s\(start)") }
        }
        return [
            "requestIdentifier": .string(identifier), "externalPurchaseId": .string(token.rawValue),
            "status": "LINE_ITEM", "lineItems": .array([.object(item)]),
        ]
    }

    /// The figures that the former system states for a charge: consecutive whole periods, all of them paid.
    private func formerFigures(of sale: Sale, _ charge: Action.Charge) -> Figures? {
        let earlier = charges(of: charge.subscription).filter { $0.1.start < charge.start }
        guard let first = earlier.first else {
            return charge.event == .start ? Figures(event: .start, start: nil, days: 0) : nil
        }
        let days = earlier.reduce(Int64(0)) { $0 + ($1.1.end - $1.1.start) / Timestamp.millisecondsPerDay }
        return Figures(event: .renewal, start: first.0.number, days: days)
    }

    /// Records that Apple accepted a report of the former system.
    mutating func reportedFormerly(_ report: FormerReport, key: String, at now: Timestamp) {
        formerReports[key] = report
        answered(report.token, at: now)
    }

    /// The former system's reports of a token, in order of their sales.
    func formerReports(on token: ExternalPurchaseId) -> [FormerReport] {
        formerReports.values.filter { $0.token == token }.sorted { $0.sale < $1.sale }
    }

    /// Records that the ledger has the token and all reports of the former system about it.
    mutating func imported(_ token: ExternalPurchaseId, at moment: Timestamp) {
        knowledge += 1
        if tokens[token]?.arrival == nil { tokens[token]?.arrival = (knowledge, moment) }
        for (key, report) in formerReports.sorted(by: { $0.value.sale < $1.value.sale }) where report.token == token {
            arrived(sale: report.sale)
            acknowledged(sale: report.sale)
            accepted(sale: report.sale, on: token)
            accepted(report: key)
            guard let sale = sales[report.sale], case .paid(let payment) = sale.kind, let charge = payment.charge else {
                continue
            }
            let figures = formerFigures(of: sale, charge)
            sales[report.sale]?.figures = figures
        }
    }
}
