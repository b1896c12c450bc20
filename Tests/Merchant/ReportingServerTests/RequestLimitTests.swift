import ExternalPurchaseCore
import Foundation
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import NIOCore
import Reporting
import ReportingServer
import ServiceLifecycle
import Testing

@Suite("What a request may cost")
struct RequestLimitTests {
    @Test(
        "A body of nothing but wrong members draws a short answer that counts the rest",
        arguments: ["/v1/tokens", "/v1/sales", "/v1/corrections", "/v1/invoices", "/v1/erasures"]
    )
    func amplification(_ path: String) async throws {
        let members = (0..<20_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        let long = "\"" + String(repeating: "x", count: 200_000) + "\":0"
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            for (body, least) in [("{\(members)}", 19_900), ("{\(long)}", 0)] {
                try await client.execute(
                    uri: path,
                    method: .post,
                    headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: body)
                ) { response in
                    #expect(response.status == .unprocessableContent)
                    #expect(response.body.readableBytes < 64_000, "\(response.body.readableBytes)")
                    let errors = response.json["errors"] as? [[String: Any]] ?? []
                    #expect(!errors.isEmpty && errors.count <= 51)
                    guard least > 0 else { return }
                    let last = errors.last?["message"] as? String ?? ""
                    let rest = last.split(separator: " ").compactMap { Int($0) }.first ?? 0
                    #expect(rest > least, "\(last)")
                }
            }
        }
    }

    @Test("An export that is being made stops when the server is asked to end", .timeLimit(.minutes(3)))
    func stoppedExport() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stop-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        let fixture = try ServerFixture(store: FaultyLedgerStore(store, LedgerFaultScript(everyRead: .endless)))
        let export = Export(merchant: fixture.merchant)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: export, successTerminationBehavior: .ignore)],
                logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        async let run: Void = group.run()
        try await Task.sleep(for: .milliseconds(300))
        await group.triggerGracefulShutdown()
        try await run
        try store.close()
    }

    /// Asks for one export.
    private struct Export: Service {
        let merchant: ReportingSystem

        func run() async throws {
            do throws(RequestError) {
                _ = try await merchant.exports.make(MonthChoice("2026-11", programme: "eu-2026-10"))
                Issue.record("the export ended by itself")
            } catch {
                #expect(error == .notStored(.stopped))
            }
        }
    }
}
