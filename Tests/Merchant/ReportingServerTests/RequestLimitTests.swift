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

    @Test(
        "A body above its limit is 413, which names the setting and its value",
        arguments: [
            ("/v1/sales", "application/json", "http.maxBodySize", 5_000),
            ("/v1/notifications", "application/json", "http.maxBodySize", 5_000),
            ("/v1/batch", "application/json", "http.maxBatchBodySize", 7_000),
            ("/v1/webhooks/stripe", "application/json", "http.maxWebhookBodySize", 6_000),
            ("/sign-in", "application/x-www-form-urlencoded", "http.maxFormSize", 4_500),
        ]
    )
    func bodyLimits(_ path: String, _ type: String, _ name: String, _ size: Int) async throws {
        var limits = BodyLimits()
        try limits.set("http.maxBodySize", to: "5000")
        try limits.set("http.maxBatchBodySize", to: "7000")
        try limits.set("http.maxWebhookBodySize", to: "6000")
        try limits.set("http.maxFormSize", to: "4500")
        let fixture = try ServerFixture(stripe: StripeWebhookTests.settings())
        let server = ReportingServer(system: fixture.merchant, links: [:], bodyLimits: limits)
        let application = Application(responder: DescribedResponder(server.router()))
        try await application.test(.router) { client in
            for (length, isTooLong) in [(size, false), (size + 1, true)] {
                try await client.execute(
                    uri: path,
                    method: .post,
                    headers: [.contentType: type],
                    body: ByteBuffer(repeating: UInt8(ascii: " "), count: length)
                ) { response in
                    #expect((response.status == .contentTooLarge) == isTooLong, "\(path) \(length): \(response.status)")
                    guard isTooLong else { return }
                    let text = String(buffer: response.body)
                    #expect(text.contains("more than \(size) bytes, the limit of \(name)"), "\(text)")
                }
            }
        }
    }

    @Test("A limit of bodies is a number of bytes from 4 KiB to 16 MiB", arguments: BodyLimits.names)
    func wrongLimits(_ name: String) throws {
        var limits = BodyLimits()
        for text in ["0", "4095", "16777217", "-1", "1MB", ""] {
            #expect(throws: SettingError.self) { try limits.set(name, to: text) }
        }
        #expect(limits == BodyLimits())
        for text in ["4096", "16777216"] {
            try limits.set(name, to: text)
            #expect(limits.text(of: name) == text)
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
