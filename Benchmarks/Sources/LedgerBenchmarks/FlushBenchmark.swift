import AppStoreServerClient
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Logging
import NIOCore
import NIOHTTP1
import Reporting
import Synchronization

/// A backlog of due tokens, sent by the merchant's side from SQLite, against a client that puts the same bytes in a row.
enum FlushBenchmark {
    /// Each app has a queue of its own, so apps are what goes side by side.
    static func run(tokens count: Int, apps: Int) async throws {
        print(
            "\(count) due tokens of \(apps) app(s), one report in flight for each, to an emulator in this process"
        )
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
        // A tenth falls due a day, so that sending and the bare loop take turns on a machine with other work.
        let begin = Timestamp(Date())
        let tokens = (0..<count).map { number in
            let age = Duration.days(9) + .hours(1) - .days(number * steps / count)
            return Rows.token(
                of: names[number % names.count],
                appAppleId: EmulatorHost.appAppleId,
                made: begin - age
            )
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
                    "externalPurchaseId":"\(token.externalPurchaseId)","creationDate":\(token.tokenCreationDate.milliseconds)}
                    """
                for url in [host.url, bareHost.url] {
                    try await expect(201, .POST, url + "/emulator/v1/tokens", Array(order.utf8), nil, client)
                }
            }
        }

        let clock = Clock()
        let system = ReportingSystem(
            store: store,
            apps: try names.map { name in
                RegisteredApp(
                    bundleId: name,
                    appAppleId: EmulatorHost.appAppleId,
                    environments: [.production],
                    client: AppStoreServerClient(
                        httpClient: client,
                        signer: BearerTokenSigner(credentials: try host.credentials(name)),
                        baseURLs: .init(host.url),
                        now: { Timestamp(Date()) }
                    )
                )
            },
            dependencies: clock.dependencies,
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        )
        var (flushes, loops): ([Double], [Double]) = ([], [])
        var (after, accepted) = (Int64(0), 0)
        for step in 0..<steps {
            clock.advance(toDay: step)
            flushes.append(await seconds { await system.sender.runUntilIdle() })
            var bodies: [[[UInt8]]] = names.map { _ in [] }
            while let page = try? await system.lists.reports(LedgerPage(after: after, limit: 1_000)),
                let last = page.last
            {
                for report in page {
                    bodies[names.firstIndex(of: report.scope.bundleId) ?? 0].append(report.body)
                    if report.state == .accepted { accepted += 1 }
                }
                after = last.sequence
            }
            let kept = bodies
            // A client as small as can be: one signature for all, the answer's status alone.
            loops.append(
                try await seconds {
                    try await lanes(names.count) { lane in
                        let mint = BearerTokenSigner(
                            credentials: try bareHost.credentials(names[lane]),
                            lifetime: .hours(1)
                        )
                        let authorization = "Bearer \(try await mint.token(now: Timestamp(Date())))"
                        for body in kept[lane] {
                            let url = bareHost.url + "/externalPurchase/v1/reports"
                            try await expect(200, .PUT, url, body, authorization, client)
                        }
                    }
                }
            )
        }
        guard accepted == count else {
            throw Failure(description: "\(accepted) of \(count) reports were accepted")
        }
        try store.close()
        let (flush, bare) = (flushes.reduce(0, +), loops.reduce(0, +))
        let ratios = zip(flushes, loops).map { $1 / $0 }
        print(
            String(
                format:
                    "  flush %7.1f s, %6.0f reports/s   bare %7.1f s, %6.0f PUT/s   %.2f of the bare loop's rate "
                    + "(first tenth %.2f, last %.2f); peak %.0f MiB",
                flush,
                Double(count) / flush,
                bare,
                Double(count) / bare,
                median(ratios),
                ratios.first ?? 0,
                ratios.last ?? 0,
                memory("VmHWM")
            )
        )
    }

    private static let steps = 10

    /// The machine's clock, some days on.
    private final class Clock: Sendable {
        private let days = Mutex(0)

        func advance(toDay day: Int) { days.withLock { $0 = day } }

        var dependencies: ReportingDependencies {
            var dependencies = ReportingDependencies.live
            dependencies.now = {
                Timestamp(Date()) + .days(self.days.withLock { $0 })
            }
            return dependencies
        }
    }

    private static func lanes(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void)
        async throws
    {
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
            throw Failure(
                description: "\(method) \(url): \(response.status.code) \(String(buffer: answer))"
            )
        }
    }
}
