import Foundation
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

/// Every store that has to keep the contract of a ledger.
enum StoreUnderTest: String, CaseIterable, Sendable {
    case memory
    case sqlite
    case postgres

    /// The stores that this machine has; `./run postgres` starts a server.
    static let present = allCases.filter { $0 != .postgres || PostgresUnderTest.isThere }

    func open(_ dependencies: LedgerDependencies = .fixed) async throws -> any LedgerStore {
        switch self {
        case .memory: MemoryLedgerStore.empty(dependencies)
        case .sqlite: try SQLiteLedgerStore(path: temporaryFile(), dependencies: dependencies)
        case .postgres: try await PostgresUnderTest.open(dependencies)
        }
    }
}

@Suite("Every store keeps the contract of a ledger")
struct LedgerStoreConformanceTests {
    @Test("Conformance", arguments: StoreUnderTest.present, LedgerConformanceCase.all)
    func conformance(_ store: StoreUnderTest, _ claim: LedgerConformanceCase) async throws {
        try await claim.check { dependencies in try await store.open(dependencies) }
    }

    @Test("No claim is lost or told twice")
    func claims() {
        #expect(LedgerConformanceCase.all.count == 113)
        #expect(Set(LedgerConformanceCase.all.map(\.name)).count == LedgerConformanceCase.all.count)
    }
}

func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ledger-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

func temporaryFile() throws -> String {
    try temporaryFolder().appendingPathComponent("ledger.sqlite").path
}
