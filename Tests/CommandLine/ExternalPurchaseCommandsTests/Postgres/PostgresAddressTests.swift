import Foundation
import Testing

@Suite("Wrong addresses of PostgreSQL", .serialized, .enabled(if: PostgresSchema.isThere))
struct PostgresAddressTests {
    /// Runs commands that must end with one line without the password.
    private static func refuse(_ database: String, _ wanted: String, exitCode: Int32 = 3) async throws {
        let setup = try await ServerUnderTest()
        for command in [["serve", "--config", setup.config, "--port", "0"], ["ledger", "due"], ["keys", "list"]] {
            let result = try await BuiltBinary.run(
                command + ["--database", database],
                environment: ["HOME": setup.scratch.url.path],
                folder: setup.scratch.url
            )
            #expect(result.exitCode == exitCode, "\(command): \(result.error)")
            #expect(result.output.isEmpty)
            #expect(result.error.contains(wanted), "\(command): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(command): \(result.error)")
            #expect(!result.error.contains("s3cret"), "\(command): \(result.error)")
        }
    }

    @Test("No server, no such database, no such role, and a server without TLS where it is required")
    func connections() async throws {
        let schema = try PostgresSchema()
        try await Self.refuse(schema.url(user: "ledger:s3cret", port: "1"), "Connection refused")
        try await Self.refuse(schema.url(user: "ledger:s3cret", database: "none"), "database \"none\" does not exist")
        try await Self.refuse(schema.url(user: "nobody:s3cret"), "role \"nobody\" does not exist")
        try await Self.refuse(
            schema.url(user: "ledger:s3cret", more: "&sslmode=verify-full"),
            "server does not support SSL, but SSL was required"
        )
    }

    @Test("A wrong password, and a role that may not use the schema")
    func roles() async throws {
        let schema = try PostgresSchema()
        try schema.execute(
            """
            CREATE ROLE \(schema.name)_role LOGIN PASSWORD 'right';
            CREATE TEMP TABLE hba AS SELECT line FROM unnest(string_to_array(
                'host all \(schema.name)_role all scram-sha-256' || chr(10)
                    || pg_read_file(current_setting('hba_file')), chr(10))) AS line;
            COPY hba TO '\(try #require(try schema.text("SELECT current_setting('hba_file')")))';
            SELECT pg_reload_conf()
            """
        )
        try await Task.sleep(for: .milliseconds(500))
        try await Self.refuse(schema.url(user: "\(schema.name)_role:s3cret"), "password authentication failed")
        // A role without a right to the schema has none in its search path.
        try await Self.refuse(schema.url(user: "\(schema.name)_role:right"), "does not exist")
    }

    @Test(
        "A URI whose password could be taken for another part",
        arguments: [
            "postgres://ledger:s3cret@more@127.0.0.1/ledger", "postgres://ledger:s3cret/x@127.0.0.1/ledger",
            "postgres://ledger:s3cret?x@127.0.0.1/ledger", "postgres:s3cret", "postgres://ledger:s3cret",
            "postgres://ledger:s3cret#@127.0.0.1/ledger",
        ]
    )
    func ambiguous(_ url: String) async throws {
        try await Self.refuse(url, "is not of the form postgres://USER@HOST:5432/DATABASE", exitCode: 2)
    }

    @Test("Another program's schema, a ledger of a later version, and an empty schema with database.migrate off")
    func schemas() async throws {
        let foreign = try PostgresSchema()
        try foreign.execute("CREATE TABLE songs (title text)")
        try await Self.refuse(foreign.url, "another program's, with the table songs")
        let later = try PostgresSchema()
        #expect(try await BuiltBinary.run(["database", "migrate", "--database", later.url]).exitCode == 0)
        try later.execute("INSERT INTO migrations VALUES (1000, '9999-of-a-later-version', '')")
        try await Self.refuse(later.url, "9999-of-a-later-version")
        let empty = try PostgresSchema()
        let setup = try await ServerUnderTest()
        let off = try await BuiltBinary.run([
            "serve", "--config", setup.config, "--port", "0", "--set", "database.migrate=off", "--set",
            "database.folder=\(setup.scratch.url.path)/files", "--database", empty.url,
        ])
        #expect(off.exitCode == 3)
        #expect(
            off.error.contains(
                "database.migrate is off and the schema lacks 0001-ledger, 0002-roles, 0003-lists, 0004-webhooks, "
                    + "0005-user-apps, 0006-requests, 0007-alert-channels, 0008-pages; run "
                    + "external-purchase database migrate --database (as here)"
            ),
            "\(off.error)"
        )
        let dry = try await BuiltBinary.run([
            "database", "migrate", "--dry-run", "--database", empty.url,
        ])
        let names = [
            "0001-ledger", "0002-roles", "0003-lists", "0004-webhooks", "0005-user-apps", "0006-requests",
            "0007-alert-channels", "0008-pages",
        ]
        #expect(dry.output == names.map { "lacks \($0)\n" }.joined())
        #expect(
            try empty.integer("SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace") == 0
        )
        let due = try await BuiltBinary.run(["ledger", "due", "--database", empty.url])
        #expect(due.exitCode == 3)
        #expect(due.error.contains("the schema has no ledger"), "\(due.error)")
    }
}
