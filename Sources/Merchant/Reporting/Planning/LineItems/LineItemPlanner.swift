package import ExternalPurchaseCore
package import Ledger

/// Creates the line items of the sales in one report.
///
/// The amounts are computed from what Apple accepted and what the report adds (RR-20 to RR-23, RR-30 to RR-47),
/// independently of the validation rules that check them.
package struct LineItemPlanner: Hashable, Sendable {
    let foreignCurrency: ForeignCurrency

    package init(foreignCurrency: ForeignCurrency = .automatic) {
        self.foreignCurrency = foreignCurrency
    }

    /// The line items of a report, and the sales without one.
    package struct Outcome: Hashable, Sendable {
        /// The line items in the order of the sales.
        package var items: [LineItem] = []
        var unbuildable: [SaleId: Obstacle] = [:]

        init() {}
    }

    /// The reason why a sale has no line item.
    enum Obstacle: Hashable, Sendable, CustomStringConvertible {
        /// Price data are missing (RR-45, RR-47).
        case moneyUnknown
        /// The buy of a refund is neither accepted nor in the report, or is retracted.
        case buyMissing(SaleId)
        /// The start of an event is neither accepted nor in the report, or is retracted.
        case startMissing(SaleId)
        /// The refund to retract is not accepted.
        case refundNotAccepted(SaleId)
        /// The sale is a cancellation or lapse, which has no amount.
        case noLineItem

        var description: String {
            switch self {
            case .moneyUnknown: "its tax, tax country or exchange rate is not known, or it does not fit into 64 bits"
            case .buyMissing(let buy): "its buy, sale \(buy), is neither accepted nor in this report"
            case .startMissing(let start):
                "its subscription's start, sale \(start), is neither accepted nor in this report"
            case .refundNotAccepted(let refund): "the refund to retract, sale \(refund), is not accepted"
            case .noLineItem: "nothing is reported of it"
            }
        }
    }

    /// Creates the items of one report.
    ///
    /// - Parameters:
    ///   - wanted: the sales of the report, in the order of its items.
    ///   - records: these sales, the buys of their refunds with all refunds of each, the starts of their subscriptions,
    ///     and the refunds that they retract.
    ///   - accepted: the newest accepted versions of the buys and of all items that reference one (RR-7).
    ///   - moments: the event of each charge in its subscription.
    ///   - tokenCreationDate: when the token of the report was created; nil if no token is known.
    package func items(
        of wanted: [SaleId],
        among records: [SaleRecord],
        accepted: [LineItemId: AcceptedVersion],
        moments: [SaleId: SubscriptionMoment] = [:],
        tokenCreationDate: Timestamp? = nil
    ) -> Outcome {
        let report = ReportInMaking(
            wanted: wanted,
            records: records,
            accepted: accepted,
            moments: moments,
            tokenCreationDate: tokenCreationDate
        )
        var groups: [SaleId: NetGroup?] = [:]
        var outcome = Outcome()
        for saleId in wanted {
            do throws(ObstacleError) {
                outcome.items.append(try item(of: saleId, in: report, groups: &groups))
            } catch {
                outcome.unbuildable[saleId] = error.obstacle
            }
        }
        return outcome
    }

    private struct ObstacleError: Error {
        let obstacle: Obstacle
    }

    private func item(
        of saleId: SaleId,
        in report: ReportInMaking,
        groups: inout [SaleId: NetGroup?]
    ) throws(ObstacleError) -> LineItem {
        guard let record = report.records[saleId] else { throw ObstacleError(obstacle: .noLineItem) }
        func group(of buyId: SaleId) throws(ObstacleError) -> NetGroup {
            let group: NetGroup?
            if let known = groups[buyId] {
                group = known
            } else {
                group = NetGroup(of: buyId, in: report)
                groups[buyId] = .some(group)
            }
            guard let group else { throw ObstacleError(obstacle: .moneyUnknown) }
            return group
        }
        switch record.sale.kind {
        case .purchase(let purchase):
            let content = LineItem.OneTimeBuy(productIdentifier: purchase.productId, quantity: purchase.quantity)
            return item(of: record, in: try group(of: saleId), report, as: .oneTimeBuy(content))
        case .subscription(let charge):
            let content = try subscription(charge, of: saleId, in: report)
            return item(of: record, in: try group(of: saleId), report, as: .subscription(content))
        case .refund(let refund):
            guard report.isLive(refund.refundOf), let buy = report.records[refund.refundOf] else {
                throw ObstacleError(obstacle: .buyMissing(refund.refundOf))
            }
            return item(of: record, in: try group(of: refund.refundOf), report, as: .refund(of: buy.lineItemId))
        case .chargebackReversal(let chargeback):
            guard let version = report.retractable(chargeback), let refund = report.records[chargeback]?.sale.refund,
                let retraction = LineItem(retracting: version, net: try group(of: refund.refundOf).net)
            else { throw ObstacleError(obstacle: .refundNotAccepted(chargeback)) }
            return retraction
        case .order, .cancellation, .lapse:
            throw ObstacleError(obstacle: .noLineItem)
        }
    }

    private func subscription(
        _ charge: SubscriptionCharge,
        of saleId: SaleId,
        in report: ReportInMaking
    ) throws(ObstacleError) -> LineItem.Subscription {
        let moment = report.moments[saleId]
        var start: LineItemId?
        if let startId = moment?.start {
            guard report.isLive(startId), let record = report.records[startId] else {
                throw ObstacleError(obstacle: .startMissing(startId))
            }
            start = record.lineItemId
        }
        return LineItem.Subscription(
            productIdentifier: charge.purchase.productId,
            quantity: charge.purchase.quantity,
            event: start == nil ? .start : moment?.event ?? .renewal,
            start: start,
            periodStart: charge.period.start,
            periodEnd: charge.period.end,
            daysOfPaidService: start == nil ? 0 : moment?.daysOfPaidService ?? 0
        )
    }

    private func item(
        of record: SaleRecord,
        in group: NetGroup,
        _ report: ReportInMaking,
        as kind: LineItem.Kind
    ) -> LineItem {
        let money = group.lines[record.sale.saleId] ?? group.buy
        let purchase = group.purchase
        return LineItem(
            lineItemId: record.lineItemId,
            creationDate: record.sale.occurredAt.countedAfter(creation: report.tokenCreationDate),
            amounts: LineItemAmounts(
                taxExclusive: money.taxExclusive,
                tax: money.tax,
                netTaxExclusive: group.net,
                pricingCurrency: purchase.currency,
                reportingCurrency: group.accepted?.reportingCurrency
                    ?? purchase.reportingCurrency(foreign: foreignCurrency),
                exchangeRate: group.accepted == nil
                    ? (purchase.needsRate ? purchase.exchangeRate?.rate : nil) : group.accepted?.exchangeRate
            ),
            taxCountry: group.accepted?.taxCountry ?? group.taxCountry,
            kind: kind
        )
    }
}

/// The sales of one report and the records that they depend on.
private struct ReportInMaking {
    let wanted: Set<SaleId>
    let records: [SaleId: SaleRecord]
    let accepted: [LineItemId: AcceptedVersion]
    let moments: [SaleId: SubscriptionMoment]
    let tokenCreationDate: Timestamp?
    /// The refunds in the report by buy, in report order.
    let added: [SaleId: [SaleRecord]]
    /// All other refunds by buy.
    let others: [SaleId: [SaleRecord]]
    /// The refunds that the report retracts.
    let retracted: Set<LineItemId>
    /// The accepted live refunds by the line item of their buy.
    let acceptedRefunds: [LineItemId: [ReceivedLineItem]]

    init(
        wanted: [SaleId],
        records list: [SaleRecord],
        accepted: [LineItemId: AcceptedVersion],
        moments: [SaleId: SubscriptionMoment],
        tokenCreationDate: Timestamp?
    ) {
        let records = Dictionary(list.map { ($0.sale.saleId, $0) }) { first, _ in first }
        let wantedIds = Set(wanted)
        var added: [SaleId: [SaleRecord]] = [:]
        var others: [SaleId: [SaleRecord]] = [:]
        var retracted: Set<LineItemId> = []
        for (saleId, record) in records where !wantedIds.contains(saleId) {
            if let refund = record.sale.refund { others[refund.refundOf, default: []].append(record) }
        }
        for record in wanted.compactMap({ records[$0] }) {
            if let refund = record.sale.refund { added[refund.refundOf, default: []].append(record) }
            if let chargeback = record.sale.reversedChargeback, let refund = records[chargeback] {
                retracted.insert(refund.lineItemId)
            }
        }
        var acceptedRefunds: [LineItemId: [ReceivedLineItem]] = [:]
        for version in accepted.values where version.item.eventType == .refund {
            guard version.item.erroneouslySubmitted != true, let buy = version.item.referenceLineItemId else {
                continue
            }
            acceptedRefunds[buy, default: []].append(version.item)
        }
        self.wanted = wantedIds
        self.records = records
        self.accepted = accepted
        self.moments = moments
        self.tokenCreationDate = tokenCreationDate
        self.added = added
        self.others = others
        self.retracted = retracted
        self.acceptedRefunds = acceptedRefunds
    }

    /// Whether a line item can be referenced: it is accepted and not retracted, or it is in this report.
    func isLive(_ saleId: SaleId) -> Bool {
        guard let record = records[saleId] else { return false }
        if let version = accepted[record.lineItemId] { return version.item.erroneouslySubmitted != true }
        return wanted.contains(saleId)
    }

    func retractable(_ saleId: SaleId) -> ReceivedLineItem? {
        guard let record = records[saleId], let version = accepted[record.lineItemId],
            version.item.erroneouslySubmitted != true
        else { return nil }
        return version.item
    }
}

/// A buy with its refunds: the amount of each new line and the remainder (RR-20).
private struct NetGroup {
    let purchase: Purchase
    let taxCountry: String
    /// The accepted version of the buy, whose currencies, rate and tax country its refunds share (RR-46).
    let accepted: ReceivedLineItem?
    let buy: LineMoney
    /// The amounts of the refunds in the report.
    let lines: [SaleId: LineMoney]
    /// The remainder of the buy after all refunds, equal on every item of the group in the report (RR-21).
    let net: MilliUnits

    init?(of buyId: SaleId, in report: ReportInMaking) {
        guard let record = report.records[buyId], let purchase = record.sale.purchase,
            let taxCountry = purchase.taxCountry
        else { return nil }
        let accepted = report.accepted[record.lineItemId]?.item
        let reported = accepted.flatMap(LineMoney.init(accepted:))
        guard let buy = reported ?? LineMoney(purchase), var left = RefundableMoney(of: purchase, reported: buy) else {
            return nil
        }
        var net = buy.taxExclusive.value
        let added = report.added[buyId] ?? []
        let addedIds = Set(added.map(\.lineItemId))
        for item in report.acceptedRefunds[record.lineItemId] ?? [] {
            guard let id = item.lineItemId, !report.retracted.contains(id), !addedIds.contains(id) else { continue }
            net = net.subtractingHeld(item.amountTaxExclusive ?? 0)
        }
        for refund in report.others[buyId] ?? [] {
            guard let content = refund.sale.refund, !report.retracted.contains(refund.lineItemId),
                let item = report.accepted[refund.lineItemId]?.item, item.erroneouslySubmitted != true,
                let line = LineMoney(accepted: item)
            else { continue }
            left.subtract(content, reportedAs: line)
        }
        var lines: [SaleId: LineMoney] = [:]
        for refund in added {
            guard let content = refund.sale.refund else { continue }
            let line = left.subtract(content)
            lines[refund.sale.saleId] = line
            net = net.subtractingHeld(line.taxExclusive.value)
        }
        self.purchase = purchase
        self.taxCountry = taxCountry
        self.accepted = accepted
        self.buy = buy
        self.lines = lines
        self.net = MilliUnits(accepted?.erroneouslySubmitted == true ? 0 : net)
    }
}

extension Int64 {
    /// The difference, clamped to the range of 64 bits (RR-23).
    fileprivate func subtractingHeld(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}

extension LineMoney {
    /// Creates the amounts that an accepted item states; returns nil where a member is missing.
    fileprivate init?(accepted item: ReceivedLineItem) {
        guard let inclusive = item.amountTaxInclusive, let tax = item.taxAmount else { return nil }
        self.init(taxInclusive: MilliUnits(inclusive), tax: MilliUnits(tax))
    }
}

extension LineItem {
    /// Creates the retraction of an accepted refund: all its data, both flags and the recomputed net (RR-80, EX-11).
    ///
    /// Returns nil when the item is not a complete refund.
    init?(retracting item: ReceivedLineItem, net: MilliUnits) {
        guard let id = item.lineItemId, let date = item.creationDate, let buy = item.referenceLineItemId,
            let exclusive = item.amountTaxExclusive, let tax = item.taxAmount, let pricing = item.pricingCurrency,
            let reporting = item.reportingCurrency, let country = item.taxCountry
        else { return nil }
        self.init(
            lineItemId: id,
            creationDate: Timestamp(milliseconds: date),
            amounts: LineItemAmounts(
                taxExclusive: MilliUnits(exclusive),
                tax: MilliUnits(tax),
                netTaxExclusive: net,
                pricingCurrency: pricing,
                reportingCurrency: reporting,
                exchangeRate: item.exchangeRate
            ),
            taxCountry: country,
            version: .retraction,
            kind: .refund(of: buy)
        )
    }
}
