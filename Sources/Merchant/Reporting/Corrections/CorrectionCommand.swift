import ExternalPurchaseCore
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a caller asks to be corrected of a sale that was reported (RR-80, RR-81).
struct CorrectionCommand: Hashable, Sendable {
    let bundleId: BundleId
    let saleId: SaleId
    let action: Action
    let fields: Fields
    let requestedBy: String
    let reason: String
    /// The request without the person and the reason, which are kept beside it.
    let request: JSONValue

    enum Action: String, Hashable, Sendable, CaseIterable {
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
    struct Fields: Hashable, Sendable {
        var currency: String?
        /// Units of the currency billed, as all money here.
        var inclusive: Decimal?
        var taxExclusive: Decimal?
        var tax: Decimal?
        /// Per cent of the price without tax, instead of `tax` (RR-44).
        var taxRate: Decimal?
        var taxCountry: String?
        var exchangeRate: QuotedRate?
        var productId: String?
        var quantity: Int64?
        var event: SubscriptionCharge.Event?
        var periodStart: Timestamp?
        var periodEnd: Timestamp?
        var daysOfPaidService: Int32?
        var occurredAt: Timestamp?
        var externalPurchaseId: ExternalPurchaseId?
        /// The names that were given.
        var names: [String] = []

        static let allNames = [
            "currency", "inclusive", "taxExclusive", "tax", "taxRate", "taxCountry", "exchangeRate", "productId",
            "quantity",
            "event",
            "periodStart", "periodEnd", "daysOfPaidService", "occurredAt", "externalPurchaseId",
        ]

        /// True when the money has to be computed anew.
        var changesMoney: Bool {
            currency != nil || inclusive != nil || taxExclusive != nil || tax != nil || taxRate != nil
                || exchangeRate != nil
        }
    }
}
