package import ExternalPurchaseCore

/// What can be asked about stored deadlines.
///
/// Lists and counts hold the deadlines of given rules only; ``eachOutdatedDeadline(notBy:_:)`` has the others.
package protocol DeadlineQueries {
    /// The newest rules that deadlines are computed by; nil before the first.
    func deadlineRules() throws(LedgerError) -> StoredDeadlineRules?
    /// A page of the list, in its order.
    ///
    /// - Parameter position: the position of the last entry of the page before; nil begins at the first.
    func deadlines(
        matching query: DeadlineQuery,
        by rules: Int64,
        after position: DeadlinePosition?,
        limit: Int
    ) throws(LedgerError) -> [ListedDeadline]
    /// How many deadlines meet a query, by group.
    ///
    /// - Parameter boundaries: in ascending order; a deadline at a boundary lies before it.
    func deadlineCounts(
        matching query: DeadlineQuery,
        by rules: Int64,
        boundaries: [Timestamp]
    ) throws(LedgerError) -> [DeadlineGroup: Int]
    /// Every deadline before a moment of what can be late (TK-74), one at a time and in any order.
    func eachDeadline(
        before moment: Timestamp,
        by rules: Int64,
        _ body: (ListedDeadline) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Every row whose deadline other rules computed or a change outdated, one at a time and in any order.
    ///
    /// - Parameter rules: the newest rules; nil gives every row.
    func eachOutdatedDeadline(
        notBy rules: Int64?,
        _ body: (StoredDeadline.Subject, OpenRow?) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Rows that changed since their deadline was computed, each with its row while it is open.
    func changedDeadlines(limit: Int) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)]
    /// Rows whose deadline was computed by earlier rules or never, the oldest rules first.
    func deadlines(
        ofRulesBefore rules: Int64,
        limit: Int
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)]
    /// The open rows of some subjects.
    func openRows(
        of subjects: [StoredDeadline.Subject]
    ) throws(LedgerError) -> [StoredDeadline.Subject: OpenRow]
    /// Tokens without any report whose moment has come, by that moment and arrival; none before `position`.
    func tokensToAnswer(
        in scope: ReportingScope,
        until moment: Timestamp,
        after position: SendPosition?,
        limit: Int
    ) throws(LedgerError) -> [(position: SendPosition, token: ExternalPurchaseId)]
    /// The moment of the first token behind a position that has to be answered; nil for none.
    func nextTokenToAnswer(in scope: ReportingScope, after position: SendPosition?) throws(LedgerError) -> Timestamp?
    /// Tokens with a sale whose moment has come, the longest due first.
    func tokensWithSalesToSend(
        in scope: ReportingScope,
        until moment: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId]
    /// The first moment after another one at which a sale is sent; nil for none.
    func nextSaleToSend(in scope: ReportingScope, after moment: Timestamp) throws(LedgerError) -> Timestamp?
    /// The apps with an open review item about a refused key (SA-73).
    func appsWithRefusedKey() throws(LedgerError) -> Set<BundleId>
}

/// What a store does to deadlines.
///
/// They are derived from audited rows, so that the audit log has no entry about them.
package protocol DeadlineWriting {
    /// Marks the deadlines that a change may move, and those of new rows.
    func outdateDeadlines(of scope: DeadlineScope) throws(LedgerError)
    /// Stores the deadline that some rules compute; nil removes it.
    func setDeadline(
        _ deadline: StoredDeadline?,
        of subject: StoredDeadline.Subject,
        by rules: Int64
    ) throws(LedgerError)
    /// Makes other rules the newest.
    func adoptDeadlineRules(_ version: String, at moment: Timestamp) throws(LedgerError) -> StoredDeadlineRules
}

/// The rows whose deadlines a change may move.
package enum DeadlineScope: Hashable, Sendable {
    case token(ExternalPurchaseId, BundleId)
    /// A token and the sales on it, which know its type and storefront.
    case tokenWithSales(ExternalPurchaseId, BundleId)
    case sale(SaleId, BundleId)
    /// The token that a sale is on, unless it is that one.
    case tokenOfSale(SaleId, BundleId, unless: ExternalPurchaseId?)
    /// The token that a sale has come to, unless another sale on it has the same tax country: one more changes nothing
    /// then, and a token may have thousands.
    case tokenOfNewSale(SaleId, BundleId)
    /// The token of a report and the sales that the report holds.
    case report(RequestIdentifier, ReportingScope)
    /// The sales of a manual export.
    case export(ManualExportId, BundleId)
}

extension LedgerTransaction {
    /// The deadlines that a change may move, as the ledger stands before it.
    func deadlines(movedBy change: LedgerChange) throws(LedgerError) -> [DeadlineScope] {
        switch change {
        case .updateToken(let new), .settleCustomer(let new, by: _, reason: _):
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
            // What is on its way moves nothing.
            case .written, .sending, .unknown: return []
            }
        case .insertExport(let export, holding: let sales): return sales.map { .sale($0, export.bundleId) }
        case .submitExport(let export, let bundleId, _), .withdrawExport(let export, let bundleId, _):
            return [.export(export, bundleId)]
        default: return []
        }
    }

    /// The deadlines that a change made necessary or moved, as the ledger stands after it.
    func deadlines(madeBy change: LedgerChange) -> [DeadlineScope] {
        switch change {
        case .insertToken(let token): [.token(token.token.externalPurchaseId, token.token.bundleId)]
        case .insertSale(let sale):
            [
                .sale(sale.sale.saleId, sale.sale.bundleId),
                .tokenOfNewSale(sale.sale.saleId, sale.sale.bundleId),
            ]
        case .attributeSale(_, let sale, let bundleId): [.tokenOfNewSale(sale, bundleId)]
        case .insertReport(let report, holding: _, accepting: _): [.report(report.requestIdentifier, report.scope)]
        default: []
        }
    }
}
