import HTTPTypes
import Hummingbird
import Instrumentation
import Tracing

/// Runs every request in a span of the tracer that the program chose; without one this does nothing.
///
/// The span has the pattern of the route, never path, query or address, which identify customers.
struct RequestTracing<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var parent = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &parent, using: FieldExtractor())
        return try await withSpan("HTTP \(request.method.rawValue)", context: parent, ofKind: .server) { span in
            let response = try await next(request, context)
            let route = RequestDurations.route(of: context.endpointPath)
            span.operationName = "\(request.method.rawValue) \(route)"
            span.attributes["http.request.method"] = request.method.rawValue
            span.attributes["http.route"] = route
            span.attributes["http.response.status_code"] = response.status.code
            if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
            return response
        }
    }
}

/// Reads the fields by which callers pass on their trace, such as `traceparent`.
private struct FieldExtractor: Extractor {
    func extract(key: String, from fields: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { fields[$0] }
    }
}
