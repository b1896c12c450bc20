import HTTPTypes

extension Endpoint {
    /// The pages of the dashboard, which docs/dashboard.md describes, with its forms and files.
    static let pages: [Endpoint] =
        [
            "/", "/assets/dashboard.css", "/assets/dashboard.js", "/assets/icon.svg", "/sign-in", "/sign-in/link",
            "/due", "/review", "/review/{sequence}", "/tokens", "/tokens/{externalPurchaseId}", "/sales",
            "/sales/{saleId}", "/reports",
            "/reports/{requestIdentifier}", "/reports/{requestIdentifier}/sent",
            "/reports/{requestIdentifier}/received", "/notifications", "/notifications/{uuid}", "/events",
            "/events/{eventId}", "/corrections",
            "/corrections/{correctionId}", "/exports", "/exports/{month}", "/exports/{month}/csv",
            "/exports/{month}/json", "/invoices", "/audit", "/audit/{sequence}", "/keys", "/keys/{keyId}",
            "/keys/{keyId}/revoke", "/settings", "/search", "/runbooks", "/runbooks/{name}",
        ].map { Endpoint(.get, $0, .page, parameters: nil, "A page of the dashboard") }
        + [
            "/sign-in", "/sign-in/link", "/sign-out", "/review", "/review/{sequence}", "/sales/{saleId}/void",
            "/corrections",
            "/corrections/{correctionId}", "/exports/{month}/submitted", "/exports/{month}/withdrawn", "/invoices",
            "/events/{eventId}/apply", "/events/{eventId}/dismiss", "/keys", "/keys/{keyId}/revoke",
        ].map { Endpoint(.post, $0, .page, parameters: nil, "A form of the dashboard") }
}
