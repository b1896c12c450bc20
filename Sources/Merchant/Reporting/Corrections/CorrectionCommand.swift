package import ExternalPurchaseCore
package import Ledger

/// A request to correct a reported sale (RR-80, RR-81).
package struct CorrectionCommand: Hashable, Sendable {
    let bundleId: BundleId
    let saleId: SaleId
    let action: Action
    let fields: Fields
    let requestedBy: String
    let reason: String
    /// The request as JSON for the ledger, spelled as received; person and reason are stored in columns of their own.
    let request: JSONValue

    /// Creates a command.
    ///
    /// - Parameter request: the request as received; nil builds it from the fields.
    package init(
        bundleId: BundleId,
        saleId: SaleId,
        action: Action,
        fields: Fields = Fields(),
        requestedBy: String,
        reason: String,
        request: JSONValue? = nil
    ) {
        self.bundleId = bundleId
        self.saleId = saleId
        self.action = action
        self.fields = fields
        self.requestedBy = requestedBy
        self.reason = reason
        self.request = request ?? Self.spelled(bundleId, saleId, action, fields)
    }

    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Changes some fields of the line item.
        case restate
        /// Retracts a sale that did not happen.
        case retract
        /// Restores a retracted sale that did happen.
        case undo
        /// Changes the time or the token: the line item is retracted and reported again (RR-81).
        case move
        /// Restates the accepted charges of the subscription.
        ///
        /// Their event, start and paid days are restated if they differ from the figures that all known events give
        /// (RR-30 to RR-34).
        case recount
    }

    /// The corrected values; nil leaves a field unchanged.
    package struct Fields: Hashable, Sendable {
        package var currency: String?
        /// Amount with tax in units of the billed currency, as for all amounts here.
        package var inclusive: Decimal?
        package var taxExclusive: Decimal?
        package var tax: Decimal?
        /// Percentage of the price without tax; given instead of `tax` (RR-44).
        package var taxRate: Decimal?
        package var taxCountry: String?
        package var exchangeRate: QuotedRate?
        package var productId: String?
        package var quantity: Int64?
        package var event: SubscriptionCharge.Event?
        package var periodStart: Timestamp?
        package var periodEnd: Timestamp?
        package var daysOfPaidService: Int32?
        package var occurredAt: Timestamp?
        package var externalPurchaseId: ExternalPurchaseId?

        package static let allNames = [
            "currency", "inclusive", "taxExclusive", "tax", "taxRate", "taxCountry", "exchangeRate", "productId",
            "quantity", "event", "periodStart", "periodEnd", "daysOfPaidService", "occurredAt", "externalPurchaseId",
        ]

        package init() {}

        /// True if the amounts have to be computed again.
        var changesMoney: Bool {
            currency != nil || inclusive != nil || taxExclusive != nil || tax != nil || taxRate != nil
                || exchangeRate != nil
        }
    }
}

/// A person's confirmation of a correction as its dry run showed it.
package struct ConfirmationCommand: Hashable, Sendable {
    let correctionId: CorrectionId
    /// The app of the correction; nil searches all apps.
    package let bundleId: BundleId?
    let confirmedBy: String

    package init(_ correctionId: CorrectionId, of bundleId: BundleId? = nil, confirmedBy: String) {
        self.correctionId = correctionId
        self.bundleId = bundleId
        self.confirmedBy = confirmedBy
    }
}
