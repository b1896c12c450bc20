import ExternalPurchaseCore
import ExternalPurchaseKit

extension TokenOutboxStatus {
    /// The value in answers and events.
    var json: JSONValue {
        let refused = refused.sorted { $0.key < $1.key }.map { name, reason in
            JSONValue.members(["name": .string(name.description), "reason": .string(reason)])
        }
        return .members([
            "pending": .count(pending), "unstored": .count(unstored), "refused": .array(refused),
            "unreadable": .count(unreadable), "unreachable": .count(unreachable),
            "interruptedRequests": .count(interruptedRequests), "size": .count(size), "isFull": .bool(isFull),
            "failures": .count(failures), "lastFailure": .text(lastFailure),
            "storageFailure": storageFailure?.json ?? .null,
        ])
    }
}

extension StorageFailure {
    var json: JSONValue {
        .members([
            "operation": .string(operation.rawValue), "code": .integer(Int64(code)), "reason": .string(reason),
        ])
    }
}
