import HTTPTypes
import Hummingbird
import Reporting

/// Rejects unknown query parameters with status 422, so that a misspelt filter does not list everything.
struct KnownQueryParameters<Context: RequestContext>: RouterMiddleware {
    private static var page: [String] { ["limit", "after"] }

    /// Returns the parameters of a path, by its first component below `/v1` and by whether more components follow.
    private static func names(of path: String, isList: Bool) -> [String] {
        switch (path, isList) {
        case ("invoices", true): ["month", "bundleId", "programme"]
        case ("attention", true): names(of: MerchantList.review.rawValue, isList: true)
        case (_, true): MerchantList(rawValue: path).map { page + $0.parameterNames } ?? []
        case ("sales", false): ["bundleId"]
        case ("exports", false): ["bundleId", "programme", "environment"]
        case (_, false): []
        }
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
        let known = isRead ? parts.first.map { Self.names(of: $0, isList: parts.count == 1) } ?? [] : []
        var seen: Set<String> = []
        var errors: [FieldError] = []
        for (name, _) in parameters {
            let name = String(name)
            if !known.contains(name) {
                let right = known.isEmpty ? "; this path takes none" : "; known are \(known.joined(separator: ", "))"
                errors.append(FieldError("?\(name)", "is not known here\(right)"))
            } else if !seen.insert(name).inserted {
                errors.append(FieldError("?\(name)", "stands more than once"))
            }
        }
        if !errors.isEmpty { throw Problem.invalid(errors) }
        return try await next(request, context)
    }
}
