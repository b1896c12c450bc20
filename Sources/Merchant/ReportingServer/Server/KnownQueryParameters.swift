import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Reporting

/// Rejects unknown query parameters with status 422, so that a misspelt filter does not list everything.
struct KnownQueryParameters<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let parameters = request.uri.queryParameters
        guard !parameters.isEmpty, let known = Endpoint.of(request, context)?.parameters else {
            return try await next(request, context)
        }
        var seen: Set<String> = []
        var errors: [FieldError] = []
        let right = known.isEmpty ? "; this path takes none" : "; known are \(known.joined(separator: ", "))"
        for (name, _) in parameters {
            let name = String(name)
            if !known.containsName(name) {
                errors.append(FieldError("?\(name.clipped())", "is not known here\(right)"))
            } else if !seen.insert(name).inserted {
                errors.append(FieldError("?\(name.clipped())", "stands more than once"))
            }
        }
        if !errors.isEmpty { throw Problem.invalid(errors) }
        return try await next(request, context)
    }
}
