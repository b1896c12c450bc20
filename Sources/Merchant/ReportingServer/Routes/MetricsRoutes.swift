import HTTPTypes
import Hummingbird
import NIOCore
import Reporting

/// The route `GET /metrics` for Prometheus.
struct MetricsRoutes<Context: RequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.get("metrics", use: metrics)
    }

    @Sendable private func metrics(_ request: Request, _ context: Context) async throws -> Response {
        let text = try await system.metrics()
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
