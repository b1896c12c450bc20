import Foundation
import Testing

@Suite("The built program on a ledger in PostgreSQL", .serialized, .enabled(if: PostgresSchema.isThere))
struct PostgresStoryTests {
    /// A server with a key, on a ledger in PostgreSQL or in a file.
    private struct Shop {
        let setup: ServerUnderTest
        let database: String
        let folder: String
        let config: String

        init(_ database: String?) async throws {
            setup = try await ServerUnderTest()
            self.database = database ?? "sqlite:\(setup.database)"
            folder = setup.scratch.url.appending(path: "files").path
            let text = try String(contentsOfFile: setup.config, encoding: .utf8)
            config = try setup.scratch.write(
                text.replacing("send.delay: 0s", with: "send.delay: 0s, database.folder: \(folder)"),
                to: "postgres.yaml"
            )
        }

        var arguments: [String] { ["serve", "--config", config, "--port", "0", "--database", database] }

        func run(_ arguments: String...) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(arguments + ["--database", database])
        }

        func read(_ reading: [String]) async throws -> BuiltBinary.Result {
            let options = reading[0] == "ledger" ? ["--config", config] : []
            return try await BuiltBinary.run(reading + options + ["--database", database])
        }

        /// A key is created, a token and a sale are stored, and their report is accepted.
        func play() async throws -> (server: RunningServer, headers: [String: String]) {
            let made = try await run("keys", "create", "--scope", "admin", "--name", "shop", "--by", "kim")
            #expect(made.exitCode == 0, "\(made.error)")
            let headers = ["Authorization": "Bearer \(made.output.trimmingCharacters(in: .newlines))"]
            let server = try await RunningServer(arguments)
            #expect(try await HTTP.get(server.url + "/v1/tokens").status == 401)
            let checkout = try await deliver(to: server, headers)
            let sale = ServerUnderTest.sale("order-1", checkout: checkout)
            let sold = try await HTTP.send("POST", server.url + "/v1/sales", sale, headers: headers)
            #expect(sold.status == 201, "\(sold.json)")
            #expect(try await HTTP.send("POST", server.url + "/v1/sales", sale, headers: headers).status == 200)
            for _ in 0..<6_000 {
                let answer = try await HTTP.send("GET", server.url + "/v1/reports", nil, headers: headers)
                let states = (answer.json["reports"] as? [[String: Any]] ?? []).map { $0["state"] as? String }
                if states == ["accepted"] { return (server, headers) }
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("the report was not accepted")
            return (server, headers)
        }

        /// Stores a token and returns its checkout.
        func deliver(to server: RunningServer, _ headers: [String: String]) async throws -> String {
            let (token, _) = try await setup.mint()
            let answer = try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token], headers: headers)
            #expect(answer.status == 201, "\(answer.json)")
            return try #require(answer.json["checkoutId"] as? String)
        }
    }

    /// Every command that reads, with what it prints.
    private static let readings: [[String]] = [
        ["ledger", "due", "--format", "json"], ["ledger", "due"], ["ledger", "plan", "--format", "json"],
        ["ledger", "plan"], ["ledger", "audit"], ["ledger", "verify", "--format", "json"],
        ["ledger", "export", "2026-11", "--environment", "sandbox", "--bundle-id", ServerUnderTest.bundleId],
        ["ledger", "review"], ["keys", "list"], ["users", "list"],
        ["ledger", "purge", "--before", "2016-01-01"],
    ]

    /// Replaces times, and ids by the number of their first appearance, which differ between two runs of one story.
    static func normalized(_ text: String) -> String {
        var known: [String: Int] = [:]
        let time = #/\d{4}-\d\d-\d\d(T[0-9:.]+Z)?|\b\d{13}\b/#
        let id = #/SANDBOX_[0-9A-Za-z_-]+|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9A-Za-z_=-]{16,}/#
        return text.replacing(time, with: "TIME").replacing(id) { match in
            let number = known[String(match.output.0)] ?? known.count
            known[String(match.output.0)] = number
            return "<\(number)>"
        }
    }

    @Test("Key, token, sale and report: every command prints what it prints of the same story in a file")
    func story() async throws {
        let schema = try PostgresSchema()
        let (postgres, file) = (try await Shop(schema.url), try await Shop(nil))
        let (first, second) = (try await postgres.play().server, try await file.play().server)
        #expect(first.terminate() == 0)
        #expect(second.terminate() == 0)
        for reading in Self.readings {
            let (ours, theirs) = (try await postgres.read(reading), try await file.read(reading))
            #expect(ours.exitCode == 0, "\(reading): \(ours.error)")
            #expect(ours.exitCode == theirs.exitCode)
            #expect(Self.normalized(ours.output) == Self.normalized(theirs.output), "\(reading)")
        }
        #expect(
            try schema.integer("SELECT count(*) FROM sales WHERE request_key IS NOT NULL OR state = 'recorded'") == 1
        )
        #expect(try schema.integer("SELECT count(*) FROM reports WHERE state = 'accepted'") == 1)
    }

    @Test("A killed server loses nothing that it acknowledged, and its key and report go on after the restart")
    func kill() async throws {
        let shop = try await Shop(try PostgresSchema().url)
        var (server, headers) = try await shop.play()
        for round in 1...5 {
            _ = try await shop.deliver(to: server, headers)
            server.kill()
            server = try await RunningServer(shop.arguments)
            let list = try await HTTP.send("GET", server.url + "/v1/tokens", nil, headers: headers)
            #expect((list.json["tokens"] as? [Any])?.count == 1 + round, "\(list.json)")
        }
        let reports = try await HTTP.send("GET", server.url + "/v1/reports", nil, headers: headers)
        #expect((reports.json["reports"] as? [Any])?.count == 1)
        #expect(server.terminate() == 0)
        #expect(try await shop.run("ledger", "verify", "--config", shop.config).exitCode == 0)
    }

    @Test("While a server runs: a second one answers too, exclusive commands are refused, keys are changed (SA-76)")
    func besideServer() async throws {
        let schema = try PostgresSchema()
        let shop = try await Shop(schema.url)
        let (server, known) = try await shop.play()
        let other = try await Shop(schema.url)
        let second = try await RunningServer(other.arguments)
        let list = try await HTTP.send("GET", second.url + "/v1/tokens", nil, headers: known)
        #expect((list.json["tokens"] as? [Any])?.count == 1, "\(list.json)")
        let leases = try await HTTP.send("GET", second.url + "/health/ready", nil, headers: [:]).json["leases"]
        #expect((leases as? [String: Any])?["servers"] is [String], "\(String(describing: leases))")
        let folder = try await BuiltBinary.run(
            ["serve", "--config", shop.config, "--port", "0", "--database", try PostgresSchema().url]
        )
        #expect(folder.exitCode == 3)
        #expect(folder.error.contains("another server uses it; each server needs one of its own"), "\(folder.error)")
        for command in [
            ["ledger", "purge", "--before", "2016-01-01", "--confirm", "--by", "kim"], ["database", "migrate"],
        ] {
            let result = try await BuiltBinary.run(command + ["--database", schema.url])
            let isUpToDate = command[0] == "database"
            #expect(result.exitCode == (isUpToDate ? 0 : 3), "\(command): \(result.error)")
            if !isUpToDate { #expect(result.error.contains("a server has it; stop it first"), "\(result.error)") }
        }
        let key = try await shop.run("keys", "create", "--scope", "read")
        #expect(key.exitCode == 0, "\(key.error)")
        let headers = ["Authorization": "Bearer \(key.output.trimmingCharacters(in: .newlines))"]
        var status = 0
        for _ in 0..<1_200 where status != 200 {
            status = try await HTTP.send("GET", server.url + "/v1/tokens", nil, headers: headers).status
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(status == 200)
        #expect(try await shop.run("ledger", "due").exitCode == 0)
        let backup = try await shop.run("ledger", "backup", "x.dump")
        #expect(backup.exitCode == 2)
        #expect(backup.error.contains("pg_dump --format=custom"), "\(backup.error)")
        #expect(server.terminate() == 0)
        #expect(second.terminate() == 0)
    }

    @Test("A later version adds to the schema while a server runs: it stores and reports on, and one more of it starts")
    func laterVersion() async throws {
        let schema = try PostgresSchema()
        let shop = try await Shop(schema.url)
        let (server, headers) = try await shop.play()
        let known = try #require(try schema.integer("SELECT max(position) FROM migrations"))
        // What the later version's first start does; the prepared statements of the running server were planned before.
        try schema.execute(
            """
            BEGIN;
            ALTER TABLE tokens ADD COLUMN later text; ALTER TABLE sales ADD COLUMN later bigint;
            ALTER TABLE reports ADD COLUMN later boolean; ALTER TABLE audit_log ADD COLUMN later text;
            ALTER TABLE leases ADD COLUMN later text;
            CREATE TABLE later (id bigint PRIMARY KEY); CREATE INDEX tokens_later ON tokens (later);
            INSERT INTO migrations VALUES (\(known + 1), '9999-of-a-later-version', '');
            INSERT INTO schema_compatibility VALUES (\(known + 1), \(known));
            COMMIT
            """
        )
        let other = try await Shop(schema.url)
        let second = try await RunningServer(other.arguments)
        for (index, one) in [server, second, server].enumerated() {
            let checkout = try await shop.deliver(to: one, headers)
            let sale = ServerUnderTest.sale("later-\(index)", checkout: checkout)
            let sold = try await HTTP.send("POST", one.url + "/v1/sales", sale, headers: headers)
            #expect(sold.status == 201, "\(sold.json)")
        }
        var accepted: Int64?
        for _ in 0..<2_400 where accepted != 4 {
            accepted = try schema.integer("SELECT count(*) FROM reports WHERE state = 'accepted'")
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(accepted == 4)
        for reading in Self.readings {
            let result = try await shop.read(reading)
            #expect(result.exitCode == 0, "\(reading): \(result.error)")
        }
        #expect(server.terminate() == 0)
        #expect(second.terminate() == 0)

        try schema.execute("UPDATE schema_compatibility SET needs = \(known + 1) WHERE position = \(known + 1)")
        let refused = try await BuiltBinary.run(shop.arguments)
        #expect(refused.exitCode == 3)
        #expect(refused.error.contains("9999-of-a-later-version"), "\(refused.error)")
    }

    @Test("ledger import-sales prints of a ledger at a server what it prints of a file, and a dry run stores nothing")
    func importSales() async throws {
        let schema = try PostgresSchema()
        let (postgres, file) = (try await Shop(schema.url), try await Shop(nil))
        for shop in [postgres, file] {
            let (server, headers) = try await shop.play()
            // A refund of this sale is attributed by what the ledger has.
            _ = try await shop.deliver(to: server, headers)
            #expect(server.terminate() == 0)
        }
        let now = ISO8601DateFormatter().string(from: Date())
        let rows = try postgres.setup.scratch.write(
            """
            saleId,type,occurredAt,productId,quantity,currency,inclusive,taxRate,taxCountry,refundOf
            re-1,refund,\(now),,,EUR,4.00,,,order-1
            late,purchase,2026-11-21T08:00:00Z,gems.100,1,EUR,9.99,21,NLD,

            """,
            to: "sales.csv"
        )
        let counts = "SELECT (SELECT count(*) FROM sales) * 1000 + (SELECT count(*) FROM audit_log)"
        let before = try schema.integer(counts)
        for more in [["--dry-run"], ["--dry-run", "--format", "json"], [], []] {
            let arguments = ["ledger", "import-sales", rows] + more
            let (ours, theirs) = (try await postgres.read(arguments), try await file.read(arguments))
            #expect(ours.exitCode == 0, "\(more): \(ours.error)")
            #expect(ours.output == theirs.output, "\(more)")
            if !more.isEmpty { #expect(try schema.integer(counts) == before) }
        }
        #expect(try schema.integer("SELECT count(*) FROM sales") == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: ".").allSatisfy { !$0.contains(".dry-run-") })
    }

    @Test("A restored copy without acknowledged writes is refused by the anchor in database.folder (OB-93)")
    func restored() async throws {
        let shop = try await Shop(try PostgresSchema().url)
        let (server, _) = try await shop.play()
        #expect(server.terminate() == 0)
        let anchor = shop.folder + "/ledger.anchor"
        #expect(FileManager.default.fileExists(atPath: anchor))
        let verified = try await shop.run("ledger", "verify", "--config", shop.config)
        #expect(verified.output.contains("nothing is missing"), "\(verified.output)")
        let older = try PostgresSchema()
        #expect(
            try await BuiltBinary.run(["keys", "create", "--scope", "read", "--database", older.url]).exitCode == 0
        )
        let refused = try await BuiltBinary.run(
            ["serve", "--config", shop.config, "--port", "0", "--database", older.url]
        )
        #expect(refused.exitCode == 3)
        #expect(refused.error.split(separator: "\n").count == 1, "\(refused.error)")
        #expect(refused.error.contains("its audit log ends at entry 1, entry"), "\(refused.error)")
        #expect(refused.error.contains(anchor), "\(refused.error)")
    }
}
