import ExternalPurchaseCore
import Foundation
import Logging

/// A log handler that writes one JSON object per line: `time`, `level`, `message`, `label`, then the metadata by name.
struct JSONLogHandler: LogHandler {
    private let label: String
    private let now: @Sendable () -> Timestamp
    private let write: @Sendable (String) -> Void

    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.info

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - label: the label of the logger.
    ///   - now: the clock.
    ///   - write: receives each line without its end; it may be called by several threads at once.
    init(label: String, now: @escaping @Sendable () -> Timestamp, write: @escaping @Sendable (String) -> Void) {
        self.label = label
        self.now = now
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var values = metadata
        values.merge(metadataProvider?.get() ?? [:]) { $1 }
        values.merge(event.metadata ?? [:]) { $1 }
        if let error = event.error { values["error"] = "\(error)" }
        var members: [JSONObject.Member] = [
            .init("time", .string(now().description)), .init("level", .string(event.level.rawValue)),
            .init("message", .string(event.message.description)), .init("label", .string(label)),
        ]
        let taken = Set(members.map(\.key))
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let key = RequestIdKey.shown(key)
            members.append(.init(taken.contains(key) ? "metadata.\(key)" : key, value.json))
        }
        write(String(decoding: JSONValue.object(JSONObject(members)).encoded(), as: UTF8.self))
    }
}

/// The name of the request's id in log lines, which Hummingbird writes under its own.
enum RequestIdKey {
    static func shown(_ key: String) -> String { key == "hb.request.id" ? "requestId" : key }
}

extension Logger.MetadataValue {
    fileprivate var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .stringConvertible(let value):
            switch value {
            case let number as Int: .integer(Int64(number))
            case let number as Double where number.isFinite: .number(JSONNumber(unchecked: "\(number)"))
            default: .string(value.description)
            }
        case .dictionary(let values):
            .object(JSONObject(values.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.json) }))
        case .array(let values): .array(values.map(\.json))
        }
    }
}
