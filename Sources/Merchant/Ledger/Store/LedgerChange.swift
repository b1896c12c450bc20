package import ExternalPurchaseCore

/// Everything that can be done to a ledger, as a value.
package enum LedgerChange: Hashable, Sendable {
    case insertToken(StoredToken)
    /// State, customer, storefront and flags of a token.
    case updateToken(StoredToken)
    /// Text and fields of a token that only notifications had named.
    case completeToken(StoredToken)
    case recordObservation(TokenObservation)
    case setTokenAside(QuarantinedToken)
    /// Deletes texts up to a sequence that were set aside before a moment.
    case expireQuarantinedTokens(through: Int64, count: Int64, before: Timestamp)
    case insertCustomer(StoredCustomer)
    /// Replaces the id by the pseudonym wherever it stands.
    case eraseCustomer(StoredCustomer)
    case putCheckout(Checkout)
    case recordTap(LinkTap)
    case insertSale(StoredSale)
    case attributeSale(Attribution, SaleId, BundleId)
    case addSaleVersion(SaleVersion)
    /// A change of a sale that waits for Apple's answer.
    case insertSaleChange(SaleChange)
    case closeSaleChange(sequence: Int64, of: SaleId, BundleId, SaleChange.Closing)
    /// The customer of a token, as a person settled it.
    case settleCustomer(StoredToken, by: String, reason: String?)
    /// A report with the sales it holds; of an imported one also the items that were accepted.
    case insertReport(StoredReport, holding: [SaleId], accepting: [ReceivedLineItem])
    case updateReport(StoredReport, accepting: [ReceivedLineItem])
    case insertNotification(StoredNotification)
    case finishNotification(NotificationUUID, NotificationEffect)
    case quarantineNotification(QuarantinedNotification)
    case countRefusal(failure: String, at: Timestamp)
    case moveHistoryPosition(ReportingScope, Timestamp)
    case openReview(ReviewItem)
    case resolveReview(sequence: Int64, ReviewResolution)
    case insertCorrection(StoredCorrection)
    /// Dry run, confirmation and closing of a correction.
    case updateCorrection(StoredCorrection)
    case attachReport(CorrectionReport, CorrectionId, BundleId)
    case insertExport(ManualExport, holding: [SaleId])
    case submitExport(ManualExportId, BundleId, ManualSubmission)
    /// Steps that are told from now on, and the message that tells them.
    case recordAlerts([AlertMark], AlertMessage?)
    case deliverAlert(sequence: Int64, at: Timestamp)
    /// Takes a manual export back; its sales are in none any more.
    case withdrawExport(ManualExportId, BundleId, ExportWithdrawal)
    case insertInvoice(StoredInvoice)
    /// Deletes what a plan holds; the audit log stays.
    case purge(Purge)
}

/// A change whose audit entry is on its way; made by ``LedgerTransaction`` only.
package struct AuditedChange: Sendable {
    package let change: LedgerChange

    fileprivate init(_ change: LedgerChange) {
        self.change = change
    }
}

extension LedgerTransaction {
    /// Makes a change and appends its entry to the audit log, both or neither.
    ///
    /// A customer that is named for the first time gets a pseudonym, which stands for it in every entry.
    @discardableResult
    func perform(_ change: LedgerChange) throws(LedgerError) -> Int64 {
        var pseudonyms: [CustomerId: String] = [:]
        for (customer, bundleId) in change.customers {
            if let known = try self.customer(customer, of: bundleId) {
                pseudonyms[customer] = known.pseudonym
                continue
            }
            let new = StoredCustomer(
                bundleId: bundleId,
                customerId: customer,
                pseudonym: dependencies.pseudonym(),
                firstSeen: dependencies.now()
            )
            pseudonyms[customer] = new.pseudonym
            try commit(.insertCustomer(new), pseudonyms)
        }
        return try commit(change, pseudonyms)
    }

    @discardableResult
    private func commit(
        _ change: LedgerChange,
        _ pseudonyms: [CustomerId: String]
    ) throws(LedgerError) -> Int64 {
        for scope in try deadlines(movedBy: change) { try outdateDeadlines(of: scope) }
        let sequence = try apply(AuditedChange(change))
        for scope in deadlines(madeBy: change) { try outdateDeadlines(of: scope) }
        if let (kind, content) = change.audit(naming: pseudonyms) {
            let entry = AuditEntry(
                after: try lastAuditEntry(),
                time: dependencies.now(),
                kind: kind,
                content: .object(JSONObject(content))
            )
            try append(entry)
        }
        return sequence
    }
}
