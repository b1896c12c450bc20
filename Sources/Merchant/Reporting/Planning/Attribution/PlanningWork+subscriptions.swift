import ExternalPurchaseCore
import Ledger

// Later charges of subscriptions, their ends, and their reported figures.
extension PlanningWork {
    static func moments(
        of sales: [SaleRecord],
        by id: [SaleId: SaleRecord],
        resumeWithin: Duration
    ) -> [SaleId: SubscriptionMoment] {
        var subscriptions: [SubscriptionId: [SaleRecord]] = [:]
        for record in sales {
            let chargeback = record.sale.reversedChargeback.flatMap { id[$0] }
            let buy = (chargeback?.sale.refund ?? record.sale.refund).flatMap { id[$0.refundOf] }
            guard let subscription = (buy ?? record).sale.subscriptionId else { continue }
            subscriptions[subscription, default: []].append(record)
        }
        var moments: [SaleId: SubscriptionMoment] = [:]
        for records in subscriptions.values {
            moments.merge(SubscriptionHistory(records, resumeWithin: resumeWithin).moments) { first, _ in first }
        }
        return moments
    }

    /// What the charges before a charge in its subscription say of its customer.
    struct Inherited {
        /// The hint of the newest one that names a token or a customer.
        var hint: CustomerLinks.CustomerHint?
        /// The owner that the newest one with an owner leads to.
        var owner: CustomLinkPeriods.Owner?
    }

    /// Returns what each charge inherits from those before it in time.
    static func inherited(
        _ sales: [SaleRecord],
        _ links: CustomerLinks,
        _ periods: CustomLinkPeriods
    ) -> [SaleId: Inherited] {
        var inherited: [SaleId: Inherited] = [:]
        let charges = Dictionary(grouping: sales.lazy.map(\.sale).filter { $0.subscriptionCharge != nil }) {
            $0.subscriptionId
        }
        for group in charges.values where group.count > 1 {
            var known = Inherited()
            for sale in group.sorted(by: { ($0.occurredAt, $0.saleId) < ($1.occurredAt, $1.saleId) }) {
                inherited[sale.saleId] = known
                let hint = links.hint(of: sale)
                if !hint.isEmpty { known.hint = hint }
                if let owner = periods.owner(hint) { known.owner = owner }
            }
        }
        return inherited
    }

    /// Plans a later event of a subscription (RR-63, RR-64).
    ///
    /// It uses the token it names, otherwise that of the start while Apple accepts it there, otherwise the customer's
    /// active one.
    func eventPlan(_ record: SaleRecord) -> SalePlan {
        let sale = record.sale
        let hint = links.hint(of: sale)
        guard let startId = moments[sale.saleId]?.start, let start = salesById[startId],
            let startPlan = plan.sales[startId]
        else { return buyPlan(record) }
        var made =
            otherEnvironment(sale, hint: hint) ?? named(sale, hint: hint)
            ?? following(sale, hint: hint, start: start, startPlan: startPlan)
        made.notes.formUnion(hint.notes)
        addDefects(of: sale, to: &made)
        if let report = start.report, let event = report.event, event != .start {
            made.hold(on: made.externalPurchaseId, .waitsForCorrection, .startReportedAs(event, startId))
        }
        if startPlan.isHeld {
            // An event whose start was submitted by hand is submitted by hand too, so it has no token.
            if start.isHandedOver { made.outcome = .held(on: nil) }
            let isClosed = startPlan.review == .closed
            let reason = isClosed ? SaleReason.referenceClosed(startId) : .startHeld(startId)
            made.hold(on: made.externalPurchaseId, .startHeld, reason)
            if isClosed { made.holdCauses.insert(.referenceClosed) }
        }
        if case .planned(let token) = made.outcome, let startToken = startPlan.externalPurchaseId,
            token.environment != startToken.environment
        {
            made.hold(on: token, .environmentContradiction, .otherEnvironment(start: startId))
        }
        if case .planned(let token) = made.outcome, let stated = sale.environment, token.environment != stated {
            made.hold(on: token, .environmentContradiction, .statedEnvironment(stated, token: token))
        }
        if case .planned(let token) = made.outcome, token != startPlan.externalPurchaseId,
            start.report?.state != .accepted
        {
            made.waitsFor = startId
        }
        return made
    }

    /// The token and customer that a charge names, else those of the newest earlier charge of its subscription that
    /// names any: a subscription that comes back is its customer's (RR-64).
    func hint(of sale: Sale) -> CustomerLinks.CustomerHint {
        let hint = links.hint(of: sale)
        guard hint.isEmpty, var known = inherited[sale.saleId]?.hint else { return hint }
        known.notes = hint.notes
        return known
    }

    private func following(
        _ sale: Sale,
        hint: CustomerLinks.CustomerHint,
        start: SaleRecord,
        startPlan: SalePlan
    ) -> SalePlan {
        guard let id = startPlan.externalPurchaseId, let token = tokens[id] else {
            return .held(sale.saleId, on: nil, .startHeld, .startHeld(start.sale.saleId))
        }
        let isCustomLink = token.token.family == .customLink
        if isCustomLink ? token.isActive(at: sale.occurredAt) : token.takesBuy(at: sale.occurredAt) {
            if token.state == .unknownToApple {
                return .held(sale.saleId, on: id, .tokenUnknownToApple, .tokenUnknownToApple)
            }
            return SalePlan(
                saleId: sale.saleId,
                outcome: .planned(on: id),
                reason: .tokenOfStart(start.sale.saleId)
            )
        }
        let owner = owner(hint) ?? inherited[sale.saleId]?.owner ?? periods.owners[id]
        if let owner,
            let period = periods.active(for: owner, in: token.token.environment, at: sale.occurredAt)
        {
            return SalePlan(
                saleId: sale.saleId,
                outcome: .planned(on: period.chosen),
                reason: .renewedPeriod(period.type, created: period.created, start: start.sale.saleId)
            )
        }
        return .held(sale.saleId, on: id, .noActiveToken, .noActiveTokenAfterStart(start.sale.saleId))
    }

    /// Plans a cancellation or lapse, which is not reported; it waits while its subscription is unknown.
    func endPlan(_ sale: Sale) -> SalePlan {
        if let subscription = sale.subscriptionId, !knownSubscriptions.contains(subscription) {
            return .held(sale.saleId, on: nil, .buyUnknown, .subscriptionUnknown(subscription))
        }
        return SalePlan(saleId: sale.saleId, outcome: .noLineItem, notes: [.noLineItem], reason: .endsSubscription)
    }

    /// Reported charges that keep their figures, because the start that they should reference cannot be at Apple.
    ///
    /// That start is held, or its token belongs to another environment (E14, SA-90).
    var startsToKeep: Set<SaleId> {
        Set(sales.lazy.filter(keepsFigures).map(\.sale.saleId))
    }

    private func keepsFigures(_ record: SaleRecord) -> Bool {
        guard let report = record.report, report.state != .retracted, let event = report.event,
            let start = moments[record.sale.saleId]?.start, let startPlan = plan.sales[start]
        else { return false }
        if let token = startPlan.externalPurchaseId, token.environment != report.externalPurchaseId.environment {
            return true
        }
        return event == .start && startPlan.isHeld
    }

    /// The difference between a charge's reported figures and those of the complete history (RR-30 to RR-34).
    func revision(of record: SaleRecord, _ report: ItemReport) -> SubscriptionRevision? {
        guard report.state != .retracted, let reported = report.figures, let moment = moments[record.sale.saleId],
            !moment.isWithoutStart
        else { return nil }
        let isTooLate = record.sale.occurredAt < now - settings.restatementWindow
        let isDecided = report.keepsFigures && !isTooLate
        let right = SubscriptionFigures(
            event: moment.event,
            start: moment.start.flatMap { salesById[$0]?.lineItemId },
            daysOfPaidService: moment.daysOfPaidService
        )
        guard !isDecided, right != reported else { return nil }
        return SubscriptionRevision(reported: reported, right: right, start: moment.start, isTooLate: isTooLate)
    }
}
