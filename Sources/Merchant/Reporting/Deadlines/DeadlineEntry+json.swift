package import ExternalPurchaseCore
import Ledger

extension DeadlineEntry {
    /// The entry as `GET /v1/due` and `ledger due --format json` show it.
    package func json(_ classifier: DeadlineClassifier, settings: DeadlineSettings) -> JSONValue {
        let (token, sale, createdAt): (ExternalPurchaseId?, LineItemId?, Timestamp) =
            switch subject.row {
            case .token(let token): (token.externalPurchaseId, nil, token.createdAt)
            case .sale(let sale): (sale.token?.externalPurchaseId, sale.lineItemId, sale.occurredAt)
            }
        return [
            "kind": .string(subject.kind),
            "externalPurchaseId": token.map { .string($0.rawValue) } ?? .null,
            "saleId": sale.map { .string($0.rawValue) } ?? .null,
            "bundleId": .string(subject.bundleId.rawValue),
            "environment": .string(subject.environment.rawValue),
            "createdAt": .string(createdAt.description),
            "dueAt": due.map { .string($0.moment.description) } ?? .null,
            "daysLeft": due.map { .integer(Int64($0.daysLeft(at: classifier.now))) } ?? .null,
            "state": .string(state(classifier).interfaceName),
            "sendAt": sendMoment(settings).map { .string($0.description) } ?? .null,
            "heldFor": subject.heldFor.map { .string($0) } ?? .null,
            "needsReview": .bool(subject.needsReview),
            "reason": .string(reason),
            "escalationId": .string(subject.alertId),
        ]
    }
}
