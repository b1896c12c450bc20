import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import Testing

@testable import LedgerSQLite

@Suite("Keys are changed while a server has the ledger open")
struct SQLiteLedgerEditorTests {
    private static func key(_ seed: UInt64) -> StoredAPIKey {
        var generator = SplitMix64(seed: seed)
        return StoredAPIKey(
            APIKey(scope: .read, using: &generator),
            keyId: APIKeyId("key_\(seed)"),
            createdAt: LedgerRows.now,
            createdBy: "kim"
        )
    }

    @Test("Changes of both are in one audit chain, and the server goes on after the other one is gone")
    func besideServer() async throws {
        let path = try temporaryFile()
        let server = try SQLiteLedgerStore(path: path)
        for number in 0..<5 {
            try await server.step { ledger throws in
                _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("t-\(number)")))
            }
            let editor = try SQLiteLedgerEditor(path: path)
            let key = Self.key(UInt64(number))
            _ = try await editor.write { ledger throws(LedgerError) in try ledger.insert(key) }
            try editor.close()
            let seen = try await server.read { ledger throws(LedgerError) in try ledger.apiKeys() }
            #expect(seen.last?.digest == key.digest)
        }
        let verdict = try await server.read { ledger throws(LedgerError) in try ledger.verifyAudit() }
        #expect(verdict.broken == nil)
        #expect(verdict.intact == 10)
        // The lock that excludes a second server is still held.
        #expect(throws: LedgerError.inUse(path: path)) { try SQLiteLedgerStore(path: path) }
        try server.close()
        let copy = try SQLiteLedgerReader(path: path)
        #expect(try await copy.read { ledger throws(LedgerError) in try ledger.apiKeys().count } == 5)
    }

    @Test("A ledger that is missing, or of another version's schema, is left alone")
    func otherSchema() async throws {
        let path = try temporaryFile()
        #expect(throws: LedgerError.self) { try SQLiteLedgerEditor(path: path) }
        #expect(!FileManager.default.fileExists(atPath: path))
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in try migrate(database, to: Migration.all.dropLast()) }
        #expect(throws: LedgerError.self) { try SQLiteLedgerEditor(path: path) }
        let applied = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM migrations") }
        #expect(applied == Migration.all.count - 1)
    }

    @Test(
        "The schema refuses what no key can be",
        arguments: [
            "UPDATE api_keys SET scope = 'admin'", "UPDATE api_keys SET expires_at = 99", "DELETE FROM api_keys",
            "UPDATE api_keys SET revoked_at = 1", "UPDATE users SET name = 'x'", "DELETE FROM users",
            "INSERT INTO api_keys (key_id, scope, digest, created_at, created_by) VALUES ('k', 'root', zeroblob(32), 1, 'x')",
            "INSERT INTO api_keys (key_id, scope, digest, created_at, created_by) VALUES ('k', 'read', zeroblob(31), 1, 'x')",
        ]
    )
    func schema(_ statement: String) async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        try await store.step { ledger throws in
            _ = try ledger.insert(Self.key(1))
            _ = try ledger.setPassword("hash", ofUser: "kim", by: "root", at: LedgerRows.now)
        }
        await #expect(throws: DatabaseError.self) { try await store.pool.write { try $0.execute(sql: statement) } }
    }
}
