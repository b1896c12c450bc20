import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RawSockets
import ServiceLifecycle
import Synchronization
import Testing

/// The lines that a server logged, each with its level.
final class LogLines: Sendable {
    private let lines = Mutex<[(level: Logger.Level, text: String)]>([])

    func lines(from level: Logger.Level) -> [String] { lines.withLock { $0.filter { $0.level >= level }.map(\.text) } }

    var logger: Logger { Logger(label: "test") { [self] _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            lines.lines.withLock { $0.append((event.level, event.message.description)) }
        }
    }
}

/// A server with limits: `GET /` responds, `PUT /` reports the result of reading the body, `/large` responds with many
/// bytes, `/stream` without a length, and `/never` not at all.
///
/// Its clients have 24 hours where no setting says less.
struct GuardedServer: Sendable {
    let port: Int
    let connections: ConnectionGuard
    let log: LogLines
    /// Begins a graceful shutdown and returns when the server has ended.
    let stop: @Sendable () async throws -> Void

    static let largeBytes = 64 * 1_048_576

    static func run(
        _ settings: [String: String],
        host: String = "127.0.0.1",
        trusting proxies: TrustedProxies = TrustedProxies(),
        _ test: @Sendable (GuardedServer) async throws -> Void
    ) async throws {
        var limits = HTTPLimits()
        // No limit ends what a test waits for on a busy machine, unless the test is about that limit.
        for name in ["head", "body", "wholeBody", "idle", "write"] { try limits.set("http.\(name)Timeout", to: "24h") }
        for (name, text) in settings { try limits.set(name, to: text) }
        let log = LogLines()
        let connections = ConnectionGuard(limits, trustedProxies: proxies, logger: log.logger)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let router = Router(context: BasicRequestContext.self, options: [.autoGenerateHeadEndpoints])
        router.get("/") { _, _ in Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "hello"))) }
        router.put("/") { request, _ in
            do throws(BodyFault) {
                return Response(
                    status: .ok,
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: try await request.bytes(upTo: 1_000)))
                )
            } catch {
                log.logger.info("\(error)")
                return Response(status: error == .tooLong ? .contentTooLarge : .badRequest)
            }
        }
        router.get("/large") { _, _ in
            let bytes = ByteBuffer(repeating: 0x61, count: largeBytes)
            return Response(status: .ok, body: ResponseBody(byteBuffer: bytes))
        }
        router.get("/stream") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "part"))
                    try await writer.finish(nil)
                }
            )
        }
        router.head("/stream") { _, _ in
            Response(status: .ok, body: ResponseBody { _ in Issue.record("HEAD wrote a body") }).withoutBody()
        }
        router.get("/never") { _, _ in
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(3_600)) }
            return Response(status: .ok)
        }
        let application = Application(
            router: router,
            server: connections.server(),
            configuration: connections.configuration(host: host, port: 0),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
            logger: log.logger
        )
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application],
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            )
        )
        let server = Task { try await group.run() }
        var bound = ports.makeAsyncIterator()
        let port = try #require(await bound.next())
        let stop: @Sendable () async throws -> Void = {
            await group.triggerGracefulShutdown()
            try await server.value
        }
        let outcome: Result<Void, any Error>
        do {
            try await test(GuardedServer(port: port, connections: connections, log: log, stop: stop))
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try await stop()
        try outcome.get()
    }

    /// True when a request on a new connection gets a response.
    func answers() async throws -> Bool {
        let connection = try RawConnection(port: port)
        connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return await connection.receive(silence: 60_000) { $0.hasSuffix("hello") }.text.hasPrefix("HTTP/1.1 200")
    }

    /// Waits for a condition that becomes true within seconds, on a busy machine within minutes.
    func eventually(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<6_000 {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }
}
