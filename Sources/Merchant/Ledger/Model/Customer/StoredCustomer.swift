package import ExternalPurchaseCore

/// A customer in the ledger: the caller's id and the pseudonym that replaces it in the audit log (OB-90).
///
/// The pseudonym is random, and only this row connects it with the id. Erasing the id from this row therefore makes
/// every audit entry anonymous without changing the chain (OB-92).
package struct StoredCustomer: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64 = 0
    package let bundleId: BundleId
    /// The caller's id; the pseudonym after erasure.
    package var customerId: CustomerId
    package let pseudonym: String
    package let firstSeen: Timestamp
    package var erasedAt: Timestamp?
}

extension StoredCustomer {
    /// The fields of a customer, with their name in each record form.
    package static let fields = RecordFields<StoredCustomer>([
        .init("bundleId", in: .audit) { .text($0.bundleId.rawValue) },
        .init("customer", in: .audit, .archive) { .text($0.pseudonym) },
        .init("firstSeen", in: .audit, .archive) { .time($0.firstSeen) },
        .init("erasedAt", in: .archive) { .time($0.erasedAt) },
    ])
}

/// A visit of a landing address with a token (OB-31).
package struct LinkTap: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let bundleId: BundleId
    /// The name of the landing link.
    package let link: String
    package let tappedAt: Timestamp
    package let externalPurchaseId: ExternalPurchaseId?
    package let checkoutId: CheckoutId?

    package init(
        sequence: Int64 = 0,
        bundleId: BundleId,
        link: String,
        tappedAt: Timestamp,
        externalPurchaseId: ExternalPurchaseId?,
        checkoutId: CheckoutId? = nil
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.link = link
        self.tappedAt = tappedAt
        self.externalPurchaseId = externalPurchaseId
        self.checkoutId = checkoutId
    }
}

extension LinkTap {
    /// The fields of a visit, with their name in each record form.
    package static let fields = RecordFields<LinkTap>([
        .init("bundleId", in: .audit) { .text($0.bundleId.rawValue) },
        .init("link", in: .audit, .archive) { .text($0.link) },
        .init("tappedAt", in: .audit, .archive) { .time($0.tappedAt) },
        .init("externalPurchaseId", in: .audit, .archive) { .text($0.externalPurchaseId?.rawValue) },
        .init("checkoutId", in: .audit, .archive) { .text($0.checkoutId?.rawValue) },
    ])
}
