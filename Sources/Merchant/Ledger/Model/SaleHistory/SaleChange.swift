package import ExternalPurchaseCore

/// A change of a sale that was requested while its report may be at Apple; it waits for Apple's response.
package struct SaleChange: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let bundleId: BundleId
    package let saleId: SaleId
    /// The new content of the sale; nil voids it.
    package let content: Sale?
    /// The person who requested the change; nil for a completion, which needs no person.
    package let by: String?
    package let reason: String?
    package let askedAt: Timestamp
    package var closing: Closing?

    /// The outcome of a change and its time.
    package struct Closing: Hashable, Sendable {
        package let at: Timestamp
        package let outcome: Outcome

        package init(at: Timestamp, outcome: Outcome) {
            self.at = at
            self.outcome = outcome
        }
    }

    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The new version was stored, because Apple did not accept the report with the old one.
        case applied
        /// A later change replaced it.
        case superseded
        /// Apple accepted the report; a review item proposes a correction.
        case needsCorrection = "needs-correction"
        /// The change can no longer be applied; a review item gives the reason.
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
