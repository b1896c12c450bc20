package import Ledger

/// Reads the API keys and users of the ledger.
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
}
