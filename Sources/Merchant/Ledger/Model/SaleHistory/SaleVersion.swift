package import ExternalPurchaseCore

/// A version of a sale; the arrival is version 1.
///
/// A version without a correction was not at Apple when it was made: an amendment, a completion or a void.
package struct SaleVersion: Hashable, Sendable {
    package enum Change: String, Hashable, Sendable, CaseIterable {
        /// The sale as it arrived.
        case arrived
        /// The same sale with other content (RR-80).
        case restated
        /// The sale is marked as never having happened.
        case retracted
        /// A retraction was reverted.
        case restored
    }

    package let version: Int
    package let sale: Sale
    /// The line item of this version; a new id after a retraction.
    package let lineItemId: LineItemId
    package let change: Change
    package let saidAt: Timestamp
    /// The correction that made the version.
    package let correctionId: CorrectionId?
    /// The person who amended or voided the sale; nil for an arrival, a completion, and a correction, which has its
    /// own.
    package let by: String?
    /// The reason, if one was given.
    package let reason: String?

    package init(
        version: Int,
        sale: Sale,
        lineItemId: LineItemId,
        change: Change,
        saidAt: Timestamp,
        correctionId: CorrectionId? = nil,
        by: String? = nil,
        reason: String? = nil
    ) {
        self.version = version
        self.sale = sale
        self.lineItemId = lineItemId
        self.change = change
        self.saidAt = saidAt
        self.correctionId = correctionId
        self.by = by
        self.reason = reason
    }

    /// The reason of a version that says that the merchant sent an imported sale, with more than a report contains or not.
    package static let sentAgain = "the merchant sent the imported sale"

    /// True if the merchant sent the imported sale.
    package var isSentAgain: Bool { by == nil && reason == Self.sentAgain }

    /// The kind of version in one word.
    ///
    /// One of `arrived`, `completed`, `amended`, `voided`, or, for a correction, `restated`, `retracted`, `restored`.
    package var word: String {
        guard correctionId == nil else { return change.rawValue }
        return switch change {
        case .restated: by == nil ? "completed" : "amended"
        case .retracted: "voided"
        case .arrived, .restored: change.rawValue
        }
    }
}

extension SaleVersion {
    /// The fields of a version of a sale, with their name in each record form.
    package static let fields = RecordFields<SaleVersion>([
        .init("saleId", in: .archive) { .text($0.sale.saleId.rawValue) },
        .init("version", in: .audit, .archive) { .integer(Int64($0.version)) },
        .init("change", in: .audit) { .text($0.change.rawValue) },
        .init("change", in: .archive) { .text($0.word) },
        .init("saidAt", in: .audit, .archive) { .time($0.saidAt) },
        .init([.audit: "by", .archive: "saidBy"]) { .text($0.by) },
        .init("reason", in: .audit, .archive) { .text($0.reason) },
        .init("lineItemId", in: .audit, .archive) { .text($0.lineItemId.rawValue) },
        .init("correctionId", in: .audit, .archive) { .text($0.correctionId?.rawValue) },
        .init([.audit: "sale", .archive: "content"]) { .sale($0.sale) },
    ])
}

/// The conditions of a list of sales.
package enum SaleQuery: Hashable, Sendable {
    /// Sales that name the subscription.
    case subscription(String, of: BundleId)
    case customer(CustomerId, of: BundleId)
    /// Sales attributed to the token.
    case token(ExternalPurchaseId, of: BundleId)
    /// Sales attributed to the token that are reportable and in no report and no manual export.
    case pendingOnToken(ExternalPurchaseId, of: BundleId)
    /// Sales of the customer that are reportable and in no report and no manual export.
    case pendingOfCustomer(CustomerId, of: BundleId)
    /// Held sales of the customer that are in no report and no manual export.
    case heldOfCustomer(CustomerId, of: BundleId)
    /// Sales that name the checkout, are reportable and in no report and no manual export.
    case pendingOfCheckout(CheckoutId, of: BundleId)
    /// Sales that name the token, or a checkout of it.
    case naming(ExternalPurchaseId, of: BundleId)
    /// Sales one of whose versions names the payment of a provider.
    case payment(PaymentObjectName, of: BundleId)
    /// Of the sales that name the token or a checkout of it, and of the charges of their subscriptions: those that are
    /// reportable and in no report and no manual export, and those that have a checkout with a link from a sale.
    case changing(with: ExternalPurchaseId, of: BundleId)
    /// The refunds and chargebacks of a subscription's charges, and the reversals of these chargebacks.
    case takingBackSubscription(String, of: BundleId)
    /// Sales in the given state that are in no report and no manual export.
    case state(SaleState, of: BundleId)
    /// Sales of all apps as callers submitted them: orders without the rows of their lines.
    case given
    /// The lines of an order, or of the refund or reversal of one.
    case lines(SaleId, of: BundleId)
    /// Sales whose line item was replaced after a retraction or a move to another token.
    case replaced(of: BundleId)
}

extension LedgerQueries {
    /// Tokens with planned sales received up to a time; see ``tokensToReport(in:madeUntil:sold:limit:)``.
    package func tokensToReport(
        in scope: ReportingScope,
        madeUntil: Timestamp,
        soldUntil: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        let sold = Timestamp(milliseconds: .min)...soldUntil
        return try tokensToReport(in: scope, madeUntil: madeUntil, sold: sold, limit: limit)
    }
}
