import AppStoreAPI
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Logging
import NIOCore
import NIOHTTP1
import Reporting

/// A backlog of due tokens, sent by the merchant's side from SQLite, against a client that puts the same bytes in a row.
enum FlushBenchmark {
    /// Each app has a queue of its own, so apps are what goes side by side.
    static func run(tokens count: Int, apps: Int) async throws {
        print("\(count) due tokens of \(apps) app(s), one report in flight for each, to an emulator in this process")
        let names = (0..<apps).map { BundleId("com.example.shop\($0)") }
        let hosts = (try await EmulatorHost.start(names), bare: try await EmulatorHost.start(names))
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        do {
            try await withFolder { folder in
                try await measure(count, names, hosts.0, hosts.bare, client, folder)
            }
        } catch {
            try? await client.shutdown()
            hosts.0.stop()
            hosts.bare.stop()
            throw error
        }
        try await client.shutdown()
        hosts.0.stop()
        hosts.bare.stop()
    }

    private static func measure(
        _ count: Int,
        _ names: [BundleId],
        _ host: EmulatorHost,
        _ bareHost: EmulatorHost,
        _ client: HTTPClient,
        _ folder: URL
    ) async throws {
        let store = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        let made = Timestamp(Date()).advanced(byMilliseconds: -9 * Timestamp.day - 3_600_000)
        let tokens = (0..<count).map { number in
            Rows.token(of: names[number % names.count], appAppleId: EmulatorHost.appAppleId, made: made)
        }
        for first in stride(from: 0, to: count, by: 1_000) {
            let part = tokens[first..<min(first + 1_000, count)]
            try await store.write { ledger throws(LedgerError) in
                for token in part { _ = try ledger.insert(token) }
            }
        }
        try await lanes(16) { lane in
            for number in stride(from: lane, to: count, by: 16) {
                let token = tokens[number].token
                let order = """
                    {"bundleId":"\(token.bundleId)","environment":"production",\
                    "externalPurchaseId":"\(token.externalPurchaseId)","creationDate":\(made.milliseconds)}
                    """
                for url in [host.url, bareHost.url] {
                    try await expect(201, .POST, url + "/emulator/v1/tokens", Array(order.utf8), nil, client)
                }
            }
        }

        let side = MerchantSide(
            store: store,
            apps: try names.map { name in
                RegisteredApp(
                    bundleId: name,
                    appAppleId: EmulatorHost.appAppleId,
                    environments: [.production],
                    client: AppStoreServerClient(
                        httpClient: client,
                        mint: BearerTokenMint(credentials: try host.credentials(name)),
                        baseURLs: .init(host.url),
                        now: { Timestamp(Date()) }
                    )
                )
            },
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        )
        let flush = await seconds { await side.sender.settle() }
        var bodies: [[[UInt8]]] = names.map { _ in [] }
        var (after, accepted) = (Int64(0), 0)
        while true {
            let page = try await side.reports(LedgerPage(after: after, limit: 1_000))
            guard let last = page.last else { break }
            for report in page {
                bodies[names.firstIndex(of: report.scope.bundleId) ?? 0].append(report.body)
                if report.state == .accepted { accepted += 1 }
            }
            after = last.sequence
        }
        guard accepted == count else { throw Failure(description: "\(accepted) of \(count) reports were accepted") }
        try store.close()
        let kept = bodies

        // A client as small as can be: one signature for all, the answer's status alone.
        let bare = try await seconds {
            try await lanes(names.count) { lane in
                let mint = BearerTokenMint(credentials: try bareHost.credentials(names[lane]), lifetime: 3_600)
                let authorization = "Bearer \(try await mint.token(now: Timestamp(Date())))"
                for body in kept[lane] {
                    let url = bareHost.url + "/externalPurchase/v1/reports"
                    try await expect(200, .PUT, url, body, authorization, client)
                }
            }
        }
        print(
            String(
                format: "  flush %7.1f s, %6.0f reports/s   bare %7.1f s, %6.0f PUT/s   %.2f of the bare loop's rate; "
                    + "peak %.0f MiB",
                flush,
                Double(count) / flush,
                bare,
                Double(count) / bare,
                bare / flush,
                memory("VmHWM")
            )
        )
    }

    private static func lanes(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<count { group.addTask { try await body(lane) } }
            try await group.waitForAll()
        }
    }

    private static func expect(
        _ status: Int,
        _ method: HTTPMethod,
        _ url: String,
        _ body: [UInt8],
        _ authorization: String?,
        _ client: HTTPClient
    ) async throws {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "Content-Type", value: "application/json")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await client.execute(request, timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 1_048_576)
        guard response.status.code == status else {
            throw Failure(description: "\(method) \(url): \(response.status.code) \(String(buffer: answer))")
        }
    }
}
