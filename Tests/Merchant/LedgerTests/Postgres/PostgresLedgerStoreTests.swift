import ExternalPurchaseCore
import Foundation
import LedgerSQLite
import LedgerTesting
import Synchronization
import Testing

@testable import Ledger
@testable import LedgerPostgres

@Suite("The ledger in PostgreSQL", .enabled(if: PostgresUnderTest.isThere))
struct PostgresLedgerStoreTests {
    @Test("Closures that wait are committed together, and one that fails fails alone")
    func groups() async throws {
        let store = try await PostgresLedgerStore(PostgresUnderTest.settings(), dependencies: .fixed)
        let errors = await withTaskGroup(of: (Int, LedgerError?).self) { group in
            for number in 0..<200 {
                group.addTask {
                    let error = await store.refusal { ledger in
                        _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("SANDBOX_\(number)")))
                        if number.isMultiple(of: 10) { throw LedgerError.failed("refused") }
                    }
                    return (number, error)
                }
            }
            var errors: [Int: LedgerError] = [:]
            for await (number, error) in group { errors[number] = error }
            return errors
        }
        #expect(errors.count == 20)
        #expect(errors.allSatisfy { $0.key.isMultiple(of: 10) && $0.value == .failed("refused") })
        let contents = try await store.contents()
        #expect(contents.tokens.count == 180)
        try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
    }

    @Test(
        "Closures of a group find the rows that were read ahead, and those that another closure of the group wrote",
        arguments: [false, true]
    )
    func readAhead(hasUnreadableKey: Bool) async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        try await store.step { ledger throws in
            for number in 0..<20 {
                _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("SANDBOX_\(number)")))
                try ledger.put(Checkout(checkoutId: CheckoutId("checkout-\(number)"), bundleId: LedgerRows.shop))
            }
        }
        let errors = try await store.group(of: 120) { number in
            // 40 ids, each in three closures: 20 are stored, 20 are new.
            let id = ExternalPurchaseId("SANDBOX_\(number % 40)")
            let checkout = CheckoutId("checkout-\(number % 40)")
            let unreadable: Set<CheckoutId> = hasUnreadableKey && number == 7 ? ["a\u{0}b"] : []
            let rows = ExpectedRows(
                bundleId: LedgerRows.shop,
                tokens: [id],
                checkouts: unreadable.union([checkout])
            )
            try await store.write(expecting: rows) { ledger throws(LedgerError) in
                if try ledger.token(id, of: LedgerRows.shop) == nil {
                    #expect(number % 40 >= 20)
                    #expect(try ledger.insert(LedgerRows.token(id)).sequence > 20)
                }
                if try ledger.checkout(checkout, of: LedgerRows.shop) == nil {
                    #expect(number % 40 >= 20)
                    try ledger.put(Checkout(checkoutId: checkout, bundleId: LedgerRows.shop))
                }
                if number.isMultiple(of: 3) { throw .conflict("refused") }
            }
        }
        #expect(errors == Dictionary(uniqueKeysWithValues: (0..<40).map { (3 * $0, .conflict("refused")) }))
        let tokens = try await store.contents().tokens
        #expect(
            Set(tokens.map(\.token.externalPurchaseId)) == Set((0..<40).map { ExternalPurchaseId("SANDBOX_\($0)") })
        )
        #expect(tokens.count == 40)
        try await store.step { ledger throws in
            #expect(try ledger.verifyAudit().broken == nil)
            // The next number is that of the server.
            #expect(try ledger.insert(LedgerRows.token("SANDBOX_last")).sequence > tokens.map(\.sequence).max() ?? 0)
        }
    }

    @Test("To store a group of 256 new tokens and customers, the connection waits as often as for two")
    func roundTrips() async throws {
        // However slowly the server of the tests answers.
        var settings = try PostgresUnderTest.settings()
        settings.speculates = false
        let store = try await PostgresLedgerStore(
            settings,
            limits: WriteQueue.Limits(group: 256, duration: .seconds(600)),
            dependencies: .fixed
        )
        /// Writes a group and returns how many answers its connection waited for.
        func group(_ name: String, _ count: Int) async throws -> Int {
            let before = try await store.roundTrips()
            let errors = try await store.group(of: count) { number in
                let customer = CustomerId("customer-\(name)-\(number)")
                var token = LedgerRows.token(ExternalPurchaseId("SANDBOX_\(name)_\(number)"))
                token.customerId = customer
                let (new, checkout) = (token, CheckoutId("checkout-\(name)-\(number)"))
                let rows = ExpectedRows(
                    bundleId: LedgerRows.shop,
                    tokens: [new.token.externalPurchaseId],
                    checkouts: [checkout],
                    customers: [customer]
                )
                try await store.write(expecting: rows) { ledger throws(LedgerError) in
                    _ = try ledger.merge(new)
                    let known = try ledger.checkout(checkout, of: LedgerRows.shop)
                    try ledger.put(Checkout(checkoutId: checkout, bundleId: LedgerRows.shop), replacing: known)
                }
            }
            #expect(errors.isEmpty)
            return try await store.roundTrips() - before
        }
        // Prepares the statements: few rows of a table are inserted one by one, many by one statement.
        _ = try await group("warm-few", 2)
        _ = try await group("warm-many", 16)
        let few = try await group("few", 2)
        let some = try await group("some", 16)
        let many = try await group("many", 256)
        // The lock, what is read with numbers for the rows, the rows with the commit; the first two are also those of the
        // write that holds the writer until the group waits.
        #expect(few == 5 && some == few && many == few, "\(few), \(some), \(many)")
    }

    @Test("A purge may take longer than any other statement (OB-91)")
    func longPurge() async throws {
        var settings = try PostgresUnderTest.settings()
        settings.statementTimeout = 1_000
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let sleep = "SELECT pg_sleep(1.2)"
        try await store.writer.runAlone { ledger throws(LedgerError) in _ = try ledger.connection.rows(sleep, []) }
        await #expect(throws: LedgerError.self) {
            try await store.write { ledger throws(LedgerError) in _ = try ledger.connection.rows(sleep, []) }
        }
        // The limit of the next transaction is the usual one.
        #expect(try await store.purge(before: LedgerRows.now, by: "kim").removals.isEmpty)
    }

    @Test("Rows that go out together have the values of their rows, and each key finds its own")
    func hostileSets() throws {
        let connection = try PostgresConnection(PostgresUnderTest.settings())
        try connection.execute("CREATE TABLE things (name TEXT, number BIGINT, data BYTEA)")
        let texts = [
            "NULL", "null", "", " ", "{a,b}", "{", "}", ",", "\"", "\\", "\\\"", "'", "a\nb\tc\r", "\u{1}", "🛒 ✨",
            "שלום",
            "e\u{301}", "é", String(repeating: "x", count: 100_000),
        ]
        let rows: [SQLArguments] = texts.enumerated().map { place, text in
            [text, place.isMultiple(of: 3) ? nil : Int64(place), place.isMultiple(of: 2) ? nil : Array(text.utf8)]
        }
        try connection.begin("BEGIN")
        for row in rows {
            try connection.perform("INSERT INTO things (name, number, data) VALUES (?, ?, ?)", withEach: [row])
        }
        // Each text, with an argument that is null for every key.
        let found = try connection.rows(
            "SELECT name, number, data FROM things WHERE name = ? AND ? IS NULL",
            withEach: texts.map { [$0, nil] }
        )
        for (row, found) in zip(rows, found) {
            let values = found.map { row in ["name", "number", "data"].map(row.value(of:)) }
            #expect(values == [row.values])
        }
        #expect(throws: LedgerError.self) {
            try connection.perform(
                "INSERT INTO things (name, number, data) VALUES (?, ?, ?)",
                withEach: [["a", nil, nil], ["a\0", nil, nil]]
            )
            try connection.flush()
        }
        connection.endTransaction()
    }

    @Test("Rows of a megabyte do not wait for more")
    func largeRows() throws {
        let connection = try PostgresConnection(PostgresUnderTest.settings())
        try connection.execute("CREATE TABLE things (name TEXT, content TEXT)")
        let sql = "INSERT INTO things (name, content) VALUES (?, ?)"
        try connection.begin("BEGIN")
        for (size, isKept) in [(10, true), (300_000, false)] {
            let content = String(repeating: "x", count: size)
            for name in ["a", "b", "c", "d"] { try connection.perform(sql, withEach: [["\(name)\(size)", content]]) }
            let isAmended = try connection.amend(sql, ["a\(size)", "changed"])
            #expect(isAmended == isKept)
        }
        try connection.commit()
        let names = try connection.rows("SELECT name, length(content) AS size FROM things ORDER BY name", [])
        #expect(names.count == 8 && names[0].value(of: "size") == .integer(7))
    }

    @Test("Queries that are sent together go out with what was written before, in one round trip")
    func queriesAfterWrites() throws {
        let connection = try PostgresConnection(PostgresUnderTest.settings())
        try connection.execute("CREATE TABLE things (name TEXT, number BIGINT)")
        var waits: [Int] = []
        for number in 0..<3 {
            try connection.begin("BEGIN")
            let names = ["a\(number)", "b\(number)", "none"]
            let before = connection.roundTrips
            try connection.perform(
                "INSERT INTO things (name, number) VALUES (?, ?)",
                withEach: names.dropLast().map { [$0, Int64(number)] }
            )
            let found = try connection.rows(
                "SELECT name FROM things WHERE name = ?",
                withEach: names.map { [$0] }
            )
            let texts = found.map { rows in rows.map { $0.optionalText(at: 0) } }
            #expect(texts == [[names[0]], [names[1]], []])
            waits.append(connection.roundTrips - before)
            try connection.commit()
        }
        // The first round prepares the statements.
        #expect(waits.dropFirst() == [1, 1])
    }

    @Test("Two processes write to one ledger one after another: the audit chain has no gap and no fork")
    func twoWriters() async throws {
        let settings = try PostgresUnderTest.settings()
        async let one = PostgresLedgerStore(settings, dependencies: .fixed)
        async let two = PostgresLedgerStore(settings, dependencies: .fixed)
        let stores = try await [one, two]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await stores[number % 2].step { ledger throws in
                        _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("SANDBOX_\(number)")))
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in stores {
            #expect(try await store.contents().tokens.count == 100)
            try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
        }
    }

    @Test("Servers share a ledger; a process that excludes them is refused beside one, and they beside it (SA-76)")
    func servers() async throws {
        let settings = try PostgresUnderTest.settings()
        func isRefused(_ access: PostgresAccess) async throws -> Bool {
            do throws(LedgerError) {
                try await PostgresLedgerStore(settings, for: access, dependencies: .fixed).close()
                return false
            } catch {
                guard case .inUse = error else { throw error }
                return true
            }
        }
        let first = try await PostgresLedgerStore(settings, for: .server, dependencies: .fixed)
        let second = try await PostgresLedgerStore(settings, for: .server, dependencies: .fixed)
        #expect(try await isRefused(.exclusive))
        #expect(try await !isRefused(.edit))
        try first.close()
        #expect(try await isRefused(.exclusive))
        try second.close()
        // The server ends the session of a closed connection after a moment.
        var opened: PostgresLedgerStore?
        while opened == nil {
            do throws(LedgerError) {
                opened = try await PostgresLedgerStore(settings, for: .exclusive, dependencies: .fixed)
            } catch {
                guard case .inUse = error else { throw error }
            }
        }
        let alone = try #require(opened)
        #expect(try await isRefused(.server))
        #expect(try await isRefused(.exclusive))
        #expect(try await !isRefused(.edit))
        try alone.close()
        #expect(try await !isRefused(.server))
    }

    @Test("A reader sees one state although a writer commits meanwhile")
    func consistentReads() async throws {
        let store = try await PostgresLedgerStore(PostgresUnderTest.settings(), dependencies: .fixed)
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        async let counts = store.read { ledger throws(LedgerError) in
            let before = try ledger.tokens(matching: ListFilter(), LedgerPage()).count
            enter.yield()
            gate.wait()
            return try [before, ledger.tokens(matching: ListFilter(), LedgerPage()).count]
        }
        for await _ in entered { break }
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        gate.signal()
        #expect(try await counts == [0, 0])
        #expect(try await store.contents().tokens.count == 1)
    }

    @Test(
        "A schema whose migrations are not ours is refused",
        arguments: [
            "UPDATE migrations SET sql = sql || ' '", "UPDATE migrations SET id = 'other' WHERE position = 1",
            "INSERT INTO migrations SELECT 1 + max(position), '9999-of-a-later-version', '' FROM migrations",
        ]
    )
    func otherHistory(_ change: String) async throws {
        let settings = try PostgresUnderTest.settings()
        try await PostgresLedgerStore(settings).close()
        try PostgresConnection(settings).execute(change)
        let error = await ledgerError { _ = try await PostgresLedgerStore(settings) }
        guard case .historyDiffers = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A later version that only adds to the schema leaves it usable; one that changes it does not")
    func laterVersion() async throws {
        let settings = try PostgresUnderTest.settings()
        try await PostgresLedgerStore(settings).close()
        let connection = try PostgresConnection(settings)
        let known = PostgresMigration.all.count
        // A store of this version that has prepared its statements goes on after a column was added to each table.
        let running = try await PostgresLedgerStore(settings, for: .server, dependencies: .fixed)
        try await FullLedger.fill(running)
        let before = try await running.contents()
        let tables = try connection.query(
            "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()",
            []
        ).rows.compactMap { $0.optionalText(at: 0) }
        for table in tables { try connection.execute("ALTER TABLE \(table) ADD COLUMN later text") }
        #expect(try await running.contents() == before)
        try await running.step { ledger throws in _ = try ledger.insert(LedgerRows.token("SANDBOX_later")) }
        try running.close()
        try connection.execute(
            """
            INSERT INTO migrations (position, id, sql) VALUES (\(known + 1), '9999-of-a-later-version', '');
            INSERT INTO schema_compatibility (position, needs) VALUES (\(known + 1), \(known))
            """
        )
        let store = try await PostgresLedgerStore(settings)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("SANDBOX_latest")) }
        try store.close()
        try connection.execute("UPDATE schema_compatibility SET needs = \(known + 1) WHERE position = \(known + 1)")
        let error = await ledgerError { _ = try await PostgresLedgerStore(settings) }
        guard case .historyDiffers = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "A server that comes back without what this process committed is refused, and no second ledger is created",
        arguments: ["older", "dropped"],
        [true, false]
    )
    func olderCopy(_ kind: String, endsConnections: Bool) async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, for: .server)
        let first = LedgerRows.token("SANDBOX_1")
        let second = LedgerRows.token("SANDBOX_2")
        try await store.step { ledger throws in _ = try ledger.insert(first) }
        try await store.step { ledger throws in _ = try ledger.insert(second) }
        let administrator = try PostgresConnection(settings)
        let schema = try #require(try administrator.text("SELECT current_schema()"))
        if kind == "older" {
            try administrator.execute(
                """
                ALTER TABLE audit_log DISABLE TRIGGER ALL;
                DELETE FROM audit_log WHERE sequence = (SELECT max(sequence) FROM audit_log);
                ALTER TABLE audit_log ENABLE TRIGGER ALL
                """
            )
        } else {
            try administrator.execute("DROP SCHEMA \(schema) CASCADE; CREATE SCHEMA \(schema)")
        }
        // As a restart of the server ends them; a schema that is restored by itself leaves them open.
        if endsConnections {
            try administrator.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1818583919
                AND objid = (hashtext(current_schema())::bigint & 4294967295)
                """
            )
        }
        var errors: [LedgerError?] = []
        for number in 3...5 {
            let token = LedgerRows.token(ExternalPurchaseId("SANDBOX_\(number)"))
            errors.append(await store.refusal { ledger in _ = try ledger.insert(token) })
        }
        errors.append(await ledgerError { try await store.checkWritable() })
        for error in errors {
            guard case .inaccessible = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        // The first write may meet the end of its connection.
        let text = "\(String(describing: errors[1]))"
        if kind == "older" { #expect(text.contains("which this server has seen, is missing or different"), "\(text)") }
        let tables = "SELECT count(*)::text FROM information_schema.tables WHERE table_schema = current_schema()"
        if kind == "dropped" { #expect(try administrator.text(tables) == "0") }
    }

    @Test("A server that has committed nothing of late refuses an older copy by the head that it read (OB-93)")
    func olderCopyOfOthersWrites() async throws {
        let settings = try PostgresUnderTest.settings()
        let (first, second) = (
            try await PostgresLedgerStore(settings, for: .server), try await PostgresLedgerStore(settings, for: .server)
        )
        try await first.step { ledger throws in _ = try ledger.insert(LedgerRows.token("SANDBOX_1")) }
        let read = try #require(try await second.read { ledger throws(LedgerError) in try ledger.lastAuditEntry() })
        second.note(AuditHead(sequence: read.sequence, hash: read.hash))
        // An older head changes nothing.
        second.note(AuditHead(sequence: read.sequence - 1, hash: read.hash))
        try await second.checkWritable()
        try PostgresConnection(settings).execute(
            """
            ALTER TABLE audit_log DISABLE TRIGGER ALL;
            DELETE FROM audit_log WHERE sequence = \(read.sequence);
            ALTER TABLE audit_log ENABLE TRIGGER ALL
            """
        )
        let refusal = await second.refusal { ledger in _ = try ledger.insert(LedgerRows.token("SANDBOX_2")) }
        guard case .inaccessible = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
    }

    @Test("A ledger in which nothing can be written is not writable, and is again when it can be")
    func readOnly() async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, for: .server)
        try await store.checkWritable()
        let reading = PostgresSettings(
            connection: settings.connection.replacing("options=", with: "options=-cdefault_transaction_read_only=on\\ ")
        )
        let other = try await PostgresLedgerStore(reading, for: .server)
        let refusal = await ledgerError { try await other.checkWritable() }
        guard case .inaccessible(let reason) = refusal, reason.contains("read-only") else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        let token = await other.refusal { ledger in _ = try ledger.insert(LedgerRows.token()) }
        guard case .inaccessible = token else {
            Issue.record("\(String(describing: token))")
            return
        }
        // What one closure does wrong does not count.
        let administrator = try PostgresConnection(settings)
        try administrator.execute("ALTER TABLE tokens ADD CONSTRAINT none CHECK (text = '') NOT VALID")
        let conflict = await store.refusal { ledger in _ = try ledger.insert(LedgerRows.token()) }
        guard case .conflict = conflict else {
            Issue.record("\(String(describing: conflict))")
            return
        }
        try await store.checkWritable()
    }

    @Test("A migration that does more than add is refused beside another server; one that only adds is not")
    func migrationBesideServer() async throws {
        let settings = try PostgresUnderTest.settings()
        let server = try await PostgresLedgerStore(settings, for: .server)
        let adds = PostgresMigration(id: "9998-adds", sql: "ALTER TABLE tokens ADD COLUMN later text", onlyAdds: true)
        let renames = PostgresMigration(id: "9999-renames", sql: "ALTER TABLE tokens RENAME COLUMN later TO latest")
        let all = PostgresMigration.all
        /// Migrates as a server of a later version that starts, and which ends again.
        func start(_ migrations: [PostgresMigration]) async -> LedgerError? {
            await ledgerError {
                let connection = try PostgresConnection(settings)
                try PostgresLock.take(.server, on: connection)
                try migrate(connection, to: migrations)
            }
        }
        #expect(await start(all + [adds, renames]) == .inUse(path: "the ledger's schema"))
        let observer = try PostgresConnection(settings)
        #expect(try observer.text("SELECT count(*)::text FROM migrations") == "\(all.count)")
        #expect(await start(all + [adds]) == nil)
        try await server.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        #expect(await start(all + [adds, renames]) == .inUse(path: "the ledger's schema"))

        try server.close()
        // A connection's locks end with its process of PostgreSQL, shortly after it was closed.
        let others = """
            SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND classid = 1818583919
            AND objid = (hashtext(current_schema())::bigint & 4294967295)
            """
        for _ in 0..<6_000 where try observer.text(others) != "0" { try await Task.sleep(for: .milliseconds(20)) }
        #expect(await start(all + [adds, renames]) == nil)
        #expect(try observer.text("SELECT count(*)::text FROM migrations") == "\(all.count + 2)")
        guard case .historyDiffers = await ledgerError({ _ = try await PostgresLedgerStore(settings) }) else {
            Issue.record("a version that does not know the migration opened the schema")
            return
        }
    }

    @Test("A schema with tables of another program is refused and left alone")
    func foreignSchema() async throws {
        let settings = try PostgresUnderTest.settings()
        let connection = try PostgresConnection(settings)
        try connection.execute("CREATE TABLE theirs (id bigint)")
        let error = await ledgerError { _ = try await PostgresLedgerStore(settings) }
        #expect(error == .inaccessible("the schema is another program's, with the table theirs"))
        #expect(
            try connection.text(
                "SELECT count(*)::text FROM information_schema.tables WHERE table_schema = current_schema()"
            ) == "1"
        )
    }

    @Test(
        "The schema refuses what no ledger may hold",
        arguments: [
            "DELETE FROM tokens", "DELETE FROM sales", "DELETE FROM reports",
            "UPDATE tokens SET text = 'other'", "UPDATE tokens SET state = 'sure'",
            "UPDATE reports SET body = '\\x00'", "UPDATE reports SET state = 'lost'",
            "UPDATE reports SET attempts = -1",
            "UPDATE sales SET content = '{}'", "UPDATE sales SET external_purchase_id = NULL",
            "UPDATE sales SET hold_causes = '[\"no-tax\"]'", "UPDATE sales SET review = 'closed'",
            "UPDATE sales SET dispatch = 'apart'", "UPDATE sales SET subscription_decision = 'newSubscription'",
            "UPDATE sales SET origin = 'imported'", "UPDATE sales SET notes = '[\"void\"]'",
            "INSERT INTO checkouts (bundle_id, checkout_id, external_purchase_id) VALUES ('a', 'b', 'c')",
            "DELETE FROM audit_log", "UPDATE audit_log SET time = time + 1",
        ]
    )
    func schema(_ statement: String) async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings)
        try await store.step { ledger throws in
            _ = try ledger.insert(LedgerRows.token())
            _ = try ledger.insert(LedgerRows.sale("s"))
            _ = try ledger.insert(LedgerRows.report(1), holding: ["s"])
        }
        let connection = try PostgresConnection(settings)
        let error = await ledgerError { try connection.execute(statement) }
        #expect(error?.isConflict == true, "\(String(describing: error))")
    }

    @Test("A schema has every trigger of the list, on its table, and each refuses what it names")
    func triggers() async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, dependencies: FullLedger.dependencies)
        try await FullLedger.fill(store)
        let connection = try PostgresConnection(settings)
        let found = try connection.query(
            """
            SELECT tgname || ' on ' || tgrelid::regclass::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
                WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
            """,
            []
        ).rows.compactMap { $0.optionalText(at: 0) }
        #expect(found.sorted() == SchemaTrigger.all.map { "\($0.name) on \($0.table)" }.sorted())
        for trigger in SchemaTrigger.all where !SchemaTriggerTests.empty.contains(trigger.table) {
            for statement in trigger.refusedStatements {
                let error = await ledgerError { try connection.execute(statement) }
                #expect(error?.isConflict == true, "\(statement): \(String(describing: error))")
            }
        }
    }

    @Test("A write waits for another process no longer than the time it was given, and is busy")
    func locked() async throws {
        var settings = try PostgresUnderTest.settings()
        settings.lockTimeout = 50
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let other = try PostgresConnection(settings)
        try other.execute("BEGIN; \(PostgresLock.transaction)")
        let insert: @Sendable () async throws -> Void = {
            try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        }
        #expect(await ledgerError(insert) == .busy)
        try other.execute("ROLLBACK")
        #expect(await ledgerError(insert) == nil)
    }

    @Test("Writes that arrive while a transaction waits to begin are committed with it, up to the size of a group")
    func lateArrivals() async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(
            settings,
            limits: WriteQueue.Limits(group: 8, duration: .seconds(600)),
            dependencies: .fixed
        )
        let other = try PostgresConnection(settings)
        try other.execute("BEGIN; \(PostgresLock.transaction)")
        let isWaiting = """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 1818583918
                AND objid = (hashtext(current_schema())::bigint & 4294967295)::oid
            """
        try await withThrowingTaskGroup(of: Void.self) { group in
            func write(_ number: Int) {
                group.addTask {
                    try await store.step { ledger throws in
                        _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("SANDBOX_\(number)")))
                    }
                }
            }
            write(0)
            while try other.query(isWaiting, []).rows.first?.optionalInteger(at: 0) == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            for number in 1...10 { write(number) }
            while store.waitingCount < 10 { try await Task.sleep(for: .milliseconds(10)) }
            try other.execute("ROLLBACK")
            try await group.waitForAll()
        }
        let sizes = try other.query("SELECT count(*) FROM tokens GROUP BY xmin::text ORDER BY min(sequence)", [])
        #expect(sizes.rows.map { $0.optionalInteger(at: 0) } == [8, 3])
    }

    @Test("A server that is not there is one error, without the password")
    func noServer() async {
        let settings = PostgresSettings(
            connection: "host=127.0.0.1 port=1 user=ledger password=swordfish dbname=ledger"
        )
        let error = await ledgerError { _ = try await PostgresLedgerStore(settings) }
        guard case .inaccessible(let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("127.0.0.1"))
        #expect(!detail.contains("swordfish"))
    }

    @Test("Rows come back from the server as a store in memory keeps them")
    func fields() async throws {
        let memory = MemoryLedgerStore.empty(FullLedger.dependencies)
        let store = try await PostgresLedgerStore(
            PostgresUnderTest.settings(),
            dependencies: FullLedger.dependencies
        )
        try await FullLedger.fill(memory)
        try await FullLedger.fill(store)
        let (expected, contents) = (try await memory.contents(), try await store.contents())
        #expect(contents.tokens == expected.tokens)
        #expect(contents.sales == expected.sales)
        #expect(contents.reports == expected.reports)
        #expect(contents == expected)
    }

    @Test("A purge removes the same rows as from a file (OB-91)")
    func purge() async throws {
        let file = try SQLiteLedgerStore(path: temporaryFile(), dependencies: FullLedger.dependencies)
        let settings = try PostgresUnderTest.settings()
        let server = try await PostgresLedgerStore(settings, dependencies: FullLedger.dependencies)
        let reader = try await PostgresLedgerReader(settings)
        try await FullLedger.fill(file)
        try await FullLedger.fill(server)
        for days in [-1_000, 0, 1, 30, 400, 4_000] {
            let cut = LedgerRows.now + .days(days)
            let expected = try await file.write { ledger throws(LedgerError) in try ledger.purgePlan(before: cut) }
            #expect(try await reader.purgePlan(before: cut) == expected, "\(days)")
            #expect(!expected.removals.isEmpty || days < 4_000)
        }
        let cut = LedgerRows.now + .days(4_000)
        let removed = try await file.purge(before: cut, by: "kim")
        #expect(try await server.purge(before: cut, by: "kim") == removed)
        #expect(try await server.contents() == file.contents())
        let refused = await ledgerError {
            try await server.step { ledger throws in try ledger.purge(removed, by: "kim") }
        }
        #expect(refused?.isConflict == true)
        try await server.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
    }
}

@Suite("PostgreSQL's client library")
struct LibPQTests {
    @Test(
        "A library that is missing or another one is one error that says what to install",
        arguments: [
            (["libpq-of-nobody.so.5"], "libpq-of-nobody.so.5 is not there: install Debian's libpq5"),
            (["libz.so.1", "libz.1.dylib"], "has no PQconnectdbParams: it is older than version 14"),
        ]
    )
    func missing(_ names: [String], _ expected: String) {
        #expect {
            try LibPQ(names)
        } throws: { error in
            (error as? LedgerError)?.description.contains(expected) == true
        }
    }
}

@Suite("Statements in PostgreSQL's dialect")
struct PostgresDialectTests {
    @Test(
        "A statement in SQLite's dialect becomes one of PostgreSQL",
        arguments: [
            ("SELECT '?' FROM t WHERE a = ? AND b = ?", "SELECT '?' FROM t WHERE a = $1 AND b = $2"),
            ("SELECT a FROM t WHERE a = ?2 AND b = ?1", "SELECT a FROM t WHERE a = $2 AND b = $1"),
            ("SELECT a FROM t INDEXED BY i WHERE a = ?", "SELECT a FROM t WHERE a = $1"),
            (
                "coalesce(n.content, s.content) ->> '$.amount.taxCountry'",
                "coalesce(n.content, s.content) ::jsonb #>> '{amount,taxCountry}'"
            ),
            ("apps ->> '$[0]'", "apps ::jsonb #>> '{0}'"),
            (
                "iif(a = 'x, (', iif(b, 1, f(2, 3)), NULL)",
                "CASE WHEN a = 'x, (' THEN CASE WHEN b THEN 1 ELSE f(2, 3) END ELSE NULL END"
            ),
            ("a IS NOT ? AND b IS ?", "a IS DISTINCT FROM $1 AND b IS NOT DISTINCT FROM $2"),
            ("a IS NULL AND b IS NOT NULL", "a IS NULL AND b IS NOT NULL"),
            (
                "FROM r INDEXED BY i CROSS JOIN s INDEXED BY j ON s.a = r.a CROSS JOIN json_each(s.b) AS e",
                "FROM r JOIN s ON s.a = r.a CROSS JOIN json_each(s.b) AS e"
            ),
            ("INSERT OR IGNORE INTO k SELECT a FROM t", "INSERT INTO k SELECT a FROM t ON CONFLICT DO NOTHING"),
        ]
    )
    func statements(_ sqlite: String, _ postgres: String) {
        #expect(PostgresDialect.statement(sqlite) == postgres)
    }

    @Test("Columns are named, so that a prepared statement outlives a new column")
    func columns() {
        let columns = ["t": ["a", "\"order\""]]
        for (sqlite, postgres) in [
            ("SELECT * FROM t WHERE a = ?", "SELECT a, \"order\" FROM t WHERE a = $1"),
            ("SELECT t.*, u.* FROM t JOIN u USING (a)", "SELECT t.a, t.\"order\", u.* FROM t JOIN u USING (a)"),
            ("SELECT a, count(*) FROM t", "SELECT a, count(*) FROM t"), ("SELECT * FROM u", "SELECT * FROM u"),
            ("SELECT 1 IN (SELECT * FROM t)", "SELECT 1 IN (SELECT a, \"order\" FROM t)"),
        ] {
            #expect(PostgresDialect.statement(sqlite, columns: columns) == postgres)
        }
    }

    @Test("The number of an inserted row is returned")
    func returning() {
        #expect(
            PostgresDialect.statement("INSERT INTO t (a) VALUES (?)", returning: "id")
                == "INSERT INTO t (a) VALUES ($1) RETURNING id"
        )
    }
}

extension PostgresLedgerStore {
    /// Starts writes while another one holds the connection, until all of them wait and are one group.
    ///
    /// - Returns: the errors by the number of the write.
    func group(
        of count: Int,
        _ write: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> [Int: LedgerError] {
        let hasBegun = Mutex(false)
        let gate = DispatchSemaphore(value: 0)
        async let first: Void = self.write { _ throws(LedgerError) in
            hasBegun.withLock { $0 = true }
            gate.wait()
        }
        while !hasBegun.withLock({ $0 }) { await Task.yield() }
        let errors = await withTaskGroup(of: (Int, LedgerError?).self) { group in
            for number in 0..<count {
                group.addTask { (number, await ledgerError { try await write(number) }) }
            }
            while waitingCount < count { await Task.yield() }
            gate.signal()
            var errors: [Int: LedgerError] = [:]
            for await (number, error) in group { errors[number] = error }
            return errors
        }
        try await first
        return errors
    }
}
