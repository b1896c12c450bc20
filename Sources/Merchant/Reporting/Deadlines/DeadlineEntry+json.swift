package import ExternalPurchaseCore
import Ledger

extension DeadlineEntry {
    /// The entry as `GET /v1/due` and `ledger due --format json` show it.
    package func json(_ classifier: DeadlineClassifier, settings: DeadlineSettings) -> JSONValue {
        var members: [JSONObject.Member] = []
        switch subject {
        case .token(let token):
            members = [
                .init("kind", .string("token")), .init("externalPurchaseId", .string(token.id.rawValue)),
                .init("saleId", .null), .init("bundleId", .string(token.bundleId.rawValue)),
                .init("environment", .string(token.id.environment.rawValue)),
                .init("createdAt", .string(token.createdAt.description)),
            ]
        case .lineItem(let item):
            members = [
                .init("kind", .string("lineItem")),
                .init("externalPurchaseId", item.token.map { .string($0.rawValue) } ?? .null),
                .init("saleId", .string(item.id.rawValue)), .init("bundleId", .string(item.bundleId.rawValue)),
                .init("environment", .string(item.environment.rawValue)),
                .init("createdAt", .string(item.createdAt.description)),
            ]
        }
        let state = state(classifier)
        members += [
            .init("dueAt", due.map { .string($0.moment.description) } ?? .null),
            .init("daysLeft", due.map { .integer(Int64($0.daysLeft(at: classifier.now))) } ?? .null),
            .init("state", .string(state.interfaceName)),
            .init("sendAt", sendMoment(settings).map { .string($0.description) } ?? .null),
            .init("heldFor", subject.heldFor.map { .string($0) } ?? .null),
            .init("needsReview", .bool(subject.needsReview)),
            .init("reason", .string(reason)),
            .init("escalationId", .string(subject.alertId)),
        ]
        return .object(JSONObject(members))
    }
}
