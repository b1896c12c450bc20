package import ExternalPurchaseCore
package import Ledger

/// Lists deliveries to webhooks, and has them sent again.
package struct WebhookDeliveries: Sendable {
    let store: any LedgerStore
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
        of bundleId: BundleId? = nil,
        _ page: LedgerPage
    ) async throws(RequestError) -> [Listed] {
        try await store.shortRead { ledger throws(LedgerError) in
            var listed: [Listed] = []
            for delivery in try ledger.deliveries(to: webhook, in: state, of: bundleId, page) {
                listed.append(Listed(delivery: delivery, attempts: try ledger.attempts(of: delivery.sequence)))
            }
            return listed
        }
    }

    /// Lets a delivery be attempted at once, whatever became of it.
    ///
    /// - Parameters:
    ///   - sequence: the number of the delivery.
    ///   - bundleId: the only app that the caller has access to; nil for all.
    /// - Throws: ``RequestError/unknown(_:)``.
    package func redeliver(_ sequence: Int64, of bundleId: BundleId? = nil) async throws(RequestError) -> Listed {
        let now = dependencies.now()
        let listed: Listed?
        do {
            listed = try await store.write { ledger throws(LedgerError) in
                guard let known = try ledger.delivery(sequence),
                    bundleId == nil || known.subject.bundleId == bundleId,
                    try ledger.redeliver(sequence, at: now), let delivery = try ledger.delivery(sequence)
                else { return nil }
                return Listed(delivery: delivery, attempts: try ledger.attempts(of: sequence))
            }
        } catch {
            throw .notStored(error)
        }
        guard let listed else { throw .unknown("there is no delivery \(sequence); GET /v1/deliveries lists them") }
        return listed
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
