package import ExternalPurchaseCore

extension LedgerQueries {
    /// Every key in order of creation, including revoked and expired ones.
    package func apiKeys() throws(LedgerError) -> [StoredAPIKey] {
        try query("SELECT * FROM api_keys ORDER BY sequence", []).decoded(APIKeyRow.record)
    }

    /// Every user in order of creation, including removed ones.
    package func users() throws(LedgerError) -> [StoredUser] {
        try query("SELECT * FROM users ORDER BY sequence", []).decoded(UserRow.record)
    }
}

extension LedgerTransaction {
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

extension LedgerQueries {
    package func apiKey(_ id: APIKeyId) throws(LedgerError) -> StoredAPIKey? {
        try apiKeys().first { $0.keyId == id }
    }

    package func user(named name: String) throws(LedgerError) -> StoredUser? {
        try users().first { $0.name.hasSameScalars(as: name) }
    }
}

extension LedgerTransaction {
    /// Stores a new key.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the id or the digest is known.
    package func insert(_ key: StoredAPIKey) throws(LedgerError) -> StoredAPIKey {
        var key = key
        key.sequence = try perform(.insertKey(key))
        return key
    }

    /// Revokes a key; a revoked key is left unchanged.
    ///
    /// - Returns: the key; nil when there is no such key.
    package func revokeKey(
        _ id: APIKeyId,
        _ revocation: StoredAPIKey.Revocation
    ) throws(LedgerError) -> StoredAPIKey? {
        guard var key = try apiKey(id), key.revocation == nil else { return try apiKey(id) }
        key.revocation = revocation
        try perform(.revokeKey(key, revocation))
        return key
    }

    /// Sets the password of a user, who is created if the name is new.
    ///
    /// - Parameters:
    ///   - role: the role of the user; nil keeps it. A new user, or one who was removed, is then a viewer, and
    ///   an administrator where nobody else may sign in.
    ///   - apps: the only apps of the user, or all with `.all`; nil keeps them. An administrator has all apps.
    /// - Returns: the user.
    package func setPassword(
        _ hash: String,
        ofUser name: String,
        role: UserRole? = nil,
        apps: StoredUser.Apps? = nil,
        by author: String,
        at time: Timestamp
    ) throws(LedgerError) -> StoredUser {
        let users = try users()
        let known = users.first { $0.name.hasSameScalars(as: name) }
        let first: UserRole = users.allSatisfy(\.isRemoved) ? .admin : .viewer
        var user = known ?? StoredUser(sequence: 0, name: name, passwordHash: nil, updatedAt: time, role: first)
        user.role = role ?? (user.isRemoved ? first : user.role)
        user.setApps(apps ?? (user.isRemoved ? .all : nil))
        user.passwordHash = hash
        user.updatedAt = time
        let sequence = try perform(.setUser(user, by: author))
        if user.sequence == 0 { user.sequence = sequence }
        return user
    }

    /// Sets what a user may do, and for which apps.
    ///
    /// - Parameters:
    ///   - role: the role.
    ///   - apps: the only apps of the user, or all with `.all`; nil keeps them. An administrator has all apps.
    /// - Returns: the user; nil when there is no such user, or no longer.
    package func setRole(
        _ role: UserRole,
        apps: StoredUser.Apps? = nil,
        ofUser name: String,
        by author: String
    ) throws(LedgerError) -> StoredUser? {
        guard var user = try user(named: name), !user.isRemoved else { return nil }
        let known = user
        user.role = role
        user.setApps(apps)
        if user == known { return user }
        try perform(.setUserRole(user, by: author))
        return user
    }

    /// Removes a user, who can no longer sign in.
    ///
    /// - Returns: false when there is no such user, or no longer.
    package func removeUser(_ name: String, by author: String, at time: Timestamp) throws(LedgerError) -> Bool {
        guard var user = try user(named: name), !user.isRemoved else { return false }
        user.passwordHash = nil
        user.updatedAt = time
        try perform(.removeUser(user, by: author))
        return true
    }
}
