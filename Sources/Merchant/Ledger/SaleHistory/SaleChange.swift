package import ExternalPurchaseCore

/// A change of a sale that was asked for while a report with the sale may be at Apple: it waits for the answer.
package struct SaleChange: Hashable, Sendable {
    /// The place in the order of arrival, from 1; 0 before it is stored.
    package var sequence: Int64
    package let bundleId: BundleId
    package let saleId: SaleId
    /// The sale as it is right; nil voids it.
    package let content: Sale?
    /// Nil for a completion, which needs no person.
    package let by: String?
    package let reason: String?
    package let askedAt: Timestamp
    package var closing: Closing?

    /// What became of it.
    package struct Closing: Hashable, Sendable {
        package let at: Timestamp
        package let outcome: Outcome

        package init(at: Timestamp, outcome: Outcome) {
            self.at = at
            self.outcome = outcome
        }
    }

    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The sale has the new version, because Apple did not accept the report that held the old one.
        case applied
        /// A later change took its place.
        case superseded
        /// Apple accepted the report: a review item offers the correction.
        case needsCorrection = "needs-correction"
        /// It fits no more; a review item says why.
        case impossible
    }

    package init(
        sequence: Int64 = 0,
        bundleId: BundleId,
        saleId: SaleId,
        content: Sale?,
        by: String?,
        reason: String?,
        askedAt: Timestamp,
        closing: Closing? = nil
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.saleId = saleId
        self.content = content
        self.by = by
        self.reason = reason
        self.askedAt = askedAt
        self.closing = closing
    }
}
