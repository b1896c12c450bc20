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
import ServiceLifecycle
import Testing

@testable import ReportingServer

@Suite("What a request may cost")
struct RequestLimitTests {
    @Test(
        "A body of nothing but wrong members draws a short answer that counts the rest",
        arguments: ["/v1/tokens", "/v1/sales", "/v1/corrections", "/v1/invoices", "/v1/erasures"]
    )
    func amplification(_ path: String) async throws {
        let members = (0..<20_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        let long = "\"" + String(repeating: "x", count: 512) + "\":0"
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

    @Test("A batch of nothing but wrong members draws an answer that lists as many errors as that of one request")
    func batchAmplification() async throws {
        let members = (0..<50).map { "\"k\($0)\":0" }.joined(separator: ",")
        let items = Array(repeating: "{\"sale\":{\(members)}}", count: 1_000).joined(separator: ",")
        let long = "{\"\(String(repeating: "\u{1F600}", count: 120))\":0}"
        let empty = Array(repeating: "{}", count: 1_000).joined(separator: ",")
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            for (body, most) in [(items, 600_000), (long, 10_000), (empty, 600_000)] {
                try await client.execute(
                    uri: "/v1/batch",
                    method: .post,
                    headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: "{\"items\":[\(body)]}")
                ) { response in
                    #expect(response.status == .ok)
                    #expect(response.body.readableBytes < most, "\(response.body.readableBytes)")
                    let results = response.json["results"] as? [[String: Any]] ?? []
                    let bodies = results.compactMap { $0["body"] as? [String: Any] }
                    #expect(bodies.allSatisfy { ($0["detail"] as? String)?.isEmpty == false })
                    let listed = bodies.reduce(0) { $0 + (($1["errors"] as? [Any])?.count ?? 0) }
                    #expect((1...51).contains(listed), "\(listed)")
                }
            }
        }
    }

    /// Requests of nothing but errors, for every endpoint: in the query, and in the names and the list of a body.
    @Test(
        "Every endpoint answers a request of nothing but errors shortly",
        arguments: Endpoint.all.map { "\($0.method) \($0.path)" }
    )
    func everyEndpoint(_ name: String) async throws {
        let endpoint = try #require(Endpoint.all.first { "\($0.method) \($0.path)" == name })
        let long = String(repeating: "x", count: 9_000)
        let path = endpoint.path.replacing("**", with: "a").replacing(#/\{[^}]*\}/#, with: "1")
        let query = (0..<4_000).map { "q\($0)" }.joined(separator: "&")
        let escapes = String(repeating: "%01", count: 3_000)
        let object = (0..<20_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        let wide = String(repeating: "\\u0001", count: 20_000)
        let fixture = try ServerFixture(stripe: StripeWebhookTests.settings())
        let server = ReportingServer(system: fixture.merchant, links: [:])
        try await Application(router: server.router()).test(.router) { client in
            func send(_ uri: String, _ body: String, _ type: String = "application/json") async throws {
                try await client.execute(
                    uri: uri,
                    method: endpoint.method,
                    headers: [.contentType: type],
                    body: endpoint.method == .post ? ByteBuffer(string: body) : nil
                ) { response in
                    let isRefused = response.status.code >= 400
                    #expect(
                        !isRefused || response.body.readableBytes < 64_000,
                        "\(uri.prefix(60)): \(response.body.readableBytes)"
                    )
                }
            }
            for query in [
                query, "\(long)=1", "\(escapes)=\(escapes)", "limit=\(long)", "bundleId=\(long)", "flag=\(long)",
            ] {
                try await send("\(path)?\(query)", "{}")
            }
            if endpoint.path.contains("{") { try await send(endpoint.path.replacing(#/\{[^}]*\}/#, with: long), "{}") }
            guard endpoint.method == .post else { return }
            for body in [
                "{\(object)}", "{\"\(wide)\":0}", "{\"\(long)\":0,\"\(long)\":0}",
                "[\(object.replacing(":0", with: ""))]",
                "{\"lines\":[\(Array(repeating: "0", count: 50_000).joined(separator: ","))],\"type\":\"purchase\"}",
                "{\"items\":\"\(wide)\"}", "{\"type\":\"\(wide)\",\"saleId\":\"\(long)\",\"action\":\"\(wide)\"}",
            ] {
                try await send(path, body)
            }
            let fields = (0..<9_000).map { "f\($0)" }.joined(separator: "&")
            for form in [fields, "\(long)=1&\(long)=2", "csrf=\(escapes)&name=\(escapes)&next=\(escapes)"] {
                try await send(path, form, "application/x-www-form-urlencoded")
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

    @Test("An export that is being made stops when the server is asked to end", .timeLimit(.minutes(10)))
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
