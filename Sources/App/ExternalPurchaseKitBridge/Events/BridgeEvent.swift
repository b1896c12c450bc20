import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation

/// The names of events of version 1 (EK-54).
enum BridgeEventName: String, CaseIterable, Sendable {
    case availability
    case outboxStatus
    case question
    case log
}

/// An event that waits for the listener.
struct BridgeEvent: Sendable {
    let name: BridgeEventName
    var data: JSONObject
    /// The id of the question.
    var question: String?

    var encoded: Data {
        let value = JSONValue.members([
            "version": .integer(BridgeRequest.version), "event": .string(name.rawValue), "data": .object(data),
        ])
        return Data(value.encoded())
    }
}

extension KitEvent {
    /// The data of the event `log`; the text holds no token and no customer (EK-30).
    var json: JSONObject {
        [
            "level": .string(level.rawValue), "kind": .string(kind),
            "message": .string(description),
        ]
    }

    private var kind: String {
        switch self {
        case .offersShown: "offersShown"
        case .tapped: "tapped"
        case .continued: "continued"
        case .cancelled: "cancelled"
        case .refreshed: "refreshed"
        case .gateClosed: "gateClosed"
        case .storeFailed: "storeFailed"
        case .noToken: "noToken"
        case .stored: "stored"
        case .notStored: "notStored"
        case .delivered: "delivered"
        case .refused: "refused"
        case .deliveryFailed: "deliveryFailed"
        case .opened: "opened"
        case .storageFailed: "storageFailed"
        }
    }
}
