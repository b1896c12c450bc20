package import ExternalPurchaseCore

/// Queries of stored deadlines.
///
/// Lists and counts contain deadlines of the given rules only; ``eachOutdatedDeadline(notBy:_:)`` returns all others.
package protocol DeadlineQueries {
    /// The newest rules by which deadlines are computed; nil before the first.
    func deadlineRules() throws(LedgerError) -> StoredDeadlineRules?
    /// A page of the list, in list order.
    ///
    /// - Parameter position: the position of the last entry of the previous page; nil starts at the first entry.
    func deadlines(
        matching query: DeadlineQuery,
        by rules: Int64,
        after position: DeadlinePosition?,
        limit: Int
    ) throws(LedgerError) -> [ListedDeadline]
    /// The number of deadlines that match a query, by group.
    ///
    /// - Parameter boundaries: in ascending order; a deadline equal to a boundary counts as before it.
    func deadlineCounts(
        matching query: DeadlineQuery,
        by rules: Int64,
        boundaries: [Timestamp]
    ) throws(LedgerError) -> [DeadlineGroup: Int]
    /// Every deadline before `moment` that can become late (TK-74), one at a time in unspecified order.
    func eachDeadline(
        before moment: Timestamp,
        by rules: Int64,
        _ body: (ListedDeadline) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Every row whose deadline was computed by other rules or invalidated by a change, one at a time in unspecified
    /// order.
    ///
    /// - Parameter rules: the newest rules; nil returns every row.
    func eachOutdatedDeadline(
        notBy rules: Int64?,
        _ body: (StoredDeadline.Subject, OpenRow?) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Subjects that changed since their deadline was computed, each with its open row; nil if it is no longer open.
    func changedDeadlines(limit: Int) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)]
    /// Rows whose deadline was computed by earlier rules or never, oldest rules first.
    func deadlines(
        ofRulesBefore rules: Int64,
        limit: Int
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)]
    /// The open rows of the given subjects.
    func openRows(
        of subjects: [StoredDeadline.Subject]
    ) throws(LedgerError) -> [StoredDeadline.Subject: OpenRow]
    /// Tokens without a report that are due for sending, by send time and arrival, starting after `position`.
    func tokensToAnswer(
        in scope: ReportingScope,
        until moment: Timestamp,
        after position: SendPosition?,
        limit: Int
    ) throws(LedgerError) -> [(position: SendPosition, token: ExternalPurchaseId)]
    /// The send time of the first token after `position` that needs a report; nil if there is none.
    func nextTokenToAnswer(in scope: ReportingScope, after position: SendPosition?) throws(LedgerError) -> Timestamp?
    /// Tokens with a sale that is due for sending, longest due first.
    func tokensWithSalesToSend(
        in scope: ReportingScope,
        until moment: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId]
    /// The earliest send time of a sale after `moment`; nil if there is none.
    func nextSaleToSend(in scope: ReportingScope, after moment: Timestamp) throws(LedgerError) -> Timestamp?
    /// The apps with an open review item about a refused key (SA-73).
    func appsWithRefusedKey() throws(LedgerError) -> Set<BundleId>
}

/// Changes of stored deadlines.
///
/// Deadlines are derived from audited rows, so the audit log has no entries about them.
package protocol DeadlineWriting {
    /// Marks the deadlines that a change may move, and those of new rows, for recomputation.
    func outdateDeadlines(of scope: DeadlineScope) throws(LedgerError)
    /// Stores the deadline that the given rules compute; nil removes it.
    func setDeadline(
        _ deadline: StoredDeadline?,
        of subject: StoredDeadline.Subject,
        by rules: Int64
    ) throws(LedgerError)
    /// Makes the given rules the newest ones.
    func adoptDeadlineRules(_ version: String, at moment: Timestamp) throws(LedgerError) -> StoredDeadlineRules
}

/// The rows whose deadlines a change may move.
package enum DeadlineScope: Hashable, Sendable {
    case token(ExternalPurchaseId, BundleId)
    /// An open token that was just inserted, by its sequence number.
    case newToken(sequence: Int64)
    /// A token and its sales, whose deadlines depend on the token's type and storefront.
    case tokenWithSales(ExternalPurchaseId, BundleId)
    case sale(SaleId, BundleId)
    /// The token of a sale, unless it is the given one.
    case tokenOfSale(SaleId, BundleId, unless: ExternalPurchaseId?)
    /// The token of a new sale, unless another sale of that token has the same tax country.
    ///
    /// In that case the new sale cannot move the deadline, and a token may have thousands of sales.
    case tokenOfNewSale(SaleId, BundleId)
    /// The token of a report and the sales in the report.
    case report(RequestIdentifier, ReportingScope)
    /// The sales of a manual export.
    case export(ManualExportId, BundleId)
}

extension LedgerTransaction {
    /// The deadlines that a change may move, evaluated before the change.
    func deadlines(movedBy change: LedgerChange) throws(LedgerError) -> [DeadlineScope] {
        switch change {
        case .updateToken(let new), .setCustomer(let new, by: _, reason: _):
            let (id, bundleId) = (new.token.externalPurchaseId, new.token.bundleId)
            let storefront = try token(id, of: bundleId)?.storefront
            return [storefront == new.storefront ? .token(id, bundleId) : .tokenWithSales(id, bundleId)]
        case .completeToken(let token):
            return [.tokenWithSales(token.token.externalPurchaseId, token.token.bundleId)]
        case .recordObservation(let observation):
            return [.token(observation.externalPurchaseId, observation.bundleId)]
        case .attributeSale(let attribution, let sale, let bundleId):
            return [
                .sale(sale, bundleId),
                .tokenOfSale(sale, bundleId, unless: attribution.externalPurchaseId),
            ]
        case .addSaleVersion(let version):
            let (sale, bundleId) = (version.sale.saleId, version.sale.bundleId)
            return [.sale(sale, bundleId), .tokenOfSale(sale, bundleId, unless: nil)]
        case .updateReport(let report, accepting: _):
            switch report.state {
            case .accepted, .needsAttention, .withdrawn: return [.report(report.requestIdentifier, report.scope)]
            // A report in transit moves no deadline.
            case .written, .sending, .unknown: return []
            }
        case .insertExport(let export, holding: let sales): return sales.map { .sale($0, export.bundleId) }
        case .submitExport(let export, let bundleId, _), .withdrawExport(let export, let bundleId, _):
            return [.export(export, bundleId)]
        // No default, so that the compiler asks about a new change.
        case .insertToken, .insertSale, .insertReport, .setTokenAside, .expireQuarantinedTokens, .insertCustomer,
            .eraseCustomer, .putCheckout, .recordClaim, .recordTap, .insertSaleChange, .closeSaleChange,
            .insertNotification, .finishNotification, .quarantineNotification, .countRefusal, .moveHistoryPosition,
            .openReview,
            .resolveReview, .insertCorrection, .updateCorrection, .attachReport, .recordAlerts, .deliverAlert,
            .insertInvoice, .insertPaymentEvent, .updatePaymentEvent, .putPaymentObject, .purge, .insertKey, .revokeKey,
            .setUser, .removeUser:
            return []
        }
    }

    /// The deadlines that a change creates or moves, evaluated after the change.
    ///
    /// - Parameter sequence: the sequence number of the inserted row.
    func deadlines(madeBy change: LedgerChange, at sequence: Int64) -> [DeadlineScope] {
        switch change {
        case .insertToken(let token) where token.reportedAt == nil: [.newToken(sequence: sequence)]
        case .insertToken(let token): [.token(token.token.externalPurchaseId, token.token.bundleId)]
        case .insertSale(let sale):
            [
                .sale(sale.sale.saleId, sale.sale.bundleId),
                .tokenOfNewSale(sale.sale.saleId, sale.sale.bundleId),
            ]
        case .attributeSale(_, let sale, let bundleId): [.tokenOfNewSale(sale, bundleId)]
        case .insertReport(let report, holding: _, accepting: _): [.report(report.requestIdentifier, report.scope)]
        case .updateToken, .completeToken, .recordObservation, .addSaleVersion, .setCustomer, .updateReport,
            .insertExport, .submitExport, .withdrawExport, .setTokenAside, .expireQuarantinedTokens, .insertCustomer,
            .eraseCustomer, .putCheckout, .recordClaim, .recordTap, .insertSaleChange, .closeSaleChange,
            .insertNotification, .finishNotification, .quarantineNotification, .countRefusal, .moveHistoryPosition,
            .openReview,
            .resolveReview, .insertCorrection, .updateCorrection, .attachReport, .recordAlerts, .deliverAlert,
            .insertInvoice, .insertPaymentEvent, .updatePaymentEvent, .putPaymentObject, .purge, .insertKey, .revokeKey,
            .setUser, .removeUser:
            []
        }
    }
}
