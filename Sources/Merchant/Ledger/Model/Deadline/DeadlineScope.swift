package import ExternalPurchaseCore

/// The rows whose deadlines a change may move.
package enum DeadlineScope: Hashable, Sendable {
    case token(ExternalPurchaseId, BundleId)
    /// An open token or sale that was just inserted.
    case new(StoredDeadline.Subject)
    /// A token and its sales, whose deadlines depend on the token's type and storefront.
    case tokenWithSales(ExternalPurchaseId, BundleId)
    case sale(SaleId, BundleId)
    /// What takes a sale back, and has its tax country.
    case takingBack(SaleId, BundleId)
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
            return [
                .sale(sale, bundleId), .takingBack(sale, bundleId), .tokenOfSale(sale, bundleId, unless: nil),
            ]
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
            .redeliver, .insertInvoice, .insertPaymentEvent, .updatePaymentEvent, .putPaymentObject, .purge, .insertKey,
            .revokeKey,
            .setUser, .setUserRole, .removeUser:
            return []
        }
    }

    /// The deadlines that a change creates or moves, evaluated after the change.
    ///
    /// - Parameter sequence: the sequence number of the inserted row.
    func deadlines(madeBy change: LedgerChange, at sequence: Int64) -> [DeadlineScope] {
        switch change {
        case .insertToken(let token) where token.reportedAt == nil:
            [.new(StoredDeadline.Subject(isLineItem: false, sequence: sequence))]
        case .insertToken(let token): [.token(token.token.externalPurchaseId, token.token.bundleId)]
        case .insertSale(let sale):
            (sale.attribution.state == .recorded
                ? [] : [.new(StoredDeadline.Subject(isLineItem: true, sequence: sequence))])
                + (sale.attribution.externalPurchaseId == nil
                    ? [] : [.tokenOfNewSale(sale.sale.saleId, sale.sale.bundleId)])
        case .attributeSale(_, let sale, let bundleId): [.tokenOfNewSale(sale, bundleId)]
        case .insertReport(let report, holding: _, accepting: _): [.report(report.requestIdentifier, report.scope)]
        case .updateToken, .completeToken, .recordObservation, .addSaleVersion, .setCustomer, .updateReport,
            .insertExport, .submitExport, .withdrawExport, .setTokenAside, .expireQuarantinedTokens, .insertCustomer,
            .eraseCustomer, .putCheckout, .recordClaim, .recordTap, .insertSaleChange, .closeSaleChange,
            .insertNotification, .finishNotification, .quarantineNotification, .countRefusal, .moveHistoryPosition,
            .openReview,
            .resolveReview, .insertCorrection, .updateCorrection, .attachReport, .recordAlerts, .deliverAlert,
            .redeliver, .insertInvoice, .insertPaymentEvent, .updatePaymentEvent, .putPaymentObject, .purge, .insertKey,
            .revokeKey,
            .setUser, .setUserRole, .removeUser:
            []
        }
    }
}
