package import ExternalPurchaseCore

/// One source that a token was seen from, or one text of it that contradicts what was stored first (NT-61).
package struct TokenObservation: Hashable, Sendable {
    /// The place in the order of arrival, from 1; 0 before it is stored.
    package var sequence: Int64
    package let bundleId: BundleId
    package let externalPurchaseId: ExternalPurchaseId
    /// Source and time of the first arrival of this kind.
    package let seen: FirstSeen
    /// What contradicts the stored token: the text as received, of a notification the fields as JSON; nil when the
    /// arrival agreed.
    package let contradiction: String?

    package init(
        sequence: Int64 = 0,
        bundleId: BundleId,
        externalPurchaseId: ExternalPurchaseId,
        seen: FirstSeen,
        contradiction: String? = nil
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.externalPurchaseId = externalPurchaseId
        self.seen = seen
        self.contradiction = contradiction
    }

    /// How many contradicting texts of one token are kept: more would let a forger fill the ledger (TK-74).
    package static let maximumContradictions = 16
}
