import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Writes one log line for every request and counts its duration.
///
/// The line has the pattern of the route, never path or query, which contain ids of customers and tokens. Requests for
/// health and metrics are logged at the level `debug`, because they come every few seconds.
struct RequestRecordMiddleware<Context: RequestContext>: RouterMiddleware {
    let durations: RequestDurations

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let begin = ContinuousClock.now
        let method = request.method
        let isHead = method == .head
        @Sendable func finish(_ status: HTTPResponse.Status, bytes: Int) {
            record(context, method, status, duration: begin.duration(to: .now), bytes: isHead ? 0 : bytes)
        }
        var response = try await next(request, context)
        let status = response.status
        if let length = response.body.contentLength {
            finish(status, bytes: length)
            return response
        }
        // The length of a stream is known at its end, which also comes when the client goes away.
        let (body, sent) = (response.body, SentBytes())
        response.body = ResponseBody { writer in
            defer { finish(status, bytes: sent.count) }
            try await body.map { part in
                sent.add(part.readableBytes)
                return part
            }.write(writer)
        }
        return response
    }

    private func record(
        _ context: Context,
        _ method: HTTPRequest.Method,
        _ status: HTTPResponse.Status,
        duration: Duration,
        bytes: Int
    ) {
        let route = RequestDurations.route(of: context.endpointPath)
        durations.record(route: route, method: method.rawValue, status: status.code, duration)
        let isRoutine = route == "/metrics" || route.hasPrefix("/health/")
        context.logger.log(
            level: isRoutine && status.code < 400 ? .debug : .info,
            "request",
            metadata: [
                "method": .string(route == RequestDurations.unmatched ? "-" : method.rawValue),
                "route": .string(route), "status": .stringConvertible(status.code),
                "durationMs": .stringConvertible(duration.milliseconds), "bytes": .stringConvertible(bytes),
            ]
        )
    }
}

/// Counts the bytes of a streamed body.
private final class SentBytes: Sendable {
    private let bytes = Atomic<Int>(0)
    var count: Int { bytes.load(ordering: .relaxed) }
    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}

extension Duration {
    /// The duration in milliseconds with three decimals.
    fileprivate var milliseconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1_000_000 + Double(attoseconds / 1_000_000_000_000)) / 1_000
    }
}
