import ExternalPurchaseCore
import Ledger

/// Counts the whole days of a subscription's paid time while its charges are processed in order (RR-31).
struct PaidDays {
    /// The time that one charge is for.
    private struct Span {
        let from: Timestamp
        var to: Timestamp
        /// True for a charge inside a period, which ends nothing.
        let isAddOn: Bool
        /// False for a charge of 0, and for one that is completely refunded.
        var isPaid = false
        var isSettled = false
    }

    private let refunds: RefundTimeline
    private var nextRefund = 0
    private var spans: [Span] = []
    /// Spans that can still be shortened, or that end after the moment of the last count.
    private var open: [Int] = []
    /// The union of all other spans that are paid.
    private var settled = PaidRuns()
    /// True if ``settled`` has to be computed again.
    private var isOutdated = false
    private var charges: [SaleId: (inclusive: Decimal, refunded: Decimal, span: Int)] = [:]
    /// Refunds dated no later than their charge.
    private var early: [SaleId: Decimal] = [:]
    /// The moments at which running spans were ended, sorted.
    private var ends: [Timestamp] = []

    /// Starts the count of a subscription, or of a later one with the same id.
    init(refunds: RefundTimeline, after earlier: PaidDays? = nil) {
        self.refunds = refunds
        nextRefund = earlier?.nextRefund ?? 0
    }

    /// Ends the running spans at a lapse or when a cancellation takes effect.
    mutating func end(at moment: Timestamp) {
        for index in open { spans[index].to = min(spans[index].to, max(spans[index].from, moment)) }
        ends.insert(moment, at: ends.lastIndex { $0 <= moment }.map { $0 + 1 } ?? 0)
    }

    /// Ends the running spans where a charged period begins.
    ///
    /// - Returns: the moment from which the new period counts: its start, or the time of the charge if the period
    ///   covers an earlier one completely.
    mutating func begin(_ period: SubscriptionPeriod, at moment: Timestamp) -> Timestamp {
        let covers = open.contains { index in
            let span = spans[index]
            return span.isPaid && !span.isAddOn && span.from < span.to && period.start <= span.from
                && span.from < moment
        }
        let boundary = covers ? max(period.start, moment) : period.start
        end(at: boundary)
        return boundary
    }

    /// Adds the period of a charge.
    ///
    /// - Parameter inclusive: the sum of refunds at which the charge no longer pays for the period; 0 if it never does.
    mutating func add(_ saleId: SaleId, _ inclusive: Decimal, from: Timestamp, to: Timestamp) {
        add(saleId, inclusive, Span(from: from, to: max(from, to), isAddOn: false))
    }

    /// Adds the time that a charge inside a period is for, which counts up to the first end after its start.
    mutating func add(_ saleId: SaleId, _ inclusive: Decimal, inside period: SubscriptionPeriod) {
        let end = ends.first { $0 > period.start }
        let to = min(period.end, end ?? period.end)
        add(saleId, inclusive, Span(from: period.start, to: max(period.start, to), isAddOn: true))
    }

    private mutating func add(_ saleId: SaleId, _ inclusive: Decimal, _ span: Span) {
        spans.append(span)
        open.append(spans.count - 1)
        guard inclusive > 0 else { return }
        let refunded = early.removeValue(forKey: saleId) ?? 0
        charges[saleId] = (inclusive, refunded, spans.count - 1)
        spans[spans.count - 1].isPaid = refunded < inclusive
    }

    /// Returns the paid days before a moment; moments must not decrease from call to call.
    ///
    /// - Parameter laterCuts: the earliest moment at which a later step can still shorten a period.
    mutating func before(_ moment: Timestamp, laterCuts: Timestamp) -> Int64 {
        takeRefunds(upTo: moment)
        var stillOpen: [Int] = []
        for index in open {
            let span = spans[index]
            if span.to <= moment, span.to <= laterCuts {
                spans[index].isSettled = true
                if span.isPaid, !isOutdated { isOutdated = !settled.add(span.from, span.to) }
            } else {
                stillOpen.append(index)
            }
        }
        open = stillOpen
        if isOutdated {
            settled = PaidRuns(spans.filter { $0.isPaid && $0.isSettled }.map { ($0.from, $0.to) })
            isOutdated = false
        }
        var runs = settled
        let running = open.map { spans[$0] }.filter(\.isPaid).sorted { $0.from < $1.from }
        for span in running where !runs.add(span.from, min(span.to, moment)) {
            // A span that is still open began before the newest settled run.
            return PaidRuns(spans.filter(\.isPaid).map { ($0.from, min($0.to, moment)) }).wholeDays
        }
        return runs.wholeDays
    }

    private mutating func takeRefunds(upTo moment: Timestamp) {
        while nextRefund < refunds.changes.count, refunds.changes[nextRefund].at <= moment {
            let refund = refunds.changes[nextRefund]
            nextRefund += 1
            guard var charge = charges[refund.buy] else {
                early[refund.buy, default: 0] += refund.inclusive
                continue
            }
            charge.refunded += refund.inclusive
            charges[refund.buy] = charge
            let isPaid = charge.refunded < charge.inclusive
            guard spans[charge.span].isPaid != isPaid else { continue }
            spans[charge.span].isPaid = isPaid
            if spans[charge.span].isSettled { isOutdated = true }
        }
    }
}

/// The union of intervals: its contiguous runs, each counted in whole days.
private struct PaidRuns {
    /// The days of all runs but the newest.
    private var closedDays: Int64 = 0
    private var newest: (from: Timestamp, to: Timestamp)?

    init() {}

    /// - Parameter intervals: the intervals in any order.
    init(_ intervals: [(from: Timestamp, to: Timestamp)]) {
        for interval in intervals.sorted(by: { $0.from < $1.from }) { _ = add(interval.from, interval.to) }
    }

    /// Adds an interval; an empty one changes nothing.
    ///
    /// - Returns: false if it begins before the newest run, so that the union has to be computed from all intervals.
    mutating func add(_ from: Timestamp, _ to: Timestamp) -> Bool {
        guard from < to else { return true }
        if let newest {
            guard newest.from <= from else { return false }
            if from <= newest.to {
                self.newest = (newest.from, max(newest.to, to))
                return true
            }
            closedDays += newest.from.duration(to: newest.to).wholeDays
        }
        newest = (from, to)
        return true
    }

    var wholeDays: Int64 { closedDays + (newest.map { $0.from.duration(to: $0.to).wholeDays } ?? 0) }
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
        let wonBack = Set(
            records.compactMap { record in
                record.sale.reversedChargeback.flatMap { byId[$0]?.isReversible(by: record) == true ? $0 : nil }
            }
        )
        // What was won back makes room from its reversal on, before Apple has accepted the retraction.
        let shares = RefundAllocation(records, ignoring: wonBack).shares
        var refunds: [SaleId: Refund] = [:]
        var changes: [Change] = []
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
