import Foundation
import Ledger
import Testing

@testable import LedgerPostgres

/// The server that `./run postgres` starts, with a schema of its own for each ledger.
enum PostgresUnderTest {
    static let variable = "EXTERNAL_PURCHASE_TEST_POSTGRES"
    static let isThere = ProcessInfo.processInfo.environment[variable] != nil

    /// The settings of a new, empty schema.
    static func settings() throws -> PostgresSettings {
        let server = try #require(
            ProcessInfo.processInfo.environment[variable],
            "\(variable) must hold the connection string of a test server; ./run postgres starts one"
        )
        let schema = "ledger_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
        try PostgresConnection(PostgresSettings(connection: server)).execute("CREATE SCHEMA \(schema)")
        return PostgresSettings(connection: "\(server) options=-csearch_path=\(schema)", readers: 2)
    }

    static func open(_ dependencies: LedgerDependencies = .fixed) async throws -> any LedgerStore {
        try await PostgresLedgerStore(settings(), dependencies: dependencies)
    }
}
