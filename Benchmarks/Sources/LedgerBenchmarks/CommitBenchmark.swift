import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger

/// The least that durable intake costs: SQLite commits rows of a token's size in groups, each group on the disk before the
/// next one begins.
enum CommitBenchmark {
    /// As many as there are clients in the benchmark of the server.
    private static let group = 64

    /// - Parameter folder: the folder of the file, on the disk that the server uses; nil means the temporary folder.
    static func run(seconds duration: Int, folder: String?) throws {
        let parent = folder.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let path = parent.appending(path: "commits-\(UUID().uuidString).sqlite").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        let text = Rows.token(made: Timestamp(Date())).text
        try pool.write { database in
            try database.execute(sql: "CREATE TABLE tokens (id INTEGER PRIMARY KEY, name TEXT UNIQUE, text TEXT)")
        }
        var count = 0
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(duration) {
            try pool.write { database in
                let insert = try database.cachedStatement(sql: "INSERT INTO tokens (name, text) VALUES (?, ?)")
                for _ in 0..<Self.group { try insert.execute(arguments: [UUID().uuidString, text]) }
            }
            count += Self.group
        }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        print("COMMITS \(Double(count) / elapsed)")
    }
}
