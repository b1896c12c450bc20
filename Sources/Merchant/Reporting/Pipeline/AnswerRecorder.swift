import ExternalPurchaseCore
import Ledger
import Logging
import ReportValidation

/// The stage `record`: stores the result of a report with all its effects in one transaction (SA-73).
struct AnswerRecorder: Sendable {
    let store: any LedgerStore
    let planner: MerchantPlanner
    let refusals: RefusedReports
    /// Wakes the worker of payments, whose events may have waited for a correction.
    let payments: PaymentSignals
    let dependencies: ReportingDependencies
    let logger: Logger

    /// Stores reports that are neither accepted nor refused.
    func recordProgress(of reports: [StoredReport]) async throws(LedgerError) {
        try await store.write { ledger throws(LedgerError) in
            for report in reports { try ledger.update(report, accepting: []) }
        }
    }

    /// Stores reports that Apple accepted, with their line items and the confirmation of their tokens.
    func recordAcceptance(of reports: [StoredReport]) async throws(LedgerError) {
        guard !reports.isEmpty else { return }
        var accepted: [(report: StoredReport, items: [ReceivedLineItem])] = []
        for var report in reports {
            report.errors = []
            do {
                let items = try ReceivedReport.read(report.body, limits: planner.settings.limits).lineItems ?? []
                accepted.append((report, items))
            } catch {
                throw .corrupt("the bytes of report \(report.requestIdentifier) cannot be read: \(error)")
            }
        }
        let now = dependencies.now()
        let opensPayments = try await store.write { [accepted] ledger throws(LedgerError) in
            var opensPayments = false
            for (report, items) in accepted {
                try ledger.update(report, accepting: items)
                try ledger.mark(tokenOf: report, as: .confirmed)
                // Events of a subscription on other tokens may have waited for this start.
                let sales = try ledger.sales(in: report.requestIdentifier, of: report.scope)
                try planner.replan(
                    touching: [.token(report.externalPurchaseId)] + sales.map { .sale($0.sale.saleId) }
                        + (try ledger.salesKeys(claimedBy: report.externalPurchaseId, app: report.scope.bundleId)),
                    of: report.scope.bundleId,
                    extent: .pending,
                    in: ledger,
                    now: now
                )
                if try ledger.closeCorrection(of: report, by: planner, now: now) { opensPayments = true }
                // Figures that differ waited for this report.
                let figures = SubscriptionFigureReview(settings: planner.settings, uuid: planner.uuid)
                for key in try figures.keys(after: report, in: ledger) {
                    let app = report.scope.bundleId
                    try planner.replan(touching: [key], of: app, extent: .touched, in: ledger, now: now)
                }
            }
            for bundleId in Set(accepted.map(\.report.scope.bundleId)) {
                try ledger.closeKeyItems(of: bundleId, at: now)
            }
            return opensPayments
        }
        if opensPayments { payments.wake() }
        for report in reports { logger.info("report accepted", metadata: report.metadata) }
    }

    /// Stores a report that Apple refused, and holds it or the sales that the errors name.
    func recordRefusal(
        of report: StoredReport,
        _ errors: [ReportError],
        tokenIsUnknown: Bool
    ) async throws(LedgerError) {
        let isClosed = try await store.write { ledger throws(LedgerError) in
            var report = report
            let (now, bundleId) = (dependencies.now(), report.scope.bundleId)
            let sales = try ledger.sales(in: report.requestIdentifier, of: report.scope)
            let byItem = try ledger.salesByItem(sales)
            report.errors = errors.map { $0.attributed(to: byItem, isLocal: false) }
            try ledger.update(report, accepting: [])
            let isClosed =
                tokenIsUnknown ? try ledger.isUnconfirmedVisit(report.externalPurchaseId, of: bundleId) : false
            if isClosed {
                // Anybody can forge such a visit, so the refusal closes the token and nothing has to be decided
                // (TK-74).
                _ = try ledger.withdrawReport(report, at: now)
            } else {
                try refusals.hold(report, now: now, in: ledger)
            }
            if tokenIsUnknown {
                try ledger.mark(tokenOf: report, as: .unknownToApple)
                // Another token may have a claim on its sales, or on those of its checkouts (TK-78).
                let token = report.externalPurchaseId
                try planner.replan(
                    touching: [.token(token)] + sales.map { .sale($0.sale.saleId) }
                        + (try ledger.salesKeys(claimedBy: token, app: bundleId)),
                    of: bundleId,
                    extent: .pending,
                    in: ledger,
                    now: now
                )
            }
            try ledger.closeKeyItems(of: bundleId, at: now)
            // Planning withdraws a report whose sales only a public arrival placed on the token (TK-78).
            let state = try ledger.report(report.requestIdentifier, in: report.scope)?.state
            return isClosed || state == .withdrawn
        }
        if isClosed {
            logger.info("Apple does not know a token that public arrivals named", metadata: report.metadata)
        } else {
            logger.error("report needs attention", metadata: report.metadata)
        }
    }

    /// Stores a report whose key Apple refused, and opens a review item because the app's queue stops.
    ///
    /// - Parameter keyId: the id of the key, as in App Store Connect; nil if it is not known.
    func recordRefusedKey(of report: StoredReport, keyId: String?) async throws(LedgerError) {
        let key = keyId.map { "the key \($0)" } ?? "the key"
        let item = ReviewItem(
            bundleId: report.scope.bundleId,
            kind: .keyRefused,
            subject: .app,
            detail: "Apple refused \(key) of the app twice (401): nothing of it is sent. Check key, key id and issuer "
                + "id in the configuration and restart, or retry this item once Apple takes the key again",
            openedAt: dependencies.now()
        )
        try await store.write { ledger throws(LedgerError) in
            try ledger.update(report, accepting: [])
            _ = try ledger.open(item)
        }
    }
}

extension LedgerTransaction {
    fileprivate func mark(tokenOf report: StoredReport, as state: TokenState) throws(LedgerError) {
        guard var token = try token(report.externalPurchaseId, of: report.scope.bundleId) else { return }
        guard token.state != state else { return }
        token.state = state
        try update(token)
    }

    /// Closes the review items about a refused key, because a response other than 401 shows that the key works.
    fileprivate func closeKeyItems(of bundleId: BundleId, at now: Timestamp) throws(LedgerError) {
        for item in try reviewItems(about: .app, app: bundleId)
        where item.kind == .keyRefused && item.resolution == nil {
            let resolution = ReviewResolution(resolvedAt: now, by: "sender", note: "Apple takes the key again")
            try resolve(item.sequence, resolution)
        }
    }
}

extension StoredReport {
    /// The log metadata of the report, without token, customer and sale, which are personal data (TK-77).
    var metadata: Logger.Metadata {
        [
            "report": "\(requestIdentifier)", "app": "\(scope.bundleId)",
            "environment": "\(scope.environment.rawValue)", "answer": "\(answer?.conclusion ?? "")",
        ]
    }
}
