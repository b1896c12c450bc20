import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import ReportingServer

/// Answers the requests of a test, and records an issue for each answer that is not in the server's description.
///
/// The fixtures of the suite put it in front of their routers, so that every request of every test is compared.
struct DescribedResponder: HTTPResponder {
    typealias Context = ServerContext

    private let base: RouterResponder<ServerContext>

    init(_ router: Router<ServerContext>) {
        base = router.buildResponder()
    }

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        var request = request
        let received = Recorder()
        request.body = RequestBody(asyncSequence: request.body.map { received.recorded($0) })
        var response = try await base.respond(to: request, context: context)
        let sent = Recorder()
        if request.method != .head {
            try await response.body.write(sent)
            response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: sent.bytes))
        }
        let exchange = ServerContract.Exchange(
            method: request.method.rawValue,
            path: request.uri.path,
            query: request.uri.queryParameters.map { (String($0.key), String($0.value)) },
            body: received.bytes,
            status: response.status.code,
            headers: response.headers,
            answer: sent.bytes
        )
        let violations: [String]
        do {
            violations = try ServerContract.repository.get().violations(exchange)
        } catch JSONReadError.tooManyCombining where request.uri.path.hasPrefix("/v1/webhooks/") {
            // A sender's own texts are not described.
            violations = []
        } catch {
            violations = ["\(request.method) \(request.uri.path): \(error)"]
        }
        if !violations.isEmpty {
            let answer = String(decoding: sent.bytes.prefix(2_000), as: UTF8.self)
            Issue.record("\(violations.joined(separator: "\n"))\n\(answer)")
        }
        return response
    }
}

/// The bytes of a body that passed.
private final class Recorder: ResponseBodyWriter, Sendable {
    private let buffer = Mutex<[UInt8]>([])

    var bytes: [UInt8] { buffer.withLock { $0 } }

    func recorded(_ part: ByteBuffer) -> ByteBuffer {
        buffer.withLock { $0.append(contentsOf: part.readableBytesView) }
        return part
    }

    func write(_ buffer: ByteBuffer) async throws { _ = recorded(buffer) }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
