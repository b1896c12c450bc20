package import ExternalPurchaseCore
import Ledger

/// Decides on which token each sale is reported and which report each token needs (RR-60 to RR-67).
///
/// Planning is a pure function of its input. The order of the input does not matter; only the order of arrival recorded
/// in the sales does. Reported sales stay where they are, and so does a token that an earlier plan chose for a period.
/// Everything else is decided again each time, so that late tokens and sales are attributed too. Apart from sorting,
/// the cost is proportional to the number of records.
package struct AttributionPlanner: Hashable, Sendable {
    let settings: PlanningSettings

    package init(settings: PlanningSettings = PlanningSettings()) {
        self.settings = settings
    }

    /// Plans a complete app, or a self-contained part of one.
    ///
    /// - Parameter now: the current time, for dates that are too old or in the future.
    package func plan(_ universe: PlanningInput, now: Timestamp) -> AttributionPlan {
        var kept: Set<SaleId> = []
        while true {
            var work = PlanningWork(universe, settings: settings, now: now, keepingFigures: kept)
            work.attributeSales()
            let more = work.startsToKeep.subtracting(kept)
            guard !more.isEmpty else {
                work.answerTokens()
                return work.plan
            }
            kept.formUnion(more)
        }
    }

    /// Plans the part that an arrival affects; for that part, the result equals the plan of the complete app.
    ///
    /// - Parameter keys: the customer, token, checkout, subscription and sale that the arrival names.
    func plan(
        touching keys: Set<PlanningKey>,
        in index: PlanningIndex,
        now: Timestamp
    ) -> AttributionPlan {
        plan(index.part(touching: keys), now: now)
    }
}

/// One run of the planner.
struct PlanningWork {
    let settings: PlanningSettings
    let now: Timestamp
    let tokens: [ExternalPurchaseId: TokenRecord]
    /// The sales in order of arrival.
    let sales: [SaleRecord]
    let salesById: [SaleId: SaleRecord]
    let links: CustomerLinks
    let claimed: [CheckoutId: [ExternalPurchaseId]]
    let periods: CustomLinkPeriods
    let moments: [SaleId: SubscriptionMoment]
    let inherited: [SaleId: Inherited]
    let tokensWithReportedSales: Set<ExternalPurchaseId>
    /// The first refund or reversal of each buy of which Apple says that it has it (RR-85).
    let refundsAtApple: [SaleId: SaleRecord]
    /// The first reversal of each chargeback.
    let reversals: [SaleId: SaleId]
    let knownSubscriptions: Set<SubscriptionId>
    let voided: Set<SaleId>
    var plan = AttributionPlan()

    /// - Parameter kept: charges whose reported figures do not change, in addition to those marked so.
    init(
        _ universe: PlanningInput,
        settings: PlanningSettings,
        now: Timestamp,
        keepingFigures kept: Set<SaleId> = []
    ) {
        self.settings = settings
        self.now = now
        voided = universe.voided
        let restatedFrom = now - settings.restatementWindow
        var sales = universe.sales
        if !universe.voided.isEmpty { sales.removeAll { universe.voided.contains($0.sale.saleId) } }
        // A store returns them in this order, and sorting moves records of several hundred bytes.
        let isEarlier: (SaleRecord, SaleRecord) -> Bool = {
            $0.sequence != $1.sequence ? $0.sequence < $1.sequence : $0.sale.saleId < $1.sale.saleId
        }
        if sales.indices.dropFirst().contains(where: { isEarlier(sales[$0], sales[$0 - 1]) }) {
            sales.sort(by: isEarlier)
        }
        for index in sales.indices where sales[index].report?.figures != nil {
            let sale = sales[index].sale
            if kept.contains(sale.saleId) || sale.occurredAt < restatedFrom { sales[index].report?.keepsFigures = true }
        }
        let tokens = Dictionary(universe.tokens.map { ($0.id, $0) }) { first, _ in first }
        let salesById = Dictionary(sales.map { ($0.sale.saleId, $0) }) { first, _ in first }
        let links = CustomerLinks(
            tokens: tokens,
            checkouts: universe.checkouts,
            claims: universe.claims,
            sales: sales,
            clockSkew: settings.clockSkew
        )
        claimed = universe.claims
        self.sales = sales
        self.tokens = tokens
        self.salesById = salesById
        self.links = links
        tokensWithReportedSales = Set(sales.compactMap { $0.report?.externalPurchaseId })
            .union(tokens.values.lazy.filter(\.holdsReportedSales).map(\.id))
        periods = CustomLinkPeriods(tokens, links, reportedOn: tokensWithReportedSales)
        moments = Self.moments(of: sales, by: salesById, resumeWithin: settings.resumeWithin)
        inherited = Self.inherited(sales, links, periods)
        var reversals: [SaleId: SaleId] = [:]
        for record in sales {
            guard let chargeback = record.sale.reversedChargeback, reversals[chargeback] == nil,
                salesById[chargeback]?.isReversible(by: record) ?? true
            else { continue }
            reversals[chargeback] = record.sale.saleId
        }
        self.reversals = reversals
        let atApple = sales.compactMap { record -> (SaleId, SaleRecord)? in
            let refund = record.sale.reversedChargeback.flatMap { salesById[$0]?.sale.refund } ?? record.sale.refund
            return record.reportedAlreadyOn == nil ? nil : refund.map { ($0.refundOf, record) }
        }
        refundsAtApple = Dictionary(atApple) { first, _ in first }
        // A subscription whose only charges state a later event stays unknown, because they wait for its start as well.
        var knownSubscriptions: Set<SubscriptionId> = []
        for record in sales {
            guard let moment = moments[record.sale.saleId], !moment.isWithoutStart || record.report != nil,
                let subscription = record.sale.subscriptionId
            else { continue }
            knownSubscriptions.insert(subscription)
        }
        self.knownSubscriptions = knownSubscriptions
        plan.checkouts = links.checkouts
    }

    // MARK: Sales

    /// Attributes starts and one-time buys first, then sales that depend on them: later events, refunds, reversals.
    mutating func attributeSales() {
        for record in sales where isFirst(record) { plan(record, buyPlan(record)) }
        for record in sales where record.sale.purchase != nil && !isFirst(record) { plan(record, eventPlan(record)) }
        holdOrders()
        attributeRefunds()
        for record in sales {
            switch record.sale.kind {
            case .cancellation, .lapse:
                plan.sales[record.sale.saleId] = endPlan(record.sale)
            case .chargebackReversal(let chargeback):
                plan(record, reversalPlan(record, of: chargeback))
            case .purchase, .order, .subscription, .refund:
                break
            }
        }
        holdOrders()
    }

    /// Holds all lines of an order, or of a refund of one, if one line is held, because they share a report.
    private mutating func holdOrders() {
        let held = Set(
            sales.compactMap { record -> SaleId? in
                guard let order = record.partOf, plan.sales[record.sale.saleId]?.isHeld == true else { return nil }
                return order
            }
        )
        guard !held.isEmpty else { return }
        var closed: [SaleId: SaleId] = [:]
        for record in sales {
            guard let order = record.partOf, plan.sales[record.sale.saleId]?.review == .closed else { continue }
            closed[order] = closed[order] ?? record.sale.saleId
        }
        for record in sales {
            guard let order = record.partOf, held.contains(order),
                case .planned(let token) = plan.sales[record.sale.saleId]?.outcome
            else { continue }
            let reason = closed[order].map(SaleReason.referenceClosed) ?? .orderHeld(order)
            plan.sales[record.sale.saleId]?.hold(on: token, .orderHeld, reason)
            guard closed[order] != nil else { continue }
            plan.sales[record.sale.saleId]?.holdCauses.insert(.referenceClosed)
            if record.review == .closed, record.holdCauses.contains(.referenceClosed) {
                plan.sales[record.sale.saleId]?.review = .closed
            }
        }
    }

    private func isFirst(_ record: SaleRecord) -> Bool {
        record.sale.purchase != nil && moments[record.sale.saleId]?.start == nil
    }

    /// Leaves reported sales unchanged, and checks the dates of all others.
    private mutating func plan(_ record: SaleRecord, _ made: SalePlan) {
        var made = made
        if let report = record.report {
            let place = place(of: record, report, unreported: made)
            made = SalePlan(
                saleId: made.saleId,
                outcome: .reported(on: report.externalPurchaseId),
                notes: made.notes.subtracting([.noLineItem]),
                reason: report.state == .retracted ? .retracted : .reported
            )
            made.place = place
            made.revision = revision(of: record, report)
        } else if record.isHandedOver {
            made = SalePlan(saleId: made.saleId, outcome: .held(on: nil), reason: .handedOver)
        } else if let token = record.reportedAlreadyOn {
            made = .held(made.saleId, on: token, .reportedAlready, .reportedAlready)
            made.holdCauses.formUnion(record.holdCauses.intersection(Self.lasting))
        } else if made.outcome != .noLineItem, !record.holdCauses.isDisjoint(with: Self.lasting) {
            for cause in Self.lasting where record.holdCauses.contains(cause) {
                let reason = cause == .reportRefused ? SaleReason.reportRefused : .missingMoney([cause])
                made.hold(on: made.externalPurchaseId, cause, reason)
            }
        } else if case .planned(let token) = made.outcome, record.sale.reversedChargeback == nil {
            let date = record.sale.occurredAt
            if moments[made.saleId]?.isBeforeReportedStart == true {
                made.hold(on: token, .laterStartReported, .laterStartReported)
            } else if date > now + settings.clockSkew {
                made.hold(on: token, .inFuture, .inFuture)
            } else if date < now - settings.creationDateLimit {
                made.hold(on: token, .tooLateToReport, .tooLate(days: settings.creationDateLimit.wholeDays))
            }
        }
        // A refused sale stays closed whatever else holds it, such as its buy that is closed with it: no item names it.
        if made.isHeld, record.review == .closed,
            made.holdCauses.contains(.reportRefused) || made.holdCauses.isSubset(of: record.holdCauses)
        {
            made.review = .closed
        }
        made.moment = moments[made.saleId]
        plan.sales[made.saleId] = made
    }

    /// Causes that are kept from plan to plan, because planning cannot detect them; the first one is the shown reason.
    private static let lasting: [HoldCause] = [.reportRefused, .notConvertible]

    /// Plans a one-time buy or a start on the named token, otherwise on the customer's active one (RR-60, RR-63).
    func buyPlan(_ record: SaleRecord) -> SalePlan {
        let sale = record.sale
        let hint = hint(of: sale)
        var made =
            otherEnvironment(sale, hint: hint) ?? contested(sale, hint: hint) ?? named(sale, hint: hint)
            ?? active(sale, hint: hint)
        made.notes.formUnion(hint.notes)
        addDefects(of: sale, to: &made)
        if moments[sale.saleId]?.isWithoutStart == true {
            made.hold(on: made.externalPurchaseId, .buyUnknown, .startUnknown)
        }
        return made
    }

    /// Holds a sale that is stated for another environment than the token that it or its checkout names (SA-90).
    func otherEnvironment(_ sale: Sale, hint: CustomerLinks.CustomerHint) -> SalePlan? {
        guard let stated = sale.environment, let id = hint.token, id.environment != stated else { return nil }
        return .held(sale.saleId, on: nil, .environmentContradiction, .statedEnvironment(stated, token: id))
    }

    /// Holds a sale whose checkout several tokens claim that nobody vouches for (TK-78).
    func contested(_ sale: Sale, hint: CustomerLinks.CustomerHint) -> SalePlan? {
        guard hint.isContested else { return nil }
        return .held(sale.saleId, on: nil, .checkoutContradiction, .checkoutContested)
    }

    /// Where a reported sale belongs since a claim of a public arrival, by which it was reported, was replaced (TK-78).
    ///
    /// - Parameter made: the plan of the sale as if it was not reported.
    private func place(of record: SaleRecord, _ report: ItemReport, unreported made: SalePlan) -> ReportedPlace? {
        let (sale, token) = (record.sale, report.externalPurchaseId)
        guard sale.purchase != nil, report.state != .retracted, sale.externalPurchaseId != token else { return nil }
        // A later charge goes where its start is; only on a token of its own it has a place of its own (RR-64).
        let start = moments[sale.saleId]?.start
        guard start.flatMap({ plan.sales[$0]?.externalPurchaseId }) != token else { return nil }
        let isRefused = tokens[token]?.state == .unknownToApple
        let isClaimed = links.claims[token] == .arrival
        let hint = hint(of: sale)
        let isOfCustomer = hint.isTokenClaimed && hint.customer != nil && !hint.isCustomerClaimed
        switch made.outcome {
        case .planned(let other) where other != token && other.environment == token.environment:
            let isDisplaced =
                start == nil
                && links.isDisplaced(token, from: sale.checkoutId, sale.checkoutId.flatMap { claimed[$0] } ?? [])
            let isOutranked =
                links.customers[token] == links.customers[other] && links.claims[token] == .arrival
                && links.claims[other] == TokenRecord.CustomerClaim.none && !periods.isSamePeriod(token, other)
            if isDisplaced || isOutranked { return .moved(to: other) }
            // A token that Apple does not know takes nothing.
            return isRefused ? .reassigned : nil
        case .planned(let other) where other != token:
            return isRefused && (isClaimed || isOfCustomer) ? .reassigned : nil
        case .held where made.holdCauses.contains(.checkoutContradiction): return .reassigned
        case .held where isRefused && isOfCustomer: return .reassigned
        case .held where isRefused && isClaimed:
            // Anybody may have named the customer; the sale waits for a token that is the customer's.
            return hint.token == token ? nil : .reassigned
        case .planned, .held, .reported, .noLineItem: return nil
        }
    }

    /// Plans a buy on the token it names, unless that is a custom link token (RR-63).
    ///
    /// Returns nil where the customer's tokens decide.
    func named(_ sale: Sale, hint: CustomerLinks.CustomerHint) -> SalePlan? {
        guard let id = hint.token else { return nil }
        guard let token = tokens[id] else {
            // A sale that names a missing token waits for it.
            guard sale.externalPurchaseId != nil else { return nil }
            return .held(sale.saleId, on: nil, .noToken, .namedTokenMissing(id))
        }
        switch ownTokens(for: sale, hint, beside: token) {
        case .takeSale: return nil
        case .makeSaleWait:
            return .held(sale.saleId, on: nil, .checkoutContradiction, .checkoutAgainstCustomer(id))
        case nil: break
        }
        switch token.token.family {
        case .customLink: return nil
        case .other:
            // Anybody can make a token of an unknown kind and name the checkout; the customer's own tokens count then.
            if hint.isTokenClaimed, hint.customer != nil, !hint.isCustomerClaimed { return nil }
            return .held(sale.saleId, on: id, .tokenNotReportable, .tokenNotReportable)
        case .plain, .transaction, .coreTechnology: break
        }
        if token.state == .unknownToApple {
            // The customer's own tokens count when Apple refuses what a public arrival named (TK-78).
            if hint.isTokenClaimed, hint.customer != nil, !hint.isCustomerClaimed { return nil }
            return .held(sale.saleId, on: id, .tokenUnknownToApple, .tokenUnknownToApple)
        }
        guard token.takesBuy(at: sale.occurredAt) else {
            return .held(sale.saleId, on: id, .noActiveToken, .tokenNotActive)
        }
        return SalePlan(saleId: sale.saleId, outcome: .planned(on: id), reason: .named(token.token.tokenType))
    }

    /// How the customer's own tokens count beside a token that only a public arrival linked to the sale's checkout.
    private enum OwnTokens {
        case takeSale
        /// Until Apple has answered about the token of the checkout, which is by its due date.
        case makeSaleWait
    }

    /// The token of the checkout may be a forged one while the customer has a token that an authenticated source delivered
    /// or Apple confirmed (TK-78).
    ///
    /// - Returns: nil if the token of the checkout counts.
    private func ownTokens(
        for sale: Sale,
        _ hint: CustomerLinks.CustomerHint,
        beside token: TokenRecord
    ) -> OwnTokens? {
        guard hint.isTokenClaimed, let customer = hint.customer, !hint.isCustomerClaimed,
            token.token.family != .customLink,
            token.state == .unconfirmed || token.isNamedForSeveral || token.token.family == .other
        else { return nil }
        let isInSandbox = token.id.environment == .sandbox
        let environments = sale.environment.map { [$0] } ?? (isInSandbox ? [.production, .sandbox] : [.production])
        let own = environments.lazy.compactMap { environment in
            periods.active(for: .customer(customer), in: environment, at: sale.occurredAt)
        }.first { $0.trust == .vouched || $0.trust == .confirmed }
        guard let own else { return nil }
        let isLater = token.token.tokenCreationDate > sale.occurredAt.upperBound + settings.clockSkew
        let cannotTakeSale =
            token.token.family == .other || isLater || token.id.environment != own.chosen.environment
        return cannotTakeSale ? .takeSale : .makeSaleWait
    }

    /// Plans a sale on the customer's active custom link token (RR-60).
    func active(_ sale: Sale, hint: CustomerLinks.CustomerHint) -> SalePlan {
        let named = hint.token.flatMap { tokens[$0] }
        let isRefused = named?.state == .unknownToApple
        guard let owner = owner(hint) else {
            if isRefused { return .held(sale.saleId, on: nil, .tokenUnknownToApple, .tokenUnknownToApple) }
            return .held(sale.saleId, on: nil, .noToken, .noToken)
        }
        // Environments are separate (SA-90): the named token's or the stated one applies, otherwise production first.
        // A token that only a public arrival named for the checkout says nothing of the sale of a known customer.
        let isOfCustomer = hint.customer != nil && !hint.isCustomerClaimed
        let ofToken = hint.isTokenClaimed && (isRefused || isOfCustomer) ? nil : named?.token.environment
        for environment in (ofToken ?? sale.environment).map({ [$0] }) ?? [.production, .sandbox] {
            guard let period = periods.active(for: owner, in: environment, at: sale.occurredAt) else { continue }
            return SalePlan(
                saleId: sale.saleId,
                outcome: .planned(on: period.chosen),
                reason: .activePeriod(period.type, created: period.created)
            )
        }
        if isRefused { return .held(sale.saleId, on: nil, .tokenUnknownToApple, .tokenUnknownToApple) }
        guard periods.known.contains(owner) else { return .held(sale.saleId, on: nil, .noToken, .noToken) }
        return .held(sale.saleId, on: nil, .noActiveToken, .noActiveToken)
    }

    func owner(_ hint: CustomerLinks.CustomerHint) -> CustomLinkPeriods.Owner? {
        periods.owner(hint)
    }

    /// Adds causes and notes for missing or unusable price data, which are never guessed (RR-45, RR-47, RR-52).
    func addDefects(of sale: Sale, to made: inout SalePlan) {
        guard let purchase = sale.purchase else { return }
        var defects: [HoldCause] = []
        if purchase.tax == nil, purchase.inclusive != 0 { defects.append(.noTax) }
        if purchase.taxCountry == nil { defects.append(.noTaxCountry) }
        let currency = Currency.code(purchase.currency)
        // A rate into another currency would make a wrong figure, for example after the tax country arrived later.
        if purchase.needsRate, currency != nil,
            !purchase.hasRate(for: sale.occurredAt)
                || purchase.hasRateIntoOtherCurrency(foreign: settings.foreignCurrency)
        {
            defects.append(.noExchangeRate)
        }
        if currency == nil || defects.isEmpty && LineMoney(purchase) == nil { defects.append(.notConvertible) }
        if currency?.current == false { made.notes.insert(.withdrawnCurrency) }
        guard !defects.isEmpty else { return }
        made.holdCauses.formUnion(defects)
        if case .planned(let token) = made.outcome {
            made.outcome = .held(on: token)
            made.reason = .missingMoney(defects)
        }
    }

    /// Plans refunds on the token of their buy, even after its expiration (RR-65).
    private mutating func attributeRefunds() {
        let allocation = RefundAllocation(sales)
        for record in sales {
            guard let refund = record.sale.refund else { continue }
            plan(record, refundPlan(record, refund, among: allocation))
        }
    }

    private func refundPlan(
        _ record: SaleRecord,
        _ refund: Refund,
        among allocation: RefundAllocation
    ) -> SalePlan {
        let (saleId, buyId) = (record.sale.saleId, refund.refundOf)
        if voided.contains(buyId) { return .held(saleId, on: nil, .buyVoided, .buyVoided(buyId)) }
        guard let buy = salesById[buyId] else { return .held(saleId, on: nil, .buyUnknown, .buyUnknown(buyId)) }
        guard let purchase = buy.sale.purchase, let buyPlan = plan.sales[buyId] else {
            return .held(saleId, on: nil, .wrongReference, .wrongReference(buyId))
        }
        let token = buyPlan.externalPurchaseId
        if record.report == nil, !record.mayBeAtApple, let reversal = reversals[saleId] {
            return SalePlan(saleId: saleId, outcome: .noLineItem, notes: [.noLineItem], reason: .undone(by: reversal))
        }
        if buy.report?.state == .retracted, record.isSettled || allocation.shares[saleId] != .contained {
            var made = SalePlan.held(saleId, on: token, .buyHeld, .buyRetracted(buyId))
            made.holdCauses.insert(.buyRetracted)
            return made
        }
        if let cause = refund.defect(of: record.sale, in: buy.sale, purchase) {
            return .held(saleId, on: token, cause, .refundDefect(cause, of: buyId))
        }
        if let total = record.mayBeContainedIn {
            return .held(saleId, on: token, .importedRefund, .mayBeContained(in: total))
        }
        if !record.isSettled {
            switch allocation.shares[saleId] {
            case .aboveBuy?:
                let reason = SaleReason.refundAboveBuy(
                    record.partOf == nil ? buyId : buy.partOf ?? buyId,
                    left: allocation.left(for: record, of: buy),
                    currency: purchase.currency
                )
                return .held(saleId, on: token, .refundAboveBuy, reason)
            case .contained?:
                return SalePlan(
                    saleId: saleId,
                    outcome: .noLineItem,
                    notes: [.noLineItem],
                    reason: .contained(buyId)
                )
            case .amount(let amount)?:
                // Each line of an order's refund has its share of the tax; a tax stated for the whole refund is not
                // used.
                let isWhole = !refund.isShare && amount == refund.statedAmount
                let stated = refund.amounting(to: amount)
                let deviation = RefundTax.deviation(
                    of: stated,
                    from: purchase,
                    after: allocation.earlier(than: saleId)
                )
                if isWhole ? deviation != nil : refund.isShare && refund.tax != nil {
                    let reason = SaleReason.refundTaxDiffers(buyId, isWhole ? deviation : nil)
                    return .held(saleId, on: token, .refundTaxDiffers, reason)
                }
            case nil: break
            }
        }
        guard let token, !buyPlan.isHeld else {
            guard buyPlan.review == .closed else { return .held(saleId, on: token, .buyHeld, .buyHeld(buyId)) }
            // Who closed the buy did not see the refund, which would never be reported.
            var made = SalePlan.held(saleId, on: token, .referenceClosed, .referenceClosed(buyId))
            made.holdCauses.insert(.buyHeld)
            return made
        }
        // The net that a later refund states includes the one that Apple has.
        if !record.isSettled, let first = refundsAtApple[buyId] { return waiting(saleId, behind: first, on: token) }
        let age = buy.sale.occurredAt.duration(to: record.sale.occurredAt)
        if age > settings.refundWindow {
            let reason = SaleReason.tooLate(days: settings.refundWindow.wholeDays)
            return .held(saleId, on: token, .tooLateToReport, reason)
        }
        // The refunds of a buy that waits for its start wait as well.
        return SalePlan(
            saleId: saleId,
            outcome: .planned(on: token),
            reason: .tokenOfBuy(buyId),
            waitsFor: buyPlan.waitsFor
        )
    }

    /// Holds a sale of a purchase until a person has decided about another one, or until Apple has answered about it.
    private func waiting(_ saleId: SaleId, behind first: SaleRecord, on token: ExternalPurchaseId?) -> SalePlan {
        let id = first.sale.saleId
        let isClosed = plan.sales[id]?.review == .closed || first.reportedAlreadyOn != nil && first.review == .closed
        guard isClosed else { return .held(saleId, on: token, .buyHeld, .waitsBehind(id)) }
        var made = SalePlan.held(saleId, on: token, .referenceClosed, .referenceClosed(id))
        made.holdCauses.insert(.buyHeld)
        return made
    }

    /// Plans the reversal of a chargeback: retracts its refund, or drops it if it was not reported (RR-80).
    private func reversalPlan(_ record: SaleRecord, of chargebackId: SaleId) -> SalePlan {
        let saleId = record.sale.saleId
        if voided.contains(chargebackId) { return .held(saleId, on: nil, .buyVoided, .buyVoided(chargebackId)) }
        guard let chargeback = salesById[chargebackId] else {
            return .held(saleId, on: nil, .buyUnknown, .buyUnknown(chargebackId))
        }
        guard chargeback.sale.refund?.isChargeback == true else {
            let isUntold = chargeback.isImported && chargeback.sale.refund != nil
            let reason = isUntold ? SaleReason.importedRefund(chargebackId) : .wrongReference(chargebackId)
            return .held(saleId, on: nil, .wrongReference, reason)
        }
        if record.sale.occurredAt < chargeback.sale.occurredAt {
            let token = plan.sales[chargebackId]?.externalPurchaseId
            return .held(saleId, on: token, .reversalBeforeChargeback, .reversalBeforeChargeback(chargebackId))
        }
        func nothing(_ reason: SaleReason) -> SalePlan {
            SalePlan(saleId: saleId, outcome: .noLineItem, notes: [.noLineItem], reason: reason)
        }
        guard let report = chargeback.report else {
            guard chargeback.mayBeAtApple || chargeback.reportedAlreadyOn != nil else {
                return nothing(.undoes(chargebackId))
            }
            return waiting(saleId, behind: chargeback, on: plan.sales[chargebackId]?.externalPurchaseId)
        }
        if report.state == .retracted || reversals[chargebackId] != saleId {
            return nothing(.alreadyRetracted(chargebackId))
        }
        let token = report.externalPurchaseId
        if let buyId = chargeback.sale.refund?.refundOf, let first = refundsAtApple[buyId] {
            return waiting(saleId, behind: first, on: token)
        }
        if chargeback.sale.occurredAt < now - settings.restatementWindow {
            let reason = SaleReason.tooLate(days: settings.restatementWindow.wholeDays)
            return .held(saleId, on: token, .tooLateToReport, reason)
        }
        return SalePlan(saleId: saleId, outcome: .planned(on: token), reason: .retracts(chargebackId))
    }
}

extension SaleRecord {
    /// True for a chargeback dated no later than its reversal.
    func isReversible(by reversal: SaleRecord) -> Bool {
        sale.refund?.isChargeback == true && sale.occurredAt <= reversal.sale.occurredAt
    }
}

extension SaleReason {
    fileprivate static func refundDefect(_ cause: HoldCause, of buy: SaleId) -> SaleReason {
        switch cause {
        case .refundCurrencyDiffers: .refundCurrencyDiffers(buy)
        case .refundTooPrecise: .refundTooPrecise(buy)
        default: .refundBeforeBuy(buy)
        }
    }
}

extension SalePlan {
    static func held(
        _ saleId: SaleId,
        on token: ExternalPurchaseId?,
        _ cause: HoldCause,
        _ reason: SaleReason
    ) -> SalePlan {
        SalePlan(saleId: saleId, outcome: .held(on: token), holdCauses: [cause], reason: reason)
    }

    /// Adds a reason for holding the sale; only the first reason is shown.
    mutating func hold(on token: ExternalPurchaseId?, _ cause: HoldCause, _ reason: SaleReason) {
        if !isHeld {
            outcome = .held(on: token)
            self.reason = reason
        }
        holdCauses.insert(cause)
    }
}
