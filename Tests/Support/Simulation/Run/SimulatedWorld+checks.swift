import ExternalPurchaseCore
import Ledger
import LedgerTesting
import Reporting

// Checks of the ledger and the emulator against the reference model.
extension SimulatedWorld {
    func stored(_ token: ReferenceModel.Token) async -> StoredToken? {
        let bundleId = Self.bundleId(token.app)
        return await read { ledger throws(LedgerError) in try ledger.token(token.id, of: bundleId) } ?? nil
    }

    func stored(_ sale: ReferenceModel.Sale) async -> StoredSale? {
        let bundleId = Self.bundleId(sale.app)
        let id = SaleId(sale.lineItemId)
        return await read { ledger throws(LedgerError) in try ledger.sale(id, of: bundleId) } ?? nil
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async -> Value? {
        do {
            return try await ledger.read(body)
        } catch {
            report(.acknowledgedIsStored, "the ledger cannot be read: \(error)")
            return nil
        }
    }

    func checkStored(_ token: ReferenceModel.Token) async {
        guard let stored = await stored(token) else {
            report(.acknowledgedIsStored, "token \(token.id) was acknowledged and is not in the ledger")
            return
        }
        if stored.token.tokenCreationDate != token.created || stored.token.tokenType != token.type
            || stored.token.tokenExpirationDate != token.expires
        {
            report(.acknowledgedIsStored, "token \(token.id) is in the ledger with other fields")
        }
    }

    func checkStored(_ sale: ReferenceModel.Sale) async {
        guard let stored = await stored(sale) else {
            report(.acknowledgedIsStored, "\(sale.lineItemId) was acknowledged and is not in the ledger")
            return
        }
        var inclusive: Int64?
        let digits = referenceModel.with { $0.market(of: sale).digits }
        let isSameKind: Bool
        switch sale.kind {
        case .paid(let payment):
            inclusive = payment.price
            isSameKind = stored.sale.purchase != nil
        case .ordered:
            isSameKind = stored.sale.lines?.count == sale.parts.count
        case .givenBack(let buy, let given, let isChargeback):
            let (buyId, isDerived) = referenceModel.with { ($0.sales[buy]?.lineItemId, $0.isDerived(sale)) }
            let refund = stored.sale.refund
            // The amount may change until it is reported.
            inclusive = isDerived ? nil : given.minor
            if isDerived, sale.isAccepted { inclusive = sale.derived }
            let total = sale.total.flatMap { DecimalText.decimal(Self.decimal($0, digits)) }
            let isTotal = sale.total.map { _ in refund?.refundedTotal == total } ?? (refund?.refundedTotal == nil)
            isSameKind = refund?.refundOf.rawValue == buyId && refund?.isChargeback == isChargeback && isTotal
        case .ended, .reversed:
            isSameKind = stored.sale.purchase == nil && stored.sale.refund == nil
        }
        let amount = stored.sale.purchase?.inclusive ?? stored.sale.refund?.inclusive
        let said = inclusive.flatMap { DecimalText.decimal(Self.decimal($0, digits)) }
        if !isSameKind || stored.sale.occurredAt != sale.at || said.map({ $0 != amount }) ?? false {
            report(.acknowledgedIsStored, "\(sale.lineItemId) is in the ledger otherwise than it was told")
        }
    }

    /// Checks the invariants that must hold after every step.
    func lookAround() async {
        for transport in transports {
            for environment in AppStoreEnvironment.allCases { await transport.look(at: environment) }
        }
        if !spooled.isEmpty { await takeInSpooled() }
        await checkStoredDeadlines()
        await checkDueDates()
        await followChanges()
    }

    /// Checks that every stored deadline equals the one computed from its row.
    private func checkStoredDeadlines() async {
        guard let calculator = merchant?.due else { return }
        let now = clock.merchantNow
        let differences = await read { ledger throws(LedgerError) in
            try ledger.deadlineDifferences(version: calculator.version, at: now, computing: calculator.deadline)
        }
        if let first = differences?.first { report(.deadlinesFollowRows, first) }
    }

    func checkDueDates() async {
        guard kinds.contains(.dueDates) else { return }
        let now = clock.now
        // Reports may be late after late information or a recent failure.
        let calmSince = lastTrouble?.advanced(by: .days(2))
        let (late, unheeded) = referenceModel.with { referenceModel in
            let open = referenceModel.tokenOrder.compactMap { referenceModel.tokens[$0] }.filter { !$0.isAnswered }
            let late = open.first { token in
                let due = token.due
                guard due < now else { return false }
                let sent = Deadline.sendMoment(
                    ofTokenMadeAt: token.created,
                    due: due,
                    lead: DeadlineSettings.defaults.sendLead
                )
                // A token that only Apple named waits one day for its delivery (NT-65).
                let wasInTime =
                    token.arrival.map { $0.at < sent } ?? false
                    || token.heard.map { $0.at + .days(1) < sent } ?? false
                return wasInTime && calmSince.map { $0 < due } ?? true
            }
            let unheeded = open.first { token in
                guard let moment = token.unreportedAt?.advanced(by: .hours(25)) else {
                    return false
                }
                return moment < now && calmSince.map { $0 < moment } ?? true
            }
            return (late, unheeded)
        }
        if let unheeded {
            report(.unreportedIsAnswered, "\(unheeded.id) was called unreported and is not reported a day later")
        }
        if let late { report(.dueDates, "token \(late.id) was due \(late.due) and has no report") }
    }

    // MARK: Final checks

    func checkTheEnd() async {
        let tokens = referenceModel.with { referenceModel in
            referenceModel.tokenOrder.compactMap { referenceModel.tokens[$0] }
        }
        for token in tokens where token.knownSince != nil { await checkStored(token) }
        if let unheard = tokens.first(where: { $0.isTold && $0.heard == nil }) {
            report(.appleIsHeard, "Apple told of \(unheard.id), and no notification about it is in the ledger")
        }
        checkFigures()
        await checkReview()
        if let lost = spooled.keys.min() {
            report(.acknowledgedIsStored, "the visit of checkout \(lost) was spooled and never taken in")
        }
        let sales = referenceModel.with { referenceModel in
            referenceModel.saleOrder.compactMap { referenceModel.sales[$0] }
        }
        for sale in sales {
            guard sale.isAcknowledged else {
                report(.truthIsTaken, "\(sale.lineItemId) was told again and again and never acknowledged")
                continue
            }
            await checkStored(sale)
            let isReportable = referenceModel.with { $0.isReportable(sale) }
            let isReversed = referenceModel.with { $0.isReversed(sale.number, knowing: $0.knowledge) }
            if isReversed, sale.isAccepted, !sale.isRetracted {
                report(.everySaleIsReported, "\(sale.lineItemId) was won back and is not retracted")
            }
            if isReportable, !sale.isAccepted, !isReversed, !referenceModel.with({ $0.isDerived(sale) }) {
                let stored = await stored(sale)
                let flags = stored?.attribution.flags.map(\.rawValue).sorted().joined(separator: ", ") ?? ""
                let state = stored?.attribution.state.rawValue ?? "missing"
                report(.everySaleIsReported, "\(sale.lineItemId) can be reported and is not: \(state) \(flags)")
            }
            if sale.isAccepted, !isReportable, !sale.isCorrected {
                report(.onlyWhatWasSold, "\(sale.lineItemId) was accepted although it lacks something")
            }
        }
        for fault in referenceModel.with({ $0.returnFaults() }) { report(.returnsAddUp, fault) }
        await checkReports()
        await checkStanding()
        await checkFeed()
        if let verdict = await read({ ledger throws(LedgerError) in try ledger.verifyAudit() }), verdict.broken != nil {
            report(.auditHolds, "\(verdict)")
        }
    }

    /// Checks event, start and paid days of every accepted charge against all requests of the shop (RR-30 to RR-34).
    private func checkFigures() {
        for fault in referenceModel.with({ $0.figureFaults() }) { report(.figuresFollowEvents, fault) }
    }

    /// Checks that no review item is about a contradiction, an accepted but unreported token, or subscription figures.
    private func checkReview() async {
        let items = await read { ledger throws(LedgerError) in try ledger.openReviewItems(LedgerPage(limit: 1_000)) }
        let wrong: Set<ReviewKind> = [.contradiction, .unreportedButAccepted, .subscriptionFigures]
        for item in items ?? [] where wrong.contains(item.kind) {
            report(.nothingForPersons, "\(item.kind.rawValue) of \(item.subject): \(item.detail)")
        }
    }

    /// Compares the reports in the ledger with those that Apple accepted, in both directions.
    private func checkReports() async {
        let accepted = referenceModel.with { $0.acceptedReports }
        var known: Set<String> = []
        var last: Int64 = 0
        while true {
            let page = LedgerPage(after: last, limit: 500)
            let reports = await read { ledger throws(LedgerError) in try ledger.reports(page) } ?? []
            for stored in reports {
                let key = stored.requestIdentifier.key
                if stored.state == .accepted {
                    known.insert(key)
                    if !accepted.contains(key) {
                        report(.appleHasIt, "report \(key) is accepted in the ledger and not at Apple")
                    }
                } else if stored.state != .withdrawn {
                    // The sales of a withdrawn report are sent in another one and are checked separately.
                    let why = stored.answer?.conclusion ?? stored.errors.map { "\($0.error)" }.joined(separator: "; ")
                    report(.everySaleIsReported, "report \(key) is left as \(stored.state.rawValue): \(why)")
                }
            }
            guard let next = reports.last?.sequence, reports.count == page.limit else { break }
            last = next
        }
        for key in accepted.subtracting(known).sorted() {
            report(.ledgerHasIt, "report \(key) was accepted by Apple and is not accepted in the ledger")
        }
    }
}

extension ReferenceModel.Token {
    /// The deadline of the first report by rule (a) of RR-70.
    var due: Timestamp { expires ?? created + .days(10) }
}
