import ExternalPurchaseCore

/// An event for the listeners of `GET /emulator/v1/events`.
struct EmulatorEvent: Sendable {
    let name: String
    /// The approximate number of bytes that the event occupies.
    let weight: Int
    private let makeJSON: @Sendable () -> JSONValue

    /// The event as JSON.
    ///
    /// It is created when the first listener reads the event, because most events are sent without listeners.
    var json: JSONValue { makeJSON() }

    private init(name: String, weight: Int = 1_000, json: @escaping @autoclosure @Sendable () -> JSONValue) {
        self.name = name
        self.weight = weight
        makeJSON = json
    }

    static let reset = EmulatorEvent(name: "reset", json: .object(JSONObject()))

    static func request(_ entry: JournalEntry) -> EmulatorEvent {
        EmulatorEvent(name: "request", weight: 1_000 + entry.weight, json: entry.json)
    }

    static func report(_ report: ReceivedReport, of bundleId: BundleId, at moment: Timestamp) -> EmulatorEvent {
        EmulatorEvent(
            name: "report",
            weight: 1_000 * (1 + (report.lineItems?.count ?? 0)),
            json: [
                "at": .string(moment.description), "bundleId": .string(bundleId.rawValue),
                "report": report.json,
            ]
        )
    }

    static func token(_ token: ExternalPurchaseToken, at moment: Timestamp) -> EmulatorEvent {
        EmulatorEvent(
            name: "token",
            json: [
                "at": .string(moment.description), "bundleId": .string(token.bundleId.rawValue),
                "externalPurchaseId": .string(token.externalPurchaseId.rawValue),
                "tokenType": token.tokenType.map { .string($0.rawValue) } ?? .null,
                "token": .string(token.encoded()),
            ]
        )
    }

    static func notification(_ record: NotificationRecord, at moment: Timestamp) -> EmulatorEvent {
        EmulatorEvent(name: "notification", json: record.json)
    }

    static func clock(_ now: Timestamp, isVirtual: Bool) -> EmulatorEvent {
        EmulatorEvent(
            name: "clock",
            json: [
                "now": .string(now.description), "mode": .string(isVirtual ? "virtual" : "real"),
            ]
        )
    }
}
