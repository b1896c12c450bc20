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
        let text = try await system.metrics() + durations.text + connections + checks(await system.health.readiness())
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    /// The checks of `GET /health/ready`, those that hold too, so that a rule can name each.
    private func checks(_ readiness: Readiness) -> String {
        let failing = Set(readiness.problems.map(\.check))
        let lines = Readiness.Check.allCases.map { check in
            "external_purchase_check_failing{check=\"\(check.rawValue)\"} \(failing.contains(check) ? 1 : 0)"
        }
        return """
            # HELP external_purchase_check_failing 1 while a check of /health/ready fails, by its name.
            # TYPE external_purchase_check_failing gauge
            \(lines.joined(separator: "\n"))

            """
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
