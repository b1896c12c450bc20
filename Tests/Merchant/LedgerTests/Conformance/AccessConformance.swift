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

    private static func kim(_ hash: String, _ time: Timestamp) -> StoredUser {
        StoredUser(sequence: 1, name: "kim", passwordHash: hash, updatedAt: time, role: .admin)
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
                    #expect(kim == Self.kim("hash-1", now))
                    _ = try ledger.setPassword("hash-2", ofUser: "Kim", by: "root", at: now)
                    let later = now + .seconds(1)
                    let changed = try ledger.setPassword("hash-3", ofUser: "kim", by: "kim", at: later)
                    #expect(changed == Self.kim("hash-3", later))
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
        LedgerConformanceCase(
            "The first user is an administrator and others are viewers, a password keeps the role, and each is on record",
            over: { store in
                let now = LedgerRows.now
                try await store.step { ledger throws in
                    _ = try ledger.setPassword("hash", ofUser: "kim", by: "root", at: now)
                    _ = try ledger.setPassword("hash", ofUser: "lee", by: "root", at: now)
                    _ = try ledger.setPassword("hash", ofUser: "ann", role: .finance, by: "root", at: now)
                    #expect(try ledger.users().map(\.role) == [.admin, .viewer, .finance])
                    #expect(try ledger.setRole(.operator, ofUser: "lee", by: "kim")?.role == .operator)
                    #expect(try ledger.setRole(.operator, ofUser: "lee", by: "kim")?.role == .operator)
                    #expect(try ledger.setRole(.admin, ofUser: "nobody", by: "kim") == nil)
                    _ = try ledger.setPassword("other", ofUser: "lee", by: "lee", at: now)
                    #expect(try ledger.user(named: "lee")?.role == .operator)
                    _ = try ledger.setPassword("other", ofUser: "lee", role: .viewer, by: "kim", at: now)
                    #expect(try ledger.user(named: "lee")?.role == .viewer)
                    // Who was removed comes back as a new user.
                    #expect(try ledger.removeUser("ann", by: "kim", at: now))
                    #expect(try ledger.setRole(.admin, ofUser: "ann", by: "kim") == nil)
                    _ = try ledger.setPassword("hash", ofUser: "ann", by: "kim", at: now)
                    #expect(try ledger.user(named: "ann")?.role == .viewer)
                    for name in ["kim", "lee", "ann"] { #expect(try ledger.removeUser(name, by: "kim", at: now)) }
                    _ = try ledger.setPassword("hash", ofUser: "lee", by: "root", at: now)
                    #expect(try ledger.user(named: "lee")?.role == .admin)
                }
                try await store.step { ledger throws in
                    let entries = try ledger.auditEntries(matching: ListFilter([.kind: "user-role-set"]), LedgerPage())
                    #expect(entries.map(\.content) == [#"{"by":"kim","role":"operator","user":"lee"}"#])
                    let first = try ledger.auditEntries(LedgerPage()).first
                    #expect(first?.content == #"{"by":"root","role":"admin","user":"kim"}"#)
                }
            }
        ),
        LedgerConformanceCase(
            "A user is limited to apps until somebody says otherwise, an administrator never, and each is on record",
            over: { store in
                let (now, some) = (
                    LedgerRows.now, StoredUser.Apps.only(["com.example.b", "com.example.a"])
                )
                try await store.step { ledger throws in
                    let kim = try ledger.setPassword("hash", ofUser: "kim", apps: some, by: "root", at: now)
                    #expect(kim.role == .admin && kim.apps == nil)
                    let lee = try ledger.setPassword("hash", ofUser: "lee", apps: some, by: "root", at: now)
                    #expect(lee.apps == ["com.example.a", "com.example.b"])
                    #expect(try ledger.user(named: "lee") == lee)
                    _ = try ledger.setPassword("other", ofUser: "lee", by: "lee", at: now)
                    _ = try ledger.setRole(.finance, ofUser: "lee", by: "kim")
                    #expect(try ledger.user(named: "lee")?.apps == ["com.example.a", "com.example.b"])
                    _ = try ledger.setRole(.finance, apps: .only([]), ofUser: "lee", by: "kim")
                    #expect(try ledger.user(named: "lee")?.apps == [])
                    _ = try ledger.setRole(.finance, apps: .all, ofUser: "lee", by: "kim")
                    #expect(try ledger.user(named: "lee")?.apps == nil)
                    _ = try ledger.setRole(.finance, apps: some, ofUser: "lee", by: "kim")
                    _ = try ledger.setRole(.admin, ofUser: "lee", by: "kim")
                    #expect(try ledger.user(named: "lee")?.apps == nil)
                    // Who was removed comes back as a new user.
                    _ = try ledger.setRole(.viewer, apps: some, ofUser: "lee", by: "kim")
                    #expect(try ledger.removeUser("lee", by: "kim", at: now))
                    #expect(try ledger.setPassword("hash", ofUser: "lee", by: "kim", at: now).apps == nil)
                }
                try await store.step { ledger throws in
                    let entries = try ledger.auditEntries(
                        matching: ListFilter([.kind: "user-role-set"]),
                        LedgerPage()
                    )
                    #expect(
                        entries.map(\.content).prefix(4)
                            == [
                                #"{"apps":["com.example.a","com.example.b"],"by":"kim","role":"finance","user":"lee"}"#,
                                #"{"apps":[],"by":"kim","role":"finance","user":"lee"}"#,
                                #"{"by":"kim","role":"finance","user":"lee"}"#,
                                #"{"apps":["com.example.a","com.example.b"],"by":"kim","role":"finance","user":"lee"}"#,
                            ]
                    )
                }
            }
        ),
    ]
}
