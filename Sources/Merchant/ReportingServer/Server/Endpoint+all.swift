import HTTPTypes
import Ledger
import Reporting

extension Endpoint {
    /// Every endpoint of the server.
    static let all = interface + pages

    private static let interface: [Endpoint] = [
        Endpoint(.post, "/v1/tokens", .key([.publishable, .intake, .sales]), parameters: [], "Take a token"),
        list(.tokens, "List tokens"),
        read("/v1/tokens/{externalPurchaseId}", parameters: ["bundleId"], "One token"),
        admin("/v1/tokens/{externalPurchaseId}/customer", "Set the customer of a token"),
        Endpoint(.post, "/v1/sales", .key([.sales]), parameters: [], "Take, complete or amend a sale"),
        list(.sales, "List sales"),
        read("/v1/sales/{saleId}", parameters: ["bundleId"], "One sale with its versions and figures"),
        Endpoint(.post, "/v1/sales/{saleId}/void", .key([.sales]), parameters: [], "Void a sale"),
        Endpoint(.post, "/v1/batch", .key([.intake, .sales]), parameters: [], "Take tokens and sales in one commit"),
        list(.reports, "List reports"),
        list(.due, "List what is due"),
        admin("/v1/corrections", "Dry run of a correction, or its confirmation"),
        list(.corrections, "List corrections"),
        Endpoint(.post, "/v1/notifications", .signed, parameters: nil, "Take a notification of Apple"),
        list(.notifications, "List notifications"),
        Endpoint(.post, "/v1/webhooks/stripe", .signed, parameters: nil, "Take an event of Stripe"),
        Endpoint(.post, "/v1/webhooks/paddle", .signed, parameters: nil, "Take an event of Paddle"),
        Endpoint(.post, "/v1/webhooks/custom", .signed, parameters: nil, "Take a payment from the shop"),
        list(.events, "List payment events"),
        read("/v1/events/{eventId}", "One payment event with its content"),
        admin("/v1/events/{eventId}/apply", "Apply a payment event again"),
        admin("/v1/events/{eventId}/dismiss", "Set a payment event aside"),
        read(
            "/v1/exports/{file}",
            parameters: ["bundleId", "programme", "environment"],
            "A month, as 2026-10.csv or 2026-10.json"
        ),
        list(.exports, "List manual submissions"),
        admin("/v1/exports/{file}/submitted", "Record a manual submission"),
        admin("/v1/exports/{file}/withdrawn", "Withdraw a manual submission"),
        admin("/v1/invoices", "Enter an invoice of Apple"),
        read("/v1/invoices", parameters: ["month", "bundleId", "programme"], "Compare the invoices of a month"),
        admin("/v1/erasures", "Erase the id of a customer"),
        Endpoint(
            .get,
            "/v1/policy",
            .key([.publishable, .read]),
            parameters: ["storefront", "bundleId"],
            "What an app may offer"
        ),
        list(.review, "List what waits for a person"),
        admin("/v1/review/{sequence}", "Decide about a review item"),
        list(.audit, "List the audit log"),
        Endpoint(.get, "/out/{link}", .open, parameters: nil, "The landing address"),
        Endpoint(.get, "/out/{link}/**", .open, parameters: nil, "The landing address with a path of the shop"),
        Endpoint(.get, "/health/live", .open, parameters: nil, "Whether the process runs"),
        Endpoint(.get, "/health/ready", .open, parameters: nil, "Whether requests are stored"),
        Endpoint(.get, metricsPath, .key([.read]), parameters: nil, "Metrics for Prometheus"),
        Endpoint(.get, "/openapi.json", .open, parameters: nil, "The description of these paths"),
    ]

    /// The path of the metrics, which the setting `metrics.open` opens.
    static let metricsPath = "/metrics"

    private static func list(_ list: MerchantList, _ summary: String) -> Endpoint {
        read("/v1/\(list.rawValue)", parameters: ["limit", "after"] + list.parameterNames, summary)
    }

    private static func read(_ path: String, parameters: [String] = [], _ summary: String) -> Endpoint {
        Endpoint(.get, path, .key([.read]), parameters: parameters, summary)
    }

    private static func admin(_ path: String, _ summary: String) -> Endpoint {
        Endpoint(.post, path, .key([]), parameters: [], summary)
    }
}
