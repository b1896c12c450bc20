import Foundation
import RawSockets
import Synchronization

/// A stand-in for `GET /v1/events` of Stripe's API: newest first, in pages, for one API key.
final class StripeStandIn: Sendable {
    static let key = "rk_test_0123456789abcdef"

    struct Request: Sendable {
        let path: String
        let query: [String: String]
        let account: String?
    }

    private struct State {
        var events: [[String: any Sendable]] = []
        var requests: [Request] = []
        var failures: [String] = []
    }

    let url: String
    private let pageSize: Int
    private let listener: RawListener
    private let state = Mutex(State())

    /// - Parameter pageSize: the largest number of events of a page; Stripe's own limit is 100.
    init(pageSize: Int) throws {
        self.pageSize = pageSize
        listener = try RawListener()
        url = "http://127.0.0.1:\(listener.port)"
        listener.start { [weak self] connection in
            self?.serve(connection)
            connection.close()
        }
    }

    /// Adds the event of a completed session; `created` in seconds.
    func add(_ id: String, intent: String, created: Int) {
        let price: [String: any Sendable] = [
            "id": "price_1", "object": "price", "product": "prod_1", "lookup_key": "gems.100",
        ]
        let line: [String: any Sendable] = [
            "id": "li_1", "object": "item", "quantity": 1, "amount_total": 999, "amount_subtotal": 999,
            "amount_tax": 173, "amount_discount": 0, "currency": "eur", "price": price,
        ]
        let session: [String: any Sendable] = [
            "id": "cs_\(intent)", "object": "checkout.session", "mode": "payment", "payment_status": "paid",
            "payment_intent": intent, "currency": "eur", "created": created - 60, "amount_total": 999,
            "amount_subtotal": 999, "total_details": ["amount_tax": 173] as [String: any Sendable],
            "customer_details": ["address": ["country": "NL"]] as [String: [String: String]],
            "metadata": ["external_purchase_customer": "anna"],
            "line_items": [
                "object": "list", "has_more": false, "data": [line],
            ] as [String: any Sendable],
        ]
        let event: [String: any Sendable] = [
            "id": id, "object": "event", "api_version": "2025-03-31.basil", "created": created, "livemode": false,
            "type": "checkout.session.completed", "data": ["object": session] as [String: any Sendable],
        ]
        state.withLock { $0.events.append(event) }
    }

    /// Answers the next requests with these status lines.
    func fail(_ statusLines: String...) { state.withLock { $0.failures += statusLines } }

    var requests: [Request] { state.withLock(\.requests) }

    private func serve(_ connection: RawListener.Connection) {
        guard let received = connection.request() else { return }
        let parts = URLComponents(string: received.target)
        let items = (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        let request = Request(
            path: parts?.path ?? "",
            query: Dictionary(items) { $1 },
            account: received.headers["stripe-account"]
        )
        let isAuthorized = received.headers["authorization"] == "Bearer \(Self.key)"
        let (failure, events) = state.withLock { state -> (String?, [[String: any Sendable]]) in
            state.requests.append(request)
            return (state.failures.isEmpty ? nil : state.failures.removeFirst(), state.events)
        }
        var (status, body): (String, [String: Any]) = ("200 OK", page(of: events, request.query))
        if !isAuthorized { (status, body) = ("401 Unauthorized", ["error": ["type": "invalid_request_error"]]) }
        if request.path != "/v1/events" { (status, body) = ("404 Not Found", [:]) }
        if let failure { (status, body) = (failure, ["error": ["type": "api_error"]]) }
        let content = (try? JSONSerialization.data(withJSONObject: body)) ?? Data()
        connection.respond(status, type: "application/json", Array(content))
    }

    private func page(of events: [[String: any Sendable]], _ query: [String: String]) -> [String: Any] {
        func created(_ event: [String: any Sendable]) -> Int { event["created"] as? Int ?? 0 }
        let (first, last) = (Int(query["created[gte]"] ?? "") ?? 0, Int(query["created[lte]"] ?? "") ?? .max)
        var list = events.filter { (first...last).contains(created($0)) }.sorted { created($0) > created($1) }
        if let after = query["starting_after"] {
            let place = list.firstIndex { $0["id"] as? String == after }
            list.removeFirst(place.map { $0 + 1 } ?? list.count)
        }
        let count = min(pageSize, Int(query["limit"] ?? "") ?? 10)
        return [
            "object": "list", "url": "/v1/events", "has_more": list.count > count, "data": Array(list.prefix(count)),
        ]
    }
}
