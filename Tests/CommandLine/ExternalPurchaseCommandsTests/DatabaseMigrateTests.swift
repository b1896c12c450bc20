import Foundation
import GRDB
import Testing

@testable import ExternalPurchaseCommands
@testable import LedgerSQLite

@Suite("database migrate, and serve on a ledger of another version", .serialized)
struct DatabaseMigrateTests {
    private static let names = Migration.all.map(\.id)

    /// A ledger that has the table of migrations and lacks all of them; later ones are tested in `MigrationTests`.
    private static func older(in scratch: ScratchFolder) throws -> String {
        let path = scratch.url.appending(path: "older.sqlite").path
        let queue = try DatabaseQueue(path: path)
        try queue.write { try migrate($0, to: []) }
        try queue.close()
        return path
    }

    private static func change(_ path: String, _ sql: String) throws {
        // A running server may be about to commit.
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private static func names(in path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try String.fetchAll($0, sql: "SELECT id FROM migrations ORDER BY position") }
    }

    /// A configuration of a setup with another setting.
    private static func config(_ setup: ServerUnderTest, _ setting: String) throws -> String {
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        return try setup.scratch.write(
            text.replacing("send.delay: 0s", with: "send.delay: 0s, \(setting)"),
            to: "other.yaml"
        )
    }

    @Test("An older ledger: a dry run names what it lacks and changes nothing, the command applies it once")
    func older() async throws {
        let scratch = try ScratchFolder()
        let path = try Self.older(in: scratch)
        let before = try Data(contentsOf: URL(filePath: path))
        let lacked = Self.names
        #expect(lacked.first == "0001-ledger")
        let dry = try await BuiltBinary.run(["database", "migrate", "--dry-run", "--database", "sqlite:\(path)"])
        #expect(dry.exitCode == 0, "\(dry.error)")
        #expect(dry.output.split(separator: "\n").map(String.init) == lacked.map { "lacks \($0)" })
        let json = try await BuiltBinary.run(
            ["database", "migrate", "--dry-run", "--format", "json", "--database", "sqlite:\(path)"]
        )
        #expect(json.json?["missing"] as? [String] == lacked)
        #expect(json.json?["applied"] as? [String] == [])
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        let applied = try await BuiltBinary.run(["database", "migrate", "--database", "sqlite:\(path)"])
        #expect(applied.exitCode == 0, "\(applied.error)")
        #expect(applied.output.split(separator: "\n").map(String.init) == lacked.map { "applied \($0)" })
        #expect(try Self.names(in: path) == Self.names)
        let again = try await BuiltBinary.run(
            ["database", "migrate", "--format", "json", "--database", "sqlite:\(path)"]
        )
        #expect(again.exitCode == 0)
        #expect(again.json?["applied"] as? [String] == [])
    }

    @Test("serve migrates by itself; with database.migrate off it refuses an older ledger and a missing one")
    func serve() async throws {
        let setup = try await ServerUnderTest()
        let path = try Self.older(in: setup.scratch)
        let off = try Self.config(setup, "database.migrate: off")
        let missing = setup.scratch.url.appending(path: "missing.sqlite").path
        for file in [path, missing] {
            let result = try await BuiltBinary.run(
                ["serve", "--config", off, "--port", "0", "--database", "sqlite:\(file)"]
            )
            #expect(result.exitCode == 3, "\(result.error)")
            #expect(result.output.isEmpty)
            #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
            for text in ["database migrate --database sqlite:\(file)", "database.migrate", "0001-ledger"] {
                #expect(result.error.contains(text), "\(result.error)")
            }
        }
        #expect(try Self.names(in: path) == [])
        #expect(!FileManager.default.fileExists(atPath: missing))
        // The command makes both usable.
        let made = try await BuiltBinary.run(["database", "migrate", "--database", "sqlite:\(missing)"])
        #expect(made.exitCode == 0, "\(made.error)")
        let empty = try await RunningServer(
            ["serve", "--config", off, "--port", "0", "--database", "sqlite:\(missing)"]
        )
        #expect(empty.terminate() == 0)
        let server = try await RunningServer(
            ["serve", "--config", setup.config, "--port", "0", "--database", "sqlite:\(path)"]
        )
        #expect(try await HTTP.get(server.url + "/v1/tokens").status == 200)
        let busy = try await BuiltBinary.run(["database", "migrate", "--dry-run", "--database", "sqlite:\(path)"])
        #expect(busy.exitCode == 0, "\(busy.error)")
        #expect(server.terminate() == 0)
        #expect(try Self.names(in: path) == Self.names)
        let wrong = try await BuiltBinary.run(
            ["serve", "--config", try Self.config(setup, "database.migrate: never"), "--port", "0"],
            folder: setup.scratch.url
        )
        #expect(wrong.exitCode == 2)
        #expect(wrong.error.contains("database.migrate 'never' must be on or off"), "\(wrong.error)")
    }

    @Test(
        "A ledger of a newer version, a changed history and another program's database are refused and not changed",
        arguments: [
            (
                "INSERT INTO migrations SELECT 1 + max(position), '9999-of-a-later-version', '' FROM migrations",
                "9999-of-a-later-version"
            ),
            ("UPDATE migrations SET sql = sql || ' ' WHERE position = 1", "0001-ledger"),
        ]
    )
    func refused(_ change: String, _ named: String) async throws {
        let setup = try await ServerUnderTest()
        let path = setup.scratch.url.appending(path: "ledger.sqlite").path
        #expect(try await BuiltBinary.run(["database", "migrate", "--database", "sqlite:\(path)"]).exitCode == 0)
        try Self.change(path, change)
        let off = try Self.config(setup, "database.migrate: off")
        for arguments in [
            ["database", "migrate"], ["database", "migrate", "--dry-run"], ["serve", "--config", setup.config],
            ["serve", "--config", off], ["ledger", "audit"],
        ] {
            let result = try await BuiltBinary.run(arguments + ["--database", "sqlite:\(path)"])
            #expect(result.exitCode == 3, "\(arguments): \(result.error)")
            #expect(result.error.contains(named), "\(arguments): \(result.error)")
        }
        let other = setup.scratch.url.appending(path: "other.sqlite").path
        try Self.change(other, "CREATE TABLE songs (title TEXT)")
        let bytes = try Data(contentsOf: URL(filePath: other))
        for arguments in [["database", "migrate"], ["database", "migrate", "--dry-run"]] {
            let result = try await BuiltBinary.run(arguments + ["--database", "sqlite:\(other)"])
            #expect(result.exitCode == 3)
            #expect(result.error.contains("songs"), "\(result.error)")
        }
        #expect(try Data(contentsOf: URL(filePath: other)) == bytes)
    }

    @Test("Whether a server has the ledger is asked without being in the way of one that starts")
    func asking() async throws {
        let scratch = try ScratchFolder()
        let path = scratch.url.appending(path: "ledger.sqlite").path
        let address = DatabaseAddress(path: path)
        _ = try FileLock(path: path)
        #expect(!address.isInUse)
        // A question that took the lock would refuse some of these.
        let questions = (0..<2).map { _ in
            Task.detached { while !Task.isCancelled { _ = address.isInUse } }
        }
        for _ in 0..<300 {
            let lock = try FileLock(path: path)
            withExtendedLifetime(lock) { #expect(address.isInUse) }
        }
        for question in questions {
            question.cancel()
            await question.value
        }
    }

    @Test("A running server's ledger is not migrated, and a folder that is missing is named")
    func conditions() async throws {
        let setup = try await ServerUnderTest()
        let path = try Self.older(in: setup.scratch)
        // As a server of the version that the ledger is of.
        let lock = try FileLock(path: path)
        let result = try await BuiltBinary.run(["database", "migrate", "--database", "sqlite:\(path)"])
        #expect(result.exitCode == 3)
        #expect(result.error.contains("stop it first"), "\(result.error)")
        withExtendedLifetime(lock) {}
        let folder = try await BuiltBinary.run(
            ["database", "migrate", "--database", "sqlite:\(setup.scratch.url.path)/none/l.sqlite"]
        )
        #expect(folder.exitCode == 2)
        #expect(folder.error.contains("/none does not exist"), "\(folder.error)")
    }
}
