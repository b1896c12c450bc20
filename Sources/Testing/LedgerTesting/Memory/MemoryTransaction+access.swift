import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func apiKeys() -> [StoredAPIKey] { ledger.apiKeys }

    func users() -> [StoredUser] { ledger.users }

    func add(_ key: StoredAPIKey) throws(LedgerError) -> Int64 {
        guard !ledger.apiKeys.contains(where: { $0.keyId == key.keyId || $0.digest == key.digest }) else {
            throw .conflict("the key is known")
        }
        guard key.digest.count == 32, !key.createdBy.isEmpty, key.name != "", key.bundleId != "" else {
            throw .conflict("a key has a digest and an author")
        }
        var key = key
        key.sequence = Int64(ledger.apiKeys.count + 1)
        return append(key, to: \.apiKeys)
    }

    func revoke(_ key: StoredAPIKey, _ revocation: StoredAPIKey.Revocation) throws(LedgerError) {
        guard let place = ledger.apiKeys.firstIndex(where: { $0.keyId == key.keyId && $0.revocation == nil }),
            !revocation.by.isEmpty
        else { throw .conflict("no such valid key") }
        var revoked = ledger.apiKeys[place]
        revoked.revocation = revocation
        replace(place, in: \.apiKeys, by: revoked)
    }

    func put(_ user: StoredUser) throws(LedgerError) -> Int64 {
        guard !user.name.isEmpty, user.passwordHash != "" else { throw .conflict("a user has a name") }
        if let place = ledger.users.firstIndex(where: { $0.name.hasSameScalars(as: user.name) }) {
            var changed = ledger.users[place]
            changed.passwordHash = user.passwordHash
            changed.updatedAt = user.updatedAt
            replace(place, in: \.users, by: changed)
            return changed.sequence
        }
        var user = user
        user.sequence = Int64(ledger.users.count + 1)
        return append(user, to: \.users)
    }
}
