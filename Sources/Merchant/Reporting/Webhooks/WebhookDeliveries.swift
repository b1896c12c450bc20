package import ExternalPurchaseCore
package import Ledger

/// Lists deliveries to webhooks, and has them sent again.
package struct WebhookDeliveries: Sendable {
    let store: any LedgerStore
    let receivers: WebhookReceivers
    let dependencies: ReportingDependencies

    /// A delivery with its attempts.
    package struct Listed: Sendable {
        package let delivery: WebhookDelivery
        package let attempts: [WebhookAttempt]
    }

    /// Returns a page of deliveries in the order of the changes.
    package func list(
        to webhook: String? = nil,
        in state: WebhookDelivery.State? = nil,
        of apps: Set<BundleId>? = nil,
        _ page: LedgerPage
    ) async throws(RequestError) -> [Listed] {
        try await store.shortRead { ledger throws(LedgerError) in
            let deliveries = try ledger.deliveries(to: webhook, in: state, of: apps, page)
            let attempts = try ledger.attempts(of: deliveries.map(\.sequence))
            return deliveries.map { Listed(delivery: $0, attempts: attempts[$0.sequence] ?? []) }
        }
    }

    /// The names of the webhooks that have begun, also of those that are not configured any more.
    ///
    /// - Parameter apps: the apps that the caller has access to, to which the webhook has a delivery; nil for all.
    package func webhooks(of apps: Set<BundleId>? = nil) async throws(RequestError) -> [String] {
        try await store.shortRead { ledger throws(LedgerError) in
            var names: [String] = []
            for name in try ledger.webhooks() {
                if apps != nil, try ledger.deliveries(to: name, in: nil, of: apps, LedgerPage(limit: 1)).isEmpty {
                    continue
                }
                names.append(name)
            }
            return names
        }
    }

    /// Returns a delivery.
    ///
    /// - Parameters:
    ///   - sequence: the number of the delivery.
    ///   - apps: the apps that the caller has access to; nil for all.
    /// - Throws: ``RequestError/unknown(_:)``.
    package func one(_ sequence: Int64, of apps: Set<BundleId>? = nil) async throws(RequestError) -> Listed {
        let listed = try await store.shortRead { ledger throws(LedgerError) in try ledger.listed(sequence) }
        guard let listed, listed.delivery.isOf(apps) else { throw Self.unknown(sequence) }
        return listed
    }

    private static func unknown(_ sequence: Int64) -> RequestError {
        .unknown("there is no delivery \(sequence); GET /v1/deliveries lists them")
    }

    /// Lets a delivery be attempted at once, whatever became of it.
    ///
    /// - Parameters:
    ///   - sequence: the number of the delivery.
    ///   - apps: the apps that the caller has access to; nil for all.
    ///   - author: who asks for it; nil where nobody is named.
    /// - Throws: ``RequestError/unknown(_:)``, or ``RequestError/impossible(_:)`` for an event that no webhook takes.
    package func redeliver(
        _ sequence: Int64,
        of apps: Set<BundleId>? = nil,
        by author: String?
    ) async throws(RequestError) -> Listed {
        if let refusal = receivers.refusal(of: try await one(sequence, of: apps).delivery) {
            throw .impossible(refusal)
        }
        let now = dependencies.now()
        let listed: Listed?
        do {
            listed = try await store.write { ledger throws(LedgerError) in
                try ledger.redeliver(sequence, by: author, at: now) ? ledger.listed(sequence) : nil
            }
        } catch {
            throw .notStored(error)
        }
        guard let listed else { throw Self.unknown(sequence) }
        return listed
    }
}

extension WebhookDelivery {
    /// Whether the event is about one of some apps; every event is of all apps.
    fileprivate func isOf(_ apps: Set<BundleId>?) -> Bool {
        guard let apps else { return true }
        return subject.bundleId.map(apps.contains) ?? false
    }
}

extension LedgerQueries {
    fileprivate func listed(_ sequence: Int64) throws(LedgerError) -> WebhookDeliveries.Listed? {
        guard let delivery = try delivery(sequence) else { return nil }
        return .init(delivery: delivery, attempts: try attempts(of: [sequence])[sequence] ?? [])
    }
}

extension WebhookDeliveries.Listed {
    package var json: JSONValue {
        func time(_ time: Timestamp?) -> JSONValue { time.map { .string($0.description) } ?? .null }
        return [
            "id": .string(String(delivery.sequence)), "webhook": .string(delivery.webhook),
            "eventId": .string(delivery.eventId), "type": .string(delivery.type),
            "bundleId": delivery.subject.bundleId.map { .string($0.rawValue) } ?? .null,
            "subject": ["type": .string(delivery.subject.kind), "id": .string(delivery.subject.id)],
            "state": .string(delivery.state.rawValue), "madeAt": time(delivery.madeAt),
            "nextAt": time(delivery.nextAt), "settledAt": time(delivery.settledAt),
            "attempts": .array(
                attempts.map { attempt in
                    [
                        "at": time(attempt.at), "status": attempt.status.map { .integer(Int64($0)) } ?? .null,
                        "error": attempt.error.map { .string($0) } ?? .null,
                    ]
                }
            ),
        ]
    }
}
