import Ledger
import Synchronization

/// The webhooks that the server sends events to.
final class WebhookReceivers: Sendable {
    private let webhooks = Mutex<[String: EventWebhook]>([:])

    func set(_ list: [EventWebhook]) {
        webhooks.withLock { $0 = Dictionary(list.map { ($0.name, $0) }) { first, _ in first } }
    }

    /// Returns the reason why an event would never be sent, or nil.
    func refusal(of delivery: WebhookDelivery) -> String? {
        let name = delivery.webhook
        guard let webhook = webhooks.withLock({ $0[name] }) else {
            return "the configuration has no webhook '\(name)', so the event would not be sent; add it under webhooks "
                + "and restart the server, and what waits for it goes out"
        }
        if webhook.takes(delivery) { return nil }
        return "the webhook '\(name)' does not take \(delivery.type) of this app any more; add it to its types and "
            + "apps and restart the server, or read the event in GET /v1/changes"
    }
}
