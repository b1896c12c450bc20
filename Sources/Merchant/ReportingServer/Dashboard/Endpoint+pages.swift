import HTTPTypes
import Ledger

extension Endpoint {
    /// The pages of the dashboard, which docs/dashboard.md describes, with its forms and files, each with the role that a
    /// user needs.
    static let pages: [Endpoint] =
        pages(
            nil,
            [
                "/assets/dashboard.css", "/assets/dashboard.js", "/assets/icon.svg", "/sign-in", "/sign-in/link",
                "/sign-in/provider", "/sign-in/provider/callback",
            ]
        )
        + pages(
            .viewer,
            [
                "/", "/due", "/review", "/review/{sequence}", "/tokens", "/tokens/{externalPurchaseId}", "/sales",
                "/sales/{saleId}", "/reports", "/reports/{requestIdentifier}", "/reports/{requestIdentifier}/sent",
                "/reports/{requestIdentifier}/received", "/notifications", "/notifications/{uuid}", "/events",
                "/events/{eventId}", "/corrections", "/corrections/{correctionId}", "/exports", "/exports/{month}",
                "/invoices", "/deliveries", "/deliveries/{id}", "/audit", "/audit/{sequence}", "/search", "/runbooks",
                "/runbooks/{name}",
            ]
        ) + pages(.finance, ["/exports/{month}/csv", "/exports/{month}/json"])
        + pages(.admin, ["/keys", "/keys/{keyId}", "/keys/{keyId}/revoke", "/settings"])
        + forms(nil, ["/sign-in", "/sign-in/link", "/sign-out"])
        // Which review items a user decides about also depends on the item (`ReviewItem.role(for:)`).
        + forms(
            .finance,
            [
                "/review", "/review/{sequence}", "/corrections", "/exports/{month}/submitted",
                "/exports/{month}/withdrawn",
                "/invoices",
            ]
        )
        + forms(
            .operator,
            [
                "/corrections/{correctionId}", "/sales/{saleId}/void", "/events/{eventId}/apply",
                "/events/{eventId}/dismiss", "/deliveries/{id}/redeliver",
            ]
        ) + forms(.admin, ["/keys", "/keys/{keyId}/revoke"])

    private static func pages(_ role: UserRole?, _ paths: [String]) -> [Endpoint] {
        paths.map { Endpoint(.get, $0, .page(role), parameters: nil, "A page of the dashboard") }
    }

    private static func forms(_ role: UserRole?, _ paths: [String]) -> [Endpoint] {
        paths.map { Endpoint(.post, $0, .page(role), parameters: nil, "A form of the dashboard") }
    }

    /// The role that a user needs; an administrator's for what is no page of the list.
    var role: UserRole {
        if case .page(let role?) = access { return role }
        return .admin
    }

    /// Returns the role that a user needs for a page or form of the dashboard.
    ///
    /// - Parameter path: the path as ``pages`` has it, such as `/sales/{saleId}/void`.
    static func role(_ method: HTTPRequest.Method, _ path: String) -> UserRole {
        pages.first { $0.method == method && $0.path == path }?.role ?? .admin
    }
}
