package import ExternalPurchaseCore
package import Ledger

/// Takes a customer's id out of the ledger and keeps the figures (OB-92).
package struct CustomerErasure: Sendable {
    private let store: any LedgerStore

    package init(store: any LedgerStore) {
        self.store = store
    }

    /// Puts the pseudonym wherever the id stands, and sees to it that no file of the ledger holds the id any more.
    ///
    /// For an id that is not known the files are looked through all the same: an erasure that was cut off by the end of
    /// the process is finished by its repetition.
    ///
    /// - Returns: the customer without the id, or nil when the app has no such customer.
    /// - Throws: ``LedgerError``, after which a repetition goes on where this one ended.
    package func erase(_ id: CustomerId, of bundleId: BundleId) async throws(LedgerError) -> StoredCustomer? {
        let erased = try await store.write { ledger throws(LedgerError) in
            // A pseudonym is no caller's id: who asks by it would only mark the row.
            guard let known = try ledger.customer(id, of: bundleId), known.erasedAt == nil else {
                return StoredCustomer?.none
            }
            return try ledger.eraseCustomer(id, of: bundleId)
        }
        try await store.removeTraces(of: id.rawValue)
        return erased
    }

    /// Erases a customer's id for a request.
    ///
    /// - Throws: ``RequestError/unknown(_:)`` when the app has no customer of that id.
    package func carryOut(_ command: ErasureCommand) async throws(RequestError) -> StoredCustomer {
        let erased: StoredCustomer?
        do {
            erased = try await erase(command.customerId, of: command.bundleId)
        } catch {
            throw .notStored(error)
        }
        guard let erased else { throw .unknown("\(command.bundleId) knows no customer of that id, or not any more") }
        return erased
    }
}

/// A customer's id to erase.
package struct ErasureCommand: Hashable, Sendable {
    package let bundleId: BundleId
    package let customerId: CustomerId

    package init(_ customerId: CustomerId, of bundleId: BundleId) {
        self.customerId = customerId
        self.bundleId = bundleId
    }
}
