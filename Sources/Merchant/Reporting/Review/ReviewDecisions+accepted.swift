import AppStoreServerClient
import ExternalPurchaseCore
import Ledger

/// The decision `accepted`: Apple has what it refused to take a second time, as after the restore of an older ledger.
extension ReviewDecisions {
    /// What a person says Apple has.
    private struct Claim {
        /// The refused report, waiting or withdrawn; nil if no report of the sales is known.
        let report: StoredReport?
        /// The sales that wait for the decision; empty for a token without sales.
        let sales: [StoredSale]
    }

    /// Takes what Apple has as accepted, so that later refunds and corrections refer to it and nothing is sent again.
    ///
    /// With a request identifier Apple's own copy of that report counts. Without one, the line items count as they were
    /// refused, and only those of which Apple's errors say that it has them.
    ///
    /// - Throws: ``RequestError/impossible(_:)`` if nothing shows that Apple has it or if Apple's copy contradicts the
    ///   ledger, ``RequestError/unanswered(_:)`` if Apple does not say whether it has the report.
    func accept(_ item: ReviewItem, _ decision: ReviewDecision) async throws(RequestError) -> ReviewOutcome {
        guard item.kind == .reportRefused || item.kind == .saleHeld else {
            throw .impossible(
                "an item of kind \(item.kind.rawValue) is about nothing that Apple could have; resolve it"
            )
        }
        guard let id = decision.requestIdentifier else { return try await acceptAsRefused(item, decision) }
        let claims = try await store.shortRead { [self] ledger throws(LedgerError) in
            try self.claims(of: item, in: ledger)
        }
        let named = claims.lazy.compactMap { $0.report?.scope.environment ?? $0.sales.first?.environment }
        let found = try await fetch(id, of: item.bundleId, in: named.first.map { [$0] } ?? AppStoreEnvironment.allCases)
        return try await acceptCopy(found, as: id, item, decision)
    }

    // MARK: Apple's copy

    private func fetch(
        _ id: RequestIdentifier,
        of bundleId: BundleId,
        in environments: [AppStoreEnvironment]
    ) async throws(RequestError) -> ReceivedReport {
        guard let app = apps[bundleId] else {
            throw .unanswered("the app is not configured, so that Apple cannot be asked for the report")
        }
        for environment in environments where app.environments.contains(environment) {
            switch await app.client.retrieve(id, environment: environment).outcome {
            case .found(let report): return report
            case .notFound: continue
            case .refused, .serverError, .rateLimited, .noAnswer:
                throw .unanswered("Apple did not say whether it has the report; nothing was changed, try again")
            case .unauthorized:
                throw .unanswered(
                    "Apple refused the key, so that nobody knows whether it has the report; repair the key"
                )
            }
        }
        throw .impossible("Apple has no report \(id) of the app; nothing was changed")
    }

    /// Imports a report that Apple returned, with its line items as Apple has them.
    private func acceptCopy(
        _ report: ReceivedReport,
        as id: RequestIdentifier,
        _ item: ReviewItem,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        let known = apps.mapValues { LedgerImport.App(appAppleId: $0.appAppleId, environments: $0.environments) }
        let work = LedgerImport(apps: known, settings: settings, dependencies: dependencies)
        return try await written { ledger throws(LedgerError) in
            let now = dependencies.now()
            let claims = try self.claims(of: item, in: ledger)
            let corrected = try takeBackCorrection(refusedIn: claims, for: id, decision, in: ledger, now: now)
            try withdraw(claims, in: ledger, now: now)
            let claimed = Set(claims.flatMap(\.sales).map(\.lineItemId)).union(corrected)
            let items = Set((report.lineItems ?? []).compactMap(\.lineItemId))
            guard claimed.isEmpty || !claimed.isDisjoint(with: items) else {
                let names = corrected.isEmpty ? claims.flatMap(\.sales).listed : "\(corrected.sorted())"
                throw .conflict("the report \(id) at Apple has none of \(names)")
            }
            // The item may close by itself when its sales are accepted, and keeps the person's name if it does not.
            let rest = claims.flatMap(\.sales).filter { !items.contains($0.lineItemId) }
            let closed = rest.isEmpty ? try resolve(item, decision, now: now, in: ledger) : item
            var file = ImportFile()
            file.reports = [report.json.encoded()]
            var taking = LedgerImport.Taking(work: work, now: now, ledger: ledger)
            try taking.add(file)
            if !taking.problems.isEmpty { throw .conflict(taking.problems.joined(separator: "; ")) }
            try replan(claims, in: ledger, now: now)
            return ReviewOutcome(
                item: closed,
                detail: "taken as accepted from Apple's copy of report \(id): \(items.count) line items"
                    + (rest.isEmpty ? "" : "; \(rest.listed) waits still")
            )
        }
    }

    /// Gives up the correction whose report was refused, so that Apple's copy of an earlier report takes its place.
    ///
    /// - Returns: the line items of the refused report; empty for a report of no correction.
    private func takeBackCorrection(
        refusedIn claims: [Claim],
        for id: RequestIdentifier,
        _ decision: ReviewDecision,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> Set<LineItemId> {
        guard let report = claims.first?.report, report.state == .needsAttention,
            let correction = try ledger.correction(of: report)
        else { return [] }
        if let obstacle = try obstacleToGivingUp(report, in: ledger) { throw .conflict(obstacle) }
        _ = try ledger.withdrawReport(report, at: now)
        let note = "\(decision.by) took over report \(id), which Apple has, in its place"
        try abandon(correction, because: note, decision, now: now, in: ledger)
        return Set(report.sentItems.compactMap(\.lineItemId))
    }

    // MARK: As refused

    /// Takes a refused report of a correction as accepted, if Apple's errors say so of each of its line items.
    ///
    /// They say that Apple has the retraction (E30) or the item itself (E1). The next report of the correction follows.
    private func acceptCorrection(
        _ refused: StoredReport,
        _ item: ReviewItem,
        _ decision: ReviewDecision,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> ReviewOutcome {
        guard refused.showsThatAppleHasItsItems else {
            throw .conflict(
                "Apple's errors do not say of every line item of the correction that it has it (E30 of a retraction, E1 of a "
                    + "new item): name the requestIdentifier of the report with which Apple accepted the correction"
            )
        }
        var report = refused
        report.state = .accepted
        report.errors = []
        report.changedAt = now
        report.answer = ReportAnswer(
            status: refused.answer?.status,
            body: refused.answer?.body ?? [],
            receivedAt: now,
            conclusion: "\(decision.by) says that Apple has what it refused here"
        )
        let closed = try resolve(item, decision, now: now, in: ledger)
        try ledger.update(report, accepting: report.sentItems)
        try replan(after: report, [], now: now, in: ledger)
        try ledger.closeCorrection(of: report, by: planner, now: now)
        return ReviewOutcome(item: closed, detail: "taken as accepted by Apple: the report of the correction")
    }

    private func acceptAsRefused(
        _ item: ReviewItem,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        try await written { ledger throws(LedgerError) in
            let now = dependencies.now()
            let claims = try self.claims(of: item, in: ledger)
            if let report = claims.first?.report, report.state == .needsAttention,
                try ledger.correction(of: report) != nil
            {
                return try acceptCorrection(report, item, decision, in: ledger, now: now)
            }
            if claims.isEmpty {
                let closed = try resolve(item, decision, now: now, in: ledger)
                return ReviewOutcome(item: closed, detail: "nothing waits for the decision any more")
            }
            let accepted = claims.map { claim in claim.sales.filter { claim.report?.showsThatAppleHas($0) == true } }
            let tokens = claims.filter { $0.sales.isEmpty && $0.report?.showsThatAppleHasLineItems == true }
            guard accepted.contains(where: { !$0.isEmpty }) || !tokens.isEmpty else {
                throw .conflict(
                    "Apple's errors do not say that it has it (E1 of a line item, E30, or E8 of a token): name the "
                        + "requestIdentifier of the report with which Apple accepted it"
                )
            }
            let names = Set(accepted.joined().map(\.sale.saleId))
            let rest = claims.flatMap(\.sales).filter { !names.contains($0.sale.saleId) }
            // Sales of a report that waited as a whole are planned again; others still wait for a decision.
            let waiting = claims.allSatisfy { $0.report?.state == .needsAttention } ? [] : rest
            let closed = waiting.isEmpty ? try resolve(item, decision, now: now, in: ledger) : item
            try withdraw(claims, in: ledger, now: now)
            for (claim, sales) in zip(claims, accepted) {
                guard let report = claim.report, !sales.isEmpty || claim.sales.isEmpty else { continue }
                try record(sales, of: report, decision, in: ledger, now: now)
            }
            try replan(claims, in: ledger, now: now)
            let what = names.isEmpty ? "Apple has line items of the token" : "\(accepted.flatMap(\.self).listed)"
            return ReviewOutcome(
                item: closed,
                detail: "taken as accepted by Apple: \(what)"
                    + (waiting.isEmpty ? "" : "; \(waiting.listed) waits still")
            )
        }
    }

    /// Stores an accepted report with the line items as they were refused, which is never sent.
    private func record(
        _ sales: [StoredSale],
        of refused: StoredReport,
        _ decision: ReviewDecision,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        let id = RequestIdentifier(dependencies.uuid())
        var report: ReceivedReport
        do {
            report = try ReceivedReport.read(refused.body, limits: settings.limits)
        } catch {
            throw .corrupt("the bytes of report \(refused.requestIdentifier) cannot be read: \(error)")
        }
        let wanted = Set(try ledger.salesByItem(sales).keys)
        report.requestIdentifier = id
        report.status = .lineItem
        report.lineItems = try accepted(
            (report.lineItems ?? []).filter { $0.lineItemId.map(wanted.contains) ?? false },
            in: refused.scope,
            ledger
        )
        for sale in sales {
            var attribution = Attribution(state: .planned, externalPurchaseId: refused.externalPurchaseId)
            attribution.origin = sale.attribution.origin
            try planner.review.update(attribution, of: sale, why: "Apple has it", now: now, in: ledger)
        }
        let stored = StoredReport(
            scope: refused.scope,
            requestIdentifier: id,
            externalPurchaseId: refused.externalPurchaseId,
            status: .lineItem,
            body: report.json.encoded(),
            writtenAt: now,
            state: .accepted,
            answer: ReportAnswer(
                status: nil,
                body: [],
                receivedAt: now,
                conclusion: "\(decision.by) says that Apple has what it refused in report \(refused.requestIdentifier)"
            ),
            isImported: true
        )
        _ = try ledger.importAccepted(stored, holding: sales.map(\.sale.saleId), items: report.lineItems ?? [])
        if var token = try ledger.token(refused.externalPurchaseId, of: refused.scope.bundleId),
            token.state != .confirmed
        {
            token.state = .confirmed
            try ledger.update(token)
        }
    }

    /// Returns refused line items with the nets that follow from what Apple has (RR-20).
    ///
    /// The refused report may have contained other refunds of the same purchase, which Apple does not have.
    private func accepted(
        _ items: [ReceivedLineItem],
        in scope: ReportingScope,
        _ ledger: LedgerQueries
    ) throws(LedgerError) -> [ReceivedLineItem] {
        let given = Dictionary(items.compactMap { item in item.lineItemId.map { ($0, item) } }) { first, _ in first }
        var result: [ReceivedLineItem] = []
        for var item in items {
            guard let id = item.eventType == .refund ? item.referenceLineItemId : item.lineItemId,
                let buyId = try ledger.sale(ofLineItem: id, of: scope.bundleId)
            else {
                result.append(item)
                continue
            }
            let refunds = try ledger.refunds(of: buyId, app: scope.bundleId).map(\.lineItemId)
            let known = try ledger.newestAccepted(Set(refunds + [id]), in: scope).mapValues(\.item)
            let group = known.merging(given) { $1 }
            if let buy = group[id], var net = buy.amountTaxExclusive {
                for refund in Set(refunds).compactMap({ group[$0] }) where refund.erroneouslySubmitted != true {
                    net = net.subtractingReportingOverflow(refund.amountTaxExclusive ?? 0).partialValue
                }
                item.netAmountTaxExclusive = buy.erroneouslySubmitted == true ? 0 : net
            }
            result.append(item)
        }
        return result
    }

    // MARK: Steps

    /// Withdraws the reports that wait as a whole; their sales are free then.
    private func withdraw(
        _ claims: [Claim],
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        for case let report? in claims.map(\.report) where report.state == .needsAttention {
            if try ledger.report(report.requestIdentifier, in: report.scope)?.state == .withdrawn { continue }
            _ = try ledger.withdrawReport(report, at: now)
        }
    }

    private func replan(
        _ claims: [Claim],
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        for claim in claims {
            if let report = claim.report {
                try replan(after: report, claim.sales, now: now, in: ledger)
                continue
            }
            for sale in claim.sales {
                let keys = [.sale(sale.sale.saleId)] + sale.sale.keys
                try planner.replan(touching: keys, of: sale.sale.bundleId, in: ledger, now: now)
            }
        }
    }

    private func claims(of item: ReviewItem, in ledger: LedgerQueries) throws(LedgerError) -> [Claim] {
        switch item.subject {
        case .report(let id):
            if let report = try ledger.refusedReport(id, of: item.bundleId) {
                let sales = try ledger.sales(in: report.requestIdentifier, of: report.scope)
                return [Claim(report: report, sales: sales)]
            }
            guard let report = try ledger.withdrawnReport(id, of: item.bundleId) else { return [] }
            let sales = try ledger.waitingSales(namedBy: report)
            return sales.isEmpty ? [] : [Claim(report: report, sales: sales)]
        case .sale(let id):
            guard let sale = try ledger.sale(id, of: item.bundleId), sale.standing == .held else { return [] }
            let references = try closedReferences(of: sale, in: ledger)
            // Without one the decision is about the sale itself, of which only Apple's copy of a report can show it.
            if references.isEmpty { return [Claim(report: nil, sales: [sale])] }
            var bySource: [RequestIdentifier?: Claim] = [:]
            for closed in references {
                var report: StoredReport?
                if let token = closed.attribution.externalPurchaseId {
                    report = try ledger.reports(on: token, of: item.bundleId).last { report in
                        report.state == .withdrawn && report.showsThatAppleHas(closed)
                    }
                }
                let sales = (bySource[report?.requestIdentifier]?.sales ?? []) + [closed]
                bySource[report?.requestIdentifier] = Claim(report: report, sales: sales)
            }
            return bySource.sorted { ($0.key?.key ?? "") < ($1.key?.key ?? "") }.map(\.value)
        case .app, .token, .notification: return []
        }
    }

    /// The sales that a person closed and that a held sale refers to, or with which it shares an order.
    ///
    /// Closed refunds of the same purchase belong to it, because the net of every later item depends on them (RR-20).
    func closedReferences(of sale: StoredSale, in ledger: LedgerQueries) throws(LedgerError) -> [StoredSale] {
        guard sale.attribution.holdCauses.contains(.referenceClosed) else { return [] }
        let bundleId = sale.sale.bundleId
        var ids: [SaleId] = []
        if let refunded = sale.sale.refund?.refundOf { ids.append(refunded) }
        if let chargeback = sale.sale.reversedChargeback {
            ids.append(chargeback)
            if let buy = try ledger.sale(chargeback, of: bundleId)?.sale.refund?.refundOf { ids.append(buy) }
        }
        if sale.sale.subscriptionCharge != nil {
            let keys = [.sale(sale.sale.saleId)] + sale.sale.keys
            let planned = try MerchantPlanner.plan(
                settings,
                touching: keys,
                of: bundleId,
                in: ledger,
                now: dependencies.now()
            )
            if let start = planned.plan.sales[sale.sale.saleId]?.moment?.start { ids.append(start) }
        }
        var closed: [StoredSale] = []
        var orders = Set([sale.partOf].compactMap(\.self))
        for id in ids {
            guard let found = try ledger.sale(id, of: bundleId) else { continue }
            if let order = found.partOf { orders.insert(order) } else { closed.append(found) }
        }
        for order in orders.sorted() {
            closed += try ledger.sales(.lines(order, of: bundleId), LedgerPage(limit: 1_000))
        }
        let buys = closed.map(\.sale.saleId)
        closed = closed.filter(\.isClosed)
        for id in buys {
            closed += try ledger.refunds(of: id, app: bundleId).filter { refund in
                refund.isClosed && refund.sale.saleId != sale.sale.saleId
            }
        }
        var seen: Set<SaleId> = []
        return closed.filter { seen.insert($0.sale.saleId).inserted }
    }

    /// Runs a transaction that a contradiction rolls back.
    private func written(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> ReviewOutcome
    ) async throws(RequestError) -> ReviewOutcome {
        do {
            return try await store.write(body)
        } catch .conflict("no such open item") {
            throw .impossible("the item was closed meanwhile")
        } catch .conflict(let detail) {
            throw .impossible(detail)
        } catch {
            throw .notStored(error)
        }
    }
}

extension StoredSale {
    /// Whether a person closed what the sale waits for.
    fileprivate var isClosed: Bool { standing == .held && attribution.review == .closed }

    fileprivate var environment: AppStoreEnvironment? {
        (attribution.externalPurchaseId ?? sale.externalPurchaseId)?.environment ?? sale.environment
    }
}

extension ReviewDecisions {
    /// Whether `accepted` can be decided about an open item, and whether the refusal shows that Apple has what it names.
    func acceptance(
        of item: ReviewItem,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> (isPossible: Bool, isShown: Bool) {
        guard [.reportRefused, .saleHeld].contains(item.kind) else { return (false, false) }
        let claims = try claims(of: item, in: ledger)
        let isShown = claims.contains { claim in
            guard let report = claim.report else { return false }
            if report.showsThatAppleHasItsItems { return true }
            return claim.sales.contains(where: report.showsThatAppleHas)
                || claim.sales.isEmpty && report.showsThatAppleHasLineItems
        }
        // Without such an error `accepted` needs the report's identifier, which a page cannot require of one button only.
        return (isShown || item.kind == .reportRefused && claims.isEmpty, isShown)
    }
}
