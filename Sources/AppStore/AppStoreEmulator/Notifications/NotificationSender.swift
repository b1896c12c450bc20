import AsyncHTTPClient
import ExternalPurchaseCore
import NIOCore
import NIOHTTP1
import Synchronization

/// Delivers notifications over HTTP and reports the result in Apple's words (NT-50 to NT-53).
final class NotificationSender: Sendable {
    /// Exists from the first delivery of a turn to its end, so that no connection stays open between turns.
    private let client = Mutex<HTTPClient?>(nil)
    private let inProcess: (@Sendable (_ body: [UInt8], _ address: String) async -> Int?)?

    /// Creates a sender.
    ///
    /// - Parameter inProcess: receives a body and returns a status, or nil for no response; nil delivers over HTTP.
    init(inProcess: (@Sendable (_ body: [UInt8], _ address: String) async -> Int?)? = nil) {
        self.inProcess = inProcess
    }

    func deliver(_ signedPayload: String, to address: String, timeout: Duration, isBodyTampered: Bool) async
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
            let response = try await current().execute(request, timeout: TimeAmount(timeout))
            return (200...206).contains(response.status.code) ? .success : .unsuccessfulStatus
        } catch {
            return Self.result(of: error)
        }
    }

    /// Closes the connections of the last deliveries.
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
            // A refused connection is a final result. Retrying it until the timeout would delay the clock.
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
            // The errors of the TLS library have no public type here.
            let name = String(describing: type(of: error))
            if name == "NIOConnectionError" { return .socketIssue }
            return name.contains("SSL") || name.contains("TLS") ? .tlsIssue : .other
        }
    }
}
