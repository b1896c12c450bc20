import AppStoreServerClient
import AsyncHTTPClient
import BenchmarkSupport
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
    ///
    /// - Parameter delay: the milliseconds that the endpoint takes for each answer, beside its work.
    static func run(tokens count: Int, apps: Int, delay: Int) async throws {
        print(
            """
            \(count) due tokens of \(apps) app(s), one report in flight for each, to an emulator in this process\
            \(delay > 0 ? " that answers after \(delay) ms" : "")
            """
        )
        let names = (0..<apps).map { BundleId("com.example.shop\($0)") }
        let hosts = [
            try await EmulatorHost.start(names), try await EmulatorHost.start(names),
            try await EmulatorHost.start(names),
        ]
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: AppStoreServerClient.httpConfiguration
        )
        do {
            try await withFolder { folder in
                try await measure(
                    count,
                    names,
                    hosts[0],
                    bare: hosts[1],
                    signing: hosts[2],
                    client,
                    folder,
                    delay: delay
                )
            }
        } catch {
            try? await client.shutdown()
            for host in hosts { host.stop() }
            throw error
        }
        try await client.shutdown()
        for host in hosts { host.stop() }
    }

    private static func measure(
        _ count: Int,
        _ names: [BundleId],
        _ host: EmulatorHost,
        bare bareHost: EmulatorHost,
        signing signingHost: EmulatorHost,
        _ client: HTTPClient,
        _ folder: URL,
        delay: Int
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
                for url in [host.url, bareHost.url, signingHost.url] {
                    try await expect(201, .POST, url + "/emulator/v1/tokens", Array(order.utf8), nil, client)
                }
            }
        }

        if delay > 0 {
            let fault = #"{"match":{"method":"PUT"},"behaviour":{"delayMs":\#(delay)},"times":1000000}"#
            for url in [host.url, bareHost.url, signingHost.url] {
                try await expect(201, .POST, url + "/emulator/v1/faults", Array(fault.utf8), nil, client)
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
        var (flushes, loops, signingLoops): ([Double], [Double], [Double]) = ([], [], [])
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
            loops.append(try await bareLoop(kept, names, bareHost, client, signing: .once))
            signingLoops.append(try await bareLoop(kept, names, signingHost, client, signing: .each))
        }
        guard accepted == count else {
            throw Failure(description: "\(accepted) of \(count) reports were accepted")
        }
        try store.close()
        let (flush, bare, signing) = (flushes.reduce(0, +), loops.reduce(0, +), signingLoops.reduce(0, +))
        print(
            String(
                format: "  flush %7.1f s, bare %7.1f s, bare with a new signature each %7.1f s; first tenth %.2f, "
                    + "last %.2f of the bare loop's rate; peak %.0f MiB",
                flush,
                bare,
                signing,
                loops[0] / flushes[0],
                loops[steps - 1] / flushes[steps - 1],
                memory("VmHWM")
            )
        )
        let name =
            "reports of due tokens, \(names.count) app(s), \(count) tokens"
            + (delay > 0 ? ", answers after \(delay) ms" : "")
        for (limit, title, goal) in [
            (bare, "a client that puts the same bytes with one signature for all", BenchmarkResult.Goal.atLeast(names.count > 1 ? 0.9 : 0.7)),
            (signing, "a client that puts the same bytes, each with a new signature (SA-12)", nil),
        ] {
            try BenchmarkResult(
                "flush",
                name,
                value: Double(count) / flush,
                limit: Double(count) / limit,
                unit: "1/s",
                of: title,
                goal: goal
            ).print()
        }
    }

    private static let steps = 10

    private enum Signing { case once, each }

    /// The time of a client as small as can be, which looks at nothing but the status of the response.
    private static func bareLoop(
        _ bodies: [[[UInt8]]],
        _ names: [BundleId],
        _ host: EmulatorHost,
        _ client: HTTPClient,
        signing: Signing
    ) async throws -> Double {
        try await seconds {
            try await lanes(names.count) { lane in
                let signer = BearerTokenSigner(credentials: try host.credentials(names[lane]), lifetime: .hours(1))
                var authorization = "Bearer \(try signer.token(now: Timestamp(Date())))"
                for body in bodies[lane] {
                    if signing == .each { authorization = "Bearer \(try signer.token(now: Timestamp(Date())))" }
                    let url = host.url + "/externalPurchase/v1/reports"
                    try await expect(200, .PUT, url, body, authorization, client)
                }
            }
        }
    }

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
