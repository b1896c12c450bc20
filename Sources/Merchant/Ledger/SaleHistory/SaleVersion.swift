package import ExternalPurchaseCore

/// What was said of a sale after its arrival: the arrival itself is version 1.
///
/// A version without a correction was never at Apple when it was made: an amendment, a completion or a void.
package struct SaleVersion: Hashable, Sendable {
    package enum Change: String, Hashable, Sendable, CaseIterable {
        /// The sale as it arrived.
        case arrived
        /// The same sale with other content (RR-80).
        case restated
        /// It never happened.
        case retracted
        /// It happened after all.
        case restored
    }

    package let version: Int
    package let sale: Sale
    /// The item it becomes; a new one after a retraction.
    package let lineItemId: LineItemId
    package let change: Change
    package let saidAt: Timestamp
    /// The correction that brought it.
    package let correctionId: CorrectionId?
    /// Who amended or voided the sale; nil for an arrival, a completion and a correction, which names its own person.
    package let by: String?
    /// Why, as far as it was given.
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

    /// What the version is, in one word: `arrived`, `completed`, `amended`, `voided`, or a correction's `restated`,
    /// `retracted`, `restored`.
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
    /// What each form shows of a version of a sale.
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

/// Which sales a list holds.
package enum SaleQuery: Hashable, Sendable {
    /// Events of one subscription.
    case subscription(String, of: BundleId)
    case customer(CustomerId, of: BundleId)
    /// Attributed to the token.
    case token(ExternalPurchaseId, of: BundleId)
    /// Attributed to the token, in no report and no manual export, and with something to report.
    case pendingOnToken(ExternalPurchaseId, of: BundleId)
    /// A customer's, in no report and no manual export, and with something to report.
    case pendingOfCustomer(CustomerId, of: BundleId)
    /// In one state, and in no report and no manual export.
    case state(SaleState, of: BundleId)
    /// As they were given: those of several lines without the rows of their lines. Of all apps.
    case given
    /// The lines of an order, or of the refund or reversal of one.
    case lines(SaleId, of: BundleId)
    /// Whose line item was replaced by another one, after a retraction or a move: the new one may be on another token.
    case replaced(of: BundleId)
}

/// What can be asked about sales.
///
/// Lists are in the order of arrival unless it says otherwise; every sale is given in its newest version.
package protocol SaleQueries {
    /// The changes of sales that wait for Apple's answer, in the order in which they were asked for.
    func waitingSaleChanges(_ page: LedgerPage) throws(LedgerError) -> [SaleChange]
    /// Every change that was asked for while a report held the sale, the first one first.
    func changes(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleChange]
    func sale(_ id: SaleId, of bundleId: BundleId) throws(LedgerError) -> StoredSale?
    /// The sale that has or had a line item of that id, sent or not; nil for one that no sale has.
    func sale(ofLineItem id: LineItemId, of bundleId: BundleId) throws(LedgerError) -> SaleId?
    func sales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale]
    func sales(_ query: SaleQuery, _ page: LedgerPage) throws(LedgerError) -> [StoredSale]
    /// Rows that match a filter, and perhaps others, without those that have rows of lines.
    func sales(matching filter: SaleFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredSale]
    /// Sales that occurred in a span of time, the end excluded, by that moment.
    func sales(
        of bundleId: BundleId,
        occurredFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredSale]
    /// Refunds and chargebacks of a buy, or the reversals of a chargeback.
    func refunds(of buy: SaleId, app bundleId: BundleId) throws(LedgerError) -> [StoredSale]
    /// Every version of a sale, the arrival first; none for an unknown sale.
    func versions(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleVersion]
    /// Held sales without a report and without a manual export.
    func heldSales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale]
    /// Every sale that still has to be reported, one at a time and in any order; nil takes all apps.
    func eachOpenSale(
        of bundleId: BundleId?,
        _ body: (OpenSale) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Planned sales of a token that no report holds.
    func plannedSales(
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        limit: Int
    ) throws(LedgerError) -> [StoredSale]
    /// The tokens with planned sales that no report holds and without an unaccepted report (SA-74), made up to a
    /// moment and with a sale received up to another, the longest waiting first: in the order in which
    /// the sales were received.
    func tokensToReport(
        in scope: ReportingScope,
        madeUntil: Timestamp,
        soldUntil: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId]
}
