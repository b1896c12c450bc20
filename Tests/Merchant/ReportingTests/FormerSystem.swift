import ExternalPurchaseCore

/// Another system that reported before this one: its figures are arithmetic of its own, its bodies are written by hand.
struct FormerSystem {
    private struct Money {
        let inclusive: Int64
        let tax: Int64

        var exclusive: Int64 { inclusive - tax }
    }

    private let tokens: [ExternalPurchaseToken]
    private(set) var reports: [String] = []
    /// The line items without their net, by id.
    private var items: [String: String] = [:]
    private var bought: [String: Money] = [:]
    private var refunds: [String: (buy: String, money: Money)] = [:]
    private var retracted: Set<String> = []

    init(tokens: [ExternalPurchaseToken]) {
        self.tokens = tokens
    }

    /// The import of all reports, or of some of them.
    func file(_ some: Range<Int>? = nil) -> [UInt8] {
        let texts = tokens.map { "\"\($0.encoded())\"" }.joined(separator: ",")
        let reports = reports[some ?? reports.indices].joined(separator: ",")
        return Array("{\"tokens\":[\(texts)],\"reports\":[\(reports)]}".utf8)
    }

    /// What live items state, tax included, by sale.
    var live: [String: Int64] {
        var sums: [String: Int64] = [:]
        for (id, money) in bought.merging(refunds.mapValues(\.money), uniquingKeysWith: { first, _ in first })
        where !retracted.contains(id) {
            sums[String(id.prefix { $0 != "/" && $0 != "." }), default: 0] += money.inclusive
        }
        return sums
    }

    /// Reports purchases of 21 % tax, or charges of a subscription, in one report.
    mutating func sell(
        _ lines: [(id: String, product: String, inclusive: Int64)],
        at moment: Timestamp,
        on token: ExternalPurchaseToken,
        more: String = #""productType":"ONE_TIME_BUY""#,
        currency: String = #""pricingCurrency":"EUR""#
    ) {
        for (id, product, inclusive) in lines {
            let money = Money(inclusive: inclusive, tax: (inclusive * 42 + 121) / 242)
            bought[id] = money
            items[id] = """
                "lineItemId":"\(id)","creationDate":\(moment.milliseconds),"eventType":"BUY",\(more),\(currency),
                "reportingCurrency":"EUR","taxCountry":"NLD","productIdentifier":"\(product)","quantity":1,
                "amountTaxInclusive":\(money.inclusive),"taxAmount":\(money.tax),"amountTaxExclusive":\(money.exclusive)
                """
        }
        report(lines.map(\.id), on: token)
    }

    mutating func charge(
        _ id: String,
        _ event: String,
        _ product: String,
        _ inclusive: Int64,
        from: Timestamp,
        until: Timestamp,
        days: Int,
        of start: String?,
        on token: ExternalPurchaseToken
    ) {
        let reference = start.map { #","referenceLineItemId":"\#($0)""# } ?? ""
        let more = """
            "productType":"SUBSCRIPTION","subscriptionEvent":"\(event)","subscriptionStartDate":\(from.milliseconds),
            "subscriptionEndDate":\(until.milliseconds),"subscriptionDaysOfPaidService":\(days)\(reference)
            """
        sell([(id, product, inclusive)], at: from, on: token, more: more)
    }

    /// Reports refunds in one report; what uses up a purchase takes the rest of its tax.
    mutating func refund(
        _ lines: [(id: String, buy: String, inclusive: Int64)],
        at moment: Timestamp,
        on token: ExternalPurchaseToken
    ) {
        for (id, buy, inclusive) in lines {
            guard let whole = bought[buy] else { continue }
            let before = standing(of: buy)
            let isLast = before.reduce(inclusive) { $0 + $1.inclusive } == whole.inclusive
            let share = (whole.tax * inclusive * 2 + whole.inclusive) / (whole.inclusive * 2)
            let money = Money(inclusive: inclusive, tax: isLast ? before.reduce(whole.tax) { $0 - $1.tax } : share)
            refunds[id] = (buy, money)
            items[id] = """
                "lineItemId":"\(id)","creationDate":\(moment.milliseconds),"eventType":"REFUND","referenceLineItemId":"\(buy)",
                "pricingCurrency":"EUR","reportingCurrency":"EUR","taxCountry":"NLD",
                "amountTaxInclusive":\(money.inclusive),"taxAmount":\(money.tax),"amountTaxExclusive":\(money.exclusive)
                """
        }
        report(lines.map(\.id), on: token)
    }

    /// Restates an item with other text.
    mutating func restate(_ id: String, _ old: String, with new: String, on token: ExternalPurchaseToken) {
        items[id] = items[id]?.replacing(old, with: new)
        report([id], on: token, more: #","restatement":true"#)
    }

    /// Says that items were erroneous.
    mutating func retract(_ ids: [String], on token: ExternalPurchaseToken) {
        retracted.formUnion(ids)
        report(ids, on: token, more: #","restatement":true,"erroneouslySubmitted":true"#)
    }

    /// Answers a token without a sale.
    mutating func answer(_ token: ExternalPurchaseToken, _ status: String) {
        reports.append(
            """
            {"requestIdentifier":"\(identifier)","externalPurchaseId":"\(token.externalPurchaseId)","status":"\(status)"}
            """
        )
    }

    private var identifier: String {
        let number = String(reports.count + 1)
        return "20000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.count) + number
    }

    private func standing(of buy: String) -> [Money] {
        refunds.filter { $0.value.buy == buy && !retracted.contains($0.key) }.map(\.value.money)
    }

    private mutating func report(_ ids: [String], on token: ExternalPurchaseToken, more: String = "") {
        let bodies = ids.map { id in
            let buy = refunds[id]?.buy ?? id
            let whole = retracted.contains(buy) ? 0 : bought[buy]?.exclusive ?? 0
            let net = standing(of: buy).reduce(whole) { $0 - $1.exclusive }
            return "{\(items[id] ?? ""),\"netAmountTaxExclusive\":\(net)\(more)}"
        }
        reports.append(
            """
            {"requestIdentifier":"\(identifier)","externalPurchaseId":"\(token.externalPurchaseId)","status":"LINE_ITEM",
            "lineItems":[\(bodies.joined(separator: ","))]}
            """
        )
    }
}
