import Ledger

extension SQLTransaction {
    func apiKeys() throws(LedgerError) -> [StoredAPIKey] {
        try query("SELECT * FROM api_keys ORDER BY sequence", []).decoded(APIKeyRow.record)
    }

    func users() throws(LedgerError) -> [StoredUser] {
        try query("SELECT * FROM users ORDER BY sequence", []).decoded(UserRow.record)
    }

    func insertRow(of key: StoredAPIKey) throws(LedgerError) -> Int64 { try insert(key, into: APIKeyRow.table) }

    func updateRow(of key: StoredAPIKey) throws(LedgerError) -> Int64 {
        try change(APIKeyRow.revocation, to: key, at: key.keyId.rawValue, otherwise: "no such valid key")
    }

    /// Inserts a user, or updates the one of that name.
    ///
    /// - Returns: the sequence number of an inserted row.
    func putRow(of user: StoredUser) throws(LedgerError) -> Int64 {
        try insert(UserRow.replacement.sql, UserRow.replacement.arguments(of: user))
    }
}
