package import ExternalPurchaseCore

/// Every possible change of a ledger, as a value.
package enum LedgerChange: Hashable, Sendable {
    case insertToken(StoredToken)
    /// Updates the columns of a token that can change.
    case updateToken(StoredToken)
    /// Adds text and fields to a token that only notifications had named.
    case completeToken(StoredToken)
    case recordObservation(TokenObservation)
    case setTokenAside(QuarantinedToken)
    /// Deletes texts up to a sequence number that were quarantined before the given time.
    case expireQuarantinedTokens(through: Int64, count: Int64, before: Timestamp)
    case insertCustomer(StoredCustomer)
    /// Replaces the customer's id by the pseudonym in every row.
    case eraseCustomer(StoredCustomer, by: String?)
    case putCheckout(Checkout)
    case recordClaim(CheckoutClaim)
    case recordTap(LinkTap)
    case insertSale(StoredSale)
    case attributeSale(Attribution, SaleId, BundleId)
    case addSaleVersion(SaleVersion)
    /// Stores a change of a sale that waits for Apple's response.
    case insertSaleChange(SaleChange)
    case closeSaleChange(sequence: Int64, of: SaleId, BundleId, SaleChange.Closing)
    /// Sets the customer of a token by a person's decision.
    case setCustomer(StoredToken, by: String, reason: String?)
    /// Stores a report with its sales; an imported report also has its accepted items.
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
    /// Updates dry run, confirmation and closing of a correction.
    case updateCorrection(StoredCorrection)
    case attachReport(CorrectionReport, CorrectionId, BundleId)
    case insertExport(ManualExport, holding: [SaleId])
    case submitExport(ManualExportId, BundleId, ManualSubmission)
    /// Records alert steps and the message that reports them.
    case recordAlerts([AlertMark], AlertMessage?)
    case deliverAlert(sequence: Int64, at: Timestamp)
    /// Lets an event be sent to its webhook again.
    case redeliver(WebhookDelivery, at: Timestamp, by: String?)
    /// Withdraws a manual export and releases its sales.
    case withdrawExport(ManualExportId, BundleId, ExportWithdrawal)
    case insertInvoice(StoredInvoice)
    case insertPaymentEvent(StoredPaymentEvent)
    case updatePaymentEvent(StoredPaymentEvent)
    case putPaymentObject(FetchedPaymentObject, PaymentProvider)
    /// Deletes the rows of a plan; the audit log stays.
    case purge(Purge)
    case insertKey(StoredAPIKey)
    case revokeKey(StoredAPIKey, StoredAPIKey.Revocation)
    /// Creates a user or sets the password of one.
    case setUser(StoredUser, by: String)
    case setUserRole(StoredUser, by: String)
    case removeUser(StoredUser, by: String)
}
