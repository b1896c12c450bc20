import Crypto
import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import Testing

@testable import LedgerSQLite

@Suite("The audit chain (OB-93)")
struct AuditChainTests {
    @Test("An entry's hash is SHA-256 of the one before and its own lines, whatever order its members came in")
    func hash() throws {
        let content = try JSONReader().read(#"{"b": [ {"d": 1, "c": null} ], "a": "é"}"#)
        let first = AuditEntry(after: nil, time: LedgerRows.now, kind: "sale-stored", content: content)
        #expect(first.content == #"{"a":"é","b":[{"c":null,"d":1}]}"#)
        let second = AuditEntry(after: first.head, time: LedgerRows.now, kind: "sale-stored", content: content)
        for (entry, previous) in [(first, [UInt8](repeating: 0, count: 32)), (second, first.hash)] {
            let lines = "\(entry.sequence)\n1795176000000\nsale-stored\n\(entry.content)"
            #expect(entry.hash == Array(Crypto.SHA256.hash(data: previous + Array(lines.utf8))))
        }
    }

    /// The head that the story has since it ends with an event that is sent again: a changed byte of any entry changes it.
    @Test("Entries keep their bytes from version to version", arguments: StoreUnderTest.present)
    func bytes(_ kind: StoreUnderTest) async throws {
        let store = try await kind.open()
        try await LedgerRows.fill(store)
        let head = try await store.step { ledger throws in try ledger.lastAuditEntry() }
        #expect(head?.hash.hexadecimal == "738db1a98d1275726dd61535922914ab32cee2fa447c059b500cc99176bd349e")
        let verified = try await store.step { ledger throws in
            var verified: [Int64] = []
            _ = try ledger.verifyAudit { verified.append($0) }
            return verified
        }
        #expect(verified == [head?.sequence ?? 0])
    }

    @Test(
        "Whoever has the file cannot change it unseen: the first broken entry is named",
        arguments: [
            ("UPDATE audit_log SET content = replace(content, 'jp', 'kr') WHERE kind = 'export-made'", "export-made"),
            ("UPDATE audit_log SET time = time + 1 WHERE kind = 'sale-corrected'", "sale-corrected"),
            ("UPDATE audit_log SET kind = 'report-written' WHERE kind = 'report-imported'", "report-imported"),
            ("UPDATE audit_log SET hash = zeroblob(32) WHERE kind = 'link-tapped'", "link-tapped"),
            ("DELETE FROM audit_log WHERE kind = 'customer-seen'", "customer-seen"),
            ("DELETE FROM audit_log WHERE sequence = 1", "token-stored"),
        ]
    )
    func tampering(_ statement: String, firstBroken kind: String) async throws {
        let path = try temporaryFile()
        var written: [AuditEntry] = []
        do {
            let store = try SQLiteLedgerStore(path: path, dependencies: .fixed)
            try await LedgerRows.fill(store)
            written = try await store.step { ledger throws in try ledger.auditEntries(LedgerPage(limit: 1_000)) }
            try store.close()
        }
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try database.execute(sql: "DROP TRIGGER audit_log_never_change; DROP TRIGGER audit_log_are_never_deleted")
            try database.execute(sql: statement)
        }
        try queue.close()
        let store = try SQLiteLedgerStore(path: path)
        let verdict = try await store.step { ledger throws in try ledger.verifyAudit() }
        let expected = try #require(written.first { $0.kind == kind })
        #expect(verdict.broken?.sequence == expected.sequence)
        #expect(verdict.intact == expected.sequence - 1)
    }

    @Test(
        "Whoever changes the file while it is in use is told no",
        arguments: ["UPDATE audit_log SET time = 0", "DELETE FROM audit_log"]
    )
    func triggers(_ statement: String) async throws {
        let path = try temporaryFile()
        let store = try SQLiteLedgerStore(path: path)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        let queue = try DatabaseQueue(path: path)
        #expect {
            try queue.write { try $0.execute(sql: statement) }
        } throws: { error in
            LedgerError(translating: error).isConflict
        }
    }

    @Test("After an erasure the id is nowhere in the file, and the chain is whole (OB-92)")
    func erasure() async throws {
        let path = try temporaryFile()
        let name = "mustermann-8f4a"
        let store = try SQLiteLedgerStore(path: path)
        try await store.step { ledger throws in
            _ = try ledger.insert(LedgerRows.token(customer: CustomerId(name)))
            try ledger.put(Checkout(checkoutId: "k", bundleId: LedgerRows.shop, customerId: CustomerId(name)))
        }
        try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        let needle = Data(name.utf8)
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: needle) != nil)
        try await store.step { ledger throws in _ = try ledger.eraseCustomer(CustomerId(name), of: LedgerRows.shop) }
        try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: needle) == nil)
        try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
    }
}
