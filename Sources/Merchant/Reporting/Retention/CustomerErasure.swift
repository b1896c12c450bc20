package import ExternalPurchaseCore
package import Ledger

/// Erases a customer's identifier from the ledger; amounts and the audit log are kept (OB-92).
package struct CustomerErasure: Sendable {
    private let store: any LedgerStore

    package init(store: any LedgerStore) {
        self.store = store
    }

    /// Replaces the identifier by its pseudonym and removes its traces from the ledger's files.
    ///
    /// The files are cleaned even if the identifier is unknown, so that a repeated call completes an interrupted
    /// erasure.
    ///
    /// - Parameters:
    ///   - id: the identifier.
    ///   - bundleId: the app.
    ///   - author: the name of the person or key that asks for it, for the audit log.
    /// - Returns: the customer without the identifier; nil if the app has no such customer.
    /// - Throws: ``LedgerError``; a repeated call continues the erasure.
    package func erase(
        _ id: CustomerId,
        of bundleId: BundleId,
        by author: String? = nil
    ) async throws(LedgerError) -> StoredCustomer? {
        let erased = try await store.write { ledger throws(LedgerError) in
            // A pseudonym is no identifier from a caller; erasing by it would only mark the row.
            guard let known = try ledger.customer(id, of: bundleId), known.erasedAt == nil else {
                return StoredCustomer?.none
            }
            return try ledger.eraseCustomer(id, of: bundleId, by: author)
        }
        try await store.removeTraces(of: id.rawValue)
        return erased
    }

    /// Erases a customer's identifier for a request.
    ///
    /// - Throws: ``RequestError/unknown(_:)`` if the app has no customer with the identifier.
    package func carryOut(_ command: ErasureCommand) async throws(RequestError) -> StoredCustomer {
        let erased: StoredCustomer?
        do {
            erased = try await erase(command.customerId, of: command.bundleId, by: command.author)
        } catch {
            throw .notStored(error)
        }
        guard let erased else { throw .unknown("\(command.bundleId) knows no customer of that id, or not any more") }
        return erased
    }
}

/// A request to erase a customer's identifier.
package struct ErasureCommand: Hashable, Sendable {
    let bundleId: BundleId
    let customerId: CustomerId
    /// The name of the person or key that asks for it.
    let author: String?

    package init(_ customerId: CustomerId, of bundleId: BundleId, by author: String? = nil) {
        self.customerId = customerId
        self.bundleId = bundleId
        self.author = author
    }
}
