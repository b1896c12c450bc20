import ExternalPurchaseCore
import Ledger
import ReportValidation

extension LedgerQueries {
    /// Reads the history that some corrections depend on, in rounds until it is complete.
    func correctionHistory(
        for requests: [CorrectionRequest],
        in scope: ReportingScope
    ) throws(LedgerError) -> CorrectionHistory {
        var history = CorrectionHistory()
        while true {
            let needs = history.needs(for: requests)
            if needs.isEmpty { return history }
            let accepted = try newestAccepted(needs.lineItemIds, in: scope).mapValues {
                AcceptedLineItem(item: $0.item, externalPurchaseId: $0.externalPurchaseId)
            }
            var tokens: [ExternalPurchaseId: KnownToken] = [:]
            for id in needs.externalPurchaseIds { tokens[id] = try knownToken(id, in: scope) }
            for id in needs.lineItemIds where accepted[id] == nil {
                // Sales, stored items and sent items all reserve an identifier, even in a report that is not accepted
                // yet.
                let namesake = try sale(SaleId(id.rawValue), of: scope.bundleId)
                let owner = try sale(ofLineItem: id, of: scope.bundleId)
                let sent = try lineItemVersions(id, in: scope)
                if namesake != nil || owner != nil || !sent.isEmpty { history.takenIds.insert(id) }
            }
            history.add(accepted, tokens: tokens, answering: needs)
        }
    }

    /// The properties of a token of the app and environment that the rules use.
    func knownToken(_ id: ExternalPurchaseId, in scope: ReportingScope) throws(LedgerError) -> KnownToken? {
        guard let token = try token(id, of: scope.bundleId), token.token.environment == scope.environment else {
            return nil
        }
        return KnownToken(
            creationDate: token.token.tokenCreationDate,
            tokenType: token.token.tokenType,
            expirationDate: token.token.tokenExpirationDate
        )
    }

    /// The confirmed corrections of an app that are not closed.
    ///
    /// Dry runs that nobody confirmed stay open and are passed over inside the database, like those that are closed.
    func pendingCorrections(of bundleId: BundleId) throws(LedgerError) -> [StoredCorrection] {
        var pending: [StoredCorrection] = []
        var page = LedgerPage(limit: 500)
        while true {
            // With the app as a condition SQLite would read all corrections of the app in place of the open ones.
            let rows = try corrections(matching: ListFilter([.state: "confirmed"]), page)
            pending += rows.filter { $0.bundleId == bundleId }
            guard rows.count == page.limit, let last = rows.last else { return pending }
            page.after = last.sequence
        }
    }

    /// The reports that wait for the acceptance of the preceding report of their correction (RR-83).
    func reportsWaitingForCorrections(in scope: ReportingScope) throws(LedgerError) -> Set<RequestIdentifier> {
        var waiting: Set<RequestIdentifier> = []
        for correction in try pendingCorrections(of: scope.bundleId) {
            var isBlocked = false
            for report in correction.reports where report.environment == scope.environment {
                if isBlocked {
                    waiting.insert(report.requestIdentifier)
                } else {
                    isBlocked = try self.report(report.requestIdentifier, in: scope)?.state != .accepted
                }
            }
        }
        return waiting
    }

    /// The line items whose newest versions a pending correction is about to change.
    func itemsUnderCorrection(of bundleId: BundleId) throws(LedgerError) -> Set<LineItemId> {
        var items: Set<LineItemId> = []
        for correction in try pendingCorrections(of: bundleId) {
            for report in correction.reports {
                let scope = ReportingScope(bundleId: bundleId, environment: report.environment)
                guard let stored = try self.report(report.requestIdentifier, in: scope) else { continue }
                items.formUnion(stored.sentItems.compactMap(\.lineItemId))
            }
        }
        return items
    }

    /// An open report on the same tokens or line items, which a correction must not overtake (SA-74).
    ///
    /// Open reports are read by their index, and no settled ones, however many the tokens have.
    func openReport(touching steps: [PlannedReport], in scope: ReportingScope) throws(LedgerError) -> StoredReport? {
        let tokens = Set(steps.map(\.externalPurchaseId))
        var items = Set(steps.flatMap(\.items).map(\.item.lineItemId))
        for step in steps {
            for item in step.items { items.formUnion(item.before.map { [$0.lineItemId] } ?? []) }
        }
        let open = try reports(in: scope, state: ReportState.allCases.filter(\.isOpen), limit: .max)
        return open.first { tokens.contains($0.externalPurchaseId) }
            ?? open.first { report in
                report.sentItems.contains { item in
                    item.lineItemId.map(items.contains) ?? false
                        || item.referenceLineItemId.map(items.contains) ?? false
                }
            }
    }
}
