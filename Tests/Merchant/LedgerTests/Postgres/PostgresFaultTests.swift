import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerTesting
import Synchronization
import Testing

@testable import LedgerPostgres

@Suite("PostgreSQL failing at any row, or away, leaves the ledger as it was", .enabled(if: PostgresUnderTest.isThere))
struct PostgresFaultTests {
    /// Fails at one of the rows that are written, counted over all tables by a sequence, which no rollback turns back.
    private struct RowFault {
        let connection: PostgresConnection

        init(_ settings: PostgresSettings) throws {
            connection = try PostgresConnection(settings)
            try connection.execute(
                """
                CREATE SEQUENCE fault MINVALUE -1000000000 START -1000000000;
                CREATE FUNCTION row_fault() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF nextval('fault') >= 0 THEN
                        RAISE EXCEPTION USING MESSAGE = 'a fault that was asked for', ERRCODE = 'io_error';
                    END IF;
                    RETURN NULL;
                END $$;
                DO $$
                DECLARE name text;
                BEGIN
                    FOR name IN SELECT table_name FROM information_schema.tables
                        WHERE table_schema = current_schema() AND table_name <> 'migrations'
                    LOOP
                        EXECUTE format('CREATE TRIGGER zz_fault AFTER INSERT OR UPDATE ON %I FOR EACH ROW '
                            || 'EXECUTE FUNCTION row_fault()', name);
                    END LOOP;
                END $$;
                """
            )
        }

        /// Lets this number of rows pass.
        func fail(after rows: Int) throws { try connection.execute("ALTER SEQUENCE fault RESTART WITH \(-rows)") }
    }

    @Test("A whole story in one transaction, failing at each of its rows in turn")
    func rows() async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let fault = try RowFault(settings)
        let before = try await store.contents()
        var rows = 0
        while rows < 500 {
            try fault.fail(after: rows)
            let error = await ledgerError { try await LedgerRows.fillAtOnce(store) }
            if error == nil { break }
            guard case .inaccessible = error else {
                Issue.record("\(String(describing: error)) at row \(rows)")
                break
            }
            #expect(try await store.contents() == before)
            rows += 1
        }
        #expect((50..<500).contains(rows))
        try fault.fail(after: 1_000_000)
        try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
    }

    @Test("A connection that is cut within a write loses this write and no other")
    func lostConnection() async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        let before = try await store.contents()
        let error = await store.refusal { ledger in
            _ = try ledger.insert(LedgerRows.sale("s"))
            // Ends every other session of the schema's ledger: here the one that writes.
            try PostgresConnection(settings).execute(
                """
                SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l WHERE l.locktype = 'advisory' AND l.granted
                    AND l.classid = 1818583918 AND l.objid = (hashtext(current_schema())::bigint & 4294967295)::oid
                """
            )
            _ = try ledger.insert(LedgerRows.sale("t"))
        }
        guard case .inaccessible = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await store.contents() == before)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.sale("s")) }
        #expect(try await store.contents().sales.count == 1)
        try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
    }

    @Test("A connection that is lost during the commit fails the write, whose closures are not run again")
    func lostCommit() async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let connection = try PostgresConnection(settings)
        try connection.execute(
            """
            CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER zz_die AFTER INSERT ON tokens DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION die()
            """
        )
        let runs = Mutex(0)
        let insert: @Sendable (LedgerTransaction) throws -> Void = { ledger in
            runs.withLock { $0 += 1 }
            _ = try ledger.insert(LedgerRows.token())
        }
        let error = await store.refusal(insert)
        guard case .inaccessible = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(runs.withLock { $0 } == 1)
        #expect(try await store.contents().tokens.isEmpty)
        try connection.execute("DROP TRIGGER zz_die ON tokens")
        #expect(await store.refusal(insert) == nil)
        #expect(try await store.contents().tokens.count == 1)
    }

    @Test("A closure that ignores a refused row cannot commit")
    func ignoredError() async throws {
        let store = try await PostgresLedgerStore(PostgresUnderTest.settings(), dependencies: .fixed)
        let refused = await store.refusal { ledger in
            _ = try? ledger.insert(LedgerRows.sale("s", on: "SANDBOX_no-such-token"))
        }
        #expect(refused?.isConflict == true)
        #expect(try await store.contents().sales.isEmpty)
    }
}
