import ExternalPurchaseCore
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Counts the whole days of a subscription's paid periods while its charges are processed in order (RR-31).
struct PaidDays {
    private struct Span {
        let from: Timestamp
        var to: Timestamp
        /// The number of charges above 0 that are not completely refunded.
        var paidCharges = 0
        var isSettled = false

        func days(before moment: Timestamp) -> Int64 {
            max(.zero, from.duration(to: min(to, moment))).wholeDays
        }
    }

    private let refunds: RefundTimeline
    private var nextRefund = 0
    private var spans: [Span] = []
    /// Spans that can still be shortened, or that end after the moment of the last count.
    private var open: [Int] = []
    /// The number of days in all other spans.
    private var settledDays: Int64 = 0
    private var charges: [SaleId: (inclusive: Decimal, refunded: Decimal, span: Int)] = [:]
    /// Refunds dated no later than their charge.
    private var early: [SaleId: Decimal] = [:]

    /// Starts the count of a subscription, or of a later one with the same id.
    init(refunds: RefundTimeline, after earlier: PaidDays? = nil) {
        self.refunds = refunds
        nextRefund = earlier?.nextRefund ?? 0
    }

    /// Ends the running periods at a lapse or when a cancellation takes effect.
    mutating func end(at moment: Timestamp) {
        for index in open { spans[index].to = min(spans[index].to, max(spans[index].from, moment)) }
    }

    /// Ends the running periods where a charged period begins.
    ///
    /// - Returns: the moment from which the new period counts: its start, or the time of the charge if the period
    ///   covers an earlier one completely.
    mutating func begin(_ period: SubscriptionPeriod, at moment: Timestamp) -> Timestamp {
        let covers = open.contains { index in
            let span = spans[index]
            return span.paidCharges > 0 && span.from < span.to && period.start <= span.from && span.from < moment
        }
        let boundary = covers ? max(period.start, moment) : period.start
        end(at: boundary)
        return boundary
    }

    /// Adds a period and returns its index.
    mutating func add(from: Timestamp, to: Timestamp) -> Int {
        spans.append(Span(from: from, to: max(from, to)))
        open.append(spans.count - 1)
        return spans.count - 1
    }

    /// Counts a charge for a period, or for the newest one if its own is unknown.
    ///
    /// - Parameter inclusive: the sum of refunds at which the charge no longer pays for the period.
    mutating func pay(_ saleId: SaleId, _ inclusive: Decimal, for span: Int?) {
        guard inclusive > 0, !spans.isEmpty else { return }
        let span = span ?? spans.count - 1
        let refunded = early.removeValue(forKey: saleId) ?? 0
        charges[saleId] = (inclusive, refunded, span)
        if refunded < inclusive { change(span, by: 1) }
    }

    /// Returns the paid days before a moment; moments must not decrease from call to call.
    ///
    /// - Parameter laterCuts: the earliest moment at which a later step can still shorten a period.
    mutating func before(_ moment: Timestamp, laterCuts: Timestamp) -> Int64 {
        takeRefunds(upTo: moment)
        var days: Int64 = 0
        var stillOpen: [Int] = []
        for index in open {
            let span = spans[index]
            if span.to <= moment, span.to <= laterCuts {
                spans[index].isSettled = true
                if span.paidCharges > 0 { settledDays += span.days(before: span.to) }
            } else {
                stillOpen.append(index)
                if span.paidCharges > 0 { days += span.days(before: moment) }
            }
        }
        open = stillOpen
        return settledDays + days
    }

    private mutating func takeRefunds(upTo moment: Timestamp) {
        while nextRefund < refunds.changes.count, refunds.changes[nextRefund].at <= moment {
            let refund = refunds.changes[nextRefund]
            nextRefund += 1
            guard var charge = charges[refund.buy] else {
                early[refund.buy, default: 0] += refund.inclusive
                continue
            }
            let wasPaid = charge.refunded < charge.inclusive
            charge.refunded += refund.inclusive
            let isPaid = charge.refunded < charge.inclusive
            charges[refund.buy] = charge
            if wasPaid != isPaid { change(charge.span, by: isPaid ? 1 : -1) }
        }
    }

    private mutating func change(_ index: Int, by difference: Int) {
        let wasPaid = spans[index].paidCharges > 0
        spans[index].paidCharges += difference
        let isPaid = spans[index].paidCharges > 0
        guard spans[index].isSettled, wasPaid != isPaid else { return }
        let days = spans[index].days(before: spans[index].to)
        settledDays += isPaid ? days : -days
    }
}

/// The refunds and reversals of buys by time.
struct RefundTimeline {
    struct Change {
        let at: Timestamp
        let buy: SaleId
        /// Negative for a reversal.
        let inclusive: Decimal
    }

    /// The changes sorted by time.
    let changes: [Change]

    /// Creates a timeline of the refunds that count; an impossible refund that is held is ignored (RR-23, RR-31).
    init(_ records: [SaleRecord]) {
        let byId = Dictionary(records.map { ($0.sale.saleId, $0) }) { first, _ in first }
        let shares = RefundAllocation(records).shares
        var refunds: [SaleId: Refund] = [:]
        var changes: [Change] = []
        let wonBack = Set(records.compactMap(\.sale.reversedChargeback))
        for record in records {
            // A reversed chargeback counts until its reversal; any other retracted refund never counts.
            guard let refund = record.sale.refund,
                record.report?.state != .retracted || wonBack.contains(record.sale.saleId),
                record.isSettled || Self.isPossible(refund, of: record.sale, among: byId, shares)
            else { continue }
            refunds[record.sale.saleId] = refund
            changes.append(Change(at: record.sale.occurredAt, buy: refund.refundOf, inclusive: refund.inclusive))
        }
        var reversed: Set<SaleId> = []
        for record in records.sorted(by: { $0.sequence < $1.sequence }) {
            guard let chargeback = record.sale.reversedChargeback, let refund = refunds[chargeback],
                byId[chargeback]?.isReversible(by: record) == true, reversed.insert(chargeback).inserted
            else { continue }
            changes.append(Change(at: record.sale.occurredAt, buy: refund.refundOf, inclusive: -refund.inclusive))
        }
        self.changes = changes.sorted { ($0.at, $0.buy) < ($1.at, $1.buy) }
    }

    private static func isPossible(
        _ refund: Refund,
        of sale: Sale,
        among records: [SaleId: SaleRecord],
        _ shares: [SaleId: RefundAllocation.Share]
    ) -> Bool {
        guard let buy = records[refund.refundOf]?.sale, let purchase = buy.purchase else { return false }
        return refund.defect(of: sale, in: buy, purchase) == nil && shares[sale.saleId] != .aboveBuy
    }
}
