import ExternalPurchaseCore

/// The body of one message: the number of events of each step, and details of the most urgent ones.
struct AlertMessageBody: Sendable {
    let messageId: String
    let madeAt: Timestamp
    let events: [AlertEvent]
    /// The largest number of events that the message describes.
    let first: Int
    let settings: DeadlineSettings

    /// The bytes that the ledger stores and every attempt sends, or tells in words.
    var bytes: [UInt8] {
        var counts: [String: Int64] = [:]
        for event in events { counts[event.step, default: 0] += 1 }
        // Review items and overdue rows come first, then the nearest due dates, so that the message starts with the
        // most urgent.
        let ordered = events.enumerated().sorted { ($0.element.urgency, $0.offset) < ($1.element.urgency, $1.offset) }
        let named = ordered.prefix(max(0, first)).map { $0.element.json(at: madeAt, settings: settings) }
        return JSONValue.object([
            "id": .string(messageId), "madeAt": .string(madeAt.description),
            "total": .integer(Int64(events.count)),
            "counts": .object(JSONObject(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })),
            "events": .array(named), "omitted": .integer(Int64(events.count - named.count)),
        ]).encoded()
    }
}

extension AlertEvent {
    /// A rank for sorting; smaller is more urgent.
    fileprivate var urgency: Int {
        switch cause {
        case .review: 0
        case .due(_, .overdue): 1
        case .due(_, .warned(let days)): 1 + days
        case .due(_, .open), .due(_, .unconfirmed): .max
        }
    }
}
