import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import LedgerTesting
import Testing

@testable import LedgerSQLite

@Suite("An erased id stands nowhere in the ledger's files (OB-92)")
struct ErasureTracesTests {
    /// The names of the files beside the database that hold a text.
    private static func files(in folder: URL, with text: String) throws -> [String] {
        let wanted = Data(text.utf8)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter { name in
            try Data(contentsOf: folder.appendingPathComponent(name)).range(of: wanted) != nil
        }
    }

    private static func id(_ number: Int) -> CustomerId {
        // Spread over the index, so that its pages are split and balanced.
        CustomerId("person-\(String(number &* 2_654_435_761 % 4_294_967_296, radix: 16))-\(number)@id")
    }

    @Test("Of one among thousands no page, no free space and no log keeps a byte, and all figures stay (OB-92, OB-93)")
    func thousands() async throws {
        let folder = try temporaryFolder()
        let store = try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
        for block in 0..<6 {
            try await store.step { ledger throws in
                for number in block * 300..<block * 300 + 300 {
                    let token = ExternalPurchaseId("SANDBOX_\(number)")
                    _ = try ledger.insert(LedgerRows.token(token, customer: Self.id(number)))
                    let checkout = Checkout(
                        checkoutId: CheckoutId("k\(number)"),
                        bundleId: LedgerRows.shop,
                        customerId: Self.id(number)
                    )
                    try ledger.put(checkout)
                }
            }
        }
        for number in [7, 900, 1_799] {
            let wanted = Self.id(number)
            #expect(try !Self.files(in: folder, with: wanted.rawValue).isEmpty)
            let before = try await store.contents()
            let head = try #require(before.audit.last.map { AuditHead(sequence: $0.sequence, hash: $0.hash) })
            let erased = try await store.step { ledger throws in
                try ledger.eraseCustomer(wanted, of: LedgerRows.shop)
            }
            try await store.removeTraces(of: wanted.rawValue)
            #expect(try Self.files(in: folder, with: wanted.rawValue) == [])
            // A neighbour is still there.
            #expect(try !Self.files(in: folder, with: Self.id(number - 1).rawValue).isEmpty)
            let after = try await store.contents()
            #expect(after.tokens.map(\.token) == before.tokens.map(\.token))
            #expect(after.tokens.filter { $0.customerId?.rawValue == erased?.pseudonym }.count == 1)
            let verdict = try await store.read { ledger throws(LedgerError) in
                try ledger.verifyAudit(expecting: head)
            }
            #expect(verdict.broken == nil)
            #expect(verdict.intact == Int64(before.audit.count + 1))
        }
    }

    @Test("What SQLite leaves between rows of a page is found and written over (OB-92)")
    func leftBehind() async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        // As a version without secure deletion would have left it.
        try await store.pool.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA secure_delete = OFF;
                    CREATE TABLE scratch (text TEXT);
                    INSERT INTO scratch VALUES ('left-behind-4711');
                    DELETE FROM scratch;
                    PRAGMA wal_checkpoint(TRUNCATE);
                    PRAGMA secure_delete = ON;
                    """
            )
        }
        #expect(try Self.files(in: folder, with: "left-behind-4711") == ["l.sqlite"])
        try await store.removeTraces(of: "left-behind-4711")
        #expect(try Self.files(in: folder, with: "left-behind-4711") == [])
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        #expect(try await store.contents().tokens.count == 1)
    }

    @Test("Another process that still reads the old state makes it wait, and says so (OB-92)")
    func reader() async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path, busyTimeout: 0.1)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token(customer: "person-4711")) }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { database in
            try database.execute(sql: "BEGIN; SELECT * FROM tokens")
        }
        _ = try await store.step { ledger throws in
            try ledger.eraseCustomer("person-4711", of: LedgerRows.shop)
        }
        let error = await ledgerError { try await store.removeTraces(of: "person-4711") }
        #expect(error == .busy)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try other.close()
        try await store.removeTraces(of: "person-4711")
        #expect(try Self.files(in: folder, with: "person-4711") == [])
    }
}
