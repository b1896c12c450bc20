package import ExternalPurchaseCore
import Ledger

/// A receiver of events: which changes it gets, and how they are sent.
package struct EventWebhook: Sendable {
    /// Sends the exact bytes of an event under its id.
    package typealias Delivery = @Sendable (_ body: [UInt8], _ eventId: String) async -> DeliveryAnswer

    package let name: String
    let types: Set<ChangeType>
    /// The only apps; nil for all, and for changes that belong to none.
    let apps: Set<BundleId>?
    let deliver: Delivery

    package init(name: String, types: Set<ChangeType>, apps: Set<BundleId>?, deliver: @escaping Delivery) {
        self.name = name
        self.types = types
        self.apps = apps
        self.deliver = deliver
    }

    func selects(_ change: ToldChange) -> Bool { takes(change.type, change.bundleId) }

    /// Whether an event that was made before is still one that the webhook takes.
    func takes(_ delivery: WebhookDelivery) -> Bool {
        ChangeType(rawValue: delivery.type).map { takes($0, delivery.subject.bundleId) } ?? false
    }

    private func takes(_ type: ChangeType, _ bundleId: BundleId?) -> Bool {
        types.contains(type) && (apps.map { apps in bundleId.map(apps.contains) ?? false } ?? true)
    }
}

/// What became of a request to a webhook.
package struct DeliveryAnswer: Hashable, Sendable {
    /// The HTTP status; nil without a response.
    package let status: Int?
    /// Why the event was not accepted; nil if it was.
    package let error: String?

    package init(status: Int?, error: String?) {
        self.status = status
        self.error = error
    }
}

extension ChangeType {
    /// The types that a name or a pattern such as `sale.*` selects; empty for an unknown one.
    package static func matching(_ pattern: String) -> Set<ChangeType> {
        if let type = ChangeType(rawValue: pattern) { return [type] }
        guard pattern.hasSuffix("*") else { return [] }
        let start = pattern.dropLast()
        guard start.isEmpty || start.hasSuffix(".") else { return [] }
        return Set(allCases.filter { $0.rawValue.hasPrefix(start) })
    }
}
