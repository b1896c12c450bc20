package import ExternalPurchaseCore
package import Ledger

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a caller asks to be corrected of a sale that was reported (RR-80, RR-81).
package struct CorrectionCommand: Hashable, Sendable {
    package let bundleId: BundleId
    package let saleId: SaleId
    package let action: Action
    package let fields: Fields
    package let requestedBy: String
    package let reason: String
    /// The request as the ledger keeps it: as it was spelled, without the person and the reason, which stand beside it.
    package let request: JSONValue

    /// A correction to plan.
    ///
    /// - Parameter request: the request as it was spelled; nil spells it from the fields.
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
        /// Some data are wrong.
        case restate
        /// It never happened.
        case retract
        /// It happened after all.
        case undo
        /// Its moment or its token is wrong: it is retracted and reported anew (RR-81).
        case move
        /// Event, start and paid days of all accepted charges of its subscription are restated where the events known now
        /// give others (RR-30 to RR-34).
        case recount
    }

    /// What the caller says is right; nil keeps what was said before.
    package struct Fields: Hashable, Sendable {
        package var currency: String?
        /// Units of the currency billed, as all money here.
        package var inclusive: Decimal?
        package var taxExclusive: Decimal?
        package var tax: Decimal?
        /// Per cent of the price without tax, instead of `tax` (RR-44).
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

        /// True when the money has to be computed anew.
        var changesMoney: Bool {
            currency != nil || inclusive != nil || taxExclusive != nil || tax != nil || taxRate != nil
                || exchangeRate != nil
        }
    }
}

/// A person's word that a correction is sent as its dry run showed it.
package struct ConfirmationCommand: Hashable, Sendable {
    package let correctionId: CorrectionId
    /// The correction's app; nil looks among all apps.
    package let bundleId: BundleId?
    package let confirmedBy: String

    package init(_ correctionId: CorrectionId, of bundleId: BundleId? = nil, confirmedBy: String) {
        self.correctionId = correctionId
        self.bundleId = bundleId
        self.confirmedBy = confirmedBy
    }
}
