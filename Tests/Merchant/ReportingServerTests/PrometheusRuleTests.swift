import ExternalPurchaseCore
import Foundation
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import Reporting
import TestSupport
import Testing

@testable import ReportingServer

@Suite("The rules of alerts for Prometheus")
struct PrometheusRuleTests {
    private static func rules() throws -> String {
        let file = PackageFolder.file("Packaging/prometheus/external-purchase.rules.yml")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The name of every metric that a server can have: of one that shares its ledger, and has a spool file.
    private static func served() async throws -> Set<String> {
        let server = try ServerFixture(isShared: true)
        await server.merchant.sender.tick()
        _ = try await server.store.write { ledger throws(LedgerError) in
            try ledger.open(
                ReviewItem(
                    bundleId: ServerFixture.bundleId,
                    kind: .saleHeld,
                    subject: .app,
                    detail: "waits",
                    openedAt: Timestamp(milliseconds: 1_795_176_000_000)
                )
            )
        }
        return try await server.application.test(.router) { client in
            let text = String(buffer: try await client.execute(uri: "/metrics", method: .get).body)
            return Set(text.matches(of: #/# TYPE (\w+)/#).map { String($0.output.1) })
        }
    }

    @Test("Every metric of a rule is one of the server's")
    func metrics() async throws {
        let served = try await Self.served()
        let expressions = try Self.rules().matches(of: #/expr: (.+)/#).map { $0.output.1 }
        #expect(expressions.count == 13)
        for expression in expressions {
            for match in expression.matches(of: #/external_purchase_\w+/#) {
                let name = String(match.output).replacing(#/_(count|bucket|sum)$/#, with: "")
                #expect(served.contains(name), "\(name)")
            }
        }
    }

    @Test("Every metric is in the documentation")
    func documented() async throws {
        let folder = PackageFolder.file("docs")
        let pages = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        let text = try pages.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
        for name in try await Self.served().sorted() { #expect(text.contains("`\(name)"), "\(name)") }
    }

    @Test("Every rule leads to a page that is there, of each check and kind of review item too")
    func pages() throws {
        let named = try Self.rules().matches(of: #/runbook: \/usr\/share\/doc\/external-purchase\/(\S.*\.md)/#)
            .map { String($0.output.1) }
        #expect(named.count == 13)
        for path in named {
            let paths =
                if path.contains("{{ $labels.kind }}") {
                    ReviewKind.known.map { path.replacing("{{ $labels.kind }}", with: $0.rawValue) }
                } else if path.contains("{{ $labels.check }}") {
                    ["store", "space", "leases", "rates", "apps"].map {
                        path.replacing("{{ $labels.check }}", with: $0)
                    }
                } else {
                    [path]
                }
            for path in paths {
                #expect(FileManager.default.fileExists(atPath: PackageFolder.file("docs/\(path)").path), "\(path)")
            }
        }
    }
}
