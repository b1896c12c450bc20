import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Plans the records that an arrival affects and stores the result, in the arrival's transaction (RR-60 to RR-67).
struct MerchantPlanner: Sendable {
    let settings: ReportingSettings
    /// Creates identifiers for the corrections that follow from a plan, and for their reports.
    let uuid: @Sendable () -> UUID

    /// A plan with its inputs.
    struct Planned {
        let plan: AttributionPlan
        var part: ConnectedRecords.Part

        /// Returns the token of the buy that a line of a refund or reversal refers to.
        func token(referencedBy line: SaleId) -> ExternalPurchaseId? {
            part.sales[line].flatMap { token(referencedBy: $0.sale) }
        }

        /// Returns the token of the buy that a refund or reversal refers to, directly or through a chargeback.
        func token(referencedBy sale: Sale) -> ExternalPurchaseId? {
            var next = sale.refund?.refundOf ?? sale.reversedChargeback
            var steps = 0
            while let id = next, steps < 3 {
                if let token = plan.sales[id]?.externalPurchaseId { return token }
                let referred = part.sales[id]?.sale
                next = referred?.refund?.refundOf ?? referred?.reversedChargeback
                steps += 1
            }
            return nil
        }

        /// The tokens, customers and checkouts to which the plan gives a new link, and the tokens that it chooses for
        /// the first time.
        ///
        /// A link is the customer of a token, or a changed checkout. Other open sales of these may then be attributed
        /// too.
        fileprivate var newLinks: Set<PlanningKey> {
            var links: Set<PlanningKey> = []
            for (id, tokenPlan) in plan.tokens {
                guard let token = part.tokens[id] else { continue }
                if token.customerId != tokenPlan.customerId || token.isCustomerClaimed != tokenPlan.isCustomerClaimed {
                    links.insert(.token(id))
                    if token.token.family == .customLink {
                        let customers = [token.customerId, tokenPlan.customerId].compactMap(\.self)
                        links.formUnion(customers.map { .customer($0) })
                    }
                }
                if tokenPlan.isChosen, token.periodChoice != .chosen { links.insert(.token(id)) }
            }
            for checkout in part.universe.checkouts where plan.checkouts[checkout.checkoutId] != checkout {
                links.insert(.checkout(checkout.checkoutId))
            }
            return links
        }
    }

    /// Maintains the review items of the planned sales.
    var review: HeldSaleReview { HeldSaleReview(classifier: HoldClassifier(tokenWait: settings.tokenWait)) }

    static func planner(_ settings: ReportingSettings) -> AttributionPlanner {
        var planning = PlanningSettings()
        planning.clockSkew = settings.rules.clockSkew
        planning.creationDateLimit = settings.rules.creationDateLimit
        planning.restatementWindow = settings.rules.restatementWindow
        planning.refundWindow = settings.rules.refundWindow
        planning.foreignCurrency = settings.foreignCurrency
        planning.resumeWithin = settings.resumeWithin
        return AttributionPlanner(settings: planning)
    }

    /// Plans the records that are connected with some keys, without storing anything.
    ///
    /// - Parameters:
    ///   - keys: the keys of the affected records.
    ///   - extent: the records that are read. If the plan creates a link, the open sales that it concerns are added.
    ///   - opening: tokens, checkouts and customers whose open sales are planned too.
    static func plan(
        _ settings: ReportingSettings,
        touching keys: [PlanningKey],
        of bundleId: BundleId,
        extent: ConnectedRecords.Extent = .connected,
        opening: Set<PlanningKey> = [],
        in ledger: LedgerQueries,
        now: Timestamp
    ) throws(LedgerError) -> Planned {
        var opening = extent == .pending ? opening.union(keys) : opening
        while true {
            let part = try ConnectedRecords.part(
                touching: keys,
                of: bundleId,
                extent: extent,
                opening: opening,
                in: ledger
            )
            let planned = try plan(settings, part, in: ledger, now: now)
            let links = [.connected, .content].contains(extent) ? [] : planned.newLinks.subtracting(opening)
            if links.isEmpty { return planned }
            opening.formUnion(links)
        }
    }

    private static func plan(
        _ settings: ReportingSettings,
        _ part: ConnectedRecords.Part,
        in ledger: LedgerQueries,
        now: Timestamp
    ) throws(LedgerError) -> Planned {
        let planner = planner(settings)
        var part = part
        var planned = Planned(plan: planner.plan(part.universe, now: now), part: part)
        var kept: Set<SaleId> = []
        while true {
            let more = try SubscriptionFigureReview.kept(in: planned, ledger).subtracting(kept)
            if more.isEmpty { return planned }
            kept.formUnion(more)
            for index in part.universe.sales.indices where more.contains(part.universe.sales[index].sale.saleId) {
                part.universe.sales[index].report?.keepsFigures = true
            }
            planned = Planned(plan: planner.plan(part.universe, now: now), part: part)
        }
    }

    /// Plans again and stores the attribution of sales, the customers of tokens, and the chosen tokens of periods.
    ///
    /// Reports that are certainly not at Apple and contain other subscription figures than this plan are withdrawn, so
    /// that their sales go into new reports. If Apple accepted other figures, a review item is opened or they are
    /// corrected (``SubscriptionFigureReview``).
    ///
    /// - Parameters:
    ///   - keys: the keys of the affected records.
    ///   - bundleId: the app.
    ///   - extent: the records that are read. If the plan creates a link, the open sales that it concerns are added.
    ///   - opening: tokens, checkouts and customers with another link, whose open sales are planned too.
    ///   - ledger: the ledger.
    ///   - now: the current time.
    @discardableResult
    func replan(
        touching keys: [PlanningKey],
        of bundleId: BundleId,
        extent: ConnectedRecords.Extent = .pending,
        opening: Set<PlanningKey> = [],
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> Planned {
        var keys = keys
        func plan() throws(LedgerError) -> Planned {
            try Self.plan(
                settings,
                touching: keys,
                of: bundleId,
                extent: extent,
                opening: opening,
                in: ledger,
                now: now
            )
        }
        var planned = try plan()
        // The lines of an order are stored first, then those of its refunds and reversals.
        while try storeMissingLines(of: planned.part, bundleId, in: ledger, now: now) { planned = try plan() }
        let free = try Self.withdrawOutdatedReports(planned, of: bundleId, in: ledger, now: now)
        if !free.isEmpty {
            keys += free.map { .sale($0) }
            planned = try plan()
        }
        try store(planned, of: bundleId, in: ledger, now: now)
        let figures = SubscriptionFigureReview(settings: settings, uuid: uuid)
        if try figures.update(by: planned, of: bundleId, in: ledger, now: now) {
            // Sales that refer to the corrected items wait for them.
            planned = try plan()
            try store(planned, of: bundleId, in: ledger, now: now)
        }
        let displaced = DisplacedSaleReview(settings: settings, uuid: uuid)
        try displaced.update(by: planned, of: bundleId, in: ledger, now: now)
        return planned
    }

    private func store(
        _ planned: Planned,
        of bundleId: BundleId,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        let checkouts = Dictionary(planned.part.universe.checkouts.map { ($0.checkoutId, $0) }) { first, _ in first }
        for (id, tokenPlan) in planned.plan.tokens {
            guard var token = planned.part.tokens[id] else { continue }
            let before = token
            if token.customerId == nil || token.isCustomerClaimed && !tokenPlan.isCustomerClaimed,
                let customer = tokenPlan.customerId
            {
                if token.customerId != customer { token.periodChoice = .undecided }
                token.customerId = customer
                token.customerSource = .sales
                token.isCustomerClaimed = tokenPlan.isCustomerClaimed
            }
            if tokenPlan.isChosen { token.periodChoice = .chosen }
            if token != before { try ledger.update(token) }
        }
        for (id, checkout) in planned.plan.checkouts {
            let before = checkouts[id]
            if before == checkout { continue }
            if let before, before.tokenClaim == .claimed, checkout.tokenClaim == .replaced,
                let token = before.externalPurchaseId
            {
                try ledger.record(CheckoutClaim(bundleId: bundleId, checkoutId: id, externalPurchaseId: token))
            }
            try ledger.put(checkout)
        }
        let waiting = try Self.waitingForCorrections(planned, of: bundleId, in: ledger)
        let continuations = try ImportedSubscription.continuations(planned, of: bundleId, in: ledger)
        for (id, salePlan) in planned.plan.sales {
            guard let sale = planned.part.sales[id], [.planned, .held, .recorded].contains(sale.standing) else {
                continue
            }
            var attribution = salePlan.stored(keeping: sale.attribution)
            if attribution.state == .recorded {
                // A recorded sale, such as a reversal, gets the token of the sale that it refers to, so that a query by
                // token finds both.
                attribution.externalPurchaseId = planned.token(referencedBy: sale.sale)
            }
            if waiting.contains(id) {
                attribution.state = .held
                attribution.holdCauses.insert(.waitsForCorrection)
            }
            var why = salePlan.reason.description
            if let imported = continuations[id] {
                attribution.state = .held
                attribution.holdCauses.insert(.importedSubscription)
                if sale.attribution.review == .closed { attribution.review = .closed }
                why = imported.question
            }
            if attribution != sale.attribution {
                try review.update(attribution, of: sale, why: why, now: now, in: ledger)
            }
        }
        for (id, lines) in planned.part.lines {
            // The order itself is not reported; it gets the token of its lines, so that a query by token finds it.
            guard let whole = planned.part.sales[id], !whole.isVoid else { continue }
            let token = lines.lazy.compactMap {
                planned.plan.sales[$0]?.externalPurchaseId ?? planned.token(referencedBy: $0)
            }
            let attribution = Attribution(
                state: .recorded,
                externalPurchaseId: token.first,
                origin: whole.attribution.origin
            )
            if attribution != whole.attribution {
                try review.update(attribution, of: whole, why: "its lines are reported", now: now, in: ledger)
            }
        }
    }

    /// - Returns: true if lines were added.
    private func storeMissingLines(
        of part: ConnectedRecords.Part,
        _ bundleId: BundleId,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        let missing = try part.missingLines { id throws(LedgerError) in try ledger.isFree(id, of: bundleId) }
        for line in missing { _ = try ledger.insert(line) }
        return !missing.isEmpty
    }

    /// Withdraws reports that are certainly not at Apple and contain other subscription figures than a plan, or a sale
    /// that a lost claim has put on their token (TK-78).
    ///
    /// - Returns: their sales, which have to be planned again.
    private static func withdrawOutdatedReports(
        _ planned: Planned,
        of bundleId: BundleId,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> [SaleId] {
        var outdated: [ReportingScope: Set<RequestIdentifier>] = [:]
        var displaced: Set<RequestIdentifier> = []
        for (id, plan) in planned.plan.sales where plan.revision != nil || plan.place != nil {
            guard let sale = planned.part.sales[id], let identifier = sale.requestIdentifier,
                sale.reportState == .written || sale.reportState == .needsAttention,
                let token = sale.attribution.externalPurchaseId
            else { continue }
            let scope = ReportingScope(bundleId: bundleId, environment: token.environment)
            outdated[scope, default: []].insert(identifier)
            if plan.place != nil { displaced.insert(identifier) }
        }
        var free: [SaleId] = []
        for (scope, identifiers) in outdated.sorted(by: { $0.key.environment.rawValue < $1.key.environment.rawValue }) {
            for identifier in identifiers.sorted(by: { $0.key < $1.key }) {
                let isDisplaced = displaced.contains(identifier)
                guard let report = try ledger.report(identifier, in: scope), report.isSurelyNotAtApple,
                    !report.errors.contains(where: \.showsThatAppleHasIt),
                    try isDisplaced
                        ? ledger.correction(of: report) == nil
                        : ledger.token(report.externalPurchaseId, of: bundleId)?.state != .unknownToApple
                else { continue }
                let freed = try ledger.takeBack(
                    report,
                    because: isDisplaced
                        ? "another token has a better claim on its sales"
                        : "the figures of its subscription are others now",
                    by: SubscriptionFigureReview.author,
                    at: now
                )
                free += freed.map(\.sale.saleId)
            }
        }
        return free
    }

    /// Returns the planned sales whose buy or subscription start is being corrected.
    ///
    /// Their content is not final before the correction is accepted (SA-74).
    private static func waitingForCorrections(
        _ planned: Planned,
        of bundleId: BundleId,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> Set<SaleId> {
        var references: [SaleId: [LineItemId]] = [:]
        for (id, salePlan) in planned.plan.sales {
            guard case .planned = salePlan.outcome, let sale = planned.part.sales[id]?.sale else { continue }
            let referred = [sale.refund?.refundOf, sale.reversedChargeback, salePlan.moment?.start]
            references[id] = referred.compactMap { $0.flatMap { planned.part.sales[$0]?.lineItemId } }
        }
        guard references.values.contains(where: { !$0.isEmpty }) else { return [] }
        let items = try ledger.itemsUnderCorrection(of: bundleId)
        return Set(references.filter { !items.isDisjoint(with: $0.value) }.keys)
    }
}

extension SalePlan {
    /// Returns the attribution to store; a sale that waits for another report is held.
    fileprivate func stored(keeping old: Attribution) -> Attribution {
        var stored = attribution
        if waitsFor != nil, stored.state == .planned {
            stored.state = .held
            stored.holdCauses.insert(.waitsForStart)
        }
        if stored.state != .recorded {
            stored.dispatch = old.dispatch
            stored.subscriptionDecision = old.subscriptionDecision
        }
        stored.origin = old.origin
        return stored
    }
}
