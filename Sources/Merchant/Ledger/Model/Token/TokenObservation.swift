package import ExternalPurchaseCore

/// A further source of a token, or a text of it that contradicts what was stored first (NT-61).
package struct TokenObservation: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64 = 0
    package let bundleId: BundleId
    package let externalPurchaseId: ExternalPurchaseId
    /// Source and time of the first such arrival.
    package let seen: FirstSeen
    /// The contradicting content: the text as received, or the fields of a notification as JSON.
    ///
    /// Nil when the arrival agrees with the stored token.
    package var contradiction: String?

    /// The maximum number of contradicting texts per token, so that forged texts cannot fill the ledger (TK-74).
    package static let maximumContradictions = 16
}
