import ExternalPurchaseCore
import Ledger

/// The events of one subscription and the paid days before each, in order of event time (RR-30 to RR-34).
///
/// - Reports do not affect the result: an accepted charge has the figures that it should state. Only an item that keeps
///   its figures (``ItemReport/keepsFigures``) determines which charge is a start.
/// - A charge with a stated event and without an earlier start has no start and does not begin the subscription.
/// - The paid days of a charge include refunds up to its own time, not later ones (RR-34).
/// - A free change or extension does not end the paid period that contains it; after a change of plan, counting
///   continues (RR-30).
/// - A charged period that begins inside an earlier one ends the earlier one, so that no day counts twice.
/// - A charge after the effect of a cancellation begins a new subscription (RR-33); a charge that begins no later
///   revokes the cancellation, as does one within ``PlanningSettings/resumeWithin``. After a lapse the subscription
///   continues.
/// - A charge inside a period is paid time of its own (RR-31).
struct SubscriptionHistory: Hashable, Sendable {
    /// The events by charge; retracted charges have none.
    let moments: [SaleId: SubscriptionMoment]

    /// Creates the history from the records of one subscription: charges, cancellations, lapses, refunds and reversals.
    ///
    /// - Parameters:
    ///   - records: the records in any order, without those of other subscriptions.
    ///   - resumeWithin: see ``PlanningSettings/resumeWithin``.
    init(_ records: [SaleRecord], resumeWithin: Duration = .zero) {
        var walk = SubscriptionWalk(refunds: RefundTimeline(records), resumeWithin: resumeWithin)
        for step in Step.all(of: records) { walk.apply(step) }
        moments = walk.moments
    }

    /// A charge or an end, in order of event time.
    fileprivate struct Step {
        let at: Timestamp
        let saleId: SaleId
        let content: Content
        /// No later step shortens a paid period to an end before this moment.
        var laterCuts = Timestamp(milliseconds: .max)

        enum Content {
            case charge(SubscriptionCharge, ItemReport?)
            case cancellation(effect: Timestamp)
            case lapse
        }

        /// Among steps at the same time, ends come before charges, which revoke them, and charges inside a period come
        /// last.
        private var rank: Int {
            switch content {
            case .cancellation, .lapse: 0
            case .charge(let charge, let report):
                switch charge.event {
                case _ where report?.event == .start: 1
                case .renewal, nil: 2
                case .change: 3
                case .payment: 4
                }
            }
        }

        private var earliestCut: Timestamp {
            switch content {
            case .charge(let charge, _): charge.period.start
            case .cancellation(let effect): effect
            case .lapse: at
            }
        }

        static func all(of records: [SaleRecord]) -> [Step] {
            var steps = records.compactMap { record -> Step? in
                let content: Content
                switch record.sale.kind {
                case .subscription(let charge):
                    if record.report?.state == .retracted { return nil }
                    content = .charge(charge, record.report)
                case .cancellation(let cancellation):
                    content = .cancellation(effect: cancellation.effectiveAt ?? record.sale.occurredAt)
                case .lapse: content = .lapse
                case .purchase, .order, .refund, .chargebackReversal: return nil
                }
                return Step(at: record.sale.occurredAt, saleId: record.sale.saleId, content: content)
            }
            steps.sort { left, right in
                (left.at, left.rank, left.earliestCut, left.saleId)
                    < (right.at, right.rank, right.earliestCut, right.saleId)
            }
            var earliest = Timestamp(milliseconds: .max)
            for index in steps.indices.reversed() {
                steps[index].laterCuts = earliest
                earliest = min(earliest, steps[index].earliestCut)
            }
            return steps
        }
    }
}

extension SubscriptionMoment {
    fileprivate static func withoutStart(_ event: SubscriptionEvent) -> SubscriptionMoment {
        SubscriptionMoment(event: event, start: nil, daysOfPaidService: 0, isWithoutStart: true)
    }
}

/// One pass over the steps of a subscription.
private struct SubscriptionWalk {
    let refunds: RefundTimeline
    let resumeWithin: Duration
    private(set) var moments: [SaleId: SubscriptionMoment] = [:]
    private var run: SubscriptionRun?
    /// The effective time of a cancellation that no charge has revoked.
    private var pendingEnd: Timestamp?
    /// Unreported charges of the current run.
    private var unreported: [SaleId] = []
    private var startIsReported = false

    init(refunds: RefundTimeline, resumeWithin: Duration) {
        self.refunds = refunds
        self.resumeWithin = resumeWithin
    }

    mutating func apply(_ step: SubscriptionHistory.Step) {
        switch step.content {
        case .cancellation(let effect):
            pendingEnd = effect
            run?.days.end(at: effect)
        case .lapse:
            run?.days.end(at: step.at)
        case .charge(let charge, let report):
            apply(charge, of: step, report)
        }
    }

    private mutating func apply(_ charge: SubscriptionCharge, of step: SubscriptionHistory.Step, _ report: ItemReport?)
    {
        let isWithoutStart =
            run == nil && (report == nil ? charge.event != nil : report?.event.map { $0 != .start } ?? false)
        if isWithoutStart, report == nil {
            moments[step.saleId] = .withoutStart(SubscriptionRun.stated(charge) ?? .renewal)
            return
        }
        let isAfterEnd = charge.event != .payment && pendingEnd.map { charge.period.start > $0 + resumeWithin } ?? false
        var isStart = run == nil || isAfterEnd
        let kept = report?.keepsFigures == true || isWithoutStart ? report?.event : nil
        if let kept, run != nil {
            if kept == .start, !isStart, !startIsReported { flagUnreported() }
            isStart = kept == .start
        }
        var current: SubscriptionRun
        let event: SubscriptionEvent
        if isStart {
            current = SubscriptionRun(start: step.saleId, days: PaidDays(refunds: refunds, after: run?.days))
            event = isWithoutStart ? kept ?? .start : .start
            unreported = []
            startIsReported = report != nil
            pendingEnd = nil
        } else {
            current = run ?? SubscriptionRun(start: step.saleId, days: PaidDays(refunds: refunds))
            event = kept ?? current.event(of: charge)
            if event != .payment { pendingEnd = nil }
        }
        // The run is moved out and back in, so that its arrays are not copied for every charge.
        run = nil
        let days = current.add(charge, as: event, saleId: step.saleId, at: step.at, laterCuts: step.laterCuts)
        moments[step.saleId] = SubscriptionMoment(
            event: event,
            start: isStart ? nil : current.start,
            daysOfPaidService: isStart ? 0 : Int32(clamping: days),
            isWithoutStart: isWithoutStart
        )
        if report == nil { unreported.append(step.saleId) }
        run = current
    }

    /// Marks the charges so far as preceding a start that Apple already has.
    private mutating func flagUnreported() {
        for saleId in unreported {
            guard let moment = moments[saleId] else { continue }
            moments[saleId] = SubscriptionMoment(
                event: moment.event,
                start: moment.start,
                daysOfPaidService: moment.daysOfPaidService,
                isBeforeReportedStart: true
            )
        }
    }
}

/// A subscription from its start to its end.
private struct SubscriptionRun {
    let start: SaleId
    var days: PaidDays
    private var plan: String?
    private var hasPaid = false
    /// The periods of the current plan.
    private var periods = PeriodIndex()
    private var latestEnd = Timestamp(milliseconds: .min)

    init(start: SaleId, days: PaidDays) {
        self.start = start
        self.days = days
    }

    /// The event that the caller states; nil where the history determines it.
    static func stated(_ charge: SubscriptionCharge) -> SubscriptionEvent? {
        switch charge.event {
        case .renewal: .renewal
        case .change: .change
        // A payment must not be 0 (E35).
        case .payment: charge.purchase.inclusive == 0 ? .change : .payment
        case nil: nil
        }
    }

    /// The event of a charge after the start (RR-32).
    func event(of charge: SubscriptionCharge) -> SubscriptionEvent {
        if let stated = Self.stated(charge) { return stated }
        let isFree = charge.purchase.inclusive == 0
        if isAnotherPlan(charge) {
            // Trials often have their own product id.
            let endsTrial = !hasPaid && !isFree && charge.period.start >= latestEnd
            return endsTrial ? .renewal : .change
        }
        guard periods.contains(charge.period) else { return .renewal }
        return isFree ? .change : .payment
    }

    private func isAnotherPlan(_ charge: SubscriptionCharge) -> Bool {
        plan.map { !$0.utf8.elementsEqual(charge.purchase.productId.utf8) } ?? false
    }

    /// Adds a charge and returns the paid days before it.
    mutating func add(
        _ charge: SubscriptionCharge,
        as event: SubscriptionEvent,
        saleId: SaleId,
        at moment: Timestamp,
        laterCuts: Timestamp
    ) -> Int64 {
        let isPaid = charge.purchase.inclusive > 0
        hasPaid = hasPaid || isPaid
        let worth = isPaid ? charge.purchase.leastWhollyRefunded : 0
        if event == .payment {
            let before = days.before(moment, laterCuts: laterCuts)
            days.add(saleId, worth, inside: charge.period)
            return before
        }
        let from = isPaid ? days.begin(charge.period, at: moment) : charge.period.start
        let before = days.before(moment, laterCuts: laterCuts)
        days.add(saleId, worth, from: from, to: charge.period.end)
        // A further item for which nothing is charged is no plan.
        if charge.event == .payment, plan != nil { return before }
        if isAnotherPlan(charge) { periods = PeriodIndex() }
        plan = charge.purchase.productId
        latestEnd = max(latestEnd, charge.period.end)
        periods.insert(charge.period)
        return before
    }
}

/// Periods sorted by start, to find out whether one of them contains another.
private struct PeriodIndex {
    private var entries: [SubscriptionPeriod] = []
    /// For each entry, the latest end of it and all entries before it.
    private var latestEnds: [Timestamp] = []

    mutating func insert(_ period: SubscriptionPeriod) {
        let index = upperBound(period.start)
        entries.insert(period, at: index)
        latestEnds.insert(period.end, at: index)
        for index in index..<entries.count {
            let before = index > 0 ? latestEnds[index - 1] : entries[index].end
            latestEnds[index] = max(before, entries[index].end)
        }
    }

    /// Whether a period completely contains another one.
    func contains(_ period: SubscriptionPeriod) -> Bool {
        let index = upperBound(period.start) - 1
        return index >= 0 && latestEnds[index] >= period.end
    }

    /// The index of the first entry that starts later.
    private func upperBound(_ start: Timestamp) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].start <= start { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
