import HTTPTypes
import Hummingbird
import NIOCore
import Reporting

/// The route `GET /metrics` for Prometheus.
struct MetricsRoutes<Context: RequestContext> {
    let system: ReportingSystem
    let durations: RequestDurations
    let listeners: ServerListeners

    func add(to group: RouterGroup<Context>) {
        group.get("metrics", use: metrics)
    }

    @Sendable private func metrics(_ request: Request, _ context: Context) async throws -> Response {
        let text = try await system.metrics() + durations.text + connections
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    private var connections: String {
        """
        # HELP external_purchase_http_requests_in_flight Requests whose responses are incomplete, this one included.
        # TYPE external_purchase_http_requests_in_flight gauge
        external_purchase_http_requests_in_flight \(listeners.requestsInFlight)
        # HELP external_purchase_http_connections Open connections.
        # TYPE external_purchase_http_connections gauge
        external_purchase_http_connections \(listeners.openConnections)

        """
    }
}
