import HTTPTypes
import Hummingbird

/// Refuses query parameters that a path does not take, each by its name (422): a misspelt filter must not list everything.
struct KnownQueryParameters<Context: RequestContext>: RouterMiddleware {
    private static var page: [String] { ["limit", "after"] }
    /// By the first part of the path below `/v1`, of a list and of one thing in it.
    private static var names: [String: (list: [String], one: [String])] {
        let lists = page + ["bundleId", "state", "externalPurchaseId", "from", "until"]
        return [
            "sales": (
                lists + ["standing", "customerId", "checkoutId", "productId", "flag"], ["bundleId"]
            ),
            "tokens": (lists + ["customerId", "checkoutId", "flag"], []),
            "reports": (lists, []),
            "due": (page + ["bundleId"], []),
            "attention": (page, []), "review": (page, []), "audit": (page, []), "corrections": (page, []),
            "notifications": (page, []),
            "exports": (page, ["bundleId", "programme", "environment"]),
            "invoices": (["month", "bundleId", "programme"], []),
        ]
    }

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let parameters = request.uri.queryParameters
        if parameters.isEmpty { return try await next(request, context) }
        let parts = request.uri.path.split(separator: "/").dropFirst().map(String.init)
        let isRead = request.method == .get || request.method == .head
        let entry = isRead ? parts.first.flatMap { Self.names[$0] } : nil
        let known = parts.count == 1 ? entry?.list ?? [] : entry?.one ?? []
        var seen: Set<String> = []
        var errors: [Problem.FieldError] = []
        for (name, _) in parameters {
            let name = String(name)
            if !known.contains(name) {
                let right = known.isEmpty ? "; this path takes none" : "; known are \(known.joined(separator: ", "))"
                errors.append(Problem.FieldError(path: "?\(name)", message: "is not known here\(right)"))
            } else if !seen.insert(name).inserted {
                errors.append(Problem.FieldError(path: "?\(name)", message: "stands more than once"))
            }
        }
        if !errors.isEmpty { throw Problem.invalid(errors) }
        return try await next(request, context)
    }
}
