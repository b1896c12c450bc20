import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

/// A server that receives notifications and responds from a script.
final class NotificationReceiver: Sendable {
    private struct State {
        var statuses: [Int] = []
        var bodies: [String] = []
    }

    private let state = Mutex(State())
    private let standing: Int

    /// - Parameter status: the response after the end of the script.
    private init(status: Int) { standing = status }

    /// The bodies as they were received, oldest first.
    var bodies: [String] { state.withLock(\.bodies) }

    /// The payloads, unverified.
    var payloads: [JSONObject] { bodies.compactMap(Self.payload) }

    static func payload(_ body: String) -> JSONObject? {
        let signed = (try? JSONReader().read(body))?.objectValue?["signedPayload"]?.stringValue ?? ""
        let parts = signed.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1].utf8)?.bytes else { return nil }
        return try? JSONReader().read(bytes).objectValue
    }

    func answer(_ statuses: Int...) { state.withLock { $0.statuses += statuses } }

    static func run<Result: Sendable>(
        status: Int = 200,
        _ test: @Sendable (NotificationReceiver, String) async throws -> Result
    ) async throws -> Result {
        let receiver = NotificationReceiver(status: status)
        let router = Router()
        router.post("/v1/notifications") { request, _ in
            let body = String(buffer: try await request.body.collect(upTo: 1 << 20))
            let status = receiver.state.withLock { state in
                state.bodies.append(body)
                return state.statuses.isEmpty ? receiver.standing : state.statuses.removeFirst()
            }
            var headers = HTTPFields()
            if (300..<400).contains(status) { headers[.location] = "/v1/elsewhere" }
            return Response(status: .init(code: status), headers: headers)
        }
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        let server = Task { try await group.run() }
        var numbers = ports.makeAsyncIterator()
        let port = try #require(await numbers.next())
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await test(receiver, "http://127.0.0.1:\(port)/v1/notifications"))
        } catch {
            outcome = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await server.value
        return try outcome.get()
    }
}
