import HTTPTypes
import Hummingbird
import NIOCore
import Reporting

/// `GET /metrics`: how much stands where, for Prometheus.
struct MetricsRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to group: RouterGroup<Context>) {
        group.get("metrics", use: metrics)
    }

    @Sendable private func metrics(_ request: Request, _ context: Context) async throws -> Response {
        let text = try await merchant.metrics()
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
