package import ExternalPurchaseCore
package import Ledger

/// The API keys and users of the ledger.
package struct AccessRecords: Sendable {
    let store: any LedgerStore

    /// Every key in order of creation, including revoked and expired ones.
    package func apiKeys() async throws(LedgerError) -> [StoredAPIKey] {
        try await store.read { ledger throws(LedgerError) in try ledger.apiKeys() }
    }

    /// Every user in order of creation, including removed ones.
    package func users() async throws(LedgerError) -> [StoredUser] {
        try await store.read { ledger throws(LedgerError) in try ledger.users() }
    }

    /// Stores a new key.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` for the name of a user, or ``RequestError/notStored(_:)``.
    package func insert(_ new: NewKey) async throws(RequestError) -> NewKey {
        let outcome: (row: StoredAPIKey?, fault: String?)
        do throws(LedgerError) {
            outcome = try await store.write { ledger throws(LedgerError) in
                if let name = new.row.name, let fault = try ledger.nameFault(ofKey: name) { return (nil, fault) }
                return (try ledger.insert(new.row), nil)
            }
        } catch {
            throw .notStored(error)
        }
        guard let row = outcome.row else { throw .invalid([FieldError("/name", outcome.fault ?? "")]) }
        var stored = new
        stored.row = row
        return stored
    }

    /// Revokes a key for good; a revoked key is left unchanged.
    ///
    /// - Throws: ``RequestError/unknown(_:)`` for an unknown id, or ``RequestError/notStored(_:)``.
    package func revoke(
        _ id: APIKeyId,
        by author: String,
        at now: Timestamp
    ) async throws(RequestError) -> StoredAPIKey {
        let revocation = StoredAPIKey.Revocation(at: now, by: author)
        let key: StoredAPIKey?
        do throws(LedgerError) {
            key = try await store.write { ledger throws(LedgerError) in try ledger.revokeKey(id, revocation) }
        } catch {
            throw .notStored(error)
        }
        guard let key else { throw .unknown("there is no key \(id.rawValue.quoted)") }
        return key
    }
}
