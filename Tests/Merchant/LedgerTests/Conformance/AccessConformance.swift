import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    private static func key(
        _ id: APIKeyId,
        seed: UInt64,
        app: BundleId? = nil,
        expires: Timestamp? = nil
    ) -> (key: APIKey, stored: StoredAPIKey) {
        var generator = SplitMix64(seed: seed)
        let key = APIKey(scope: .sales, using: &generator)
        let stored = StoredAPIKey(
            key,
            keyId: id,
            bundleId: app,
            name: app == nil ? nil : "till",
            createdAt: LedgerRows.now,
            createdBy: "kim",
            expiresAt: expires
        )
        return (key, stored)
    }

    /// Claims about API keys and users.
    static let access: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A key comes back as it was stored, is revoked once, and neither secret nor digest is in the audit log",
            over: { store in
                let end = LedgerRows.now + .days(1)
                let (key, till) = Self.key("key_1", seed: 1, app: LedgerRows.shop, expires: end)
                let (_, other) = Self.key("key_2", seed: 2)
                let revocation = StoredAPIKey.Revocation(at: LedgerRows.now + .seconds(5), by: "lee")
                try await store.step { ledger throws in
                    let stored = try ledger.insert(till)
                    #expect(stored.sequence == 1)
                    #expect(try ledger.insert(other).sequence == 2)
                    #expect(try ledger.apiKeys().map(\.keyId) == ["key_1", "key_2"])
                    #expect(try ledger.apiKeys().first == stored)
                    var revoked = stored
                    revoked.revocation = revocation
                    #expect(try ledger.revokeKey("key_1", revocation) == revoked)
                    let later = StoredAPIKey.Revocation(at: end, by: "kim")
                    #expect(try ledger.revokeKey("key_1", later) == revoked)
                    #expect(try ledger.revokeKey("key_9", later) == nil)
                }
                try await store.step { ledger throws in
                    #expect(try ledger.apiKeys().map(\.revocation) == [revocation, nil])
                    let entries = try ledger.auditEntries(LedgerPage())
                    #expect(entries.map(\.kind) == ["key-created", "key-created", "key-revoked"])
                    #expect(entries[0].content.contains(#""by":"kim""#))
                    #expect(entries[0].content.contains(#""name":"till""#))
                    #expect(entries[2].content.contains(#""by":"lee""#))
                    for entry in entries {
                        #expect(!entry.content.contains(key.digest.hexadecimal))
                        #expect(!entry.content.contains("epk_"))
                    }
                }
            }
        ),
        LedgerConformanceCase(
            "A key of a known id or digest is refused, and so is one that no author made",
            over: { store in
                let (_, first) = Self.key("key_1", seed: 1)
                try await store.step { ledger throws in _ = try ledger.insert(first) }
                let (_, sameId) = Self.key("key_1", seed: 2)
                let (_, sameDigest) = Self.key("key_2", seed: 1)
                var generator = SplitMix64(seed: 3)
                let nobody = StoredAPIKey(
                    APIKey(scope: .read, using: &generator),
                    keyId: "key_3",
                    createdAt: LedgerRows.now,
                    createdBy: ""
                )
                for key in [sameId, sameDigest, nobody] {
                    #expect(await store.refusal { ledger in _ = try ledger.insert(key) }?.isConflict == true)
                }
            }
        ),
        LedgerConformanceCase(
            "A user keeps the name, has the newest password, and none after the removal",
            over: { store in
                let now = LedgerRows.now
                try await store.step { ledger throws in
                    let kim = try ledger.setPassword("hash-1", ofUser: "kim", by: "root", at: now)
                    #expect(kim == StoredUser(sequence: 1, name: "kim", passwordHash: "hash-1", updatedAt: now))
                    _ = try ledger.setPassword("hash-2", ofUser: "Kim", by: "root", at: now)
                    let later = now + .seconds(1)
                    let changed = try ledger.setPassword("hash-3", ofUser: "kim", by: "kim", at: later)
                    #expect(changed == StoredUser(sequence: 1, name: "kim", passwordHash: "hash-3", updatedAt: later))
                    #expect(try ledger.users().map(\.name) == ["kim", "Kim"])
                    #expect(try ledger.user(named: "kim") == changed)
                    #expect(try ledger.removeUser("kim", by: "lee", at: later))
                    #expect(try !ledger.removeUser("kim", by: "lee", at: later))
                    #expect(try !ledger.removeUser("nobody", by: "lee", at: later))
                    #expect(try ledger.user(named: "kim")?.isRemoved == true)
                    _ = try ledger.setPassword("hash-4", ofUser: "kim", by: "lee", at: later)
                    #expect(try ledger.user(named: "kim")?.passwordHash == "hash-4")
                    let entries = try ledger.auditEntries(LedgerPage())
                    #expect(
                        entries.map(\.kind)
                            == [
                                "user-password-set", "user-password-set", "user-password-set", "user-removed",
                                "user-password-set",
                            ]
                    )
                    #expect(entries[3].content == #"{"by":"lee","user":"kim"}"#)
                    #expect(entries.allSatisfy { !$0.content.contains("hash-") })
                }
            }
        ),
    ]
}
