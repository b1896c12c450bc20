import AppStoreServerClient
import ExternalPurchaseCore
import Ledger
import Logging

/// Carries out a person's decisions about review items; each decision and its effect are one transaction.
package struct ReviewDecisions: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let planner: MerchantPlanner
    let preflight: ReportPreflight
    let recorder: AnswerRecorder
    let corrections: CorrectionRequests
    let dependencies: ReportingDependencies
    let logger: Logger
    let signals: SenderSignals

    var settings: ReportingSettings { planner.settings }

    /// Carries out a person's decision about a review item.
    ///
    /// - Throws: ``RequestError/unknown(_:)`` for an unknown item, ``RequestError/impossible(_:)`` for a closed one.
    package func decide(
        _ decision: ReviewDecision,
        on sequence: Int64
    ) async throws(RequestError) -> ReviewOutcome {
        let outcome = try await carryOut(decision, on: sequence)
        await signals.decided(decision, outcome)
        return outcome
    }

    private func carryOut(
        _ decision: ReviewDecision,
        on sequence: Int64
    ) async throws(RequestError) -> ReviewOutcome {
        let item = try await store.shortRead { ledger throws(LedgerError) in
            try ledger.reviewItems(LedgerPage(after: sequence - 1, limit: 1)).first { $0.sequence == sequence }
        }
        guard let item, decision.bundleId == nil || item.bundleId == decision.bundleId else {
            throw .unknown("there is no review item \(sequence)")
        }
        if let resolution = item.resolution {
            throw .impossible("item \(sequence) was closed by \(resolution.by) at \(resolution.resolvedAt)")
        }
        if decision.action == .accepted { return try await accept(item, decision) }
        switch (item.kind, item.subject, decision.action) {
        case (.reportRefused, .report(let id), let action):
            let report = try await store.shortRead { ledger throws(LedgerError) in
                try ledger.refusedReport(id, of: item.bundleId)
            }
            guard let report else { return try await decideSales(namedBy: id, item, decision) }
            return action == .retry
                ? try await retry(report, item, decision) : try await giveUp(report, item, decision)
        case (.subscriptionFigures, .sale(let sale), let action):
            return try await decideFigures(action, on: item, about: sale, decision)
        case (.contradiction, .sale(let sale), let action):
            return try await decideFigures(action, on: item, about: sale, decision)
        case (.saleHeld, .sale(let id), let action):
            return try await decideHeldSale(id, item, decision, action)
        case (.keyRefused, _, .retry):
            return try await close(item, decision, "what waits of the app is sent again")
        case (_, _, .retry):
            throw .impossible(Self.nothingToSend(of: item))
        case (_, _, .resolve), (_, _, .accepted):
            return try await close(item, decision, "closed")
        }
    }

    // MARK: Retry

    /// Withdraws a refused report, so that its sales are planned again and go into a new report.
    ///
    /// A report of a correction was confirmed by a person and is therefore sent again with the same bytes (SA-60).
    private func retry(
        _ report: StoredReport,
        _ item: ReviewItem,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        // A refused report with errors was not stored by Apple (SA-60), and one that the pre-flight held was never
        // sent.
        if !report.isSurelyNotAtApple, let accepted = try await acceptIfKnown(report, item, decision) {
            return accepted
        }
        let outcome = try await changed { ledger throws(LedgerError) in
            guard try ledger.report(report.requestIdentifier, in: report.scope) == report else {
                return Result<ReviewOutcome, RequestError>.failure(.impossible("the report changed meanwhile"))
            }
            if try ledger.correction(of: report) != nil {
                return try sendAgain(report, item, decision, in: ledger)
            }
            let (now, bundleId) = (dependencies.now(), report.scope.bundleId)
            let sales = try ledger.withdrawReport(report, at: now)
            for sale in sales {
                var attribution = sale.attribution
                attribution.dispatch = .apart
                try ledger.update(attribution, of: sale.sale.saleId, app: bundleId)
            }
            try ledger.askAnew(about: [report.externalPurchaseId], of: bundleId)
            try replan(after: report, sales, now: now, in: ledger)
            if report.status != .lineItem {
                try ledger.requestReport(of: report.externalPurchaseId, in: report.scope)
            }
            return .success(
                ReviewOutcome(
                    item: try resolve(item, decision, now: now, in: ledger),
                    detail: sales.isEmpty
                        ? "the token is answered anew" : "planned anew: \(sales.count) sales of the report"
                )
            )
        }
        logger.notice("a refused report was released", metadata: ["report": "\(report.requestIdentifier)"])
        return outcome
    }

    /// Retrieves a report of uncertain state from Apple; if Apple has it, it is accepted instead of sent again.
    ///
    /// - Returns: nil if Apple does not have the report, or has another one under its identifier.
    private func acceptIfKnown(
        _ report: StoredReport,
        _ item: ReviewItem,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome? {
        guard let client = apps[report.scope.bundleId]?.client else { throw .unanswered(Self.unconfigured) }
        let answered = await client.retrieve(report.requestIdentifier, environment: report.scope.environment)
        switch answered.outcome {
        case .found(let found):
            let sent = try? ReceivedReport.read(report.body, limits: settings.limits)
            guard let sent, found.isEqual(to: sent) else { return nil }
            do throws(LedgerError) {
                let conclusion = "accepted earlier, as Apple's copy shows"
                let accepted = report.concluding(.accepted, answered, at: dependencies.now(), conclusion)
                try await recorder.recordAcceptance(of: [accepted])
            } catch {
                throw .notStored(error)
            }
            return try await close(item, decision, "Apple has the report: it was accepted earlier")
        case .notFound: return nil
        case .refused, .serverError, .rateLimited:
            throw .unanswered("Apple did not say whether it has the report; nothing was changed, try again")
        case .unauthorized:
            throw .unanswered("Apple refused the key, so that nobody knows whether it has the report; repair the key")
        case .noAnswer(let reason):
            throw .unanswered("Apple did not say whether it has the report (\(reason)); nothing was changed, try again")
        }
    }

    private func sendAgain(
        _ report: StoredReport,
        _ item: ReviewItem,
        _ decision: ReviewDecision,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Result<ReviewOutcome, RequestError> {
        if let obstacle = try obstacleToSendingAgain(report, in: ledger) { return .failure(.impossible(obstacle)) }
        var again = report
        again.state = .written
        again.errors = []
        again.changedAt = dependencies.now()
        try ledger.update(again, accepting: [])
        let closed = try resolve(item, decision, now: again.changedAt, in: ledger)
        return .success(ReviewOutcome(item: closed, detail: "the report of the correction is sent again"))
    }

    // MARK: Resolve

    /// Withdraws a refused report permanently; its sales remain held and are shown as not reported.
    private func giveUp(
        _ report: StoredReport,
        _ item: ReviewItem,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        try await changed { ledger throws(LedgerError) in
            guard try ledger.report(report.requestIdentifier, in: report.scope) == report else {
                return Result<ReviewOutcome, RequestError>.failure(.impossible("the report changed meanwhile"))
            }
            let (now, bundleId) = (dependencies.now(), report.scope.bundleId)
            if let obstacle = try obstacleToGivingUp(report, in: ledger) { return .failure(.impossible(obstacle)) }
            let correction = try ledger.correction(of: report)
            let sales = try ledger.withdrawReport(report, at: now)
            for sale in sales {
                var attribution = sale.attribution
                attribution.state = .held
                attribution.holdCauses.insert(.reportRefused)
                if report.showsThatAppleHas(sale) { attribution.holdCauses.insert(.reportedAlready) }
                attribution.review = .closed
                try ledger.update(attribution, of: sale.sale.saleId, app: bundleId)
            }
            if let correction {
                let note = "given up: \(decision.note)"
                try abandon(correction, because: note, decision, now: now, in: ledger)
                try SubscriptionFigureReview(settings: settings, uuid: dependencies.uuid)
                    .recordGivenUp(correction, by: decision.by, decision.note, in: ledger, now: now)
            }
            if correction == nil, report.status != .lineItem,
                var token = try ledger.token(report.externalPurchaseId, of: bundleId)
            {
                token.reporting = .onRequest
                try ledger.update(token)
            }
            try replan(after: report, sales, now: now, in: ledger)
            let detail =
                if correction != nil {
                    "the correction is given up"
                } else if sales.isEmpty {
                    "the token stays unanswered unless Apple asks for it"
                } else {
                    "not reported, and shown as such: \(sales.count) sales of the report"
                }
            return .success(ReviewOutcome(item: try resolve(item, decision, now: now, in: ledger), detail: detail))
        }
    }

    /// Closes a correction and withdraws its remaining reports, none of which was sent (RR-83).
    func abandon(
        _ correction: StoredCorrection,
        because note: String,
        _ decision: ReviewDecision,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        for part in correction.reports {
            let scope = ReportingScope(bundleId: correction.bundleId, environment: part.environment)
            guard var report = try ledger.report(part.requestIdentifier, in: scope), report.state == .written,
                report.attempts == 0
            else { continue }
            report.state = .needsAttention
            report.changedAt = now
            try ledger.update(report, accepting: [])
            _ = try ledger.withdrawReport(report, at: now)
        }
        try takeBack(correction, now: now, in: ledger)
        var correction = correction
        correction.closing = CorrectionStep(at: now, by: decision.by, note: note)
        try ledger.update(correction)
    }

    /// Restores the content of sales before the correction, which is the content that Apple still has.
    private func takeBack(
        _ correction: StoredCorrection,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let bundleId = correction.bundleId
        guard let name = correction.request.objectValue?["saleId"]?.stringValue,
            let corrected = try ledger.sale(SaleId(name), of: bundleId)
        else { return }
        let keys = [.sale(corrected.sale.saleId)] + corrected.sale.keys
        let part = try ConnectedRecords.part(touching: keys, of: bundleId, extent: .touched, in: ledger)
        for id in part.sales.keys.sorted() {
            let versions = try ledger.versions(of: id, app: bundleId)
            guard let newest = versions.last, newest.correctionId == correction.correctionId,
                let before = versions.last(where: { $0.correctionId != correction.correctionId })
            else { continue }
            try ledger.insert(
                SaleVersion(
                    version: newest.version + 1,
                    sale: before.sale,
                    lineItemId: before.lineItemId,
                    change: before.change == .retracted ? .retracted : .restored,
                    saidAt: now,
                    correctionId: correction.correctionId
                )
            )
        }
    }

    // MARK: Steps

    /// Plans the sales of a withdrawn report again.
    func replan(
        after report: StoredReport,
        _ sales: [StoredSale],
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let keys = report.planningKeys(with: sales)
        try planner.replan(touching: keys, of: report.scope.bundleId, extent: .touched, in: ledger, now: now)
    }

    func close(
        _ item: ReviewItem,
        _ decision: ReviewDecision,
        _ detail: String
    ) async throws(RequestError) -> ReviewOutcome {
        try await changed { ledger throws(LedgerError) in
            let closed = try resolve(item, decision, now: dependencies.now(), in: ledger)
            return .success(ReviewOutcome(item: closed, detail: detail))
        }
    }

    func resolve(
        _ item: ReviewItem,
        _ decision: ReviewDecision,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> ReviewItem {
        let resolution = ReviewResolution(resolvedAt: now, by: decision.by, note: decision.words)
        try ledger.resolve(item.sequence, resolution)
        var item = item
        item.resolution = resolution
        return item
    }

    /// Runs a transaction whose body may return an error; such a body must not have changed anything.
    func changed(
        _ body:
            @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Result<
                ReviewOutcome, RequestError
            >
    ) async throws(RequestError) -> ReviewOutcome {
        let result: Result<ReviewOutcome, RequestError>
        do {
            result = try await store.write(body)
        } catch .conflict("no such open item") {
            throw .impossible("the item was closed meanwhile")
        } catch {
            throw .notStored(error)
        }
        return try result.get()
    }
}

extension LedgerQueries {
    /// Returns the report of an item if it still waits for a person.
    ///
    /// Both environments are searched, because a review item does not name one.
    func refusedReport(
        _ id: RequestIdentifier,
        of bundleId: BundleId
    ) throws(LedgerError) -> StoredReport? {
        for environment in AppStoreEnvironment.allCases {
            let scope = ReportingScope(bundleId: bundleId, environment: environment)
            if let report = try report(id, in: scope), report.state == .needsAttention { return report }
        }
        return nil
    }
}
