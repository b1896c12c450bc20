import ExternalPurchaseCore
import Foundation
import GRDB

/// The state events in a SQLite file.
///
/// Committed events survive a failure of the process or the machine.
///
/// Only one emulator can use the file: it is locked while it is open.
final class StateFile: Sendable {
    let path: String
    private let queue: DatabaseQueue

    /// The application id in the header of the file, which distinguishes it from other SQLite files.
    private static let applicationId = 0x4550_4D31

    /// The suffixes of the files that SQLite creates for one database.
    private static let endings = ["", "-wal", "-shm", "-journal"]

    init(path: String) throws(EmulatorInputError) {
        self.path = path
        // The file contains private keys, so no other user may read it at any time. SQLite gives its other files the
        // same mode.
        let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if made >= 0 { close(made) }
        var configuration = GRDB.Configuration()
        configuration.busyMode = .immediateError
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            // Checked before the journal mode is set, which writes to the file: a file of another program must not
            // change.
            guard try Self.isOwn(database) else { throw Foreign() }
            try Self.makePrivate(path)
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { database in
                try database.execute(sql: "PRAGMA application_id = \(Self.applicationId)")
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS change (
                            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                            body BLOB NOT NULL
                        ) STRICT
                        """
                )
            }
        } catch is Foreign {
            throw EmulatorInputError(
                "foreign-state",
                "--state \(path): is a database of another program; name a file of the emulator or a new one"
            )
        } catch is Exposed {
            throw EmulatorInputError(
                "state-exposed",
                "--state \(path): others may read it, and its mode cannot be changed to 0600; name a file of this user"
            )
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw EmulatorInputError(
                "foreign-state",
                "--state \(path): is not a SQLite file; name a file of the emulator or a new one"
            )
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw EmulatorInputError(
                "state-in-use",
                "--state \(path): another program, such as a second emulator, has it open"
            )
        } catch {
            let reason = (error as? DatabaseError)?.message ?? "\(error)"
            throw EmulatorInputError("state-unreadable", "--state \(path): cannot be opened: \(reason)")
        }
    }

    private struct Foreign: Error {}
    private struct Exposed: Error {}

    /// Removes the permissions of all users other than the owner from the file and those beside it.
    private static func makePrivate(_ path: String) throws {
        for file in endings.map({ path + $0 }) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 else { continue }
            guard chmod(file, 0o600) == 0 else { throw Exposed() }
        }
    }

    private static func isOwn(_ database: Database) throws -> Bool {
        let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        // A program that has made no table yet may have set its version.
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        return id == applicationId || (id == 0 && tables == 0 && version == 0)
    }

    func events() throws -> [StateEvent] {
        try queue.read { database in
            let decoder = JSONDecoder()
            var events: [StateEvent] = []
            let rows = try Data.fetchCursor(database, sql: "SELECT body FROM change ORDER BY sequence")
            while let body = try rows.next() { events.append(try decoder.decode(StateEvent.self, from: body)) }
            return events
        }
    }

    func append(_ events: [StateEvent]) throws {
        try queue.write { try Self.insert(events, $0) }
    }

    func replace(with events: [StateEvent]) throws {
        try queue.write { database in
            try database.execute(sql: "DELETE FROM change")
            try Self.insert(events, database)
        }
    }

    private static func insert(_ events: [StateEvent], _ database: Database) throws {
        let encoder = JSONEncoder()
        let statement = try database.cachedStatement(sql: "INSERT INTO change (body) VALUES (?)")
        for event in events { try statement.execute(arguments: [encoder.encode(event)]) }
    }
}
