import Foundation
import GRDB
import Testing

@Suite("ledger copy, as it is run", .serialized, .enabled(if: PostgresSchema.isThere))
struct LedgerCopyTests {
    /// A server on a file, and the schema that takes its ledger.
    private struct Move {
        let setup: ServerUnderTest
        let schema: PostgresSchema

        init() async throws {
            setup = try await ServerUnderTest()
            schema = try PostgresSchema()
        }

        var from: String { "sqlite:\(setup.database)" }

        func copy(_ more: String...) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(["ledger", "copy", "--from", from, "--to", schema.url] + more)
        }

        /// Stores tokens, and a sale on every second one; returns the tokens' ids.
        @discardableResult
        func write(_ count: Int, _ name: String, to server: RunningServer) async throws -> [String] {
            var ids: [String] = []
            for number in 0..<count {
                let (token, id) = try await setup.mint()
                let answer = try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token])
                #expect(answer.status == 201)
                ids.append(id)
                guard number % 2 == 0, let checkout = answer.json["checkoutId"] as? String else { continue }
                let sale = ServerUnderTest.sale("\(name)-\(number)", checkout: checkout)
                #expect(try await HTTP.send("POST", server.url + "/v1/sales", sale).status == 201)
            }
            return ids
        }

        /// Compares what the commands print of both ledgers, byte for byte.
        func compare() async throws {
            for reading in [
                ["due", "--format", "json"], ["plan", "--format", "json"], ["audit"], ["verify", "--format", "json"],
                ["export", "2026-11", "--environment", "sandbox", "--bundle-id", ServerUnderTest.bundleId],
                ["review"], ["purge", "--before", "2016-01-01"],
            ] {
                let arguments = ["ledger"] + reading + ["--at", "2026-12-01T00:00:00Z"]
                let more = reading[0] == "purge" ? Array(arguments.dropLast(2)) : arguments
                var anchored = more
                if reading[0] == "verify" { anchored += ["--anchor", setup.database + ".anchor"] }
                let ours = try await BuiltBinary.run(anchored + ["--database", schema.url])
                let theirs = try await BuiltBinary.run(anchored + ["--database", from])
                #expect(ours.exitCode == 0, "\(reading): \(ours.error)")
                #expect(ours.output == theirs.output, "\(reading)")
            }
        }

        func rows(_ table: String) throws -> (file: Int?, schema: Int64?) {
            let queue = try DatabaseQueue(path: setup.database)
            defer { try? queue.close() }
            let sql = "SELECT count(*) FROM \(table)"
            return (try queue.read { try Int.fetchOne($0, sql: sql) }, try schema.integer(sql))
        }
    }

    @Test("It copies while writes go on, refuses --finish meanwhile, and finishes a ledger that goes on")
    func move() async throws {
        let move = try await Move()
        let server = try await RunningServer(move.setup.arguments)
        try await move.write(10, "before", to: server)
        async let written = move.write(30, "while", to: server)
        for _ in 0..<3 {
            let copied = try await move.copy()
            #expect(copied.exitCode == 0, "\(copied.error)")
            #expect(copied.output.contains("not finished"), "\(copied.output)")
            #expect(copied.error.isEmpty, "\(copied.error)")
        }
        _ = try await written
        let running = try await move.copy("--finish")
        #expect(running.exitCode == 3)
        #expect(running.error.contains("a server has it; stop it for --finish"), "\(running.error)")
        let unfinished = try await BuiltBinary.run(
            ["serve", "--config", move.setup.config, "--port", "0"]
                + ["--database", move.schema.url],
            folder: move.setup.scratch.url
        )
        #expect(unfinished.exitCode == 3)
        #expect(unfinished.error.contains("it is an unfinished copy"), "\(unfinished.error)")
        // What the last run beside the server did not see is left for the last step.
        try await move.write(6, "late", to: server)
        #expect(server.terminate() == 0)

        let finished = try await move.copy("--finish", "--format", "json")
        #expect(finished.exitCode == 0, "\(finished.error)")
        #expect(finished.json?["finished"] as? Bool == true)
        #expect((finished.json?["changed"] as? Int ?? 0) >= 6)
        for table in ["tokens", "sales", "reports", "audit_log", "deadlines", "accepted_items"] {
            let rows = try move.rows(table)
            #expect(rows.schema == rows.file.map(Int64.init), "\(table)")
            #expect(rows.file ?? 0 > 0, "\(table)")
        }
        try await move.compare()
        // The copy goes on: constraints and counters are those of a ledger, and nothing is reported twice.
        let copy = try await RunningServer(
            ["serve", "--config", move.setup.config, "--port", "0", "--database", move.schema.url],
            folder: move.setup.scratch.url
        )
        try await move.write(4, "after", to: copy)
        let reports = try await ServerUnderTest.settledReports(copy)
        #expect(reports.allSatisfy { $0["state"] as? String == "accepted" }, "\(reports)")
        #expect(copy.terminate() == 0)
        #expect(try await BuiltBinary.run(["ledger", "verify", "--database", move.schema.url]).exitCode == 0)
        #expect(throws: (any Error).self) { try move.schema.execute("UPDATE audit_log SET time = 0") }
        #expect(throws: (any Error).self) { try move.schema.execute("UPDATE sales SET external_purchase_id = 'x'") }
        let again = try await move.copy()
        #expect(again.exitCode == 3)
        #expect(again.error.contains("the target is a ledger already"), "\(again.error)")
    }

    @Test("A copy that is killed at any moment is unfinished or whole, and the next run goes on")
    func killed() async throws {
        let move = try await Move()
        let server = try await RunningServer(move.setup.arguments)
        try await move.write(40, "order", to: server)
        _ = try await ServerUnderTest.settledReports(server)
        #expect(server.terminate() == 0)
        var delay = 20
        while true {
            let process = Process()
            process.executableURL = BuiltBinary.url
            process.arguments = ["ledger", "copy", "--from", move.from, "--to", move.schema.url, "--finish"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            try await Task.sleep(for: .milliseconds(delay))
            let isRunning = process.isRunning
            _ = Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            // The server ends the killed process's session after a moment.
            try await Task.sleep(for: .milliseconds(200))
            let verified = try await BuiltBinary.run(["ledger", "verify", "--database", move.schema.url])
            if verified.exitCode == 0 { break }
            #expect(verified.exitCode == 3)
            #expect(
                verified.error.contains("unfinished copy") || verified.error.contains("has no ledger"),
                "\(verified.error)"
            )
            // A run that ended by itself found the killed one's session still at work.
            #expect(isRunning || process.terminationStatus == 3)
            // Steps that grow: on a busy machine a copy takes many seconds.
            delay += max(40, delay / 4)
            try #require(delay < 60_000, "the copy does not end")
        }
        #expect(delay > 20)
        try await move.compare()
    }

    @Test("A changed row of the copy is repaired, a tampered audit entry of the source is found, a full target refused")
    func checks() async throws {
        let move = try await Move()
        let server = try await RunningServer(move.setup.arguments)
        try await move.write(6, "order", to: server)
        _ = try await ServerUnderTest.settledReports(server)
        #expect(server.terminate() == 0)
        #expect(try await move.copy().exitCode == 0)
        try move.schema.execute(
            "UPDATE sales SET content = '{}' WHERE sequence = 1; DELETE FROM tokens WHERE sequence = 2;"
        )
        let queue = try DatabaseQueue(path: move.setup.database)
        let entry = try await queue.write { database in
            let sql = try String.fetchAll(
                database,
                sql: "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit_log'"
            )
            let names = try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit_log'"
            )
            for name in names { try database.execute(sql: "DROP TRIGGER \(name)") }
            let time = try Int64.fetchOne(database, sql: "SELECT time FROM audit_log WHERE sequence = 3")
            try database.execute(sql: "UPDATE audit_log SET time = time + 1 WHERE sequence = 3")
            for trigger in sql { try database.execute(sql: trigger) }
            return time
        }
        try queue.close()
        let tampered = try await move.copy("--finish")
        #expect(tampered.exitCode == 3)
        #expect(tampered.error.contains("the audit log is broken at entry 3"), "\(tampered.error)")
        let refused = try await BuiltBinary.run(["ledger", "due", "--database", move.schema.url])
        #expect(refused.error.contains("unfinished copy"), "\(refused.error)")
        let repaired = try DatabaseQueue(path: move.setup.database)
        try await repaired.write { database in
            for name in try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit_log'"
            ) { try database.execute(sql: "DROP TRIGGER \(name)") }
            try database.execute(sql: "UPDATE audit_log SET time = ? WHERE sequence = 3", arguments: [entry])
        }
        try repaired.close()
        let finished = try await move.copy("--finish")
        #expect(finished.exitCode == 0, "\(finished.error)")
        #expect(finished.output.contains("complete"), "\(finished.output)")
        try await move.compare()
    }

    @Test("More rows than are read at once, and rows far from each other that have exchanged a unique value")
    func pages() async throws {
        let move = try await Move()
        #expect(try await BuiltBinary.run(["database", "migrate", "--database", move.from]).exitCode == 0)
        let queue = try DatabaseQueue(path: move.setup.database)
        try await queue.write { database in
            for number in 1...1_200 {
                try database.execute(
                    sql: "INSERT INTO users (name, password_hash, updated_at) VALUES (?, 'hash', ?)",
                    arguments: ["user-\(number)", number]
                )
            }
            for name in try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'users'"
            ) { try database.execute(sql: "DROP TRIGGER \(name)") }
            try database.execute(sql: "DELETE FROM users WHERE sequence IN (700, 1200)")
        }
        try queue.close()
        #expect(try await move.copy().exitCode == 0)
        try move.schema.execute(
            """
            UPDATE users SET name = 'x' WHERE sequence = 1; UPDATE users SET name = 'user-1' WHERE sequence = 1100;
            UPDATE users SET name = 'user-1100' WHERE sequence = 1; DELETE FROM users WHERE sequence > 1150;
            INSERT INTO users (sequence, name, updated_at) VALUES (700, 'gone', 1), (5000, 'later', 1)
            """
        )
        let finished = try await move.copy("--finish")
        #expect(finished.exitCode == 0, "\(finished.error)")
        #expect(try move.rows("users") == (1_198, 1_198))
        #expect(try move.schema.integer("SELECT count(*) FROM users WHERE name = 'user-' || sequence") == 1_198)
        // The number of the deleted newest row is not given again.
        #expect(
            try move.schema.integer("INSERT INTO users (name, updated_at) VALUES ('new', 1) RETURNING sequence")
                == 1_201
        )
    }

    @Test("Addresses in the wrong place, a missing file and visits that are not in the ledger yet")
    func usage() async throws {
        let move = try await Move()
        let (from, to) = (move.from, move.schema.url)
        for (source, target, wanted, code) in [
            (from, "sqlite:/tmp/x", "--to sqlite:/tmp/x: a ledger is copied to postgres://USER@HOST/DATABASE", 2),
            (to, to, "a ledger is copied from a file, as sqlite:FILE", 2),
            (from, to, "there is no such file", 3),
            (from, "postgres://l:s3cret/x@h/d", "is not of the form postgres://", 2),
        ] as [(String, String, String, Int32)] {
            let result = try await BuiltBinary.run(["ledger", "copy", "--from", source, "--to", target])
            #expect(result.exitCode == code, "\(result.error)")
            #expect(result.error.contains(wanted), "\(result.error)")
            #expect(result.error.split(separator: "\n").count == 1)
            #expect(!result.error.contains("s3cret"))
        }
        let server = try await RunningServer(move.setup.arguments)
        try await move.write(1, "order", to: server)
        #expect(server.terminate() == 0)
        try Data("visit\n".utf8).write(to: URL(filePath: move.setup.database + ".landing-spool"))
        let waiting = try await move.copy("--finish")
        #expect(waiting.exitCode == 3)
        #expect(waiting.error.contains("has visits that are not in the ledger"), "\(waiting.error)")
    }
}
