// Generated from docs/openapi/external-purchase-server.json by `./run tables`. Do not edit.
// swift-format-ignore-file
import HTTPTypes
import Ledger

extension Endpoint {
    static let interface: [Endpoint] = [
        Endpoint(.post, "/v1/tokens", .key([.publishable, .intake, .sales]), parameters: [], "Take a token"),
        Endpoint(.get, "/v1/tokens", .key([.read]), parameters: ["limit", "after", "bundleId", "environment", "state", "kind", "externalPurchaseId", "customerId", "flag", "checkoutId", "from", "until"], "List tokens"),
        Endpoint(.get, "/v1/tokens/{externalPurchaseId}", .key([.read]), parameters: ["bundleId"], "One token"),
        Endpoint(.post, "/v1/tokens/{externalPurchaseId}/customer", .key([]), parameters: [], "Set the customer of a token"),
        Endpoint(.post, "/v1/sales", .key([.sales]), parameters: [], "Take, complete or amend a sale"),
        Endpoint(.get, "/v1/sales", .key([.read]), parameters: ["limit", "after", "bundleId", "environment", "state", "standing", "kind", "externalPurchaseId", "customerId", "checkoutId", "productId", "flag", "from", "until"], "List sales"),
        Endpoint(.get, "/v1/sales/{saleId}", .key([.read]), parameters: ["bundleId"], "One sale with its versions and figures"),
        Endpoint(.post, "/v1/sales/{saleId}/void", .key([.sales]), parameters: [], "Void a sale"),
        Endpoint(.post, "/v1/batch", .key([.intake, .sales]), parameters: [], "Take tokens and sales in one commit"),
        Endpoint(.get, "/v1/reports", .key([.read]), parameters: ["limit", "after", "bundleId", "environment", "state", "kind", "externalPurchaseId", "customerId", "checkoutId", "from", "until"], "List reports"),
        Endpoint(.get, "/v1/due", .key([.read]), parameters: ["limit", "after", "bundleId", "environment", "state", "kind", "externalPurchaseId", "saleId", "customerId", "productId", "from", "until"], "List what is due"),
        Endpoint(.post, "/v1/corrections", .key([]), parameters: [], "Dry run of a correction, or its confirmation"),
        Endpoint(.get, "/v1/corrections", .key([.read]), parameters: ["limit", "after", "bundleId", "state", "saleId", "from", "until"], "List corrections"),
        Endpoint(.post, "/v1/notifications", .signed, parameters: nil, "Take a notification of Apple"),
        Endpoint(.get, "/v1/notifications", .key([.read]), parameters: ["limit", "after", "bundleId", "environment", "state", "kind", "subtype", "externalPurchaseId", "customerId", "checkoutId", "from", "until"], "List notifications"),
        Endpoint(.post, "/v1/webhooks/stripe", .signed, parameters: nil, "Take an event of Stripe"),
        Endpoint(.post, "/v1/webhooks/paddle", .signed, parameters: nil, "Take an event of Paddle"),
        Endpoint(.post, "/v1/webhooks/custom", .signed, parameters: nil, "Take a payment from the shop"),
        Endpoint(.get, "/v1/events", .key([.read]), parameters: ["limit", "after", "bundleId", "state", "kind", "saleId", "from", "until"], "List payment events"),
        Endpoint(.get, "/v1/events/{eventId}", .key([.read]), parameters: [], "One payment event with its content"),
        Endpoint(.post, "/v1/events/{eventId}/apply", .key([]), parameters: [], "Apply a payment event again"),
        Endpoint(.post, "/v1/events/{eventId}/dismiss", .key([]), parameters: [], "Set a payment event aside"),
        Endpoint(.get, "/v1/exports/{file}", .key([.read]), parameters: ["bundleId", "programme", "environment"], "A month, as 2026-10.csv or 2026-10.json"),
        Endpoint(.get, "/v1/exports", .key([.read]), parameters: ["limit", "after", "bundleId", "state", "programme", "month", "from", "until"], "List manual submissions"),
        Endpoint(.post, "/v1/exports/{file}/submitted", .key([]), parameters: [], "Record a manual submission"),
        Endpoint(.post, "/v1/exports/{file}/withdrawn", .key([]), parameters: [], "Withdraw a manual submission"),
        Endpoint(.get, "/v1/policy", .key([.publishable, .read]), parameters: ["storefront", "bundleId"], "What an app may offer"),
        Endpoint(.post, "/v1/invoices", .key([]), parameters: [], "Enter an invoice of Apple"),
        Endpoint(.get, "/v1/invoices", .key([.read]), parameters: ["month", "bundleId", "programme"], "Compare the invoices of a month"),
        Endpoint(.post, "/v1/erasures", .key([]), parameters: [], "Erase the id of a customer"),
        Endpoint(.get, "/v1/review", .key([.read]), parameters: ["limit", "after", "bundleId", "state", "kind", "externalPurchaseId", "saleId", "from", "until"], "List what waits for a person"),
        Endpoint(.post, "/v1/review/{sequence}", .key([]), parameters: [], "Decide about a review item"),
        Endpoint(.get, "/v1/audit", .key([.read]), parameters: ["limit", "after", "bundleId", "kind", "externalPurchaseId", "saleId", "from", "until"], "List the audit log"),
        Endpoint(.get, "/v1/changes", .key([.read]), parameters: ["limit", "after"], "Follow the changes"),
        Endpoint(.get, "/v1/deliveries", .key([.read]), parameters: ["limit", "after", "webhook", "state"], "List the events sent to webhooks"),
        Endpoint(.post, "/v1/deliveries/{id}/redeliver", .key([]), parameters: [], "Have an event sent again"),
        Endpoint(.get, "/out/{link}", .open, parameters: nil, "The landing address"),
        Endpoint(.get, "/out/{link}/**", .open, parameters: nil, "The landing address with a path of the shop"),
        Endpoint(.get, "/health/live", .open, parameters: nil, "Whether the process runs"),
        Endpoint(.get, "/health/ready", .open, parameters: nil, "Whether requests are stored"),
        Endpoint(.get, "/metrics", .key([.read]), parameters: nil, "Metrics for Prometheus"),
        Endpoint(.get, "/openapi.json", .open, parameters: nil, "The description of these paths"),
    ]
}
/// The members of each request's body.
enum RequestMembers {
    static let batchRequest = ["items"]
    static let correctionConfirmation = ["correctionId", "confirm", "bundleId", "confirmedBy"]
    static let correctionRequest = ["bundleId", "saleId", "action", "reason", "fields", "requestedBy"]
    static let erasureRequest = ["bundleId", "customerId"]
    static let invoiceRequest = ["invoiceId", "month", "issuedOn", "currency", "amount", "surcharge", "tax", "total", "dueOn", "purchaseOrder", "programme", "bundleId", "by"]
    static let paymentEventDismissal = ["reason", "by"]
    static let reviewDecision = ["action", "by", "note", "requestIdentifier"]
    static let submissionRequest = ["on", "reference", "programme", "by", "bundleId"]
    static let tokenCustomerRequest = ["customerId", "by", "reason", "bundleId"]
    static let tokenRequest = ["token", "customerId", "checkoutId", "storefront"]
    static let voidRequest = ["reason", "by", "bundleId"]
    static let withdrawalRequest = ["exportId", "reason", "by", "bundleId"]
}
