import AsyncHTTPClient
import ExternalPurchaseCore
import NIOCore
import NIOHTTP1
import Synchronization

/// Delivers notifications over HTTP and says in Apple's words how it went (NT-50 to NT-53).
final class NotificationSender: Sendable {
    /// Lives from the first delivery of a turn to its end, so that nothing is left open between turns.
    private let client = Mutex<HTTPClient?>(nil)
    private let inProcess: (@Sendable (_ body: [UInt8], _ address: String) async -> Int?)?

    /// A sender.
    ///
    /// - Parameter inProcess: takes a body and answers with a status or not at all; nil delivers over HTTP.
    init(inProcess: (@Sendable (_ body: [UInt8], _ address: String) async -> Int?)? = nil) {
        self.inProcess = inProcess
    }

    func deliver(_ signedPayload: String, to address: String, timeout: Int64, isBodyTampered: Bool) async
        -> DeliveryResult
    {
        let member = JSONObject.Member(isBodyTampered ? "payload" : "signedPayload", .string(signedPayload))
        let body = JSONValue.object(JSONObject([member])).encoded()
        if let inProcess {
            guard let status = await inProcess(body, address) else { return .socketIssue }
            return (200...206).contains(status) ? .success : .unsuccessfulStatus
        }
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let response = try await current().execute(request, timeout: .milliseconds(timeout))
            return (200...206).contains(response.status.code) ? .success : .unsuccessfulStatus
        } catch {
            return Self.result(of: error)
        }
    }

    /// Closes what the last deliveries left open.
    func rest() async {
        let idle = client.withLock { client in
            defer { client = nil }
            return client
        }
        try? await idle?.shutdown()
    }

    private func current() -> HTTPClient {
        client.withLock { client in
            if let client { return client }
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.timeout.connect = .seconds(10)
            // An address that refuses has answered; to ask it until the time is up would hold up the clock.
            configuration.connectionPool.retryConnectionEstablishment = false
            let made = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            client = made
            return made
        }
    }

    private static func result(of error: any Error) -> DeliveryResult {
        switch error {
        case let error as HTTPClientError:
            let late: [HTTPClientError] = [
                .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .getConnectionFromPoolTimeout,
                .tlsHandshakeTimeout,
            ]
            if late.contains(error) { return .timedOut }
            return error == .remoteConnectionClosed ? .prematureClose : .other
        case is HTTPParserError: return .invalidResponse
        case is IOError, is SocketAddressError: return .socketIssue
        case is ChannelError: return .prematureClose
        default:
            // The TLS library's errors have no type that is public here.
            let name = String(describing: type(of: error))
            if name == "NIOConnectionError" { return .socketIssue }
            return name.contains("SSL") || name.contains("TLS") ? .tlsIssue : .other
        }
    }
}
