import Foundation
import Ledger
import Testing

@testable import LedgerPostgres

/// An empty schema of the server that `./run postgres` starts.
struct PostgresSchema {
    private static let variable = "EXTERNAL_PURCHASE_TEST_POSTGRES"
    static let isThere = ProcessInfo.processInfo.environment[variable] != nil

    /// The schema's name.
    let name: String
    private let parts: [String: String]

    init() throws {
        let text = try #require(ProcessInfo.processInfo.environment[Self.variable])
        parts = Dictionary(
            text.split(separator: " ").map { part in
                let pair = part.split(separator: "=", maxSplits: 1)
                return (String(pair[0]), String(pair[1]))
            }
        ) { $1 }
        name = "commands_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
        try PostgresConnection(PostgresSettings(connection: text)).execute("CREATE SCHEMA \(name)")
    }

    /// The value of `--database`.
    var url: String { url() }

    func url(
        user: String? = nil,
        host: String? = nil,
        port: String? = nil,
        database: String? = nil,
        more: String = ""
    ) -> String {
        let server = "\(host ?? parts["host"] ?? ""):\(port ?? parts["port"] ?? "")"
        let path = "\(database ?? parts["dbname"] ?? "")?options=-csearch_path%3D\(name)\(more)"
        return "postgres://\(user ?? parts["user"] ?? "")@\(server)/\(path)"
    }

    /// The address as the commands print it.
    var shown: String { "postgres://\(parts["host"] ?? ""):\(parts["port"] ?? "")/\(parts["dbname"] ?? "")" }

    @discardableResult
    func execute(_ sql: String) throws -> PostgresResult {
        try PostgresConnection(PostgresSettings(connection: url)).execute(sql)
    }

    func integer(_ sql: String) throws -> Int64? { try execute(sql).rows.first?.optionalInteger(at: 0) }

    func text(_ sql: String) throws -> String? { try execute(sql).rows.first?.optionalText(at: 0) }
}
